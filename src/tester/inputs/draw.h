// Draws random words for inputs, according to a component's use.
#pragma once

#include <cstdint>

#include "inputs/random.h"
#include "inputs/uses.h"
#include "tgsi/program/program.h"

namespace tgsi2spv::difftest {

inline constexpr uint32_t kTextureSize = 8;

struct Draw {
    const tgsi::Program& program;
    Random random;
    bool beyond = false, tiny = false, wide = false;  ///< the members of InputOptions
    uint32_t edge_odds = 4;                           ///< one word in this many is an edge value, if the use has any

    uint32_t value(Use use, bool edges);
    /// Draws two components that form one number. `high` is the use of the second one.
    uint64_t pair(Use high, bool edges);
    /// Draws a word of CONST: no float edge values, since all lanes would have them, and few loop iterations.
    uint32_t constant(Use use);

    /// Returns a word of random magnitude.
    uint32_t any_word() { return static_cast<uint32_t>(random.next() >> 32) >> random.below(32); }

  private:
    double sign() { return random.below(2) == 0 ? -1 : 1; }
    double inside_texel();
    uint32_t own_word();
    int32_t beyond_arrays();
    double float_index();
    uint32_t integer(bool edges);
    uint64_t long_word(bool edges);
    uint64_t double_word(bool edges);
};

/// Whether two components with these uses form one number, the first being its low word.
inline bool begins_pair(Use low, Use high) {
    return (low == Use::DoubleLow && high == Use::DoubleHigh) || (low == Use::LongLow && high == Use::LongHigh);
}

}  // namespace tgsi2spv::difftest
