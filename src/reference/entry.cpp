#include "reference/entry.h"

#include <algorithm>

namespace tgsi2spv::reference {

Value value_of(const Entry& e) {
    if (e.lo == e.hi) return exact(e.value);
    Value v;
    v.value = e.value;
    if (e.lo == kSet) {
        const ShortSet set = marked_set(e);
        v.count = static_cast<uint8_t>(set.count);
        v.words = set.words;
    } else if (e.lo == kUnknown) {
        make_unknown(v, e.hi - kMarks);
    } else {
        v = interval(e.lo, e.hi, e.value);
    }
    return v;
}

bool make_entry(const Value& v, Entry& e) {
    if (v.pair != 0 || is_packed(v)) return false;
    e = {v.value, v.value, v.value};
    if (is_exact(v) && v.words[0] == v.value) return true;
    if (is_unknown(v)) {
        e.lo = kUnknown;
        e.hi = kMarks + origin_of(v);
        return true;
    }
    if (v.maybe_nan) return false;
    if (v.kind == Kind::Interval) {
        e.lo = v.lo;
        e.hi = v.hi;
        return v.gaps == 0 && v.lo != v.hi && !is_unfit_end(v.lo) && !is_unfit_end(v.hi);
    }
    const uint32_t first = v.value - kSetBefore;
    e.lo = kSet;
    e.hi = kSetBits;
    return std::all_of(v.words.begin(), v.words.begin() + v.count, [&](uint32_t w) {
        e.hi |= 1u << ((w - first) % kSetWidth);
        return w - first < kSetWidth;
    });
}

}  // namespace tgsi2spv::reference
