// 32-bit conversions, address loads, packing and unpacking.
#include <algorithm>

#include "reference/frame.h"

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

/// Every whole number that monotone `lower` and `upper` round the float to, then converted.
template <class Lower, class Upper, class Convert>
Value to_integer(const Context& c, const Value& a, float plain_whole, Lower lower, Upper upper, Convert convert) {
    const uint32_t value = convert(static_cast<double>(plain_whole));
    if (c.plain) return exact(value);
    Hull h;
    auto put = [&](float x) {
        h.add_word(convert(static_cast<double>(lower(x))));
        h.add_word(convert(static_cast<double>(upper(x))));
    };
    if (a.kind == Kind::Unknown) return unknown(value);
    if (a.kind == Kind::Words) {
        for (int i = 0; i < a.count; ++i) {
            put(as_float(a.words[i]));
            if (is_denormal(a.words[i])) put(0);  // flushed
        }
        if (a.maybe_nan) h.add_word(0);
        return h.finish(value);
    }
    FloatRange r;
    float_range(a, r);
    if (r.nan) h.add_word(0);
    double lo = static_cast<double>(lower(r.lo)), hi = static_cast<double>(upper(r.hi));
    if (r.contains_denormal()) {
        lo = std::min(lo, 0.0);
        hi = std::max(hi, 0.0);
    }
    lo = std::max(lo, -0x1p32);
    hi = std::min(hi, 0x1p33);
    if (convert(lo) == convert(hi)) {
        h.add_word(convert(lo));  // beyond the largest integer, say
    } else if (hi - lo <= 3) {
        for (double x = lo; x <= hi; x += 1) h.add_word(convert(x));
    } else if (lo >= 0 && hi < 0x1p30) {
        h.add_interval(convert(lo), convert(hi));  // patterns of small numbers are in the order of floats
    } else {
        return unknown(value);
    }
    return h.finish(value);
}

// ---- integer to float: the document leaves the rounding open

void put_neighbours(Hull& h, double x) {
    const float f = static_cast<float>(x);
    h.add_word(as_word(f));
    if (static_cast<double>(f) < x) h.add_word(next_up(as_word(f)));
    if (static_cast<double>(f) > x) h.add_word(next_down(as_word(f)));
}

template <class AsNumber>
Value to_float(const Context& c, const Value& a, AsNumber number) {
    const uint32_t value = as_word(static_cast<float>(number(a.value)));
    if (c.plain) return exact(value);
    Hull h;
    WordList list;
    if (enumerate(a, list)) {
        for (int i = 0; i < list.count; ++i) put_neighbours(h, number(list.words[i]));
    } else if (a.kind == Kind::Interval && !a.maybe_nan && order(a.lo) >= 0) {
        Hull low, high;
        put_neighbours(low, number(a.lo));
        put_neighbours(high, number(a.hi));
        h.add(low.finish(0));
        h.add(high.finish(0));
        FloatRange r;
        float_range(h.finish(0), r);
        h.add_interval(as_word(r.lo), as_word(r.hi));
    } else {
        return unknown(value);
    }
    return h.finish(value);
}

// ---- packing

/// What a field of a packed word may hold.
struct Codes {
    std::array<uint32_t, 8> list{};
    int count = 0;
    bool unknown = false;
    uint32_t plain = 0;
    void add(uint32_t code) {
        for (int i = 0; i < count; ++i)
            if (list[static_cast<size_t>(i)] == code) return;
        if (count == 8)
            unknown = true;
        else
            list[static_cast<size_t>(count++)] = code;
    }
};

/// Magnitude of x (not NaN) as a half, rounded down, and whether something was cut off.
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

/// PackHalf2x16: either neighbour, half denormals kept or flushed, zeros of either sign; NaN undefined.
Codes half_codes(const Context&, const Value& v) {
    Codes codes;
    codes.plain = half_nearest(as_float(v.value));
    auto put_code = [&](uint32_t code) {
        codes.add(code);
        const uint32_t magnitude = code & 0x7fff;
        if (magnitude < 0x400) {
            codes.add(0);
            codes.add(0x8000);
        }
    };
    auto put = [&](float x) {
        if (std::isnan(x)) {
            codes.unknown = true;
            return;
        }
        bool inexact;
        const uint32_t s = as_word(x) >> 31 << 15;
        const uint32_t below = half_below(std::fabs(static_cast<double>(x)), inexact);
        put_code(s | below);
        if (inexact) put_code(s | (below + 1));
    };
    FloatRange r;
    if (!float_range(v, r) || r.nan || r.empty) {
        codes.unknown = true;
        return codes;
    }
    if (v.kind == Kind::Words) {
        for (int i = 0; i < v.count; ++i) put(as_float(v.words[i]));
        return codes;
    }
    if (r.lo < 0 && r.hi > 0) {
        codes.unknown = true;
        return codes;
    }
    bool inexact;
    const double near = std::min(std::fabs(static_cast<double>(r.lo)), std::fabs(static_cast<double>(r.hi)));
    const double far = std::max(std::fabs(static_cast<double>(r.lo)), std::fabs(static_cast<double>(r.hi)));
    const uint32_t s = r.lo < 0 || r.hi < 0 ? 0x8000 : 0;
    const uint32_t first = half_below(near, inexact);
    uint32_t last = half_below(far, inexact);
    if (inexact) ++last;
    if (last - first > 7) {
        codes.unknown = true;
        return codes;
    }
    for (uint32_t h = first; h <= last; ++h) put_code(s | h);
    return codes;
}

/// round(clamp(x, lo, 1) * scale), ties either way, with the product rounded or not; NaN undefined.
Codes norm_codes(const Context&, const Value& v, double lo, double scale, uint32_t mask) {
    Codes codes;
    auto code = [mask](double whole) { return static_cast<uint32_t>(static_cast<int32_t>(whole)) & mask; };
    const double x = static_cast<double>(as_float(v.value));
    codes.plain = std::isnan(x) ? 0 : code(std::nearbyint(std::clamp(x, lo, 1.0) * scale));
    FloatRange r;
    if (!float_range(v, r) || r.nan || r.empty) {
        codes.unknown = true;
        return codes;
    }
    auto bounds = [&](float f, double& least, double& most) {
        const double exact_product = std::clamp(static_cast<double>(f), lo, 1.0) * scale;
        const uint32_t w = as_word(static_cast<float>(exact_product));
        least = std::min(exact_product, static_cast<double>(as_float(next_down(w))));
        most = std::max(exact_product, static_cast<double>(as_float(next_up(w))));
        if (exact_product == std::nearbyint(exact_product)) least = most = exact_product;
    };
    auto put = [&](float from, float to) {
        double least, most, ignored;
        bounds(from, least, ignored);
        bounds(to, ignored, most);
        const double first = std::ceil(least - 0.5), last = std::floor(most + 0.5);
        if (last - first > 7) {
            codes.unknown = true;
            return;
        }
        for (double n = first; n <= last; n += 1) codes.add(code(n));
    };
    if (v.kind == Kind::Words) {
        for (int i = 0; i < v.count; ++i) put(as_float(v.words[i]), as_float(v.words[i]));
    } else {
        put(r.lo, r.hi);
    }
    return codes;
}

template <class Encode>
void pack(Frame& f, int fields, int bits, Encode encode) {
    std::array<const Value*, 4> x{};
    for (int i = 0; i < fields; ++i) x[static_cast<size_t>(i)] = f.src(0, i);
    Value* out = f.scratch();
    for (uint32_t lane : f.lanes()) {
        Codes codes[4];
        uint32_t value = 0;
        bool is_known = true;
        int combinations = 1;
        for (int i = 0; i < fields; ++i) {
            Codes& field = codes[i];
            field = encode(f.c, x[static_cast<size_t>(i)][lane]);
            value |= field.plain << (i * bits);
            is_known &= !field.unknown;
            combinations *= std::max(field.count, 1);
        }
        if (f.c.plain) {
            out[lane] = exact(value);
            continue;
        }
        if (!is_known || combinations > 64) {
            out[lane] = unknown(value);
            continue;
        }
        Hull h;
        for (int k = 0; k < combinations; ++k) {
            uint32_t word = 0;
            int rest = k;
            for (int i = 0; i < fields; ++i) {
                word |= codes[i].list[static_cast<size_t>(rest % codes[i].count)] << (i * bits);
                rest /= codes[i].count;
            }
            h.add_word(word);
        }
        out[lane] = h.finish(value);
    }
    f.replicate(out);
}

// ---- unpacking

Value half_to_float(const Context& c, uint32_t code) {
    const uint32_t s = (code & 0x8000) << 16, exponent = code >> 10 & 31, mantissa = code & 0x3ff;
    if (exponent == 31) return mantissa ? unknown(kNan) : exact(s | kInf);
    if (exponent == 0) {
        const uint32_t w = s | as_word(static_cast<float>(mantissa) * 0x1p-24f);
        if (mantissa == 0 || c.plain) return exact(w);
        Hull h;  // a half denormal may be flushed
        h.add_word(w);
        h.add_word(s);
        return h.finish(w);
    }
    return exact(s | (exponent + 112) << 23 | mantissa << 13);
}

/// n ÷ scale: a division.
Value normalised(const Context& c, int32_t n, float scale, bool is_signed) {
    Value v = div(c, exact(static_cast<float>(n)), exact(scale));
    return is_signed ? max(c, v, exact(-1.0f)) : v;
}

/// Field of component i: field(i) of the source word, decoded.
template <class Decode>
void unpack(Frame& f, Decode decode) {
    const Value* x = f.src(0, 0);
    for (int i = 0; i < 4; ++i) {
        if (!f.writes(i)) continue;
        f.result[static_cast<size_t>(i)] = f.map(
            [&](const Value& v) {
                const Value plain = decode(v.value, i);
                if (is_exact(v) || f.c.plain) return plain;
                WordList list;
                if (!enumerate(v, list)) return unknown(plain.value);
                Hull h;
                for (int k = 0; k < list.count; ++k) h.add(decode(list.words[static_cast<size_t>(k)], i));
                return h.finish(plain.value);
            },
            x);
    }
}

}  // namespace

bool convert(Frame& f) {
    const Context& c = f.c;
    const auto truncate = [](float x) { return std::trunc(x); };
    const auto down = [](float x) { return std::floor(x); };
    switch (f.op()) {
        case Opcode::F2I:
            f.each1([&](const Value& v) {
                return to_integer(c, v, std::trunc(as_float(v.value)), truncate, truncate, to_int);
            });
            return true;
        case Opcode::F2U:
            f.each1([&](const Value& v) {
                return to_integer(c, v, std::trunc(as_float(v.value)), truncate, truncate, to_uint);
            });
            return true;
        case Opcode::ARL:
            f.each1(
                [&](const Value& v) { return to_integer(c, v, std::floor(as_float(v.value)), down, down, to_int); });
            return true;
        case Opcode::ARR:
            // Ties either way.
            f.each1([&](const Value& v) {
                auto below = [](float x) { return static_cast<float>(std::ceil(static_cast<double>(x) - 0.5)); };
                auto above = [](float x) { return static_cast<float>(std::floor(static_cast<double>(x) + 0.5)); };
                return to_integer(c, v, std::nearbyint(as_float(v.value)), below, above, to_int);
            });
            return true;
        case Opcode::I2F:
            f.each1([&](const Value& v) {
                return to_float(c, v, [](uint32_t w) { return static_cast<double>(static_cast<int32_t>(w)); });
            });
            return true;
        case Opcode::U2F:
            f.each1([&](const Value& v) { return to_float(c, v, [](uint32_t w) { return static_cast<double>(w); }); });
            return true;
        case Opcode::PK2H:
            pack(f, 2, 16, half_codes);
            return true;
        case Opcode::PK2US:
            pack(f, 2, 16, [](const Context& k, const Value& v) { return norm_codes(k, v, 0, 65535, 0xffff); });
            return true;
        case Opcode::PK4B:
            pack(f, 4, 8, [](const Context& k, const Value& v) { return norm_codes(k, v, -1, 127, 0xff); });
            return true;
        case Opcode::PK4UB:
            pack(f, 4, 8, [](const Context& k, const Value& v) { return norm_codes(k, v, 0, 255, 0xff); });
            return true;
        case Opcode::UP2H:
            unpack(f, [&](uint32_t w, int i) { return half_to_float(c, i & 1 ? w >> 16 : w & 0xffff); });
            return true;
        case Opcode::UP2US:
            unpack(f, [&](uint32_t w, int i) {
                return normalised(c, static_cast<int32_t>(i & 1 ? w >> 16 : w & 0xffff), 65535, false);
            });
            return true;
        case Opcode::UP4B:
            unpack(f, [&](uint32_t w, int i) { return normalised(c, static_cast<int8_t>(w >> (8 * i)), 127, true); });
            return true;
        case Opcode::UP4UB:
            unpack(f, [&](uint32_t w, int i) {
                return normalised(c, static_cast<int32_t>(w >> (8 * i) & 0xff), 255, false);
            });
            return true;
        default:
            return false;
    }
}

}  // namespace tgsi2spv::reference
