// Shared by the files of 64-bit opcodes. A 64-bit value is in a pair of components: the low word in x or z, the high
// word in y or w (semantics: 64-bit pairs). Pairs are processed as vectors of one or two 64-bit components.
#pragma once

#include "lower/operands/doubles.h"
#include "lower/operands/family.h"

namespace tgsi2spv::lower {

/// The pairs that an instruction works on, in rising order: 0 is xy, 1 is zw.
struct Pairs {
    uint8_t list[2] = {0, 1};
    int count = 0;

    std::span<const uint8_t> span() const { return {list, static_cast<size_t>(count)}; }
};

/// The pairs with at least one component in the mask.
Pairs pairs_in(uint8_t mask);

/// Source i's pairs as u64, one component per pair, or as doubles; modifiers act on the whole pair.
ir::Value wide_source(Operation& op, int i, ir::Scalar scalar, Pairs pairs);
/// 32-bit components of source i, one per pair: x for xy; for zw it is z, or y if `dense`.
ir::Value narrow_source(Operation& op, int i, ir::Scalar scalar, Pairs pairs, bool dense);

/// `x` as many times as there are doubles in `like`.
ir::Value f64_like(Operation& op, double x, ir::Value like);
/// `x` in every component of a value as wide as `like`.
ir::Value u64_like(Operation& op, uint64_t x, ir::Value like);

/// Signed integers of either size: a / divisor, 0 if the divisor is 0; or the remainder, which has the dividend's sign,
/// -1 if the divisor is 0.
ir::Value divided(Operation& op, ir::Value a, ir::Value divisor, bool remainder);

/// The components in the mask, from 64-bit values in `pairs`; saturated if the instruction says so.
Outcome wide_result(Operation& op, ir::Value value, Pairs pairs);
/// One 32-bit value per pair, for x or z of each, or for y or w if the mask has only that. Narrows the mask.
Outcome pair_result(Operation& op, ir::Value value, Pairs pairs);
/// 64 to 32 bits: the first component of the mask takes xy, the second takes zw, and further components are not
/// written. Narrows the mask, and returns the pairs to read.
Pairs narrow_mask(Operation& op);

}  // namespace tgsi2spv::lower
