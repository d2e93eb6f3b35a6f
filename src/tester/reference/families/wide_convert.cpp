// Conversions to and from 64 bits (docs: Double ISA, 64-bit Integer ISA; semantics: 64-bit pairs). 32 to 64 reads x for
// xy and y for zw; 64 to 32 writes the first two components of the mask.
#include <algorithm>
#include <cmath>

#include "reference/families/wide.h"
#include "reference/numbers/steps.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::Opcode;

/// The destinations' order of words of a conversion to 32 bits.
template <class F>
void narrow(Frame& frame, F convert) {
    int k = 0;
    uint8_t written = 0;
    for (int i = 0; i < 4 && k < 2; ++i) {
        if (!frame.writes(i)) continue;
        const Pair a = frame.pair(0, k++);
        frame.result[static_cast<size_t>(i)] =
            frame.map_lanes([&](uint32_t lane) { return convert(a.at(frame.c, lane)); });
        written = static_cast<uint8_t>(written | 1 << i);
    }
    frame.mask = written;
}

template <class F>
void widen(Frame& frame, F convert) {
    each_pair(frame, [&](int k) {
        const Value* a = frame.src(0, k);
        return [a, &convert](uint32_t lane) { return convert(a[lane]); };
    });
}

/// F2D: exact, but a denormal may be flushed and a NaN have any payload.
Wide float_to_double(const Context& context, const Value& a) {
    const uint64_t value = as_word(static_cast<double>(as_number(a.value)));
    if (context.nominal) return exact(value);
    WideHull h;
    const auto put = [&](uint32_t w) {
        h.add_number(static_cast<double>(as_number(w)));
        if (is_denormal(w)) h.add_zeros();
    };
    FloatRange r;
    if (!float_range(a, r)) return unknown(value);
    if (r.nan) h.add_nan();
    if (a.kind == Kind::Words) {
        for (size_t i = 0; i < a.count; ++i) put(a.words[i]);
    } else {
        h.add_interval(static_cast<double>(r.lo), static_cast<double>(r.hi));
        if (r.contains_denormal()) put(1);
    }
    return steps::finish_step(context, h, false, value);
}

/// D2F: correctly rounded.
Value double_to_float(const Context& context, const Wide& a) {
    const uint32_t value = as_word(static_cast<float>(as_number(a.value)));
    if (context.nominal) return exact(value);
    DoubleRange r;
    if (!float_range(a, r)) return unknown(value);
    Hull h;
    if (r.nan) h.add_nan();
    const auto rounded = [&](double x, bool upwards) {
        const float nearest = static_cast<float>(x);
        const uint32_t w = as_word(nearest);
        if (steps::was_denormal(nearest, x - static_cast<double>(nearest))) h.add_zeros();
        if (context.round_to_even || static_cast<double>(nearest) == x) return w;
        const bool above = static_cast<double>(nearest) > x;
        return upwards == above ? w : upwards ? next_up(w) : next_down(w);
    };
    if (a.kind == Kind::Words) {
        for (size_t i = 0; i < a.count; ++i) {
            const double x = as_number(a.words[i]);
            if (std::isnan(x)) continue;
            h.add_word(rounded(x, false));
            h.add_word(rounded(x, true));
            if (is_denormal(a.words[i])) h.add_word(x < 0 ? kSign : 0);
        }
    } else if (!r.empty) {
        h.add_interval(rounded(r.lo, false), rounded(r.hi, true));
    }
    return steps::finish_step(context, h, false, value);
}

// ---- to integers: a guard saturates, NaN gives 0 (semantics: Float, F2I)

constexpr double kTwo63 = 0x1p63, kTwo64 = 0x1p64;

uint64_t to_int64(double x) {
    if (std::isnan(x)) return 0;
    if (x <= -kTwo63) return 1ull << 63;
    if (x >= kTwo63) return ~0ull >> 1;
    return static_cast<uint64_t>(static_cast<int64_t>(x));
}
uint64_t to_uint64(double x) {
    if (std::isnan(x) || x <= 0) return 0;
    return x >= kTwo64 ? ~0ull : static_cast<uint64_t>(x);
}
uint64_t to_int32(double x) {
    if (std::isnan(x)) return 0;
    if (x <= -0x1p31) return 0x80000000u;
    return x >= 0x1p31 ? 0x7fffffffu : static_cast<uint32_t>(static_cast<int32_t>(x));
}
uint64_t to_uint32(double x) {
    if (std::isnan(x) || x <= 0) return 0;
    return x >= 0x1p32 ? ~0u : static_cast<uint32_t>(x);
}

using ToInteger = uint64_t (*)(double);

/// Every integer that a float or double may become, as a Wide.
Wide truncated(const Context& context, const Wide& a, ToInteger convert) {
    const uint64_t value = convert(as_number(a.value));
    if (context.nominal) return exact(value);
    DoubleRange r;
    if (!float_range(a, r) || (!context.preserve && may_be_special(a))) return unknown(value);
    WideHull h;
    if (r.nan) h.add_word(0);
    if (a.kind == Kind::Words) {
        for (size_t i = 0; i < a.count; ++i) h.add_word(convert(as_number(a.words[i])));  // a denormal gives 0
    } else if (!r.empty) {
        const double lo = std::trunc(r.lo), hi = std::trunc(r.hi);
        if (hi - lo <= 3) {
            for (double x = lo; x < hi; x = steps::next_whole(x)) h.add_word(convert(x));
            h.add_word(convert(hi));
        } else if (lo >= 0 && hi < 0x1p62) {
            h.add_interval(convert(lo), convert(hi));
        } else {
            return unknown(value);
        }
    }
    return h.finish(value);
}

/// A result of 32 bits in the low word.
Value narrowed(const Wide& v) {
    Hull h;
    if (v.kind == Kind::Unknown) return unknown(static_cast<uint32_t>(v.value));
    if (v.kind == Kind::Interval)
        v.hi < kInf / 2 ? h.add_interval(static_cast<uint32_t>(v.lo), static_cast<uint32_t>(v.hi)) : h.add_unknown();
    for (size_t i = 0; v.kind == Kind::Words && i < v.count; ++i) h.add_word(static_cast<uint32_t>(v.words[i]));
    return h.finish(static_cast<uint32_t>(v.value));
}

// ---- from 64-bit integers: the document leaves the rounding unspecified, RoundingModeRTE of the result's width does
// not

/// A 64-bit integer as its nearest F, and the sign of integer - nearest.
template <class F>
F nearest_number(uint64_t w, bool is_signed, int& error) {
    const bool negative = is_signed && w >> 63;
    const uint64_t magnitude = negative ? 0 - w : w;
    const F nearest = static_cast<F>(magnitude);
    const uint64_t back = nearest < static_cast<F>(0x1p64) ? static_cast<uint64_t>(nearest) : 0;
    error = nearest >= static_cast<F>(0x1p64) || back > magnitude ? -1 : back < magnitude ? 1 : 0;
    if (negative) error = -error;
    return negative ? -nearest : nearest;
}

template <class Out, class F, class Bits>
void put_integer(const Context& context, Out& h, uint64_t w, bool is_signed, Bits bits) {
    int error = 0;
    const auto nearest = bits(nearest_number<F>(w, is_signed, error));
    h.add_word(nearest);
    if (context.round_to_even) return;
    if (error > 0) h.add_word(next_up(nearest));
    if (error < 0) h.add_word(next_down(nearest));
}

Wide integer_to_double(const Context& context, const Wide& a, bool is_signed) {
    int error = 0;
    const uint64_t value = as_word(nearest_number<double>(a.value, is_signed, error));
    if (context.nominal) return exact(value);
    WideHull h;
    if (a.kind != Kind::Words || a.maybe_nan) {  // for any word
        h.add_interval(is_signed ? -kTwo63 : 0, is_signed ? kTwo63 : kTwo64);
        return h.finish(value);
    }
    for (size_t i = 0; i < a.count; ++i)
        put_integer<WideHull, double>(context, h, a.words[i], is_signed, [](double x) { return as_word(x); });
    return h.finish(value);
}

Value integer_to_float(const Context& context, const Wide& a, bool is_signed) {
    int error = 0;
    const uint32_t value = as_word(nearest_number<float>(a.value, is_signed, error));
    if (context.nominal) return exact(value);
    Hull h;
    if (a.kind != Kind::Words || a.maybe_nan) {
        h.add_interval(static_cast<float>(is_signed ? -kTwo63 : 0), static_cast<float>(is_signed ? kTwo63 : kTwo64));
        return h.finish(value);
    }
    for (size_t i = 0; i < a.count; ++i)
        put_integer<Hull, float>(context, h, a.words[i], is_signed, [](float x) { return as_word(x); });
    return h.finish(value);
}

}  // namespace

void wide_convert(Frame& frame) {
    const Context c = frame.c, w = wide_context(frame.c);
    const auto from_float = [&](ToInteger convert) {
        widen(frame, [&](const Value& a) { return truncated(w, float_to_double(c, a), convert); });
    };
    const auto signed_word = [](uint32_t x) { return static_cast<uint64_t>(int64_t{static_cast<int32_t>(x)}); };
    const auto unsigned_word = [](uint32_t x) { return uint64_t{x}; };
    switch (frame.op()) {
        case Opcode::F2D:
            return widen(frame, [&](const Value& a) { return float_to_double(c, a); });
        case Opcode::I2D:
            return widen(frame, [&](const Value& a) {
                return widened_words(c, a,
                                     [](uint32_t x) { return as_word(static_cast<double>(static_cast<int32_t>(x))); });
            });
        case Opcode::U2D:
            return widen(frame, [&](const Value& a) {
                return widened_words(c, a, [](uint32_t x) { return as_word(static_cast<double>(x)); });
            });
        case Opcode::I2I64:
            return widen(frame, [&](const Value& a) { return widened_words(c, a, signed_word); });
        case Opcode::U2I64:
            return widen(frame, [&](const Value& a) { return widened_words(c, a, unsigned_word); });
        case Opcode::F2I64:
            return from_float(to_int64);
        case Opcode::F2U64:
            return from_float(to_uint64);
        case Opcode::D2I64:
            return each_pair1(frame, [&](const Wide& a) { return truncated(w, a, to_int64); });
        case Opcode::D2U64:
            return each_pair1(frame, [&](const Wide& a) { return truncated(w, a, to_uint64); });
        case Opcode::I642D:
            return each_pair1(frame, [&](const Wide& a) { return integer_to_double(w, a, true); });
        case Opcode::U642D:
            return each_pair1(frame, [&](const Wide& a) { return integer_to_double(w, a, false); });
        case Opcode::D2F:
            return narrow(frame, [&](const Wide& a) { return double_to_float(c, a); });
        case Opcode::D2I:
            return narrow(frame, [&](const Wide& a) { return narrowed(truncated(w, a, to_int32)); });
        case Opcode::D2U:
            return narrow(frame, [&](const Wide& a) { return narrowed(truncated(w, a, to_uint32)); });
        case Opcode::I642F:
            return narrow(frame, [&](const Wide& a) { return integer_to_float(c, a, true); });
        case Opcode::U642F:
            return narrow(frame, [&](const Wide& a) { return integer_to_float(c, a, false); });
        default:
            return;
    }
}

}  // namespace tgsi2spv::reference
