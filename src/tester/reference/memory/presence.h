// How surely a lane is at a point of the program.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/numbers/value.h"

namespace tgsi2spv::reference {

/// Whether a lane is present at a point in the nominal execution, in some permitted execution, or in all.
using Presence = uint8_t;
inline constexpr Presence kNominal = 1, kMay = 2, kMust = 4, kAll = 7;

/// The part of `where` in which the truth holds.
inline Presence restrict(Presence where, const Truth& truth) {
    return static_cast<Presence>(
        where & ((truth.nominal ? kNominal : 0) | (truth.may_be_true ? kMay : 0) | (truth.may_be_false ? 0 : kMust)));
}
/// `mask` after lanes present as `leaving` have left: a lane that only may leave may also stay.
inline Presence without(Presence mask, Presence leaving) {
    Presence gone =
        static_cast<Presence>((leaving & kNominal) | (leaving & kMust ? kMay : 0) | (leaving & kMay ? kMust : 0));
    return static_cast<Presence>(mask & ~gone);
}

using Mask = std::vector<Presence>;

/// Assigns a value where an invocation may be present only in part.
inline void assign(Value& slot, const Value& v, Presence here) {
    if (here == kAll) {
        slot = v;
        return;
    }
    const uint32_t nominal = here & kNominal ? v.value : slot.value;
    if (here & kMust)
        slot = v;
    else if (here & kMay)
        slot = join(slot, v);
    slot.value = nominal;
}

}  // namespace tgsi2spv::reference
