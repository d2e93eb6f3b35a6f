// Runs main's IR on the host, word by word, and reports where SPIR-V leaves the behaviour undefined. Tests of the
// opcode families check both the result of an instruction and that nothing in it can go wrong on a device.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ir/module.h"

namespace tgsi2spv::test {

using Words = std::array<uint32_t, 4>;

struct Evaluation {
    std::map<uint32_t, Words> outputs;  ///< by Variable::semantic_index, of Output variables that are not builtins
    std::map<uint32_t, uint32_t> io_outputs;            ///< `io=buffers`: by word
    std::map<uint32_t, std::vector<uint32_t>> buffers;  ///< Surroundings::buffers, after the run
    std::vector<std::string> undefined;  ///< descriptions of operations whose behaviour SPIR-V leaves undefined
    bool killed = false;
    std::string error;  ///< names an instruction that the evaluator does not support
};

/// One execution of an image instruction.
struct ImageAccess {
    ir::Op op{};
    const ir::ImageOp* image = nullptr;
    ir::ImageArguments at;  ///< positions in `args`
    std::vector<Words> args;
    uint32_t texture = 0;  ///< the register: Variable::index, plus the index into an array of descriptors
    uint32_t sampler = 0;  ///< likewise; of a combined image: 0

    Words arg(int where) const { return where < 0 ? Words{} : args[static_cast<size_t>(where)]; }
};
struct ImageAnswer {
    Words words{};
    bool resident = true;
};

/// The resources and abilities of a module's device. Resources are by register: Variable::index, plus the index into an
/// array of descriptors. A buffer that is not named is empty; like every bound buffer it still has a word 0, which is
/// 0.
struct Surroundings {
    std::map<uint32_t, std::vector<uint32_t>> buffers{};
    std::map<uint32_t, std::vector<Words>> constants{};
    std::vector<uint32_t> io_inputs{}, io_parameters{};  ///< `io=buffers`
    std::map<ir::BuiltIn, Words> builtins{};
    std::map<int32_t, uint32_t> specialized{};  ///< specialization constants that have other values than their own
    std::function<ImageAnswer(const ImageAccess&)> image{};
};

/// `inputs` are by Variable::location. Supports no writes to images. NaN is never assumed away, denormals are
/// kept, and arithmetic rounds to nearest.
Evaluation evaluate(const ir::Module& module, const std::map<uint32_t, Words>& inputs,
                    const Surroundings& surroundings = {});

}  // namespace tgsi2spv::test
