// Runs main's IR on the host, word by word, and says where SPIR-V would leave the behaviour undefined: tests of
// the opcode families ask both what an instruction gives and that nothing in it can go wrong on a device.
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
    std::map<uint32_t, Words> outputs;   ///< by Variable::semantic_index of Output variables that are no builtins
    std::vector<std::string> undefined;  ///< each operation whose behaviour SPIR-V leaves undefined, as text
    std::string error;                   ///< an instruction that the evaluator does not know
};

/// `inputs` by Variable::location. One function, without calls, kills and images; NaN is never assumed away, denormals
/// are kept, arithmetic rounds to nearest.
Evaluation evaluate(const ir::Module& module, const std::map<uint32_t, Words>& inputs);

}  // namespace tgsi2spv::test
