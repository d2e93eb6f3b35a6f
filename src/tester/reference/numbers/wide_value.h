// The abstract value of a pair of register components: the set of 64-bit patterns that Vulkan permits there.
//
// Registers hold words, so a pair is split when it is written. The bounds of the two words by themselves are less exact
// than those of the pair. So the halves of an interval keep a common number, and the low half keeps the ends of the
// interval. Code that reads both halves of one number gets the interval back. Moves carry the halves along; anything
// that computes with a half, or joins it with another value, makes a word without its number. So a number is never next
// to a word that does not belong to it.
#pragma once

#include "reference/numbers/context.h"
#include "reference/numbers/value.h"

namespace tgsi2spv::reference {

/// Whether these are the halves of one pair whose bounds are known as a double.
inline bool is_pair(const Value& low, const Value& high) {
    return low.pair != 0 && low.pair == high.pair && low.half == PairHalf::Low && high.half == PairHalf::High;
}
/// The pair that two components permit when they are read as one.
Wide join_halves(const Value& low, const Value& high);
/// The components of a pair. `pairs` numbers the pairs of the run.
void split(const Wide& v, uint32_t& pairs, Value& low, Value& high);

}  // namespace tgsi2spv::reference
