// Float operations on abstract values, each with the bounds of Vulkan's table "Precision of Individual Operations".
// Every operation may flush denormal operands and results. Operations outside the list that
// SignedZeroInfNanPreserve names (everything here but neg, add, sub, mul, div, fma and comparisons) leave the sign of
// a zero free, and their result for NaN and infinity unknown, except where the document's meaning decides it.
#pragma once

#include "reference/context.h"
#include "reference/value.h"

namespace tgsi2spv::reference {

// Correctly rounded.
Value add(const Context& c, const Value& a, const Value& b);
Value sub(const Context& c, const Value& a, const Value& b);
Value mul(const Context& c, const Value& a, const Value& b);
/// x·x of one x among those that `a` permits: an SSA value is read twice, and is the same both times.
Value square(const Context& c, const Value& a);
/// One rounding.
Value fused(const Context& c, const Value& a, const Value& b, const Value& d);
/// Two roundings, or one as well where contraction is allowed.
Value mad(const Context& c, const Value& a, const Value& b, const Value& d);
/// One rounding or two: what GLSL.std.450 Fma may do.
Value fma(const Context& c, const Value& a, const Value& b, const Value& d);
/// Sign bit flipped; cleared.
Value neg(const Context& c, const Value& a);
Value abs(const Context& c, const Value& a);

/// 2.5 ULP for a divisor of ±0 or magnitude in [2^-126, 2^126]; nothing is promised of others.
Value div(const Context& c, const Value& a, const Value& b);
Value rcp(const Context& c, const Value& a);
/// 2 ULP; x <= 0 undefined but +0, which gives +inf.
Value rsq(const Context& c, const Value& a);
/// Inherited from 1/rsq; x < 0 gives NaN, ±0 a zero.
Value sqrt(const Context& c, const Value& a);
/// 3 + 2|x| ULP.
Value exp2(const Context& c, const Value& a);
/// 3 ULP, absolute 2^-21 in [0.5, 2]; ±0 gives -inf.
Value log2(const Context& c, const Value& a);
/// Absolute 2^-11 in [-pi, pi], and 2^-20·|x| more up to 2^15; unknown beyond.
Value sin(const Context& c, const Value& a);
Value cos(const Context& c, const Value& a);
/// Inherited from exp2(y log2 x); semantics: Float, POW.
Value pow(const Context& c, const Value& a, const Value& b);
/// x times 2^e, e an integer. GLSL.std.450 Ldexp: e > 128 undefined, e < -126 may give zero.
Value ldexp(const Context& c, const Value& a, const Value& e);

// Exact where the result is a number.
Value floor(const Context& c, const Value& a);
Value ceil(const Context& c, const Value& a);
Value trunc(const Context& c, const Value& a);
Value round_even(const Context& c, const Value& a);
/// x - floor(x): may be 1.0 for tiny negative x.
Value fract(const Context& c, const Value& a);
Value sign(const Context& c, const Value& a);
/// The operand that is a number wins over NaN; for zeros of both signs either.
Value min(const Context& c, const Value& a, const Value& b);
Value max(const Context& c, const Value& a, const Value& b);
/// [0, 1]; NaN to 0, -0 to +0.
Value saturate(const Context& c, const Value& a);

/// src0·src1 + (1 - src0)·src2 or src0·(src1 - src2) + src2.
Value lerp(const Context& c, const Value& a, const Value& b, const Value& d);

/// A term of a sum: a·b, or a alone where `b` is null; subtracted where `minus`. Where both point to one object they
/// are one value: a square.
struct Term {
    const Value* a = nullptr;
    const Value* b = nullptr;
    bool minus = false;
};
/// The sum of up to five terms in any order of additions, with products fused or not. The plainest value is from left
/// to right.
Value sum(const Context& c, const Term* terms, int count);

enum class Relation : uint8_t { Less, LessEqual, Equal };
/// Ordered comparison: false with NaN. (a > b is b < a; not-equal is the negation of Equal.)
Truth compare(const Context& c, Relation relation, const Value& a, const Value& b);

/// `yes` where the truth is true, `no` where it is false, both where it may be either.
Value select(const Truth& t, const Value& yes, const Value& no);
inline Truth operator!(const Truth& t) {
    return {!t.plain, t.may_be_false, t.may_be_true};
}

}  // namespace tgsi2spv::reference
