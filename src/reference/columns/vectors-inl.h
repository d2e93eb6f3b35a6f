// The vectors that the kernels use, for the current instruction set. Included once for each (hwy/foreach_target.h).
#if defined(TGSI2SPV_COLUMNS_VECTORS) == defined(HWY_TARGET_TOGGLE)
#ifdef TGSI2SPV_COLUMNS_VECTORS
#undef TGSI2SPV_COLUMNS_VECTORS
#else
#define TGSI2SPV_COLUMNS_VECTORS
#endif

#include <sleef.h>

#include <cmath>

#include "hwy/highway.h"
#include "reference/columns/code.h"
#include "reference/columns/functions_avx.h"

HWY_BEFORE_NAMESPACE();

namespace tgsi2spv::reference::columns::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::CappedTag<uint32_t, kWidest>;
using Ints = hn::Rebind<int32_t, Words>;
using Floats = hn::Rebind<float, Words>;
#if HWY_TARGET == HWY_SCALAR
using Doubles = hn::Rebind<double, Words>;
#else
using Doubles = hn::Rebind<double, hn::Half<Words>>;
#endif
using W = hn::Vec<Words>;
using F = hn::Vec<Floats>;
using D = hn::Vec<Doubles>;
using Mask = hn::Mask<Words>;

inline constexpr Words kW{};
inline constexpr Ints kI{};
inline constexpr Floats kF{};
inline constexpr Doubles kD{};

HWY_INLINE F floats(W w) {
    return hn::BitCast(kF, w);
}
HWY_INLINE W words(F f) {
    return hn::BitCast(kW, f);
}
HWY_INLINE W word(uint32_t w) {
    return hn::Set(kW, w);
}
/// Twice the magnitudes of floats, as words: they compare as the magnitudes do.
HWY_INLINE W twice(F f) {
    return hn::Add(words(f), words(f));
}
HWY_INLINE F number(float f) {
    return hn::Set(kF, f);
}
HWY_INLINE D number(double x) {
    return hn::Set(kD, x);
}
HWY_INLINE Mask mask_of(hn::Mask<Floats> m) {
    return hn::RebindMask(kW, m);
}
HWY_INLINE Mask mask_of(hn::Mask<Ints> m) {
    return hn::RebindMask(kW, m);
}
HWY_INLINE W truth(Mask m) {
    return hn::VecFromMask(kW, m);
}
/// Unsigned comparison.
HWY_INLINE Mask below(W a, W b) {
    const W sign = word(kSign);
    return mask_of(hn::Lt(hn::BitCast(kI, hn::Xor(a, sign)), hn::BitCast(kI, hn::Xor(b, sign))));
}

// Without vectors, highway's functions give another sign of zero.
HWY_INLINE F floor_of(F x) {
#if HWY_TARGET == HWY_SCALAR
    return hn::Set(kF, std::floor(hn::GetLane(x)));
#else
    return hn::Floor(x);
#endif
}
HWY_INLINE F ceil_of(F x) {
#if HWY_TARGET == HWY_SCALAR
    return hn::Set(kF, std::ceil(hn::GetLane(x)));
#else
    return hn::Ceil(x);
#endif
}

/// The result for NaN is arbitrary.
HWY_INLINE hn::Vec<Ints> ints_of(F x) {
#if HWY_TARGET == HWY_SCALAR
    return hn::ConvertTo(kI, hn::IfThenElseZero(hn::Eq(x, x), x));  // C++ does not define it for NaN
#else
    return hn::ConvertTo(kI, x);
#endif
}

/// A vector of floats as doubles: both halves.
struct Wide {
#if HWY_TARGET == HWY_SCALAR
    D low;
#else
    D low, high;
#endif
};
HWY_INLINE Wide widen(F x) {
#if HWY_TARGET == HWY_SCALAR
    return {hn::PromoteTo(kD, x)};
#else
    constexpr hn::Half<Floats> half{};
    return {hn::PromoteTo(kD, hn::LowerHalf(half, x)), hn::PromoteTo(kD, hn::UpperHalf(half, x))};
#endif
}
/// Rounds to the nearest floats.
HWY_INLINE F narrow(Wide x) {
#if HWY_TARGET == HWY_SCALAR
    return hn::Set(kF, static_cast<float>(hn::GetLane(x.low)));  // DemoteTo would make infinities finite here
#else
    constexpr hn::Half<Floats> half{};
    return hn::Combine(kF, hn::DemoteTo(half, x.high), hn::DemoteTo(half, x.low));
#endif
}
template <class Function, class... Operands>
HWY_INLINE Wide apply(Function f, Operands... x) {
#if HWY_TARGET == HWY_SCALAR
    return {f(x.low...)};
#else
    return {f(x.low...), f(x.high...)};
#endif
}

// sleef's "cinz" functions: the same bits for every vector width.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
HWY_INLINE D of_fours(void (*f)(const double*, double*), D x) {
    alignas(64) double a[kWidest];
    hn::Store(x, kD, a);
    for (size_t i = 0; i < hn::Lanes(kD); i += 4) f(a + i, a + i);
    return hn::Load(kD, a);
}
HWY_INLINE D exp2_of(D x) {
    return of_fours(exp2_of_4, x);
}
HWY_INLINE D log2_of(D x) {
    return of_fours(log2_of_4, x);
}
HWY_INLINE D sin_of(D x) {
    return of_fours(sin_of_4, x);
}
HWY_INLINE D cos_of(D x) {
    return of_fours(cos_of_4, x);
}
HWY_INLINE D pow_of(D x, D y) {
    alignas(64) double a[kWidest], b[kWidest];
    hn::Store(x, kD, a);
    hn::Store(y, kD, b);
    for (size_t i = 0; i < hn::Lanes(kD); i += 4) pow_of_4(a + i, b + i, a + i);
    return hn::Load(kD, a);
}
#else
template <class Function>
HWY_INLINE D each_lane(Function f, D x, D y) {
    alignas(64) double a[kWidest], b[kWidest];
    hn::Store(x, kD, a);
    hn::Store(y, kD, b);
    for (size_t i = 0; i < hn::Lanes(kD); ++i) a[i] = f(a[i], b[i]);
    return hn::Load(kD, a);
}
HWY_INLINE D exp2_of(D x) {
    return each_lane([](double a, double) { return Sleef_cinz_exp2d1_u10purec(a); }, x, x);
}
HWY_INLINE D log2_of(D x) {
    return each_lane([](double a, double) { return Sleef_cinz_log2d1_u10purec(a); }, x, x);
}
HWY_INLINE D sin_of(D x) {
    return each_lane([](double a, double) { return Sleef_cinz_sind1_u10purec(a); }, x, x);
}
HWY_INLINE D cos_of(D x) {
    return each_lane([](double a, double) { return Sleef_cinz_cosd1_u10purec(a); }, x, x);
}
HWY_INLINE D pow_of(D x, D y) {
    return each_lane([](double a, double b) { return Sleef_cinz_powd1_u10purec(a, b); }, x, y);
}
#endif

/// x·y + z rounded once, even on machines without FMA: the sum of doubles is rounded to odd, so that rounding it to a
/// float gives the same as rounding the exact sum (Boldo and Melquiond, 2008).
HWY_INLINE F fused_of(F x, F y, F z) {
#if HWY_NATIVE_FMA
    return hn::MulAdd(x, y, z);
#else
    return narrow(apply(
        [](D a, D b, D c) HWY_ATTR {
            const D p = hn::Mul(a, b), s = hn::Add(p, c), bb = hn::Sub(s, p);
            const D error = hn::Add(hn::Sub(p, hn::Sub(s, bb)), hn::Sub(c, bb));
            constexpr hn::Rebind<uint64_t, Doubles> bits{};
            const auto word = hn::BitCast(bits, s);
            const auto one = hn::Set(bits, uint64_t{1});
            const auto even = hn::Eq(hn::And(word, one), hn::Zero(bits));
            const auto rises = hn::RebindMask(bits, hn::Gt(hn::Mul(error, hn::CopySign(number(1.0), s)), number(0.0)));
            const auto falls = hn::RebindMask(bits, hn::Lt(hn::Mul(error, hn::CopySign(number(1.0), s)), number(0.0)));
            auto odd = hn::IfThenElse(hn::And(even, rises), hn::Add(word, one), word);
            odd = hn::IfThenElse(hn::And(even, falls), hn::Sub(word, one), odd);
            return hn::BitCast(kD, odd);
        },
        widen(x), widen(y), widen(z)));
#endif
}

/// Sets ~0 in the lanes `exec`, and 0 in others.
inline void spread(Bits exec, uint32_t* column) {
    alignas(64) static constexpr uint32_t kBits[kWidest] = {
        1, 2, 4, 8, 16, 32, 64, 128, 1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
    for (size_t i = 0; i < kLanes; i += hn::Lanes(kW)) {
        const size_t within = i % kWidest;
        const W bit = hn::Load(kW, kBits + within);
        const W all = word(static_cast<uint32_t>(exec >> (i - within)) & 0xffff);
        hn::Store(truth(hn::Eq(hn::And(all, bit), bit)), kW, column + i);
    }
}

/// Returns the lanes whose word in a plane is not 0.
inline Bits gather(const uint32_t* plane) {
    Bits bits = 0;
    for (size_t i = 0; i < kLanes; i += hn::Lanes(kW)) {
        uint8_t out[8] = {};
        hn::StoreMaskBits(kW, hn::Ne(hn::Load(kW, plane + i), word(0)), out);
        bits |= (Bits{out[0]} | Bits{out[1]} << 8) << i;
    }
    return bits;
}

}  // namespace tgsi2spv::reference::columns::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
