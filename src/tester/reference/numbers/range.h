// The range of an abstract value's numbers; the same for floats and doubles.
#pragma once

#include "reference/numbers/value.h"

namespace tgsi2spv::reference {

/// `number` reads a word as a number. False if the value is unknown.
template <class V, class Range, class ReadNumber>
bool range_of(const V& v, Range& r, ReadNumber number) {
    r = {};
    if (v.kind == Kind::Unknown) return false;
    r.nan = v.maybe_nan;
    if (v.kind == Kind::Interval) {
        r.lo = number(v.lo);
        r.hi = number(v.hi);
        return true;
    }
    r.empty = true;
    decltype(v.value) lo = 0, hi = 0;
    for (size_t i = 0; i < v.count; ++i) {
        const auto w = v.words[i];
        if (is_nan(w)) {
            r.nan = true;
            continue;
        }
        if (r.empty || order(w) < order(lo)) lo = w;
        if (r.empty || order(w) > order(hi)) hi = w;
        r.empty = false;
    }
    r.lo = number(lo);
    r.hi = number(hi);
    return true;
}

}  // namespace tgsi2spv::reference
