// The limits of a text.
#pragma once

#include <cstdint>

namespace tgsi2spv::tgsi {

/// An upper bound, even if the limit of registers is set higher: indices stay far from the limits of 32 bits.
inline constexpr uint32_t kMaxRegisters = 1u << 20;

/// Every limit has its own message; all can be set (0 does not mean "unlimited": it refuses everything).
struct Limits {
    uint32_t text_bytes = 16u << 20;
    uint32_t instructions = 1'000'000;
    uint32_t nesting = 256;
    uint32_t registers = 65'536;  ///< most registers in one file (and dimension), at most kMaxRegisters
    uint32_t errors = 20;         ///< most errors, and most warnings: further ones are dropped
};

}  // namespace tgsi2spv::tgsi
