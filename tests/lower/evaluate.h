// Runs main's IR on the host, word by word, and reports where SPIR-V leaves the behaviour undefined. Tests of the
// opcode families check both the result of an instruction and that nothing in it can go wrong on a device.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ir/module.h"

namespace tgsi2spv::test {

using Words = std::array<uint32_t, 4>;

struct Evaluation {
    std::map<uint32_t, Words> outputs;   ///< by Variable::semantic_index, of Output variables that are not builtins
    std::vector<std::string> undefined;  ///< descriptions of operations whose behaviour SPIR-V leaves undefined
    std::string error;                   ///< names an instruction that the evaluator does not support
};

/// `inputs` are by Variable::location. Supports one function without calls, kills and images. NaN is never assumed
/// away, denormals are kept, and arithmetic rounds to nearest.
Evaluation evaluate(const ir::Module& module, const std::map<uint32_t, Words>& inputs);

}  // namespace tgsi2spv::test
