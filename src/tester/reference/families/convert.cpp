// 32-bit conversions, address loads, packing and unpacking.
#include <algorithm>
#include <optional>

#include "reference/families/families.h"
#include "reference/numbers/packed.h"
#include "reference/numbers/parts.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::Opcode;

// ---- float to integer: a guard saturates, NaN gives 0 (semantics: Float, F2I)

uint32_t to_int(double x) {
    if (std::isnan(x)) return 0;
    if (x <= -0x1p31) return 0x80000000u;
    if (x >= 0x1p31) return 0x7fffffffu;
    return static_cast<uint32_t>(static_cast<int32_t>(x));
}
uint32_t to_uint(double x) {
    if (std::isnan(x) || x <= 0) return 0;
    if (x >= 0x1p32) return ~0u;
    return static_cast<uint32_t>(x);
}

/// Converts every whole number between `lower(x)` and `upper(x)`, the monotone roundings of the permitted floats.
/// `keeps_special`: NaN and infinities reach the guard.
template <class Lower, class Upper, class Convert>
Value to_integer(const Context& context, bool keeps_special, const Value& a, float nominal_whole, Lower lower,
                 Upper upper, Convert convert) {
    const uint32_t value = convert(static_cast<double>(nominal_whole));
    if (context.nominal) return exact(value);
    if (!keeps_special && may_be_special(a)) return unknown(value);
    Hull h;
    auto put = [&](float x) {
        h.add_word(convert(static_cast<double>(lower(x))));
        h.add_word(convert(static_cast<double>(upper(x))));
    };
    if (a.kind == Kind::Unknown) return unknown(value);
    if (a.kind == Kind::Words) {
        for (int i = 0; i < a.count; ++i) {
            put(as_number(a.words[i]));
            if (is_denormal(a.words[i])) put(0);  // flushed
        }
        if (a.maybe_nan) h.add_word(0);
        return h.finish(value);
    }
    RangesOf<FloatRange> parts;
    parts_of(a, parts);
    for (const FloatRange& r : parts) {
        if (r.nan) h.add_word(0);
        double lo = static_cast<double>(lower(r.lo)), hi = static_cast<double>(upper(r.hi));
        if (r.contains_denormal()) {
            lo = std::min(lo, 0.0);
            hi = std::max(hi, 0.0);
        }
        lo = std::max(lo, -0x1p32);
        hi = std::min(hi, 0x1p33);
        if (convert(lo) == convert(hi)) {
            h.add_word(convert(lo));  // for example, beyond the largest integer
        } else if (hi - lo <= 3) {
            for (double x = lo; x <= hi; x += 1) h.add_word(convert(x));
        } else if (lo >= 0 && hi < 0x1p30) {
            h.add_interval(convert(lo),
                           convert(hi));  // the bit patterns of small numbers have the same order as floats
        } else {
            return unknown(value);
        }
    }
    return h.finish(value);
}

// ---- integer to float: the document leaves the rounding unspecified, Vulkan requires a correctly rounded result, and
// RoundingModeRTE determines the side (SPIR-V: the mode "for floating-point arithmetic and conversions instructions")

void put_rounded(const Context& context, Hull& hull, double x) {
    const float f = static_cast<float>(x);
    hull.add_word(as_word(f));
    if (context.round_to_even) return;
    if (static_cast<double>(f) < x) hull.add_word(next_up(as_word(f)));
    if (static_cast<double>(f) > x) hull.add_word(next_down(as_word(f)));
}

template <class AsNumber>
Value to_float(const Context& context, const Value& a, AsNumber number) {
    const uint32_t value = as_word(static_cast<float>(number(a.value)));
    if (context.nominal) return exact(value);
    Hull h;
    WordList list;
    if (enumerate(a, list)) {
        for (int i = 0; i < list.count; ++i) put_rounded(context, h, number(list.words[i]));
    } else if (a.kind == Kind::Interval && !a.maybe_nan && order(a.lo) >= 0) {
        Hull low, high;
        put_rounded(context, low, number(a.lo));
        put_rounded(context, high, number(a.hi));
        h.add(low.finish(0));
        h.add(high.finish(0));
        FloatRange r;
        float_range(h.finish(0), r);
        h.add_interval(as_word(r.lo), as_word(r.hi));
    } else {
        // For any word, the result lies between the least and the greatest integer. The latter is rounded to the power
        // of two above it.
        h.add_interval(static_cast<float>(std::min(number(0), number(0x80000000))),
                       static_cast<float>(std::max(number(0x7fffffff), number(~0u))));
    }
    return h.finish(value);
}

// ---- packing

constexpr uint32_t kHalfSign = 0x8000, kLeastNormalHalf = 0x400;

/// Returns `magnitude`, which is not NaN, rounded down to a half. Sets `inexact` if the rounding changed it.
uint32_t half_below(double magnitude, bool& inexact) {
    inexact = false;
    if (std::isinf(magnitude)) return 0x7c00;
    if (magnitude > 65504) {
        inexact = true;
        return 0x7bff;
    }
    double scaled;
    uint32_t exponent = 0;
    if (magnitude < 0x1p-14) {
        scaled = magnitude * 0x1p24;
    } else {
        const int e = std::ilogb(magnitude);
        scaled = std::ldexp(magnitude, 10 - e) - 1024;
        exponent = static_cast<uint32_t>(e + 15) << 10;
    }
    const double whole = std::floor(scaled);
    inexact = whole != scaled;
    return exponent + static_cast<uint32_t>(whole);
}

uint32_t half_nearest(float x) {
    if (std::isnan(x)) return 0x7e00;
    const uint32_t s = as_word(x) >> 31 << 15;
    const double m = std::fabs(static_cast<double>(x));
    if (m >= 65520) return s | 0x7c00;
    bool inexact;
    uint32_t below = half_below(m, inexact);
    if (!inexact) return s | below;
    auto number = [](uint32_t h) {
        return h >= 0x7c00 ? 65536.0
               : h < 0x400 ? h * 0x1p-24
                           : std::ldexp(static_cast<double>(1024 + (h & 0x3ff)), static_cast<int>(h >> 10) - 25);
    };
    const double down = m - number(below), up = number(below + 1) - m;
    if (up < down || (up == down && (below & 1))) ++below;
    return s | below;
}

constexpr int kHalfBits = 16;

/// PackHalf2x16: either neighbour; half denormals are kept or flushed to a zero of either sign; NaN is undefined.
FieldSet half_codes(const Value& v) {
    FloatRange r;
    if (!float_range(v, r) || r.nan || r.empty) return any_code(kHalfBits);
    bool inexact;
    const auto magnitude = [](float x) { return std::fabs(static_cast<double>(x)); };
    if (v.kind == Kind::Words) {
        WordList codes{};
        const auto put = [&](uint32_t code) { codes.words[static_cast<size_t>(codes.count++)] = code; };
        bool flushed = false;
        for (int i = 0; i < v.count; ++i) {
            const float x = as_number(v.words[static_cast<size_t>(i)]);
            const uint32_t below = half_below(magnitude(x), inexact), s = as_word(x) >> 31 << 15;
            put(s | below);
            if (inexact) put(s | (below + 1));
            flushed |= below < kLeastNormalHalf;
        }
        if (flushed) put(0), put(kHalfSign);
        return set_around(codes, kHalfBits);
    }
    if (r.lo < 0 && r.hi > 0) return any_code(kHalfBits);
    const auto [near, far] = std::minmax({magnitude(r.lo), magnitude(r.hi)});
    const uint32_t s = r.lo < 0 || r.hi < 0 ? kHalfSign : 0;
    const uint32_t first = half_below(near, inexact);
    uint32_t last = half_below(far, inexact);
    if (inexact) ++last;
    FieldSet set = codes_between(s | first, s | last);
    if (first < kLeastNormalHalf) set.others = {0, kHalfSign};
    return set;
}

/// round(clamp(x, lo, 1) * scale): ties round either way, and the product may or may not be rounded; NaN is undefined.
struct Normalised {
    double lo, scale;
    int bits;

    uint32_t code(double whole) const {
        return static_cast<uint32_t>(static_cast<int32_t>(whole)) & ((1u << bits) - 1);
    }
    uint32_t nominal(float x) const {
        return std::isnan(x) ? 0 : code(std::nearbyint(std::clamp(static_cast<double>(x), lo, 1.0) * scale));
    }
    /// Returns the smallest and the largest product for a float.
    std::array<double, 2> product(float x) const {
        const double exactly = std::clamp(static_cast<double>(x), lo, 1.0) * scale;
        if (exactly == std::nearbyint(exactly)) return {exactly, exactly};
        const uint32_t w = as_word(static_cast<float>(exactly));
        return {std::min(exactly, static_cast<double>(as_number(next_down(w)))),
                std::max(exactly, static_cast<double>(as_number(next_up(w))))};
    }
    FieldSet codes(const Value& v) const {
        FloatRange r;
        if (!float_range(v, r) || r.nan || r.empty) return any_code(bits);
        const auto least = [&](float x) { return std::ceil(product(x)[0] - 0.5); };
        const auto most = [&](float x) { return std::floor(product(x)[1] + 0.5); };
        if (v.kind != Kind::Words) return codes_between(code(least(r.lo)), code(most(r.hi)));
        WordList list{};
        for (int i = 0; i < v.count; ++i) {
            const float x = as_number(v.words[static_cast<size_t>(i)]);
            for (double n = least(x); n <= most(x); n += 1) list.words[static_cast<size_t>(list.count++)] = code(n);
        }
        return set_around(list, bits);
    }
};

/// `codes` returns the codes of a field, `nominal` its nominal code.
template <class Codes, class Nominal>
void pack(Frame& frame, int fields, Codes codes, Nominal nominal) {
    const int bits = 32 / fields;
    std::array<const Value*, 4> x{};
    for (int i = 0; i < fields; ++i) x[static_cast<size_t>(i)] = frame.src(0, i);
    Value* out = frame.scratch();
    for (uint32_t lane : frame.lanes()) {
        uint32_t value = 0;
        for (int i = 0; i < fields; ++i)
            value |= nominal(as_number(x[static_cast<size_t>(i)][lane].value)) << (i * bits);
        if (frame.c.nominal) {
            out[lane] = exact(value);
            continue;
        }
        std::array<FieldSet, 4> sets;
        for (size_t i = 0; i < static_cast<size_t>(fields); ++i) {
            const Value& v = x[i][lane];
            sets[i] = !frame.c.preserve && may_be_special(v) ? any_code(bits) : codes(v);
        }
        out[lane] = pack_fields(sets.data(), fields, value);
    }
    frame.replicate(out);
}

void pack_normalised(Frame& frame, int fields, const Normalised& normalised) {
    pack(
        frame, fields, [&](const Value& v) { return normalised.codes(v); },
        [&](float x) { return normalised.nominal(x); });
}

// ---- unpacking

Value half_to_float(const Context& context, uint32_t code) {
    const uint32_t s = (code & 0x8000) << 16, exponent = code >> 10 & 31, mantissa = code & 0x3ff;
    // A NaN stays one, as in other functions (Options::functions_keep_nan).
    if (exponent == 31 && mantissa != 0)
        return context.preserve && context.functions_keep_nan ? any_nan() : unknown(kNan);
    if (exponent == 31) return exact(s | kInf);
    if (exponent == 0) {
        const uint32_t w = s | as_word(static_cast<float>(mantissa) * 0x1p-24f);
        if (mantissa == 0 || context.nominal) return exact(w);
        Hull h;  // a half denormal may be flushed
        h.add_word(w);
        h.add_zeros();
        return h.finish(w);
    }
    return exact(s | (exponent + 112) << 23 | mantissa << 13);
}

/// n ÷ scale: a division.
Value normalised(const Context& context, int32_t n, float scale, bool is_signed) {
    Value v = div(context, exact(static_cast<float>(n)), exact(scale));
    return is_signed ? max(context, v, exact(-1.0f)) : v;
}

/// Lists words that contain, in field number `field` of `fields`, all codes that `v` permits there. Returns false if
/// these are unknown.
bool words_of_field(const Value& v, int fields, int field, WordList& words) {
    if (!is_packed(v) || v.fields != fields) return enumerate(v, words);
    const int bits = bits_of_field(v);
    if (!enumerate(field_of(v, field), bits, words)) return false;
    for (int i = 0; i < words.count; ++i) words.words[static_cast<size_t>(i)] <<= field * bits;
    return true;
}

/// Two words whose fields give the least and the greatest number.
struct Extremes {
    uint32_t least, greatest;
};

/// Unpacks a word with `decode`: component i is field i modulo `fields`. For any word, the result lies between those of
/// `ends`.
template <class Decode>
void unpack(Frame& frame, int fields, Decode decode, std::optional<Extremes> ends = std::nullopt) {
    const Value* x = frame.src(0, 0);
    for (int i = 0; i < 4; ++i) {
        if (!frame.writes(i)) continue;
        frame.result[static_cast<size_t>(i)] = frame.map(
            [&](const Value& v) {
                const Value nominal = decode(v.value, i);
                if (is_exact(v) || frame.c.nominal) return nominal;
                WordList list{};
                Hull h;
                if (!words_of_field(v, fields, i % fields, list)) {
                    if (!ends) return unknown(nominal.value);
                    h.add(decode(ends->least, i));
                    h.add(decode(ends->greatest, i));
                    FloatRange r;
                    if (!float_range(h.finish(0), r)) return unknown(nominal.value);
                    h.add_interval(as_word(r.lo), as_word(r.hi));
                    return h.finish(nominal.value);
                }
                for (int k = 0; k < list.count; ++k) h.add(decode(list.words[static_cast<size_t>(k)], i));
                return h.finish(nominal.value);
            },
            x);
    }
}

}  // namespace

void convert(Frame& frame) {
    const Context& c = frame.c;
    const auto truncate = [](float x) { return std::trunc(x); };
    const auto down = [](float x) { return std::floor(x); };
    const bool functions_keep_special = c.preserve && c.functions_keep_nan;  // roundings are functions
    switch (frame.op()) {
        case Opcode::F2I:
            return frame.each1([&](const Value& v) {
                return to_integer(c, c.preserve, v, std::trunc(as_number(v.value)), truncate, truncate, to_int);
            });
        case Opcode::F2U:
            return frame.each1([&](const Value& v) {
                return to_integer(c, c.preserve, v, std::trunc(as_number(v.value)), truncate, truncate, to_uint);
            });
        case Opcode::ARL:
            return frame.each1([&](const Value& v) {
                return to_integer(c, functions_keep_special, v, std::floor(as_number(v.value)), down, down, to_int);
            });
        case Opcode::ARR:
            // Ties round either way.
            return frame.each1([&](const Value& v) {
                auto below = [](float x) { return static_cast<float>(std::ceil(static_cast<double>(x) - 0.5)); };
                auto above = [](float x) { return static_cast<float>(std::floor(static_cast<double>(x) + 0.5)); };
                return to_integer(c, functions_keep_special, v, std::nearbyint(as_number(v.value)), below, above,
                                  to_int);
            });
        case Opcode::I2F:
            return frame.each1([&](const Value& v) {
                return to_float(c, v, [](uint32_t w) { return static_cast<double>(static_cast<int32_t>(w)); });
            });
        case Opcode::U2F:
            return frame.each1(
                [&](const Value& v) { return to_float(c, v, [](uint32_t w) { return static_cast<double>(w); }); });
        case Opcode::PK2H:
            return pack(frame, 2, half_codes, half_nearest);
        case Opcode::PK2US:
            return pack_normalised(frame, 2, {0, 65535, 16});
        case Opcode::PK4B:
            return pack_normalised(frame, 4, {-1, 127, 8});
        case Opcode::PK4UB:
            return pack_normalised(frame, 4, {0, 255, 8});
        case Opcode::UP2H:
            return unpack(frame, 2, [&](uint32_t w, int i) { return half_to_float(c, i & 1 ? w >> 16 : w & 0xffff); });
        case Opcode::UP2US:
            return unpack(
                frame, 2,
                [&](uint32_t w, int i) {
                    return normalised(c, static_cast<int32_t>(i & 1 ? w >> 16 : w & 0xffff), 65535, false);
                },
                Extremes{0, ~0u});
        case Opcode::UP4B:
            return unpack(
                frame, 4,
                [&](uint32_t w, int i) { return normalised(c, static_cast<int8_t>(w >> (8 * i)), 127, true); },
                Extremes{0x80808080, 0x7f7f7f7f});
        case Opcode::UP4UB:
            return unpack(
                frame, 4,
                [&](uint32_t w, int i) { return normalised(c, static_cast<int32_t>(w >> (8 * i) & 0xff), 255, false); },
                Extremes{0, ~0u});
        default:
            return;
    }
}

}  // namespace tgsi2spv::reference
