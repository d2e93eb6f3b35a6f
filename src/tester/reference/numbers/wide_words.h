// Integer operations on sets of 64-bit values.
#pragma once

#include "reference/numbers/context.h"
#include "reference/numbers/wide_value.h"

namespace tgsi2spv::reference {

/// f of every pattern of a short set; unknown if there are too many.
template <class F>
Wide wide_words1(const Context& context, const Wide& a, F f) {
    const uint64_t value = f(a.value);
    if (context.nominal || is_exact(a)) {
        Wide v = exact(f(context.nominal ? a.value : a.words[0]));
        v.value = value;
        return v;
    }
    if (a.kind != Kind::Words || a.maybe_nan) return unknown(value);
    WideHull h;
    for (size_t i = 0; i < a.count; ++i) h.add_word(f(a.words[i]));
    return h.finish(value);
}
template <class F>
Wide wide_words2(const Context& context, const Wide& a, const Wide& b, F f) {
    const uint64_t value = f(a.value, b.value);
    if (context.nominal) return exact(value);
    if (a.kind != Kind::Words || b.kind != Kind::Words || a.maybe_nan || b.maybe_nan) return unknown(value);
    WideHull h;
    for (size_t i = 0; i < a.count; ++i)
        for (size_t j = 0; j < b.count; ++j) h.add_word(f(a.words[i], b.words[j]));
    return h.finish(value);
}

/// f of every word of a short set, as a pair.
template <class F>
Wide widened_words(const Context& context, const Value& a, F f) {
    const uint64_t value = f(a.value);
    if (context.nominal) return exact(value);
    WordList list;
    if (!enumerate(a, list)) return unknown(value);
    WideHull h;
    for (int i = 0; i < list.count; ++i) h.add_word(f(list.words[i]));
    return h.finish(value);
}

}  // namespace tgsi2spv::reference
