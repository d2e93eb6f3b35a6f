#include "lower/evaluate_wide.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace tgsi2spv::test {
namespace {

using ir::Op;
using ir::Scalar;

double as_double(uint64_t bits) {
    return std::bit_cast<double>(bits);
}
uint64_t as_bits(double x) {
    return std::bit_cast<uint64_t>(x);
}
double number_min(double a, double b) {
    return std::isnan(a) ? b : std::isnan(b) ? a : std::min(a, b);
}
double number_max(double a, double b) {
    return std::isnan(a) ? b : std::isnan(b) ? a : std::max(a, b);
}

std::optional<uint64_t> of_float(Op op, const uint64_t (&x)[3]) {
    const double a = as_double(x[0]), b = as_double(x[1]), c = as_double(x[2]);
    switch (op) {
        case Op::FAdd:
            return as_bits(a + b);
        case Op::FSub:
            return as_bits(a - b);
        case Op::FMul:
            return as_bits(a * b);
        case Op::FDiv:
            return as_bits(a / b);
        case Op::FNegate:
            return x[0] ^ uint64_t { 1 } << 63;
        case Op::FAbs:
            return x[0] & ~(uint64_t{1} << 63);
        case Op::Fma:
            return as_bits(std::fma(a, b, c));
        case Op::FMin:
            return as_bits(number_min(a, b));
        case Op::FMax:
            return as_bits(number_max(a, b));
        case Op::FClamp:
            return as_bits(number_min(number_max(a, b), c));
        case Op::FFloor:
            return as_bits(std::floor(a));
        case Op::FCeil:
            return as_bits(std::ceil(a));
        case Op::FTrunc:
            return as_bits(std::trunc(a));
        case Op::FRoundEven:
            return as_bits(std::nearbyint(a));
        case Op::FFract:
            return as_bits(a - std::floor(a));
        case Op::FSqrt:
            return as_bits(std::sqrt(a));
        case Op::FRsqrt:
            return as_bits(1.0 / std::sqrt(a));
        case Op::FOEq:
            return a == b;
        case Op::FUNe:
            return !(a == b);
        case Op::FOLt:
            return a < b;
        case Op::FOGt:
            return a > b;
        case Op::FOGe:
            return a >= b;
        case Op::IsNan:
            return std::isnan(a);
        default:
            return std::nullopt;
    }
}

std::optional<Wide> of_int(Op op, const uint64_t (&x)[3]) {
    const uint64_t a = x[0], b = x[1];
    const auto s = static_cast<int64_t>(a), t = static_cast<int64_t>(b);
    const bool overflow = a == uint64_t{1} << 63 && t == -1;
    switch (op) {
        case Op::IAdd:
            return Wide{a + b};
        case Op::ISub:
            return Wide{a - b};
        case Op::IMul:
            return Wide{a * b};
        case Op::UDiv:
            return b == 0 ? Wide{0, true} : Wide{a / b};
        case Op::UMod:
            return b == 0 ? Wide{0, true} : Wide{a % b};
        case Op::SDiv:
            return b == 0 || overflow ? Wide{0, true} : Wide{static_cast<uint64_t>(s / t)};
        case Op::INegate:
            return Wide{0 - a};
        case Op::SAbs:
            return Wide{s < 0 ? 0 - a : a};
        case Op::SSign:
            return Wide{s < 0 ? ~uint64_t{0} : s > 0};
        case Op::SMin:
            return Wide{s < t ? a : b};
        case Op::SMax:
            return Wide{s < t ? b : a};
        case Op::UMin:
            return Wide{std::min(a, b)};
        case Op::UMax:
            return Wide{std::max(a, b)};
        case Op::Shl:
            return Wide{a << (b & 63), b > 63};
        case Op::LShr:
            return Wide{a >> (b & 63), b > 63};
        case Op::AShr:
            return Wide{static_cast<uint64_t>(s >> (b & 63)), b > 63};
        case Op::IEq:
            return Wide{a == b};
        case Op::INe:
            return Wide{a != b};
        case Op::SLt:
            return Wide{s < t};
        case Op::SGe:
            return Wide{s >= t};
        case Op::ULt:
            return Wide{a < b};
        case Op::UGe:
            return Wide{a >= b};
        default:
            return std::nullopt;
    }
}

uint64_t float_bits(double x, ir::Type to) {
    return to.is_wide() ? as_bits(x) : std::bit_cast<uint32_t>(static_cast<float>(x));
}

std::optional<Wide> conversion(Op op, ir::Type from, ir::Type to, uint64_t bits) {
    const double x = from.is_wide() ? as_double(bits) : std::bit_cast<float>(static_cast<uint32_t>(bits));
    const int64_t s = from.is_wide() ? static_cast<int64_t>(bits) : static_cast<int32_t>(bits);
    const double end = to.is_wide() ? 0x1p64 : 0x1p32;
    switch (op) {
        case Op::FConvert:
            return Wide{float_bits(x, to)};
        case Op::UConvert:
            return Wide{bits};
        case Op::SConvert:
            return Wide{static_cast<uint64_t>(s)};
        case Op::SToF:  // directly to float: via a double it would round twice
            return Wide{to.is_wide() ? as_bits(static_cast<double>(s))
                                     : std::bit_cast<uint32_t>(static_cast<float>(s))};
        case Op::UToF:
            return Wide{to.is_wide() ? as_bits(static_cast<double>(bits))
                                     : std::bit_cast<uint32_t>(static_cast<float>(bits))};
        case Op::FToS:
            if (!(std::trunc(x) >= -end / 2 && x < end / 2)) return Wide{0, true};
            return Wide{static_cast<uint64_t>(static_cast<int64_t>(x))};
        case Op::FToU:
            if (!(x > -1 && x < end)) return Wide{0, true};
            return Wide{x >= 0x1p63 ? static_cast<uint64_t>(x - 0x1p63) | uint64_t{1} << 63
                                    : static_cast<uint64_t>(static_cast<int64_t>(x))};
        default:
            return std::nullopt;
    }
}

}  // namespace

std::optional<Wide> wide_component(Op op, ir::Type from, ir::Type to, const uint64_t (&x)[3]) {
    if (auto w = conversion(op, from, to, x[0])) return w;
    if (from.scalar == Scalar::U64) return of_int(op, x);
    if (const auto bits = of_float(op, x)) return Wide{*bits};
    return std::nullopt;
}

}  // namespace tgsi2spv::test
