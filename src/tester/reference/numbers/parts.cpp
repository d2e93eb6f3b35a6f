#include "reference/numbers/parts.h"

namespace tgsi2spv::reference {
namespace {

/// The words of a set that are not NaN, in ascending order.
struct Sorted {
    std::array<uint32_t, 4> words;
    size_t count = 0;

    explicit Sorted(const Value& v) {
        for (size_t i = 0; i < v.count; ++i)
            if (!is_nan(v.words[i])) words[count++] = v.words[i];
        std::sort(words.begin(), words.begin() + count, [](uint32_t a, uint32_t b) { return order(a) < order(b); });
    }
    /// The end of the part that begins with word `first`.
    size_t end_of(size_t first) const {
        size_t i = first + 1;
        while (i < count && int64_t{order(words[i])} - order(words[i - 1]) <= kLeastGap) ++i;
        return i;
    }
};

}  // namespace

bool is_apart(const Value& v) {
    if (v.kind != Kind::Words) return v.kind == Kind::Interval && v.gaps != 0;
    if (v.count < 2) return false;
    const Sorted sorted(v);
    return sorted.count != 0 && sorted.end_of(0) != sorted.count;
}

bool parts_of(const Value& v, RangesOf<FloatRange>& parts) {
    if (!is_apart(v)) {
        parts.count = 1;
        return float_range(v, parts.all[0]);
    }
    const auto add = [&](uint32_t lo, uint32_t hi) {
        parts.all[parts.count++] = {as_number(lo), as_number(hi), false, false};
    };
    parts.count = 0;
    if (v.kind == Kind::Interval) {
        for (size_t i = 0; i <= v.gaps; ++i) add(part_of(v, i).lo, part_of(v, i).hi);
        parts.all[0].nan = v.maybe_nan;
        return true;
    }
    const Sorted sorted(v);
    for (size_t i = 0, end = 0; i < sorted.count; i = end) {
        end = sorted.end_of(i);
        add(sorted.words[i], sorted.words[end - 1]);
    }
    parts.all[0].nan = v.maybe_nan || sorted.count < v.count;
    return true;
}

void Parts::add(const Value& v) {
    Operand& to = operands_[count_++];
    to.all[0] = v;
    if (!is_apart(v) || combinations_ * (v.kind == Kind::Words ? v.count : v.gaps + 1u) > 16) return;
    to.count = 0;
    const auto put = [&](Value part) {
        part.maybe_nan = v.maybe_nan && to.count == 0;
        to.all[to.count++] = part;
    };
    if (v.kind == Kind::Interval) {
        for (size_t i = 0; i <= v.gaps; ++i) {
            const Part p = part_of(v, i);
            put(p.lo == p.hi ? exact(p.lo) : interval(p.lo, p.hi, p.lo));
        }
    } else {
        const Sorted sorted(v);
        for (size_t i = 0, end = 0; i < sorted.count; i = end) {
            end = sorted.end_of(i);
            Value part = exact(sorted.words[i]);
            while (++i < end) part.words[part.count++] = sorted.words[i];
            put(part);
        }
        // The words that are NaN.
        for (size_t i = 0; i < v.count; ++i)
            if (is_nan(v.words[i])) to.all[0].maybe_nan = true;
    }
    combinations_ *= to.count;
}

bool Parts::next() {
    for (size_t i = 0; i < count_; ++i) {
        if (++operands_[i].at < operands_[i].count) return true;
        operands_[i].at = 0;
    }
    return false;
}

}  // namespace tgsi2spv::reference
