// The evaluator's 64-bit half: one component of an instruction that reads or gives 64 bits.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/module.h"

namespace tgsi2spv::test {

struct Wide {
    uint64_t bits = 0;
    bool undefined = false;  ///< SPIR-V leaves the behaviour undefined
};

/// `from` is the type of operand 0; 32-bit operands stand in the low word. Empty for an instruction that is not known.
std::optional<Wide> wide_component(ir::Op op, ir::Type from, ir::Type to, const uint64_t (&x)[3]);

/// frexp of a double: the fraction's bits, and the exponent.
std::pair<uint64_t, uint32_t> split_double(uint64_t bits);

}  // namespace tgsi2spv::test
