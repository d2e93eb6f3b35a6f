#include "odd/arithmetic.h"

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

namespace tgsi2spv::odd {

using ir::Op;
using test::Answer;
using test::Operands;

/// Numbers of one format.
template <class Number>
class Arithmetic::Of {
  public:
    using Word = test::Bits<Number>;
    /// Has more bits than the format, for results before their rounding.
    using Wide = std::conditional_t<sizeof(Number) == 4, double, long double>;
    using Limits = std::numeric_limits<Number>;

    explicit Of(Arithmetic& device)
        : device_(device),
          random_(device.random_),
          keeps_special_(sizeof(Number) == 4 ? device.promises_.keeps_special : device.promises_.keeps_special_64),
          rounds_to_even_(sizeof(Number) == 4 && device.promises_.rounds_to_even) {}

    static Number number(uint64_t bits) { return std::bit_cast<Number>(static_cast<Word>(bits)); }
    static Word word(Number x) { return std::bit_cast<Word>(x); }
    Answer answer(Number x) const { return {word(x)}; }

    std::optional<Answer> operation(Op op, const Operands& x);
    std::optional<Number> contracted(Number a, Number b, Number c);
    Number sum(Number a, Number b);
    Number product(Number a, Number b);
    Number fused(Number a, Number b, Number c);
    /// Any number, infinity or NaN.
    Number anything();
    /// The one or two numbers around the result of a correctly rounded operation; the nearest if promised.
    template <class Compute>
    Number rounded(Compute compute);
    Number flushed(Number x, bool keeps_sign);
    /// Of an instruction of SPIR-V that knows infinities, NaN and the signs of zeros, if the module asks for it.
    Number finished(Number x, bool keeps_sign = false);

  private:
    Arithmetic& device_;
    difftest::Random& random_;
    const bool keeps_special_, rounds_to_even_;

    bool draws(Habit habit) { return device_.draws(habit); }
    static bool is_special(Number x) { return !std::isfinite(x); }
    Number quotient(Number a, Number b);
    Number within(Wide exact, Wide ulps);
    Number around(Wide exact, Wide error);
    Number either_zero(Number x);
    Number smaller(Number a, Number b);
    Number larger(Number a, Number b) { return -smaller(-a, -b); }
    bool compared(Op op, Number a, Number b);
    std::optional<Number> basic(Op op, Number a, Number b);
    std::optional<Number> function(Op op, Number a, Number b, Number c);
    std::optional<Number> of_single(Op op, Number x, Number y);
};

template <class Number>
Number Arithmetic::Of<Number>::anything() {
    const Number kSome[] = {0, -Number{0}, 1, -1, Limits::infinity(), Limits::max(), Limits::quiet_NaN()};
    const uint32_t n = random_.below(2 * std::size(kSome));
    return n < std::size(kSome) ? kSome[n] : number(random_.next());
}

template <class Number>
Number Arithmetic::Of<Number>::flushed(Number x, bool keeps_sign) {
    if (std::fpclassify(x) != FP_SUBNORMAL || !device_.flushes(word(std::fabs(x)))) return x;
    if (keeps_sign) return std::copysign(Number{0}, x);
    return random_.below(2) ? Number{0} : -Number{0};
}

template <class Number>
Number Arithmetic::Of<Number>::either_zero(Number x) {
    return x == 0 && random_.below(2) ? -x : x;
}

template <class Number>
Number Arithmetic::Of<Number>::finished(Number x, bool keeps_sign) {
    x = flushed(x, keeps_sign);
    if (std::isnan(x)) {  // any sign and payload
        const auto payload = static_cast<Word>(random_.next()) & (~Word{0} >> 1);
        const Number nan = number(payload | word(Limits::quiet_NaN()));
        return random_.below(2) ? nan : -nan;
    }
    if (!keeps_special_) return std::isinf(x) ? anything() : either_zero(x);
    return x;
}

template <class Number>
template <class Compute>
Number Arithmetic::Of<Number>::rounded(Compute compute) {
    constexpr int kModes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD};
    const int mode = rounds_to_even_ ? FE_TONEAREST : kModes[random_.below(3)];
    std::fesetround(mode);
    const volatile Number result = compute();
    std::fesetround(FE_TONEAREST);
    return result == 0 ? compute() : result;  // the sign of 0 is that of the default rounding
}

// IEEE 754, 6.3: products, quotients, and sums of numbers of one sign have a sign that does not depend on their size,
// so a flushed number has it too.
template <class Number>
Number Arithmetic::Of<Number>::sum(Number a, Number b) {
    const bool keeps_sign = std::signbit(a) == std::signbit(b);
    const volatile Number x = flushed(a, keeps_sign), y = flushed(b, keeps_sign);
    return finished(rounded([&] { return x + y; }), keeps_sign);
}

template <class Number>
Number Arithmetic::Of<Number>::product(Number a, Number b) {
    const volatile Number x = flushed(a, true), y = flushed(b, true);
    return finished(rounded([&] { return x * y; }), true);
}

template <class Number>
Number Arithmetic::Of<Number>::fused(Number a, Number b, Number c) {
    const bool keeps_sign = (std::signbit(a) != std::signbit(b)) == std::signbit(c);
    const volatile Number x = flushed(a, true), y = flushed(b, true), z = flushed(c, keeps_sign);
    return finished(rounded([&] { return std::fma(x, y, z); }), keeps_sign);
}

/// A number that is no farther from the exact one.
template <class Number>
Number Arithmetic::Of<Number>::around(Wide exact, Wide error) {
    if (!draws(device_.errs_)) return static_cast<Number>(exact);
    const auto share = static_cast<Wide>(draws(device_.at_limits_) ? 1.0 : random_.unit());
    const Wide off = share * error * Wide{1 - 0x1p-30};  // `exact` has an error, too
    const Wide limit = random_.below(2) ? exact + off : exact - off;
    if (std::fabs(limit) > Limits::max()) {
        const Number largest = random_.below(2) ? Limits::max() : Limits::infinity();
        return std::copysign(largest, static_cast<Number>(limit));
    }
    const auto nearest = static_cast<Number>(limit);
    const bool is_beyond = limit > exact ? nearest > limit : nearest < limit;
    return is_beyond ? std::nextafter(nearest, static_cast<Number>(exact)) : nearest;
}

/// One ULP is the distance of the two adjacent numbers that enclose the exact one. Doubles may be as imprecise as
/// floats.
template <class Number>
Number Arithmetic::Of<Number>::within(Wide exact, Wide ulps) {
    if (exact == 0 || !std::isfinite(exact)) return static_cast<Number>(exact);
    const bool as_single = sizeof(Number) == 8 && device_.promises_.doubles_as_single;
    int exponent = 0;
    if (std::frexp(std::fabs(exact), &exponent) == 0.5) exponent--;
    const int digits = as_single ? 24 : Limits::digits;
    return around(exact, ulps * std::ldexp(Wide{1}, std::max(exponent, Limits::min_exponent) - digits));
}

/// "2.5 ULP for |y| in the range [2^-126, 2^126]"; of doubles in theirs.
template <class Number>
Number Arithmetic::Of<Number>::quotient(Number a, Number b) {
    if (std::isnan(a) || std::isnan(b)) return finished(a + b);
    const Number size = std::fabs(b);
    if (b != 0 && !(size >= Limits::min() && size <= 1 / Limits::min())) return anything();
    const Number x = flushed(a, true);
    if (b == 0 || std::isinf(x)) return finished(x / b, true);
    return finished(within(static_cast<Wide>(x) / b, Wide{2.5}), true);
}

/// NMin selects an operand: the other one of a NaN, either of two zeros.
template <class Number>
Number Arithmetic::Of<Number>::smaller(Number a, Number b) {
    const Number x = flushed(a, false), y = flushed(b, false);
    if (std::isnan(x)) return finished(y);
    if (std::isnan(y)) return finished(x);
    return x == y && random_.below(2) ? y : std::min(x, y);
}

template <class Number>
bool Arithmetic::Of<Number>::compared(Op op, Number a, Number b) {
    if (!keeps_special_ && (is_special(a) || is_special(b))) return random_.below(2) != 0;
    const Number x = flushed(a, false), y = flushed(b, false);
    switch (op) {
        case Op::FOEq:
            return x == y;
        case Op::FUNe:
            return !(x == y);
        case Op::FOLt:
            return x < y;
        case Op::FOLe:
            return x <= y;
        case Op::FOGt:
            return x > y;
        case Op::FOGe:
            return x >= y;
        default:
            return std::isnan(a);
    }
}

template <class Number>
std::optional<Number> Arithmetic::Of<Number>::basic(Op op, Number a, Number b) {
    const bool is_unary = op == Op::FNegate || op == Op::FAbs;
    if (!keeps_special_ && (is_special(a) || (!is_unary && is_special(b)))) return anything();
    switch (op) {
        case Op::FAdd:
            return sum(a, b);
        case Op::FSub:
            return sum(a, -b);
        case Op::FMul:
            return product(a, b);
        case Op::FDiv:
            return quotient(a, b);
        case Op::FMin:
            return smaller(a, b);
        case Op::FMax:
            return larger(a, b);
        case Op::FNegate:
            return std::isnan(a) ? -a : finished(-a);
        case Op::FAbs:
            return std::isnan(a) ? std::fabs(a) : flushed(std::fabs(a), true);
        default:
            return std::nullopt;
    }
}

/// Functions of GLSL.std.450 need not know NaN, infinities and the signs of zeros: Vulkan's list of instructions that
/// heed SignedZeroInfNanPreserve has none of them. Two things go beyond it: lowering relies on 2^-inf = 0 for POW of 0,
/// and FAbs clears the sign bit everywhere.
template <class Number>
std::optional<Number> Arithmetic::Of<Number>::function(Op op, Number a, Number b, Number c) {
    const bool is_power = op == Op::FExp2 && keeps_special_ && std::isinf(a);
    if ((is_special(a) && !is_power) || (op == Op::FPow && is_special(b))) return anything();
    const Number x = flushed(a, false);
    switch (op) {
        case Op::FFloor:
            return std::floor(x);
        case Op::FCeil:
            return std::ceil(x);
        case Op::FTrunc:
            return std::trunc(x);
        case Op::FRoundEven:
            return std::nearbyint(x);
        case Op::FFract:
            return sum(x, -std::floor(x));
        case Op::FRsqrt:
            if (x <= 0) return anything();
            return within(1 / std::sqrt(static_cast<Wide>(x)), Wide{2});
        case Op::FSqrt:  // inherited from 1 / inversesqrt(x)
            if (x < 0) return anything();
            if (x == 0) return x;
            return quotient(1, within(1 / std::sqrt(static_cast<Wide>(x)), Wide{2}));
        case Op::Fma:
            if (is_special(b) || is_special(c)) return anything();
            if (random_.below(2)) return fused(a, b, c);
            return sum(product(a, b), c);
        default:
            return of_single(op, x, b);
    }
}

template <class Number>
std::optional<Number> Arithmetic::Of<Number>::of_single(Op op, Number x, Number y) {
    if constexpr (sizeof(Number) == 4) switch (op) {
            case Op::FExp2:
                if (std::isinf(x)) return x > 0 ? x : 0;
                return std::max(0.0f, within(std::exp2(static_cast<double>(x)), 3 + 2 * std::fabs(x)));
            case Op::FLog2: {
                if (x <= 0) return anything();
                const double exact = std::log2(static_cast<double>(x));
                return x >= 0.5f && x <= 2.0f ? around(exact, 0x1p-21) : within(exact, 3);
            }
            case Op::FSin:
            case Op::FCos: {
                const double angle = x;
                if (std::fabs(angle) > std::numbers::pi) return anything();
                return around(op == Op::FSin ? std::sin(angle) : std::cos(angle), 0x1p-11);
            }
            case Op::FPow: {  // inherited from exp2(y * log2(x))
                if (x < 0 || (x == 0 && y <= 0)) return anything();
                if (x == 0) return x;
                const auto log = *of_single(Op::FLog2, x, 0);
                return of_single(Op::FExp2, product(y, log), 0);
            }
            default:
                break;
        }
    return std::nullopt;
}

template <class Number>
std::optional<Answer> Arithmetic::Of<Number>::operation(Op op, const Operands& x) {
    const Number a = number(x[0]), b = number(x[1]), c = number(x[2]);
    if (op >= Op::FOEq && op <= Op::IsNan) return Answer{compared(op, a, b)};
    if (op == Op::FClamp) return answer(*basic(Op::FMin, *basic(Op::FMax, a, b), c));
    if (const auto y = basic(op, a, b)) return answer(*y);
    if (op == Op::FSqrt && a == 0) return answer(a);  // as in IEEE 754; else RSQ of 0 could be -inf
    if (const auto y = function(op, a, b, c)) return answer(flushed(either_zero(*y), false));
    return std::nullopt;
}

template <class Number>
std::optional<Number> Arithmetic::Of<Number>::contracted(Number a, Number b, Number c) {
    if (!keeps_special_ && (is_special(a) || is_special(b) || is_special(c))) return anything();
    return fused(a, b, c);
}

Arithmetic::Arithmetic(uint64_t seed, const Promises& promises) : random_(seed), promises_(promises), seed_(seed) {
    for (Habit* habit : {&flushes_, &fuses_, &errs_, &at_limits_, &reorders_}) *habit = random_.below(5);
}

/// "Any denormalized value input into a shader or potentially generated by any instruction": a value is flushed for all
/// of its uses or for none. What guards a function (RSQ of 0, SQRT below 0) sees what the function sees.
bool Arithmetic::flushes(uint64_t denormal) const {
    return difftest::Random(seed_ ^ denormal).below(4) < flushes_;
}

std::optional<Answer> Arithmetic::component(const ir::Instruction& i, ir::Type from, const Operands& x) {
    if (i.op >= Op::FToS && i.op <= Op::FConvert) return converted(i, from, x[0]);
    if (i.op < Op::FAdd || i.op > Op::SConvert) return std::nullopt;
    if (from.scalar == ir::Scalar::F32) return Of<float>(*this).operation(i.op, x);
    if (from.scalar == ir::Scalar::F64) return Of<double>(*this).operation(i.op, x);
    auto answer = test::component(i.op, from, i.type, x);
    if (answer && answer->undefined) answer->bits = random_.next();
    return answer;
}

Answer Arithmetic::converted(const ir::Instruction& i, ir::Type from, uint64_t bits) {
    Of<float> singles(*this);
    Of<double> doubles(*this);
    const auto word = static_cast<uint32_t>(bits);
    const auto rounded = [&](auto x) {
        const volatile auto exact = x;
        if (i.type.is_wide()) return doubles.answer(doubles.finished(doubles.rounded([&] { return double(exact); })));
        return singles.answer(singles.finished(singles.rounded([&] { return float(exact); })));
    };
    switch (i.op) {
        case Op::SToF:
            if (bits == 0) return Answer{0};
            return rounded(from.is_wide() ? static_cast<int64_t>(bits) : int64_t{static_cast<int32_t>(word)});
        case Op::UToF:
            if (bits == 0) return Answer{0};
            return rounded(from.is_wide() ? bits : uint64_t{word});
        case Op::FConvert:
            if (from.is_wide()) return rounded(doubles.flushed(doubles.number(bits), true));
            return rounded(singles.flushed(singles.number(bits), true));
        default: {
            auto answer = *test::component(i.op, from, i.type, {bits});
            if (answer.undefined) answer.bits = random_.next();
            return answer;
        }
    }
}

std::optional<uint64_t> Arithmetic::contracted(ir::Type type, const test::Factors& f, uint64_t addend) {
    if (!draws(fuses_)) return std::nullopt;
    const auto as = [&](auto numbers) -> uint64_t {
        return numbers.word(*numbers.contracted(numbers.number(f.a), numbers.number(f.b), numbers.number(addend)));
    };
    return type.is_wide() ? as(Of<double>(*this)) : as(Of<float>(*this));
}

/// "Inherited from the sum of products": added in any order, and each product fused with a sum or not.
uint32_t Arithmetic::dot(std::span<const uint32_t> a, std::span<const uint32_t> b) {
    Of<float> numbers(*this);
    std::vector<float> sums;
    std::vector<size_t> products(a.size());
    for (size_t c = 0; c < a.size(); c++) products[c] = c;
    if (draws(reorders_))
        for (size_t c = a.size(); c > 1; c--) std::swap(products[c - 1], products[random_.below(c)]);
    for (const size_t c : products) {
        const float x = numbers.number(a[c]), y = numbers.number(b[c]);
        if (!sums.empty() && draws(fuses_))
            sums.back() = numbers.fused(x, y, sums.back());
        else
            sums.push_back(numbers.product(x, y));
    }
    while (sums.size() > 1) {  // pairs, or from the front
        const size_t at = draws(reorders_) ? random_.below(sums.size() - 1) : 0;
        sums[at] = numbers.sum(sums[at], sums[at + 1]);
        sums.erase(sums.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
    return numbers.word(sums[0]);
}

uint32_t Arithmetic::difference(uint32_t a, uint32_t b) {
    Operands x{b, a};
    return static_cast<uint32_t>(Of<float>(*this).operation(Op::FSub, x)->bits);
}

/// Either half around the number; denormals may be zeros of either sign, before and after.
uint32_t Arithmetic::pack_half(uint32_t number) {
    Of<float> numbers(*this);
    const float x = numbers.flushed(numbers.number(number), false);
    if (std::isnan(x)) return static_cast<uint32_t>(random_.next()) & 0xffff;
    const uint32_t sign = std::signbit(x) ? 0x8000 : 0;
    if (std::isinf(x)) return sign | 0x7c00;
    const float size = std::fabs(x);
    const int exponent = std::max(size == 0 ? -14 : std::ilogb(size), -14);
    if (exponent > 15) return sign | (random_.below(2) ? 0x7c00 : 0x7bff);
    const float steps = std::ldexp(size, 10 - exponent), below = std::floor(steps);
    uint32_t code = static_cast<uint32_t>(below) + (static_cast<uint32_t>(exponent + 14) << 10);
    if (steps != below && random_.below(2)) code++;
    if (code != 0 && code < 0x400 && flushes(code)) return random_.below(2) ? 0 : 0x8000;
    return sign | code;
}

uint32_t Arithmetic::unpack_half(uint32_t half) {
    const uint32_t size = half & 0x7fff;
    if (size > 0 && size < 0x400 && flushes(size)) return random_.below(2) ? 0 : 0x8000'0000;
    return test::Arithmetic::unpack_half(half);
}

uint32_t Arithmetic::undefined_word() {
    return static_cast<uint32_t>(random_.next());
}

}  // namespace tgsi2spv::odd
