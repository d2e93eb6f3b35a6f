// Float operations on abstract values, each with the bounds of Vulkan's table "Precision of Individual Operations".
// Every operation may flush denormal operands and results. SignedZeroInfNanPreserve names a list of operations (here:
// neg, add, sub, mul, div, fma and comparisons). All others leave the sign of a zero free, and their result for NaN and
// infinity is unknown, except where the document's meaning decides it. Templates are for a Value or, in a context of
// wide_context() (wide_float.h), a Wide.
#pragma once

#include "reference/numbers/comparison.h"
#include "reference/numbers/context.h"
#include "reference/numbers/value.h"

namespace tgsi2spv::reference {

// Correctly rounded.
template <class V>
V add(const Context& context, const V& a, const V& b);
Value sub(const Context& context, const Value& a, const Value& b);
template <class V>
V mul(const Context& context, const V& a, const V& b);
/// x·x for each x that `a` permits: an SSA value is read twice and is the same both times.
template <class V>
V square(const Context& context, const V& a);
/// One rounding.
Value fused(const Context& context, const Value& a, const Value& b, const Value& d);
/// Two roundings; also one where contraction is allowed.
Value mad(const Context& context, const Value& a, const Value& b, const Value& d);
/// One rounding or two, as GLSL.std.450 Fma may do.
Value fma(const Context& context, const Value& a, const Value& b, const Value& d);
/// neg flips the sign bit; abs clears it.
template <class V>
V neg(const Context& context, const V& a);
template <class V>
V abs(const Context& context, const V& a);

/// 2.5 ULP if the divisor is ±0 or has a magnitude in [2^-126, 2^126]; nothing is promised for other divisors.
Value div(const Context& context, const Value& a, const Value& b);
Value rcp(const Context& context, const Value& a);
/// 2 ULP; undefined for x <= 0, except that +0 gives +inf.
Value rsq(const Context& context, const Value& a);
/// Inherited from 1/rsq; x < 0 gives NaN, ±0 a zero.
Value sqrt(const Context& context, const Value& a);
/// 3 + 2|x| ULP.
Value exp2(const Context& context, const Value& a);
/// 3 ULP; absolute error 2^-21 in [0.5, 2]; ±0 gives -inf.
Value log2(const Context& context, const Value& a);
/// Absolute error 2^-11 in [-pi, pi], a little more up to 2^15 (float_functions.cpp); unknown beyond.
Value sin(const Context& context, const Value& a);
Value cos(const Context& context, const Value& a);
/// Inherited from exp2(y log2 x); semantics: Float, POW.
Value pow(const Context& context, const Value& a, const Value& b);
/// clamp(w, -128, 128) of LIT. Unknown if w may be NaN: semantics (Float, LIT) decides that only for x and y, and CLAMP
/// as printed gives NaN, but MAX then MIN gives -128.
Value light_exponent(const Context& context, const Value& w);
/// x times 2^e for an integer e. GLSL.std.450 Ldexp: e > 128 is undefined, e < -126 may give zero. NaN and infinity
/// stay unchanged if functions keep NaN; else they give an unknown result, as for other functions.
Value ldexp(const Context& context, const Value& a, const Value& e);

// Exact where the result is a number.
template <class V>
V floor(const Context& context, const V& a);
template <class V>
V ceil(const Context& context, const V& a);
template <class V>
V trunc(const Context& context, const V& a);
template <class V>
V round_even(const Context& context, const V& a);
/// x - floor(x): may be 1.0 for tiny negative x.
template <class V>
V fract(const Context& context, const V& a);
/// -1, a zero or 1 for any operand: a zero for NaN.
template <class V>
V sign(const Context& context, const V& a);
/// A number wins over NaN; for zeros of both signs the result is either one. So a number limits the result for any
/// other operand.
template <class V>
V min(const Context& context, const V& a, const V& b);
template <class V>
V max(const Context& context, const V& a, const V& b);
/// Clamps to [0, 1]; NaN becomes 0, -0 becomes +0.
/// _SAT
Value saturate(const Context& context, const Value& a);
/// _SATNV clamps to −1..1 as MAX and MIN do, so that NaN is −1.
Value saturate_signed(const Context& context, const Value& a);

/// src0·src1 + (1 - src0)·src2 or src0·(src1 - src2) + src2.
Value lerp(const Context& context, const Value& a, const Value& b, const Value& d);

/// A term of a sum: a·b, or a alone if `b` is null; subtracted if `minus`. If both point to one object, they are one
/// value: a square.
struct Term {
    const Value* a = nullptr;
    const Value* b = nullptr;
    bool minus = false;
};
/// The sum of up to five terms, added in any order, with products fused or not. The nominal value adds from left to
/// right.
Value sum(const Context& context, const Term* terms, int count);

template <class V>
Truth compare(const Context& context, Comparison comparison, const V& a, const V& b);

/// `yes` if the truth is true, `no` if it is false, both if it may be either.
Value select(const Truth& truth, const Value& yes, const Value& no);
/// ~0 if it is true, 0 if it is false.
inline Value all_bits(const Truth& truth) {
    return select(truth, exact(~0u), exact(0u));
}
inline Truth operator!(const Truth& truth) {
    return {!truth.nominal, truth.may_be_false, truth.may_be_true};
}

}  // namespace tgsi2spv::reference
