// Comparisons of two numbers and of two ranges; the same for floats and doubles.
#pragma once

#include "reference/numbers/comparison.h"
#include "reference/numbers/steps.h"

namespace tgsi2spv::reference {

template <class Number>
bool holds(Relation relation, Number x, Number y) {
    return relation == Relation::Less ? x < y : relation == Relation::LessEqual ? x <= y : x == y;
}

/// Whether some, and whether all, numbers of the ranges are so related. `nominal`: whether their nominal values are.
template <class Range>
Truth relate_ranges(const Context& context, Relation relation, const Range& r, const Range& s, bool nominal) {
    Truth t{nominal, false, false};
    if (!context.preserve && (r.nan || s.nan || r.contains_infinity() || s.contains_infinity()))
        return {nominal, true, true};
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

template <class V>
Truth relate(const Context& context, Relation relation, const V& a, const V& b) {
    const bool nominal = holds(relation, as_number(a.value), as_number(b.value));
    Truth t{nominal, false, false};
    if (context.nominal || (steps::is_plain(context, a) && steps::is_plain(context, b)))
        return {nominal, nominal, !nominal};
    steps::AlternativesOf<V> x, y;
    if (steps::alternatives(a, x) && steps::alternatives(b, y)) {
        for (int i = 0; i < x.count; ++i)
            for (int j = 0; j < y.count; ++j) {
                if (!context.preserve && (steps::special(x.f[i]) || steps::special(y.f[j])))
                    return {nominal, true, true};
                (holds(relation, x.f[i], y.f[j]) ? t.may_be_true : t.may_be_false) = true;
            }
        return t;
    }
    RangesOf<RangeOf<V>> parts, others;
    if (!steps::flushed_ranges(a, parts) || !steps::flushed_ranges(b, others)) return {nominal, true, true};
    for (const auto& r : parts)
        for (const auto& s : others) {
            const Truth here = relate_ranges(context, relation, r, s, nominal);
            t.may_be_true |= here.may_be_true;
            t.may_be_false |= here.may_be_false;
        }
    return t;
}

}  // namespace tgsi2spv::reference
