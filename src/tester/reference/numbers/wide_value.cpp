#include "reference/numbers/wide_value.h"

#include <algorithm>

namespace tgsi2spv::reference {
namespace {

uint32_t low_word(uint64_t w) {
    return static_cast<uint32_t>(w);
}
uint32_t high_word(uint64_t w) {
    return static_cast<uint32_t>(w >> 32);
}
uint64_t joined(uint32_t low, uint32_t high) {
    return uint64_t{high} << 32 | low;
}

/// Adds all patterns from `first` to `last`, as unsigned numbers: an interval has the order of floats and leaves NaNs
/// out.
void add_run(Hull& hull, uint32_t first, uint32_t last) {
    if (last - first < 4) {
        for (uint32_t w = first;; ++w) {
            hull.add_word(w);
            if (w == last) return;
        }
    }
    for (const uint32_t sign : {0u, kSign}) {
        const uint32_t from = std::max(first, sign), to = std::min(last, sign | ~kSign);
        if (from > to) continue;
        if (to > (sign | kInf)) hull.add_nan();
        if (from > (sign | kInf)) continue;
        const uint32_t end = std::min(to, sign | kInf);
        sign ? hull.add_interval(end, from) : hull.add_interval(from, end);
    }
}

}  // namespace

Wide join_halves(const Value& low, const Value& high) {
    const uint64_t value = joined(low.value, high.value);
    if (is_exact(low) && is_exact(high)) {
        Wide v = exact(joined(low.words[0], high.words[0]));
        v.value = value;
        return v;
    }
    WideHull h;
    if (is_pair(low, high)) {
        if (low.pair_nan) h.add_nan();
        if (!low.pair_empty)
            h.add_interval(as_number(joined(low.words[0], low.words[1])),
                           as_number(joined(low.words[2], low.words[3])));
        return h.finish(value);
    }
    WordList lows, highs;
    if (enumerate(low, lows) && enumerate(high, highs)) {
        for (int i = 0; i < highs.count; ++i)
            for (int j = 0; j < lows.count; ++j)
                h.add_word(joined(lows.words[static_cast<size_t>(j)], highs.words[static_cast<size_t>(i)]));
        return h.finish(value);
    }
    if (is_unknown(high) || high.maybe_nan) return unknown(value);
    // From the high word alone: every double that begins with it.
    auto add_high = [&](uint32_t first, uint32_t last) {
        const auto end = [](uint32_t w, bool lowest) {
            const bool negative = (w & kSign) != 0;
            return joined(lowest == negative ? ~0u : 0u, w);
        };
        const uint64_t lo = end(first, true), hi = end(last, false);
        if (is_nan(lo) || is_nan(hi))
            h.add_unknown();
        else
            h.add_interval(as_number(lo), as_number(hi));
    };
    if (high.kind == Kind::Interval)
        add_high(high.lo, high.hi);
    else
        for (int i = 0; i < high.count; ++i)
            add_high(high.words[static_cast<size_t>(i)], high.words[static_cast<size_t>(i)]);
    return h.finish(value);
}

void split(const Wide& v, uint32_t& pairs, Value& low, Value& high) {
    if (is_exact(v)) {
        low = exact(low_word(v.words[0]));
        high = exact(high_word(v.words[0]));
        low.value = low_word(v.value);
        high.value = high_word(v.value);
        return;
    }
    low = unknown(low_word(v.value));
    high = unknown(high_word(v.value));
    if (v.kind == Kind::Unknown) return;
    Hull lows, highs;
    if (v.maybe_nan) {
        lows.add_unknown();
        highs.add_nan();
    }
    if (v.kind == Kind::Words) {
        for (size_t i = 0; i < v.count; ++i) {
            lows.add_word(low_word(v.words[i]));
            highs.add_word(high_word(v.words[i]));
        }
        if (v.count == 0) highs.add_word(high_word(Double::kNan));
        high = highs.finish(high.value);
        low = lows.finish(low.value);
        if (!v.maybe_nan) return;  // two short sets
    } else {
        const uint64_t first = order(v.lo) >= 0 ? v.lo : v.hi, last = order(v.lo) >= 0 ? v.hi : v.lo;
        const bool one_sign = ((v.lo ^ v.hi) & Double::kSign) == 0;
        if (one_sign && high_word(first) == high_word(last)) {
            add_run(lows, low_word(first), low_word(last));
        } else if (one_sign && high_word(last) - high_word(first) == 1 && low_word(last) < low_word(first)) {
            add_run(lows, low_word(first), ~0u);
            add_run(lows, 0, low_word(last));
        } else {
            add_run(lows, 0, ~0u);
        }
        if (one_sign) {
            add_run(highs, high_word(first), high_word(last));
        } else {
            add_run(highs, 0, high_word(v.hi));
            add_run(highs, kSign, high_word(v.lo));
        }
        low = lows.finish(low.value);
        high = highs.finish(high.value);
        if (!v.maybe_nan && high.kind == Kind::Words && high.count == 1 && low.kind == Kind::Words) return;
    }
    DoubleRange r;
    if (!float_range(v, r) || pairs == ~0u) return;
    // The words of the low half carry the ends, so it is an interval, without gaps: of everything, if need be.
    if (low.kind != Kind::Interval) low = interval(kInf | kSign, kInf, low.value, true);
    const uint64_t lo = as_word(r.lo), hi = as_word(r.hi);
    low.gaps = 0;
    low.words = {low_word(lo), high_word(lo), low_word(hi), high_word(hi)};
    low.pair = high.pair = ++pairs;
    low.half = PairHalf::Low;
    high.half = PairHalf::High;
    low.pair_nan = r.nan;
    low.pair_empty = r.empty;
}

}  // namespace tgsi2spv::reference
