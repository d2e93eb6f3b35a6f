// 64-bit operations and conversions (docs: Double ISA, 64-bit Integer ISA; semantics: 64-bit pairs).
#pragma once

#include <type_traits>

#include "reference/tables/table.h"

namespace tgsi2spv::tables {

/// A 64-bit pattern, low word first.
using Bits = std::array<uint32_t, 2>;
/// Returns the pattern of an integer (sign-extended if it is signed) or a double.
template <class T>
constexpr Bits q(T x) {
    uint64_t bits = 0;
    if constexpr (std::is_floating_point_v<T>)
        bits = std::bit_cast<uint64_t>(x);
    else
        bits = static_cast<uint64_t>(x);
    return {static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)};
}
inline constexpr uint64_t kMin64 = 1ull << 63, kMax64 = ~0ull >> 1, kDoubleNan = 0x7ff8000000000000,
                          kDoubleInfinity = 0x7ff0000000000000, kLeastDouble = 0x0010000000000000;

constexpr Register pairs(Bits xy, Bits zw) {
    return {xy[0], xy[1], zw[0], zw[1]};
}
constexpr Register both(Bits b) {
    return pairs(b, b);
}
inline std::array<Expect, 4> pairs_of(Bits xy, Bits zw) {
    return {word(xy[0]), word(xy[1]), word(zw[0]), word(zw[1])};
}
inline std::array<Expect, 4> nans() {
    return {free(), any_nan(), free(), any_nan()};
}
inline std::array<Expect, 4> frees() {
    return all(free());
}
/// Zeros of either sign.
inline std::array<Expect, 4> zeros() {
    return {word(0), zero(), word(0), zero()};
}

/// A row that computes f(a, b) for both pairs at once: `xy` holds the operands of the first pair, `zw` those of the
/// second.
inline Row wide_row(std::initializer_list<Bits> xy, Bits xy_out, std::initializer_list<Bits> zw, Bits zw_out) {
    Row r;
    for (size_t s = 0; s < xy.size(); ++s) r.in.push_back(pairs(xy.begin()[s], zw.begin()[s]));
    r.out = pairs_of(xy_out, zw_out);
    return r;
}
/// The same operands in both pairs.
inline Row wide_row(std::initializer_list<Bits> in, const std::array<Expect, 4>& out) {
    Row r;
    for (const Bits& b : in) r.in.push_back(both(b));
    r.out = out;
    return r;
}
inline Row wide_row(std::initializer_list<Bits> in, Bits out) {
    return wide_row(in, pairs_of(out, out));
}
/// A comparison or a conversion to 32 bits, with the results of the two pairs.
inline Row narrow_row(std::initializer_list<Bits> xy, Expect x, std::initializer_list<Bits> zw, Expect z,
                      bool adjacent) {
    Row r;
    for (size_t s = 0; s < xy.size(); ++s) r.in.push_back(pairs(xy.begin()[s], zw.begin()[s]));
    r.out = adjacent ? std::array<Expect, 4>{x, z, free(), free()} : std::array<Expect, 4>{x, free(), z, free()};
    return r;
}

inline std::vector<Table> doubles() {
    const Bits nan = q(kDoubleNan), inf = q(kDoubleInfinity), minus_inf = q(kDoubleInfinity | kMin64),
               minus_zero = q(kMin64), one_up = q(0x3ff0000000000001), third = q(1.0 / 3);
    return {
        {"DADD",
         {wide_row({q(1.0), q(2.0)}, q(3.0), {q(0.1), q(0.2)}, q(0x3fd3333333333334)),
          wide_row({q(1.0), q(0x1p-53)}, q(1.0), {one_up, q(0x1p-53)}, q(0x3ff0000000000002)),
          wide_row({q(0.0), minus_zero}, q(0.0), {minus_zero, minus_zero}, minus_zero),
          wide_row({inf, q(1.0)}, inf, {q(0x1.fffffffffffffp1023), q(0x1.fffffffffffffp1023)}, inf),
          wide_row({inf, minus_inf}, nans()), wide_row({nan, q(1.0)}, nans())}},
        {"DMUL",
         {wide_row({q(2.0), q(3.0)}, q(6.0), {q(-2.0), q(0.0)}, minus_zero), wide_row({inf, q(0.0)}, nans()),
          wide_row({third, q(3.0)}, q(1.0), {one_up, one_up}, q(0x3ff0000000000002)),
          wide_row({q(0x1p1023), q(2.0)}, inf, {minus_inf, q(2.0)}, minus_inf),
          // denormal before it is rounded, or the least normal number itself
          wide_row({q(kLeastDouble), q(0x1.fffffffffffffp-1)},
                   {either({0}), either({0, 0x00100000}), either({0}), either({0, 0x00100000})}),
          wide_row({q(kLeastDouble), q(1.0)}, q(kLeastDouble), {q(0x1.0000000000001p-511), q(0x1.fffffffffffffp-512)},
                   q(kLeastDouble))}},
        {"DMAD",
         {wide_row({q(2.0), q(3.0), q(4.0)}, q(10.0), {one_up, one_up, q(-1.0)}, q(0x1p-51)),
          wide_row({q(0.0), inf, q(1.0)}, nans())}},
        {"DABS", {wide_row({q(-1.5)}, q(1.5), {minus_zero}, q(0.0)), wide_row({minus_inf}, inf, {inf}, inf)}},
        {"DNEG", {wide_row({q(-1.5)}, q(1.5), {q(0.0)}, minus_zero), wide_row({minus_inf}, inf, {inf}, minus_inf)}},
        {"DMAX",
         {wide_row({q(1.0), q(2.0)}, q(2.0), {q(-1.0), q(-2.0)}, q(-1.0)),
          wide_row({nan, q(2.0)}, q(2.0), {q(2.0), nan}, q(2.0)), wide_row({q(0.0), minus_zero}, zeros())}},
        {"DMIN",
         {wide_row({q(1.0), q(2.0)}, q(1.0), {minus_inf, q(-2.0)}, minus_inf),
          wide_row({nan, q(2.0)}, q(2.0), {q(2.0), nan}, q(2.0)), wide_row({nan, nan}, nans())}},
        {"DFLR", {wide_row({q(1.5)}, q(1.0), {q(-0.5)}, q(-1.0)), wide_row({q(0.5)}, zeros())}},
        {"DCEIL", {wide_row({q(1.5)}, q(2.0), {q(-1.5)}, q(-1.0)), wide_row({q(-0.5)}, zeros())}},
        {"DTRUNC", {wide_row({q(1.5)}, q(1.0), {q(-1.5)}, q(-1.0)), wide_row({q(0.5)}, zeros())}},
        {"DROUND",
         {wide_row({q(2.5)}, q(2.0), {q(3.5)}, q(4.0)), wide_row({q(-1.5)}, q(-2.0), {q(0x1p52 + 1)}, q(0x1p52 + 1)),
          wide_row({q(0.5)}, zeros())}},
        {"DFRAC", {wide_row({q(1.75)}, q(0.75), {q(-1.75)}, q(0.25)), wide_row({q(4.0)}, zeros())}},
        {"DSSG",
         {wide_row({q(1.75)}, q(1.0), {minus_inf}, q(-1.0)), wide_row({nan}, zeros()), wide_row({q(0.0)}, zeros())}},
        {"DLDEXP",
         {wide_row({q(1.5), q(3)}, q(12.0), {q(-1.5), q(-3)}, q(-0.1875)),
          wide_row({q(1.0), q(1023)}, q(0x1p1023), {q(0x1p-1000), q(1024)}, q(0x1p24)),
          wide_row({q(1.0), q(2000)}, inf, {q(0x1p-1022), q(2040)}, q(0x1p1018)),
          // Below -1022, too, only results that are too small for a double are rounded.
          wide_row({q(0x1p1000), q(-1030)}, q(0x1p-30), {q(-0x1.8p1023), q(-2045)}, q(-0x1.8p-1022)),
          wide_row({q(1.0), q(1024)}, inf, {q(-1.0), q(1024)}, minus_inf), wide_row({inf, q(-3)}, frees()),
          wide_row({q(0x1p-1000), q(-75)}, {either({0, 1}), zero(), either({0, 1}), zero()})}},
        // A flush of the operand or of the result gives a zero of either sign, unless both addends have one sign.
        {"DADD",
         {wide_row({q(uint64_t{1}), q(0.0)}, {either({0, 1}), word(0), either({0, 1}), word(0)}),
          wide_row({q(uint64_t{1}), minus_zero}, {either({0, 1}), zero(), either({0, 1}), zero()}),
          wide_row({q(kLeastDouble), q(kMin64 | (kLeastDouble - 1))},
                   {either({0, 1}), either({0, 0x80000000, 0x00100000}), either({0, 1}),
                    either({0, 0x80000000, 0x00100000})})}},
        {"DADD_SAT",
         {wide_row({q(0.25), q(0.25)}, q(0.5), {q(1.0), q(2.0)}, q(1.0)),
          wide_row({nan, q(0.25)}, q(0.0), {minus_inf, q(0.25)}, q(0.0))}},
        {"DRSQ", {wide_row({q(0.0)}, inf), wide_row({q(-1.0)}, frees())}},
        {"DSQRT", {wide_row({q(0.0)}, zeros()), wide_row({q(-1.0)}, nans())}},
        {"DRCP", {wide_row({q(0.0)}, inf, {minus_zero}, minus_inf), wide_row({nan}, nans())}},
        {"DDIV", {wide_row({q(0.0), q(0.0)}, frees()), wide_row({q(-1.0), q(0.0)}, minus_inf)}},
    };
}

inline std::vector<Table> wide_integers() {
    const Bits min = q(kMin64), max = q(kMax64), ones = q(-1);
    return {
        {"U64ADD", {wide_row({ones, q(1)}, q(0), {q(0xffffffffu + int64_t{0}), q(1)}, q(0x100000000))}},
        {"U64MUL",
         {wide_row({q(0x100000001), q(0x100000001)}, q(0x200000001), {ones, ones}, q(1)),
          wide_row({q(3), q(-7)}, q(-21), {min, q(2)}, q(0))}},
        {"U64DIV", {wide_row({ones, q(2)}, q(kMax64), {q(7), q(0)}, ones)}},
        {"U64MOD", {wide_row({ones, q(10)}, q(5), {q(7), q(0)}, ones)}},
        {"I64DIV", {wide_row({q(-7), q(2)}, q(-3), {q(7), q(0)}, q(0)), wide_row({min, q(-1)}, min, {min, q(1)}, min)}},
        {"I64MOD",
         {wide_row({q(-7), q(2)}, q(-1), {q(7), q(0)}, ones), wide_row({min, q(-1)}, q(0), {q(7), q(-2)}, q(1))}},
        {"I64ABS", {wide_row({q(-7)}, q(7), {min}, min)}},
        {"I64NEG", {wide_row({q(-7)}, q(7), {min}, min)}},
        {"I64SSG", {wide_row({q(-7)}, q(-1), {max}, q(1)), wide_row({q(0)}, q(0), {min}, q(-1))}},
        {"I64MAX", {wide_row({min, q(1)}, q(1), {q(-1), q(-2)}, q(-1))}},
        {"I64MIN", {wide_row({min, q(1)}, min, {q(-1), q(-2)}, q(-2))}},
        {"U64MAX", {wide_row({min, q(1)}, min, {q(-1), q(-2)}, q(-1))}},
        {"U64MIN", {wide_row({min, q(1)}, q(1), {q(-1), q(-2)}, q(-2))}},
        // The counts are the low words in x and z; the instruction does not read the other components.
        {"U64SHL", {wide_row({q(1), q(63)}, min, {q(3), q(0x500000041)}, q(6))}},
        {"U64SHR", {wide_row({min, q(63)}, q(1), {q(0xf00000000), q(32)}, q(15))}},
        {"I64SHR", {wide_row({min, q(63)}, ones, {q(-8), q(66)}, q(-2))}},
    };
}

/// The destination has the mask .xz, where a comparison puts its results.
inline std::vector<Table> wide_comparisons() {
    const Bits nan = q(kDoubleNan), minus_zero = q(kMin64), min = q(kMin64);
    const auto yes = word(kTrue), no = word(0);
    const auto answers = [](std::initializer_list<Bits> xy, const Expect& x, std::initializer_list<Bits> zw,
                            const Expect& z) { return narrow_row(xy, x, zw, z, false); };
    return {
        {"DSEQ",
         {answers({q(0.0), minus_zero}, yes, {nan, nan}, no), answers({q(1.0), q(1.5)}, no, {q(-2.0), q(-2.0)}, yes)}},
        {"DSNE", {answers({q(0.0), minus_zero}, no, {nan, nan}, yes)}},
        {"DSLT",
         {answers({q(-1.0), q(1.0)}, yes, {nan, q(1.0)}, no),
          answers({q(1.0), q(1.0)}, no, {q(0x1p-1000), q(1.0)}, yes)}},
        {"DSGE",
         {answers({q(-1.0), q(1.0)}, no, {q(1.0), nan}, no), answers({q(1.0), q(1.0)}, yes, {q(2.0), q(1.0)}, yes)}},
        {"U64SEQ", {answers({q(1), q(0x100000001)}, no, {min, min}, yes)}},
        {"U64SNE", {answers({q(1), q(0x100000001)}, yes, {min, min}, no)}},
        {"U64SLT", {answers({q(1), q(0x100000000)}, yes, {min, q(1)}, no)}},
        {"U64SGE", {answers({q(1), q(0x100000000)}, no, {min, q(1)}, yes)}},
        {"I64SLT", {answers({q(1), q(0x100000000)}, yes, {min, q(1)}, yes)}},
        {"I64SGE", {answers({q(1), q(0x100000000)}, no, {min, q(1)}, no)}},
    };
}

/// 32 to 64 bits: xy from x, zw from y.
inline std::vector<Table> widenings() {
    const auto from = [](uint32_t x, Bits xy, uint32_t y, Bits zw) {
        Row r;
        r.in.push_back({x, y, 0x12345678, 0x9abcdef0});
        r.out = pairs_of(xy, zw);
        return r;
    };
    const Bits lowest = q(kMin64), highest = q(kMax64);
    return {
        {"F2D",
         {from(f(1.5f), q(1.5), f(-0.1f), q(static_cast<double>(-0.1f))),
          from(kInfinity, q(kDoubleInfinity), kZero, q(0.0))}},
        {"I2D", {from(i(-3), q(-3.0), kIntMin, q(-2147483648.0))}},
        {"U2D", {from(3, q(3.0), ~0u, q(4294967295.0))}},
        {"I2I64", {from(i(-3), q(-3), kIntMax, q(0x7fffffff))}},
        {"U2I64", {from(i(-3), q(0xfffffffd), 7, q(7))}},
        {"F2I64",
         {from(f(-1.75f), q(-1), f(0x1p62f), q(int64_t{1} << 62)), from(kQuietNan, q(0), f(0x1p63f), highest),
          from(f(-0x1p80f), lowest, kMinusInfinity, lowest), from(kInfinity, highest, f(-0.5f), q(0))}},
        {"F2U64",
         {from(f(1.75f), q(1), f(0x1p63f), q(kMin64)), from(kQuietNan, q(0), f(0x1p64f), q(-1)),
          from(f(-0x1p80f), q(0), kMinusInfinity, q(0))}},
    };
}

/// The destination has the mask .xy: the first component of the mask comes from xy, the second from zw.
inline std::vector<Table> narrowings() {
    const auto from = [](Bits xy, const Expect& x, Bits zw, const Expect& y) {
        return narrow_row({xy}, x, {zw}, y, true);
    };
    const Bits nan = q(kDoubleNan), inf = q(kDoubleInfinity), min = q(kMin64);
    return {
        {"D2F",
         {from(q(1.5), word(f(1.5f)), q(0.1), word(f(0.1f))),
          from(q(1e300), word(kInfinity), q(1 + 0x1p-24), word(kOneF)), from(nan, any_nan(), inf, word(kInfinity)),
          from(q(0x1p-149), either({1, kZero, kMinusZero}), q(1e-300), word(kZero)),
          from(q(0x1.fffffffp-127), either({kLeastNormal, kZero, kMinusZero}), q(0x1.0000001p-126),
               word(kLeastNormal))}},
        {"D2I",
         {from(q(-1.9), word(i(-1)), q(1e10), word(kIntMax)), from(nan, word(0), q(-1e10), word(kIntMin)),
          from(q(2147483647.5), word(kIntMax), q(-2147483648.0), word(kIntMin))}},
        {"D2U",
         {from(q(4294967295.5), word(~0u), q(1e10), word(~0u)), from(nan, word(0), q(-1.0), word(0)),
          from(inf, word(~0u), q(2147483648.5), word(kIntMin))}},
        {"I642F",
         {from(q(-3), word(f(-3)), min, word(f(-0x1p63f))), from(q(16777217), word(f(0x1p24f)), q(0), word(0)),
          from(q(16777219), word(f(0x1p24f) + 2), q(-16777217), word(f(-0x1p24f)))}},
        {"U642F",
         {from(q(3), word(f(3)), min, word(f(0x1p63f))), from(q(-1), word(f(0x1p64f)), q(16777217), word(f(0x1p24f)))}},
    };
}

/// 64 to 64 bits.
inline std::vector<Table> wide_conversions() {
    const Bits nan = q(kDoubleNan), inf = q(kDoubleInfinity), min = q(kMin64), max = q(kMax64);
    return {
        {"D2I64", {wide_row({q(-1.9)}, q(-1), {q(1e30)}, max), wide_row({nan}, q(0), {q(-1e30)}, min)}},
        {"D2U64",
         {wide_row({q(1.9)}, q(1), {q(1e30)}, q(-1)), wide_row({nan}, q(0), {q(-1.0)}, q(0)),
          wide_row({inf}, q(-1), {q(0x1p63)}, min)}},
        {"I642D", {wide_row({q(-3)}, q(-3.0), {min}, q(-0x1p63))}},
        {"U642D", {wide_row({q(3)}, q(3.0), {min}, q(0x1p63))}},
    };
}

/// Returns the shader of a table whose result has a write mask.
inline std::string masked_text(Table t, const std::string& mask) {
    const std::string text = shader_text(t), from = " OUT[0],";
    const size_t at = text.rfind(from);
    return text.substr(0, at) + " OUT[0]." + mask + "," + text.substr(at + from.size());
}

}  // namespace tgsi2spv::tables
