// Shared by the 64-bit families (wide.cpp, wide_convert.cpp): operations on the two pairs of an instruction.
#pragma once

#include "reference/frame.h"
#include "reference/numbers/wide_float.h"

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

/// f of the pairs of source 0 (and 1).
template <class F>
void Frame::each_pair1(F f) {
    each_pair([&](int k) {
        const Pair a = pair(0, k);
        return [this, a, &f](uint32_t lane) { return f(a.at(c, lane)); };
    });
}
template <class F>
void Frame::each_pair2(F f) {
    each_pair([&](int k) {
        const Pair a = pair(0, k), b = pair(1, k);
        return [this, a, b, &f](uint32_t lane) { return f(a.at(c, lane), b.at(c, lane)); };
    });
}
template <class F>
void Frame::each_pair(F make) {
    for (int k = 0; k < 2; ++k) {
        if (!writes_pair(k)) continue;
        auto of_lane = make(k);
        Value *low = scratch(), *high = scratch();
        const bool clamp = instruction.saturate && info.dst[0] == tgsi::OperandType::Double;
        const Context w = wide_context(c);
        for (uint32_t lane : lanes()) {
            const Wide v = of_lane(lane);
            split(clamp ? wide::saturate(w, v, instruction.saturate_signed) : v, m.pairs, low[lane], high[lane]);
        }
        result[static_cast<size_t>(2 * k)] = low;
        result[static_cast<size_t>(2 * k + 1)] = high;
    }
}

}  // namespace tgsi2spv::reference
