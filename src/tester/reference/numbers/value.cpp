#include "reference/numbers/value.h"

#include <algorithm>

#include "reference/numbers/fields.h"

namespace tgsi2spv::reference {
namespace {

constexpr double kMaxFloat = std::numeric_limits<float>::max();

/// The smallest float that is not below x; the largest finite float if x is beyond it.
uint32_t least_float_from(double x) {
    if (x > kMaxFloat) return as_word(std::numeric_limits<float>::max());
    if (x < -kMaxFloat) return kInf | kSign;
    float f = static_cast<float>(x);
    uint32_t w = as_word(f);
    if (static_cast<double>(f) < x) w = next_up(w == kSign ? 0 : w);
    return is_zero(w) ? kSign : w;
}

uint32_t greatest_float_to(double x) {
    return least_float_from(-x) ^ kSign;
}

template <class Word>
bool set_permits(const Permitted<Word>& v, Word word) {
    if (v.maybe_nan && is_nan(word)) return true;
    if (v.kind == Kind::Words)
        return std::find(v.words.begin(), v.words.begin() + v.count, word) != v.words.begin() + v.count;
    if (is_nan(word)) return false;
    for (size_t i = 0; i <= v.gaps; ++i) {
        const Part p = part_of(v, i);
        if (order(p.lo) <= order(word) && order(word) <= order(p.hi)) return true;
    }
    return false;
}

}  // namespace

bool permits(const Value& v, uint32_t word) {
    return is_unknown(v) ? !is_packed(v) || fields_permit(v, word) : set_permits(v, word);
}
bool permits(const Wide& v, uint64_t word) {
    return is_unknown(v) || set_permits(v, word);
}

template <class V>
V flipped(const V& v) {
    constexpr auto kSignBit = FormatOf<V>::kSign;
    V n = v;
    n.value ^= kSignBit;
    n.lo = v.hi ^ kSignBit;
    n.hi = v.lo ^ kSignBit;
    if (v.gaps == 0) {
        for (auto& w : n.words) w ^= kSignBit;
    } else {
        for (size_t i = 0; i < 2u * v.gaps; ++i) n.words[i] = v.words[2u * v.gaps - 1 - i] ^ kSignBit;
    }
    return n;
}
template Value flipped(const Value& v);
template Wide flipped(const Wide& v);

template <class Word>
void HullOf<Word>::add_real(double lo, double hi) requires(sizeof(Word) == 4) {
    if (std::isnan(lo) || std::isnan(hi)) {
        unknown_ = true;
        return;
    }
    // As words: clang 14 instantiates this for doubles, too.
    add_interval(Word{least_float_from(lo)}, Word{greatest_float_to(hi)});
}

template <class Word>
void HullOf<Word>::add(const ValueOf<Word>& v) {
    if (v.kind == Kind::Unknown) {
        unknown_ = true;
        return;
    }
    if (v.maybe_nan) nan_ = true;
    if (v.kind == Kind::Interval) {
        for (size_t i = 0; i <= v.gaps; ++i) add_interval(part_of(v, i).lo, part_of(v, i).hi);
        return;
    }
    for (int i = 0; i < v.count; ++i)
        if (!(F::kListsNan && v.maybe_nan && v.words[i] == F::kNan)) add_word(v.words[i]);
}

template <class Word>
void HullOf<Word>::squeeze(Run run) {
    Run *near = &runs_[0], *other = &run;
    for (int i = 0; i < kRuns; ++i)
        for (int k = i; k < kRuns; ++k) {
            Run* second = k == i ? &run : &runs_[k];
            if (second->distance(runs_[i]) < other->distance(*near)) near = &runs_[i], other = second;
        }
    near->widen(*other);
    if (other != &run) *other = run;
}

template <class Word>
void HullOf<Word>::flush(FlushedTo zero) {
    bool above = false, below = false;
    for (int i = 0; i < count_; ++i)
        if (is_denormal(words_[i])) (words_[i] & F::kSign ? below : above) = true;
    for (int i = 0; i < run_count_; ++i) {
        const NumberRange<Number> r{as_number(bits_of(runs_[i].lo)), as_number(bits_of(runs_[i].hi))};
        if (r.contains_denormal()) {
            above |= r.hi > 0;
            below |= r.lo < 0;
        }
    }
    const bool either = zero == FlushedTo::EitherZero && (above || below);
    if (above || either) add_word(0);
    if (below || either) add_word(F::kSign);
}

template <class Word>
ValueOf<Word> HullOf<Word>::finish(Word value) const {
    if (unknown_) return unknown(value);
    ValueOf<Word> v;
    v.value = value;
    v.maybe_nan = nan_;
    const int listed_nan = F::kListsNan && nan_ ? 1 : 0;
    if (run_count_ == 0 && count_ + listed_nan <= 4) {
        if (count_ == 0 && !nan_) return unknown(value);
        v.count = static_cast<uint8_t>(count_);
        std::copy_n(words_, count_, v.words.begin());
        // A consumer that prints sets sees the NaN as a word; permits() accepts any NaN.
        if (listed_nan) v.words[v.count++] = F::kNan;
        return v;
    }
    Run all[kWords + kRuns];
    int n = run_count_;
    std::copy_n(runs_, run_count_, all);
    for (int i = 0; i < count_; ++i) {
        if (!is_nan(words_[i]))
            all[n++] = {order(words_[i]), order(words_[i])};
        else if (F::kListsNan)
            v.maybe_nan = true;
        else
            return unknown(value);
    }
    if (n == 0) {  // nothing but NaN patterns
        v.count = 1;
        v.words[0] = F::kNan;
        return v;
    }
    for (int i = 1; i < n; ++i)
        for (int k = i; k > 0 && all[k].lo < all[k - 1].lo; --k) std::swap(all[k], all[k - 1]);
    // There are gaps between the first `gaps` of `between`, at most two: of three, the narrowest is closed.
    Run between[F::kGaps + 1];
    int gaps = 0;
    int64_t last = all[0].hi;
    for (int i = 1; i < n; ++i) {
        if (F::kGaps != 0 && all[i].lo - last > kLeastGap) between[gaps++] = {last, all[i].lo};
        last = std::max(last, all[i].hi);
        if (gaps <= F::kGaps) continue;
        const auto narrowest = std::min_element(between, between + gaps,
                                                [](const Run& a, const Run& b) { return a.hi - a.lo < b.hi - b.lo; });
        std::copy(narrowest + 1, between + gaps--, narrowest);
    }
    v.kind = Kind::Interval;
    v.lo = bits_of(all[0].lo);
    v.hi = bits_of(last);
    v.gaps = static_cast<uint8_t>(gaps);
    for (int i = 0; i < gaps; ++i) {
        v.words[2 * i] = bits_of(between[i].lo);
        v.words[2 * i + 1] = bits_of(between[i].hi);
    }
    return v;
}

template class HullOf<uint32_t>;
template class HullOf<uint64_t>;

Value join(const Value& a, const Value& b) {
    if (is_exact(a) && is_exact(b) && a.words[0] == b.words[0]) return a;
    if (is_unknown(a) || is_unknown(b)) {
        if (is_packed(a) && a.fields == b.fields && a.words == b.words) return a;
        Value v = unknown(a.value);
        v.lo = is_free(a) ? origin_of(a) : origin_of(b);
        return v;
    }
    Hull h;
    h.add(a);
    h.add(b);
    return h.finish(a.value);
}

Wide join(const Wide& a, const Wide& b) {
    if (is_exact(a) && is_exact(b) && a.words[0] == b.words[0]) return a;
    WideHull h;
    h.add(a);
    h.add(b);
    return h.finish(a.value);
}

bool enumerate(const Value& v, WordList& list, int limit) {
    list.count = 0;
    if (v.kind == Kind::Unknown || v.maybe_nan) return false;
    if (v.kind == Kind::Words) {
        if (v.count > limit) return false;
        for (int i = 0; i < v.count; ++i) list.words[list.count++] = v.words[i];
        return true;
    }
    int64_t n = static_cast<int64_t>(order(v.hi)) - order(v.lo) + 1;
    if (n > limit) return false;
    for (int64_t i = 0; i < n; ++i) list.words[list.count++] = from_order(static_cast<int32_t>(order(v.lo) + i));
    return true;
}

template <class V>
bool float_range(const V& v, RangeOf<V>& r) {
    r = {};
    if (v.kind == Kind::Unknown) return false;
    r.nan = v.maybe_nan;
    if (v.kind == Kind::Interval) {
        r.lo = as_number(v.lo);
        r.hi = as_number(v.hi);
        return true;
    }
    r.empty = true;
    WordOf<V> lo = 0, hi = 0;
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
    r.lo = as_number(lo);
    r.hi = as_number(hi);
    return true;
}

template bool float_range(const Value& v, FloatRange& r);
template bool float_range(const Wide& v, DoubleRange& r);

Truth any_bit(const Value& v) {
    Truth t{v.value != 0, false, false};
    if (v.kind == Kind::Unknown) return {t.nominal, true, true};
    if (v.kind == Kind::Interval) return {t.nominal, v.lo != 0 || v.hi != 0 || v.maybe_nan, permits(v, 0)};
    t.may_be_true = v.maybe_nan;
    for (int i = 0; i < v.count; ++i) (v.words[i] ? t.may_be_true : t.may_be_false) = true;
    return t;
}

Truth any_magnitude_bit(const Value& v) {
    Truth t = any_bit(v);
    t.nominal = (v.value & ~kSign) != 0;
    if (v.kind == Kind::Unknown) return t;
    if (v.kind == Kind::Interval) {
        t.may_be_false = permits(v, 0) || permits(v, kSign);
        t.may_be_true = v.maybe_nan || (v.lo & ~kSign) != 0 || (v.hi & ~kSign) != 0;
        return t;
    }
    t = {t.nominal, v.maybe_nan, false};
    for (int i = 0; i < v.count; ++i) (v.words[i] & ~kSign ? t.may_be_true : t.may_be_false) = true;
    return t;
}

Truth has_sign(const Value& v) {
    const auto set = [](uint32_t w) { return (w & kSign) != 0; };
    Truth t{set(v.value), v.maybe_nan, v.maybe_nan};
    if (v.kind == Kind::Unknown) return {t.nominal, true, true};
    if (v.kind == Kind::Interval) return {t.nominal, t.may_be_true || set(v.lo), t.may_be_false || !set(v.hi)};
    for (int i = 0; i < v.count; ++i) (set(v.words[i]) ? t.may_be_true : t.may_be_false) = true;
    return t;
}

Truth same_bits(const Value& a, const Value& b) {
    Truth t{a.value == b.value, true, true};
    WordList x, y;
    if (enumerate(a, x) && enumerate(b, y)) {
        t.may_be_true = t.may_be_false = false;
        for (int i = 0; i < x.count; ++i)
            for (int j = 0; j < y.count; ++j) (x.words[i] == y.words[j] ? t.may_be_true : t.may_be_false) = true;
    } else if (is_exact(b)) {
        t.may_be_true = permits(a, b.words[0]);
    } else if (is_exact(a)) {
        t.may_be_true = permits(b, a.words[0]);
    }
    return t;
}

Truth not_zero(const Value& v) {
    Truth t{!is_zero(v.value), false, false};
    FloatRange r;
    if (!float_range(v, r)) return {t.nominal, true, true};
    t.may_be_true = r.nan || (!r.empty && (r.lo != 0 || r.hi != 0));
    if (v.kind == Kind::Words) {
        for (int i = 0; i < v.count; ++i) t.may_be_false |= is_zero(v.words[i]) || is_denormal(v.words[i]);
        return t;
    }
    for (size_t i = 0; i <= v.gaps; ++i) {
        const FloatRange part{as_number(part_of(v, i).lo), as_number(part_of(v, i).hi), false, false};
        t.may_be_false |= part.contains_zero() || part.contains_denormal();
    }
    return t;
}

}  // namespace tgsi2spv::reference
