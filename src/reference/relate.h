// Comparisons of two numbers and of two ranges; the same for floats and doubles.
#pragma once

#include "reference/float_math.h"

namespace tgsi2spv::reference {

template <class Number>
bool holds(Relation relation, Number x, Number y) {
    return relation == Relation::Less ? x < y : relation == Relation::LessEqual ? x <= y : x == y;
}

/// Whether some, and whether all, numbers of the ranges are so related. `plain`: whether their plain values are.
template <class Range>
Truth relate_ranges(const Context& c, Relation relation, const Range& r, const Range& s, bool plain) {
    Truth t{plain, false, false};
    if (!c.preserve && (r.nan || s.nan || r.contains_infinity() || s.contains_infinity())) return {plain, true, true};
    t.may_be_false = r.nan || s.nan;
    if (r.empty || s.empty) return t;
    switch (relation) {
        case Relation::Less:
            t.may_be_true = r.lo < s.hi;
            t.may_be_false |= r.hi >= s.lo;
            break;
        case Relation::LessEqual:
            t.may_be_true = r.lo <= s.hi;
            t.may_be_false |= r.hi > s.lo;
            break;
        case Relation::Equal:
            t.may_be_true = r.lo <= s.hi && s.lo <= r.hi;
            t.may_be_false |= !(r.lo == r.hi && s.lo == s.hi && r.lo == s.lo);
            break;
    }
    return t;
}

}  // namespace tgsi2spv::reference
