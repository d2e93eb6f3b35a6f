// Integer operations on sets of words: f of every combination; unknown if there are too many.
#pragma once

#include "reference/numbers/context.h"
#include "reference/numbers/value.h"

namespace tgsi2spv::reference {

template <class F>
Value words1(const Context& context, const Value& a, F f) {
    if (is_exact(a) || context.nominal) return exact(static_cast<uint32_t>(f(a.value)));
    WordList x;
    uint32_t value = static_cast<uint32_t>(f(a.value));
    if (!enumerate(a, x)) return unknown(value);
    Hull h;
    for (int i = 0; i < x.count; ++i) h.add_word(static_cast<uint32_t>(f(x.words[i])));
    return h.finish(value);
}
template <class F>
Value words2(const Context& context, const Value& a, const Value& b, F f) {
    if ((is_exact(a) && is_exact(b)) || context.nominal) return exact(static_cast<uint32_t>(f(a.value, b.value)));
    WordList x, y;
    uint32_t value = static_cast<uint32_t>(f(a.value, b.value));
    if (!enumerate(a, x) || !enumerate(b, y)) return unknown(value);
    Hull h;
    for (int i = 0; i < x.count; ++i)
        for (int j = 0; j < y.count; ++j) h.add_word(static_cast<uint32_t>(f(x.words[i], y.words[j])));
    return h.finish(value);
}
template <class F>
Value words3(const Context& context, const Value& a, const Value& b, const Value& d, F f) {
    if ((is_exact(a) && is_exact(b) && is_exact(d)) || context.nominal)
        return exact(static_cast<uint32_t>(f(a.value, b.value, d.value)));
    WordList x, y, z;
    uint32_t value = static_cast<uint32_t>(f(a.value, b.value, d.value));
    if (!enumerate(a, x) || !enumerate(b, y) || !enumerate(d, z)) return unknown(value);
    Hull h;
    for (int i = 0; i < x.count; ++i)
        for (int j = 0; j < y.count; ++j)
            for (int k = 0; k < z.count; ++k) h.add_word(static_cast<uint32_t>(f(x.words[i], y.words[j], z.words[k])));
    return h.finish(value);
}

}  // namespace tgsi2spv::reference
