// The abstract value, and how the promises of a module change it. runs/numbers.txt has whole shaders.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "reference/bench.h"
#include "reference/numbers/float_math.h"
#include "reference/numbers/wide_float.h"

namespace tgsi2spv::reference {
namespace {

TEST(Values, PermitsWordsIntervalsAndNan) {
    Hull h;
    h.add_word(1);
    h.add_word(7);
    EXPECT_TRUE(permits(h.finish(1), 7));
    EXPECT_FALSE(permits(h.finish(1), 8));
    h.add_nan();
    EXPECT_TRUE(permits(h.finish(1), 0xffc12345));
    const Value v = interval(-0.0f, 2.0f, 1.0f);
    EXPECT_TRUE(permits(v, kSign) && permits(v, 0) && permits(v, kOne));
    EXPECT_FALSE(permits(v, as_word(-1e-40f)));
    EXPECT_FALSE(permits(interval(0.0f, 2.0f, 1.0f), kSign));  // the sign of a zero matters
    EXPECT_FALSE(permits(v, kNan));
    EXPECT_TRUE(permits(unknown(), 123));
}

TEST(Values, MoreThanFourWordsBecomeAnInterval) {
    Hull h;
    for (float f : {1.0f, 2.0f, 3.0f, 4.0f, 5.0f}) h.add_float(as_word(f));
    const Value v = h.finish(kOne);
    EXPECT_EQ(v.kind, Kind::Interval);
    EXPECT_TRUE(permits(v, as_word(4.5f)));  // but for two gaps (parts.cpp)
    EXPECT_FALSE(permits(v, as_word(5.5f)));
}

TEST(Values, JoinPermitsBoth) {
    const Value v = join(exact(1.0f), interval(3.0f, 4.0f, 3.5f));
    EXPECT_TRUE(permits(v, kOne) && permits(v, as_word(3.5f)));
    EXPECT_TRUE(is_unknown(join(exact(1.0f), unknown())));
}

TEST(Values, WithoutARoundingModeEitherNeighbourIsPermitted) {
    Context c;
    const Value a = exact(1.0f), tiny = exact(0x1p-30f);
    EXPECT_TRUE(is_exact(add(c, a, tiny)));
    c.round_to_even = false;
    Value v = add(c, a, tiny);
    EXPECT_TRUE(permits(v, kOne) && permits(v, next_up(kOne)) && !permits(v, next_down(kOne))) << text_of(v);
    v = mul(c, exact(0x3f800001u), exact(0x3f800001u));  // just above 0x3f800002
    EXPECT_TRUE(permits(v, 0x3f800002) && permits(v, 0x3f800003) && !permits(v, 0x3f800001)) << text_of(v);
    EXPECT_TRUE(is_exact(add(c, a, a)));  // exact in every rounding mode
}

TEST(Values, TheWordThatIsPermittedCountsNotTheNominalOne) {
    const Context c;
    Value two = exact(2.0f);
    two.value = kOne;
    EXPECT_TRUE(permits(add(c, two, exact(1.0f)), as_word(3.0f)));
    EXPECT_TRUE(permits(mul(c, two, exact(2.0f)), as_word(4.0f)));
    EXPECT_TRUE(compare(c, kLess, exact(1.5f), two).may_be_true);
}

TEST(Values, WithoutPreservationSpecialValuesAreUnknown) {
    Context c;
    c.preserve = false;
    EXPECT_TRUE(is_unknown(add(c, exact(kInf), exact(1.0f))));
    EXPECT_TRUE(is_unknown(mul(c, exact(kNan), exact(1.0f))));
    const Value zero = sub(c, exact(1.0f), exact(1.0f));
    EXPECT_TRUE(permits(zero, 0) && permits(zero, kSign)) << text_of(zero);
    EXPECT_TRUE(is_exact(add(c, exact(1.0f), exact(1.0f))));
}

TEST(Values, ContractionLetsAProductIntoASum) {
    Context c;
    const Value x = exact(0x3f800001u), d = exact(0xbf800002u);
    EXPECT_TRUE(is_exact(mad(c, x, x, d)));
    c.contract = true;
    EXPECT_TRUE(permits(mad(c, x, x, d), 0x28800000)) << text_of(mad(c, x, x, d));
}

TEST(Values, FunctionsKeepNanWhereThatIsPromised) {
    using Unary = Value (*)(const Context&, const Value&);
    const Unary functions[] = {rsq, sqrt, exp2, log2, sin, cos, floor, ceil, trunc, round_even, fract};
    Hull set, wide;
    set.add_word(kNan);
    set.add_float(as_word(1.25f));
    wide.add_interval(as_word(1.25f), as_word(1.5f));
    wide.add_nan();
    const Value nan_or_number = set.finish(kNan), nan_or_range = wide.finish(kOne);
    Context kept, free, ignored;
    free.functions_keep_nan = false;
    ignored.preserve = false;  // the module does not even ask for it
    for (size_t i = 0; i < std::size(functions); ++i) {
        const auto f = functions[i];
        const Value v = f(kept, any_nan());
        EXPECT_TRUE(permits(v, 0xffc12345) && !permits(v, kOne)) << i << text_of(v);
        EXPECT_TRUE(permits(f(kept, exact(0xffffffffu)), kNan)) << i;  // a NaN of any sign and payload
        // NaN in addition to possible numbers.
        for (const Value* x : {&nan_or_number, &nan_or_range}) {
            const Value both = f(kept, *x), number = f(kept, exact(1.25f));
            EXPECT_TRUE(!is_unknown(both) && permits(both, kNan) && permits(both, number.value)) << i << text_of(both);
            EXPECT_FALSE(permits(both, as_word(100.0f))) << i << text_of(both);
        }
        EXPECT_TRUE(is_unknown(f(free, any_nan())) && is_unknown(f(free, nan_or_range))) << i;
        EXPECT_TRUE(is_unknown(f(ignored, any_nan()))) << i;
        EXPECT_TRUE(is_unknown(f(kept, unknown()))) << i;
    }
    // Ldexp is such a function, too, with a second operand that is not a float.
    const Value two = exact(2u);
    EXPECT_TRUE(permits(ldexp(kept, any_nan(), two), 0xffc12345) && !is_unknown(ldexp(kept, any_nan(), two)));
    EXPECT_TRUE(is_exact(ldexp(kept, exact(kInf), two)) && permits(ldexp(kept, exact(kInf), two), kInf));
    EXPECT_TRUE(is_unknown(ldexp(free, any_nan(), two)) && is_unknown(ldexp(free, nan_or_range, two)));
    EXPECT_TRUE(is_unknown(ldexp(free, exact(kInf), two)) && !is_unknown(ldexp(free, exact(0x1p127f), two)));
    const Wide nan = exact(Double::kNan), number = exact(Double::kOne);
    EXPECT_EQ(wide::ldexp(wide_context(free), nan, two).kind, Kind::Unknown);
    EXPECT_TRUE(permits(wide::ldexp(wide_context(kept), nan, two), Double::kNan) &&
                !permits(wide::ldexp(wide_context(kept), nan, two), Double::kOne));
    EXPECT_TRUE(is_exact(wide::ldexp(wide_context(free), number, two)));
    // Results that semantics (Float) defines otherwise stay so.
    EXPECT_EQ(sign(kept, any_nan()).value, 0u);
    EXPECT_EQ(saturate(kept, any_nan()).value, 0u);
    EXPECT_TRUE(is_unknown(rsq(kept, exact(-1.0f))) && is_unknown(log2(kept, exact(-1.0f))));
}

TEST(Values, OneOverTheRootOfInfinityIsZeroWhereInfinitiesAreKept) {
    // IEEE 754, 9.2: +0, and Vulkan permits two ULPs more or less.
    Context kept, free, magnitude;
    free.functions_keep_nan = false;
    magnitude.dialect = tgsi::Dialect::Oldest;
    const float most = 2 * std::numeric_limits<float>::denorm_min();
    for (const Value& v : {rsq(kept, exact(kInf)), rsq(magnitude, exact(kInf | kSign))}) {
        EXPECT_TRUE(permits(v, 0) && permits(v, as_word(most)) && permits(v, as_word(-most))) << text_of(v);
        EXPECT_FALSE(permits(v, next_up(as_word(most))) || permits(v, kInf) || permits(v, kNan)) << text_of(v);
    }
    const Value large = interval(as_word(4.0f), kInf, kInf), all = interval(0, kInf, kInf);
    EXPECT_TRUE(permits(rsq(kept, large), 0) && permits(rsq(kept, large), as_word(0.5f)));
    EXPECT_FALSE(permits(rsq(kept, large), as_word(0.51f)) || permits(rsq(kept, large), kNan));
    EXPECT_TRUE(permits(rsq(kept, all), kInf) && !permits(rsq(kept, all), kOne | kSign)) << text_of(rsq(kept, all));
    // Instructions of GLSL.std.450 are not on Vulkan's list for SignedZeroInfNanPreserve; numbers below zero have no
    // root.
    for (const Value* x : {&large, &all}) EXPECT_TRUE(is_unknown(rsq(free, *x)));
    EXPECT_TRUE(is_unknown(rsq(free, exact(kInf))) && is_unknown(rsq(kept, exact(kInf | kSign))));
    // SQRT may divide by a denormal, for which Vulkan promises nothing.
    EXPECT_TRUE(is_unknown(sqrt(kept, exact(kInf))));
    const Wide infinite = exact(Double::kInf), v = wide::rsq(wide_context(kept), infinite);
    EXPECT_TRUE(permits(v, 0) && !permits(v, as_word(0x1p-1000)) && !permits(v, Double::kNan));
    EXPECT_EQ(wide::rsq(wide_context(free), infinite).kind, Kind::Unknown);
}

TEST(Values, TurnsOfAnAngleCostLittle) {
    Context c;
    for (const float x : {100.0f, 3000.5f, -20000.25f, 32768.0f}) {
        const double exactly = std::sin(double{x});
        const Value v = sin(c, exact(x));
        for (const double sign : {-1.0, 1.0}) {
            EXPECT_TRUE(permits(v, as_word(static_cast<float>(exactly + sign * 0x1p-11)))) << x;
            EXPECT_FALSE(permits(v, as_word(static_cast<float>(exactly + sign * 0x1.02p-11)))) << x;
        }
        const Value around = sin(c, interval(std::nextafter(x, -1e9f), x, x));
        EXPECT_FALSE(permits(around, as_word(static_cast<float>(exactly) + 0.02f))) << x;
    }
    // At 5214.5 turns, one turn too many may be removed, and the angle is clamped to half a turn; at 5215 this cannot
    // happen.
    constexpr double kTurn = 2 * std::numbers::pi;
    const float half = static_cast<float>(5214.5 * kTurn), whole = static_cast<float>(5215 * kTurn);
    EXPECT_TRUE(permits(sin(c, exact(half)), as_word(static_cast<float>(std::sin(double{half}) + 0x1p-8))));
    EXPECT_FALSE(permits(sin(c, exact(half)), as_word(static_cast<float>(std::sin(double{half}) + 0x1p-6))));
    EXPECT_FALSE(permits(sin(c, exact(whole)), as_word(static_cast<float>(std::sin(double{whole}) + 0x1p-10))));
}

TEST(Values, PowersAreNeverBelowZero) {
    Context c;
    for (const float x : {16777216.0f, -16777216.0f, -8e17f, 1e30f, -1e30f, -8388608.0f}) {
        const Value around = exp2(c, interval(std::nextafter(x, -INFINITY), std::nextafter(x, INFINITY), x));
        for (const Value& v : {exp2(c, exact(x)), around, pow(c, exact(2.0f), exact(x))}) {
            EXPECT_FALSE(permits(v, as_word(-std::numeric_limits<float>::denorm_min()))) << x << text_of(v);
            EXPECT_FALSE(permits(v, kInf | kSign) || permits(v, as_word(-1.0f))) << x << text_of(v);
            EXPECT_TRUE(permits(v, x > 0 ? kInf : 0u)) << x << text_of(v);
        }
    }
    EXPECT_TRUE(permits(exp2(c, exact(-1e30f)), kSign)) << "a zero is a zero";
}

// EX2 errs by 3 + 2·|x| ULP, also where the power itself is much less than the least float: of several exponents, the
// one with the greatest magnitude permits most. RCP makes ranges of the exponents.
TEST(Values, PowersTooSmallErrByTheMagnitudeOfTheExponent) {
    const Shader s = shader(
        R"(VERT
DCL IN[0..1]
DCL OUT[0..1], GENERIC[0]
DCL TEMP[0]
RCP TEMP[0], IN[1].xxxx
POW OUT[0], IN[0].xxxx, TEMP[0].xxxx
POW OUT[1], IN[0].xxxx, IN[0].yyyy
END
)");
    // The last float that RCP permits as an exponent.
    const uint32_t x = 0x08792609, y = as_word(1e-33f);
    Context c;
    const Value exponents = rcp(c, exact(y));
    Inputs in;
    in.lanes = 1;
    in.inputs[{0, 0}] = {{x, exponents.hi, 0, 0}};
    in.inputs[{0, 1}] = {{y, y, y, y}};
    const Result r = run(s.program, s.registers, in, {});
    FloatRange one;
    ASSERT_TRUE(float_range(out(r, 0, 0, 1), one));
    EXPECT_GT(one.hi, 0.0f);
    EXPECT_TRUE(permits(out(r, 0, 0, 0), as_word(one.hi))) << text_of(out(r, 0)) << text_of(out(r, 0, 0, 1));
}

TEST(Values, ANumberLimitsTheMinimumWithAnythingElse) {
    // semantics, MIN, MAX: a number wins over NaN. So MAX then MIN limit a word of which nothing is known.
    Context c;
    const Value anything = unknown(kNan), below = min(c, anything, exact(1.0f)), above = max(c, exact(0.0f), anything);
    EXPECT_TRUE(permits(below, kOne) && permits(below, kInf | kSign) && permits(below, as_word(-1e-40f)));
    EXPECT_FALSE(permits(below, kNan) || permits(below, kInf) || permits(below, as_word(1.5f))) << text_of(below);
    EXPECT_TRUE(permits(above, kInf) && permits(above, 0) && permits(above, kSign));
    EXPECT_FALSE(permits(above, kNan) || permits(above, as_word(-0.5f))) << text_of(above);
    EXPECT_EQ(below.value, kOne);
    EXPECT_TRUE(is_unknown(min(c, anything, anything)) && is_unknown(min(c, anything, any_nan())));
    EXPECT_TRUE(permits(max(c, anything, interval(2.0f, 3.0f, 2.0f)), as_word(2.0f)));
    EXPECT_FALSE(permits(max(c, anything, interval(2.0f, 3.0f, 2.0f)), as_word(1.5f)));
    const Wide wide = max(wide_context(c), unknown(Double::kNan), exact(Double::kOne));
    EXPECT_TRUE(permits(wide, Double::kOne) && permits(wide, Double::kInf) && !permits(wide, 0) &&
                !permits(wide, Double::kNan));
    EXPECT_EQ(max(wide_context(c), unknown(uint64_t{}), unknown(uint64_t{})).kind, Kind::Unknown);
    c.preserve = false;  // NaN may be assumed not to occur
    EXPECT_TRUE(is_unknown(min(c, anything, exact(1.0f))));
}

TEST(Values, ASignIsOneOfThree) {
    // semantics, SSG: NaN gives 0, so there is no other result, even for an unknown operand.
    Context c;
    const Value v = sign(c, unknown(kNan));
    EXPECT_TRUE(permits(v, kOne) && permits(v, kOne | kSign) && permits(v, 0) && permits(v, kSign));
    EXPECT_FALSE(permits(v, as_word(0.5f)) || permits(v, as_word(2.0f)) || permits(v, kNan)) << text_of(v);
    const Wide wide = sign(wide_context(c), unknown(Double::kNan));
    EXPECT_TRUE(permits(wide, Double::kOne) && permits(wide, Double::kOne | Double::kSign) && permits(wide, 0));
    EXPECT_FALSE(permits(wide, as_word(0.5)) || permits(wide, Double::kNan));
}

TEST(Values, AMagnitudeHasNoSign) {
    // A denormal that is flushed is a zero without a sign, too, and that of RSQ is decided: in the older editions,
    // which take |x|, for every x.
    Context c;
    for (const Value& x : {exact(0x8000'0001u), exact(0x007f'ffffu), interval(-1.0f, 2.0f, 0.5f)}) {
        const Value v = abs(c, x);
        EXPECT_TRUE(permits(v, 0) && permits(v, x.value & ~kSign) && !permits(v, kSign)) << text_of(v);
        const Value root = rsq(c, v);
        EXPECT_TRUE(permits(root, kInf) && !permits(root, kSign) && !permits(root, kNan)) << text_of(root);
    }
    for (const Wide& x : {exact(Double::kSign | 1), exact(uint64_t{1})}) {
        const Wide v = abs(wide_context(c), x);
        EXPECT_TRUE(permits(v, 0) && permits(v, 1) && !permits(v, Double::kSign));
        EXPECT_TRUE(permits(wide::rsq(wide_context(c), v), Double::kInf) && !permits(wide::rsq(wide_context(c), v), 0));
    }
    c.preserve = false;  // the sign of any zero is free
    EXPECT_TRUE(permits(abs(c, exact(1u)), kSign));
}

TEST(Values, AFlushedSquareIsNotMinusZero) {
    // IEEE 754, 6.3: a product has the sign of its factors, and a sum of numbers with one sign has that sign, also if
    // it is a zero. So a square that is flushed is +0, and RSQ of a sum of squares is known.
    Context c;
    const Value x = interval(-2.0f, 3.0f, 1.0f), y = interval(0.0f, 1.0f, 0.5f), tiny = exact(1e-20f);
    const Term squares[3] = {{&x, &x, false}, {&y, &y, false}, {&tiny, &tiny, false}};
    for (const Value& v : {square(c, x), square(c, tiny), square(c, exact(0x8000'0001u)), mul(c, y, y), mul(c, tiny, y),
                           add(c, y, y), sum(c, squares, 2), sum(c, squares, 3)}) {
        EXPECT_TRUE(permits(v, 0) && !permits(v, kSign)) << text_of(v);
        const Value root = rsq(c, v);
        EXPECT_TRUE(permits(root, kInf) && !permits(root, kSign) && !permits(root, kNan)) << text_of(root);
    }
    // The documents do not say whether a denormal below zero becomes +0 before the product is made, nor the sign of a
    // zero difference. Without the promise to preserve it, no zero has a sign.
    const Value below = interval(-2.0f, -0.0f, -1.0f), number = interval(1.0f, 2.0f, 1.0f);
    for (const Value& v : {mul(c, below, number), mul(c, below, below), mul(c, exact(0x8000'0001u), exact(0x1p60f)),
                           sub(c, exact(0x0080'0001u), exact(0x0080'0000u)), sub(c, number, number)})
        EXPECT_TRUE(permits(v, 0) && permits(v, kSign)) << text_of(v);
    c.preserve = false;
    EXPECT_TRUE(permits(square(c, x), kSign) && is_unknown(rsq(c, square(c, x))));
    c.preserve = true;
    const auto both = [](const Wide& v) { return permits(v, 0) && permits(v, Double::kSign); };
    const Wide least = exact(uint64_t{1}), minus = exact(Double::kSign | 1), root = exact(as_word(1e-160));
    for (const Wide& v : {square(c, minus), square(c, root), mul(c, root, root), add(c, least, mul(c, root, root))})
        EXPECT_TRUE(permits(v, 0) && !permits(v, Double::kSign));
    EXPECT_TRUE(both(mul(c, minus, minus)) && both(add(c, minus, exact(uint64_t{2}))));
}

TEST(Values, AValueTimesItselfIsASquare) {
    Context c;
    const Value x = interval(-2.0f, 3.0f, 1.0f), y = x;
    const Value s = square(c, x);
    EXPECT_TRUE(permits(s, 0) && permits(s, as_word(9.0f)) && !permits(s, as_word(-0.5f))) << text_of(s);
    EXPECT_TRUE(permits(mul(c, x, y), as_word(-6.0f)));  // two independent values
    // The same object twice in a sum is one value, in every order and when fused; two objects are independent; a
    // subtracted product is not a square.
    const Term one[2] = {{&x, &x, false}, {&x, &x, false}}, two[2] = {{&x, &y, false}, {&x, &x, false}},
               minus[2] = {{&x, &x, true}, {&x, &x, false}};
    EXPECT_FALSE(permits(sum(c, one, 2), as_word(-0.5f))) << text_of(sum(c, one, 2));
    EXPECT_TRUE(permits(sum(c, one, 2), as_word(18.0f)) && !permits(sum(c, one, 2), as_word(18.5f)));
    EXPECT_TRUE(permits(sum(c, two, 2), as_word(-6.0f)));
    EXPECT_TRUE(permits(sum(c, minus, 2), as_word(-9.0f)) && permits(sum(c, minus, 2), as_word(9.0f)));
    // The result is never 0 times infinity, although both ends are inside; a set gives no mixed products.
    const Value wide = square(c, interval(-std::numeric_limits<float>::infinity(), 0.0f, 0.0f));
    EXPECT_FALSE(wide.maybe_nan) << text_of(wide);
    Hull h;
    h.add_float(as_word(-1.0f));
    h.add_float(as_word(2.0f));
    const Value set = square(c, h.finish(0));
    EXPECT_TRUE(permits(set, kOne) && permits(set, as_word(4.0f)) && !permits(set, as_word(-2.0f))) << text_of(set);
}

/// Every operation on an interval permits its results for each word inside, but not everything, unless the operation is
/// undefined there.
// Beyond 2^24, x + 1 is x.
TEST(Values, WholeNumbersBeyondThePrecisionAreCounted) {
    Context c;
    for (const float end : {0x1p24f, 0x1p25f, 0x1p30f, -0x1p24f, -0x1p30f}) {
        const float lo = std::nextafter(end, -INFINITY), hi = std::nextafter(end, INFINITY);
        for (const auto f : {floor<Value>, ceil<Value>, trunc<Value>, round_even<Value>}) {
            const Value v = f(c, interval(lo, hi, end));
            for (const float x : {lo, end, hi}) EXPECT_TRUE(permits(v, as_word(x))) << x;
            EXPECT_FALSE(permits(v, as_word(std::nextafter(hi, INFINITY)))) << end;
        }
    }
}

TEST(Values, IntervalsContainTheResultsOfTheirWords) {
    Context c;
    uint32_t state = 12345;
    auto random = [&] { return state = state * 1664525 + 1013904223; };
    using Unary = Value (*)(const Context&, const Value&);
    using Binary = Value (*)(const Context&, const Value&, const Value&);
    const Unary unaries[] = {
        rcp, rsq, sqrt,  exp2, log2, sin, cos, floor, ceil, trunc, round_even, fract, sign, saturate, saturate_signed,
        abs, neg, square};
    auto is_defined = [](Unary f, const Value& v) {
        if (f == Unary{rsq} || f == Unary{sqrt} || f == Unary{log2}) return as_number(v.lo) > 0;
        if (f == Unary{sin} || f == Unary{cos})
            return std::max(-as_number(v.lo), as_number(v.hi)) <= 32768;  // see sin()
        return true;
    };
    const Binary binaries[] = {add, sub, mul, div, min, max, pow};
    auto within = [](const Value& inner, const Value& outer) {
        if (is_unknown(outer)) return true;
        if (is_unknown(inner)) return false;
        if (inner.maybe_nan && !outer.maybe_nan) return false;
        FloatRange r;
        float_range(inner, r);
        return r.empty || (permits(outer, as_word(r.lo)) && permits(outer, as_word(r.hi)));
    };
    auto is_anything = [](const Value& v) { return is_unknown(v) || (permits(v, kInf) && permits(v, kInf | kSign)); };
    auto place = [&](uint32_t& lo, uint32_t& hi, uint32_t& x) {
        // Magnitudes from 2^-20 to 2^28, widths from one float to a factor of two.
        const uint32_t exponent = 107 + random() % 48;
        lo = exponent << 23 | (random() >> 9);
        hi = lo + (random() >> (8 + random() % 16));
        x = lo + random() % (hi - lo + 1);
        if (random() & 1) {
            lo |= kSign, hi |= kSign, x |= kSign;
            std::swap(lo, hi);
        }
    };
    for (int k = 0; k < 20000; ++k) {
        uint32_t lo, hi, x, lo2, hi2, y;
        place(lo, hi, x);
        place(lo2, hi2, y);
        const Value a = interval(lo, hi, x), b = interval(lo2, hi2, y);
        auto hold = [&](const char* kind, size_t i, bool defined, const Value& one, const Value& all) {
            ASSERT_TRUE(within(one, all)) << kind << i << text_of(a) << text_of(b) << " at " << as_number(x) << ", "
                                          << as_number(y) << text_of(one) << " not in" << text_of(all);
            ASSERT_FALSE(defined && is_anything(all)) << kind << i << text_of(a) << text_of(b) << text_of(all);
        };
        for (size_t i = 0; i < std::size(unaries); ++i)
            ASSERT_NO_FATAL_FAILURE(
                hold("unary ", i, is_defined(unaries[i], a), unaries[i](c, exact(x)), unaries[i](c, a)));
        for (size_t i = 0; i < std::size(binaries); ++i)
            ASSERT_NO_FATAL_FAILURE(hold("binary ", i, binaries[i] != Binary{pow} || as_number(a.lo) > 0,
                                         binaries[i](c, exact(x), exact(y)), binaries[i](c, a, b)));
        ASSERT_NO_FATAL_FAILURE(hold("fma ", 0, true, fma(c, exact(x), exact(y), exact(x)), fma(c, a, b, a)));
        ASSERT_NO_FATAL_FAILURE(hold("lerp ", 0, true, lerp(c, exact(x), exact(y), exact(x)), lerp(c, a, b, a)));
    }
}

}  // namespace
}  // namespace tgsi2spv::reference
