// Words for inputs: what a component is used for decides which are drawn.
#pragma once

#include <cstdint>

#include "difftest/random.h"
#include "difftest/uses.h"
#include "tgsi/program.h"

namespace tgsi2spv::difftest {

inline constexpr uint32_t kTextureSize = 8;

struct Draw {
    const tgsi::Program& program;
    Random random;
    bool beyond = false, tiny = false, wide = false;  ///< InputOptions has them
    uint32_t edge_odds = 4;                           ///< one word in so many is an edge value, where there are any

    uint32_t value(Use use, bool edges);
    /// Two components that are one number: `high` is the use of the second one.
    uint64_t pair(Use high, bool edges);
    /// CONST: no edges of floats, which would be in all lanes, and few turns of loops.
    uint32_t constant(Use use);

    /// Of any size.
    uint32_t any_word() { return static_cast<uint32_t>(random.next() >> 32) >> random.below(32); }

  private:
    double inside_texel();
    uint32_t own_word();
    int32_t beyond_arrays();
    double float_index();
    uint32_t integer(bool edges);
    uint64_t long_word(bool edges);
    uint64_t double_word(bool edges);
};

/// A number of two components, of which this is the first one's use.
inline bool begins_pair(Use low, Use high) {
    return (low == Use::DoubleLow && high == Use::DoubleHigh) || (low == Use::LongLow && high == Use::LongHigh);
}

}  // namespace tgsi2spv::difftest
