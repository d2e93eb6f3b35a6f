// The 64-bit half of the evaluator: one component of an instruction that reads or returns 64 bits.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/module.h"

namespace tgsi2spv::test {

struct Wide {
    uint64_t bits = 0;
    bool undefined = false;  ///< whether SPIR-V leaves the behaviour undefined
};

/// `from` is the type of operand 0; 32-bit operands are in the low word. Returns nothing for an unsupported
/// instruction.
std::optional<Wide> wide_component(ir::Op op, ir::Type from, ir::Type to, const uint64_t (&x)[3]);

}  // namespace tgsi2spv::test
