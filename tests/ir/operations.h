// One component of an operation of the IR, computed on the host. Written independently of ir/fold_constants.cpp, so
// that tests can compare with it.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <numbers>
#include <optional>
#include <type_traits>

#include "ir/module.h"

namespace tgsi2spv::test {

/// Stands for a result that SPIR-V leaves undefined.
constexpr uint64_t kPoison = 0xdead'beef'dead'beef;

struct Answer {
    uint64_t bits = 0;       ///< 32-bit results are in the low word
    bool undefined = false;  ///< whether SPIR-V leaves the behaviour undefined
};
using Operands = uint64_t[3];

/// NMin and NMax: if one operand is NaN, the result is the other one.
template <std::floating_point Float>
Float number_min(Float a, Float b) {
    return std::isnan(a) ? b : std::isnan(b) ? a : std::min(a, b);
}
/// Of two zeros, the one without a sign: NMax may give either.
template <std::floating_point Float>
Float number_max(Float a, Float b) {
    if (a == b) return std::signbit(a) ? b : a;
    return std::isnan(a) ? b : std::isnan(b) ? a : std::max(a, b);
}

// A line of the tables below.
#define IS(op, ...) \
    case Op::op:    \
        return __VA_ARGS__

template <std::floating_point Float>
using Bits = std::conditional_t<sizeof(Float) == 4, uint32_t, uint64_t>;

/// The operations that floats of both widths have.
template <std::floating_point Float>
std::optional<Answer> of_float(ir::Op op, const Operands& x) {
    using ir::Op;
    using Word = Bits<Float>;
    const auto number = [](uint64_t bits) { return std::bit_cast<Float>(static_cast<Word>(bits)); };
    const auto answer = [](Float f) { return Answer{std::bit_cast<Word>(f)}; };
    const Float a = number(x[0]), b = number(x[1]), c = number(x[2]);
    constexpr uint64_t kSign = uint64_t{1} << (8 * sizeof(Float) - 1);
    switch (op) {
        IS(FAdd, answer(a + b));
        IS(FSub, answer(a - b));
        IS(FMul, answer(a * b));
        IS(FDiv, answer(a / b));
        IS(FNegate, Answer{x[0] ^ kSign});
        IS(FAbs, Answer{x[0] & ~kSign});
        IS(Fma, answer(std::fma(a, b, c)));
        IS(FMin, answer(number_min(a, b)));
        IS(FMax, answer(number_max(a, b)));
        IS(FClamp, answer(number_min(number_max(a, b), c)));
        IS(FFloor, answer(std::floor(a)));
        IS(FCeil, answer(std::ceil(a)));
        IS(FTrunc, answer(std::trunc(a)));
        IS(FRoundEven, answer(std::nearbyint(a)));
        IS(FFract, answer(a - std::floor(a)));
        IS(FSqrt, answer(std::sqrt(a)));
        IS(FRsqrt, answer(1 / std::sqrt(a)));
        IS(FOEq, Answer{a == b});
        IS(FUNe, Answer{!(a == b)});
        IS(FOLt, Answer{a < b});
        IS(FOLe, Answer{a <= b});
        IS(FOGt, Answer{a > b});
        IS(FOGe, Answer{a >= b});
        IS(IsNan, Answer{std::isnan(a)});
        default:
            return std::nullopt;
    }
}

/// The operations that only floats of 32 bits have.
inline std::optional<Answer> of_single(ir::Op op, const Operands& x) {
    using ir::Op;
    const auto a = std::bit_cast<float>(static_cast<uint32_t>(x[0]));
    const auto b = std::bit_cast<float>(static_cast<uint32_t>(x[1]));
    const auto answer = [](float f) { return Answer{std::bit_cast<uint32_t>(f)}; };
    switch (op) {
        IS(FExp2, answer(std::exp2(a)));
        IS(FLog2, answer(std::log2(a)));
        IS(FPow, answer(std::pow(a, b)));
        case Op::FSin:
        case Op::FCos: {  // undefined outside [-pi, pi]; lowering passes on only angles beyond 2^15
            Answer y = answer(op == Op::FSin ? std::sin(a) : std::cos(a));
            y.undefined = std::fabs(static_cast<double>(a)) > std::numbers::pi && std::fabs(a) <= 32768;
            return y;
        }
        default:
            return std::nullopt;
    }
}

/// The operations that integers of both widths have.
template <std::unsigned_integral Word>
std::optional<Answer> of_int(ir::Op op, const Operands& x) {
    using ir::Op;
    using Signed = std::make_signed_t<Word>;
    constexpr Word kBits = 8 * sizeof(Word), kLowest = Word{1} << (kBits - 1);
    const auto a = static_cast<Word>(x[0]), b = static_cast<Word>(x[1]);
    const auto s = static_cast<Signed>(a), t = static_cast<Signed>(b);
    const auto answer = [](auto word) { return Answer{static_cast<Word>(word)}; };
    const auto unless = [&](bool undefined, auto compute) {
        return undefined ? Answer{static_cast<Word>(kPoison), true} : answer(compute());
    };
    const auto shift = [&](Word shifted) { return Answer{shifted, b >= kBits}; };
    switch (op) {
        IS(IAdd, answer(a + b));
        IS(ISub, answer(a - b));
        IS(IMul, answer(a * b));
        IS(INegate, answer(0 - a));
        IS(UDiv, unless(b == 0, [&] { return a / b; }));
        IS(UMod, unless(b == 0, [&] { return a % b; }));
        IS(SDiv, unless(b == 0 || (a == kLowest && t == -1), [&] { return s / t; }));
        IS(SAbs, answer(s < 0 ? 0 - a : a));
        IS(SSign, answer(s < 0 ? -1 : s > 0));
        IS(SMin, answer(std::min(s, t)));
        IS(SMax, answer(std::max(s, t)));
        IS(UMin, answer(std::min(a, b)));
        IS(UMax, answer(std::max(a, b)));
        IS(And, answer(a & b));
        IS(Or, answer(a | b));
        IS(Xor, answer(a ^ b));
        IS(Not, answer(~a));
        IS(Shl, shift(static_cast<Word>(a << (b % kBits))));
        IS(LShr, shift(static_cast<Word>(a >> (b % kBits))));
        IS(AShr, shift(static_cast<Word>(s >> (b % kBits))));
        IS(IEq, answer(a == b));
        IS(INe, answer(a != b));
        IS(SLt, answer(s < t));
        IS(SLe, answer(s <= t));
        IS(SGt, answer(s > t));
        IS(SGe, answer(s >= t));
        IS(ULt, answer(a < b));
        IS(ULe, answer(a <= b));
        IS(UGt, answer(a > b));
        IS(UGe, answer(a >= b));
        default:
            return std::nullopt;
    }
}

/// The operations that only words of 32 bits and booleans have.
inline std::optional<Answer> of_word(ir::Op op, const Operands& x) {
    using ir::Op;
    const auto a = static_cast<uint32_t>(x[0]), b = static_cast<uint32_t>(x[1]);
    const auto answer = [](auto word) { return Answer{static_cast<uint32_t>(word)}; };
    switch (op) {
        IS(LAnd, answer(a & b));
        IS(LOr, answer(a | b));
        IS(LNot, answer(a ^ 1));
        IS(LEq, answer(a == b));
        IS(LNe, answer(a != b));
        case Op::BitReverse: {
            uint32_t r = 0;
            for (int i = 0; i < 32; i++) r |= (a >> i & 1) << (31 - i);
            return answer(r);
        }
            IS(BitCount, answer(std::popcount(a)));
            IS(FindLsb, answer(a == 0 ? -1 : std::countr_zero(a)));
            IS(FindUMsb, answer(31 - std::countl_zero(a)));
            IS(FindSMsb, answer(31 - std::countl_zero(static_cast<int32_t>(a) < 0 ? ~a : a)));
        default:
            return std::nullopt;
    }
}

/// Conversions between numbers of either width.
inline std::optional<Answer> of_conversion(ir::Op op, ir::Type from, ir::Type to, uint64_t bits) {
    using ir::Op;
    const auto word = static_cast<uint32_t>(bits);
    const double x = from.is_wide() ? std::bit_cast<double>(bits) : std::bit_cast<float>(word);
    const int64_t s = from.is_wide() ? static_cast<int64_t>(bits) : static_cast<int32_t>(word);
    const double end = to.is_wide() ? 0x1p64 : 0x1p32;
    // From an integer directly: via a double it would round twice.
    const auto number = [&](auto n) {
        return Answer{to.is_wide() ? std::bit_cast<uint64_t>(static_cast<double>(n))
                                   : std::bit_cast<uint32_t>(static_cast<float>(n))};
    };
    switch (op) {
        IS(FConvert, number(x));
        IS(UConvert, Answer{bits});
        IS(SConvert, Answer{static_cast<uint64_t>(s)});
        IS(SToF, number(s));
        IS(UToF, number(bits));
        case Op::FToS:
            if (!(std::trunc(x) >= -end / 2 && x < end / 2)) return Answer{kPoison, true};
            return Answer{static_cast<uint64_t>(static_cast<int64_t>(x))};
        case Op::FToU:
            if (!(x > -1 && x < end)) return Answer{kPoison, true};
            return Answer{x >= 0x1p63 ? static_cast<uint64_t>(x - 0x1p63) | uint64_t{1} << 63
                                      : static_cast<uint64_t>(static_cast<int64_t>(x))};
        default:
            return std::nullopt;
    }
}

/// One component of an instruction. `from` is the type of operand 0; 32-bit operands are in the low words. NaN is
/// never assumed away, denormals are kept, and arithmetic rounds to nearest. Returns nothing for other instructions.
inline std::optional<Answer> component(ir::Op op, ir::Type from, ir::Type to, const Operands& x) {
    if (const auto y = of_conversion(op, from, to, x[0])) return y;
    if (from.is_wide()) {
        const auto y = of_float<double>(op, x);
        return y ? y : of_int<uint64_t>(op, x);
    }
    if (const auto y = of_float<float>(op, x)) return y;
    if (const auto y = of_int<uint32_t>(op, x)) return y;
    if (const auto y = of_single(op, x)) return y;
    return of_word(op, x);
}

#undef IS

}  // namespace tgsi2spv::test
