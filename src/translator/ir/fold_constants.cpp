#include "ir/fold_constants.h"

#include <bit>
#include <cmath>
#include <limits>

namespace tgsi2spv::ir {
namespace {

uint64_t get(const Constant& constant, int n) {
    const auto i = static_cast<size_t>(n);
    if (!constant.type.is_wide()) return constant.words[i];
    return constant.words[2 * i] | uint64_t{constant.words[2 * i + 1]} << 32;
}

void set(Constant& constant, int n, uint64_t bits) {
    const auto i = static_cast<size_t>(n);
    if (!constant.type.is_wide()) {
        constant.words[i] = static_cast<uint32_t>(bits);
        return;
    }
    constant.words[2 * i] = static_cast<uint32_t>(bits);
    constant.words[2 * i + 1] = static_cast<uint32_t>(bits >> 32);
}

using Word = std::optional<uint64_t>;

// ---- float comparisons, of either width

bool is_relation(Op op) {
    return op >= Op::FOEq && op <= Op::FOGe;
}
bool relation(Op op, double a, double b) {
    switch (op) {
        case Op::FOEq:
            return a == b;
        case Op::FUNe:
            return a != b;
        case Op::FOLt:
            return a < b;
        case Op::FOLe:
            return a <= b;
        case Op::FOGt:
            return a > b;
        default:
            return a >= b;
    }
}

// ---- float: one component, f32

/// Zero or a normal number: nothing that may be flushed, and neither infinity nor NaN.
bool is_plain(float x) {
    return x == 0 || std::isnormal(x);
}
bool is_denormal(float x) {
    return std::fpclassify(x) == FP_SUBNORMAL;
}
bool same_bits(float x, float y) {
    return std::bit_cast<uint32_t>(x) == std::bit_cast<uint32_t>(y);
}
Word bits_of(float x) {
    return std::bit_cast<uint32_t>(x);
}
/// `exact`, if f32 can hold it as a normal number or as a zero with a certain sign.
Word exact_result(double exact, bool zero_is_certain) {
    const auto x = static_cast<float>(exact);
    if (static_cast<double>(x) != exact || !is_plain(x)) return {};
    if (x == 0 && !zero_is_certain) return {};
    return bits_of(x);
}
/// a + b if the sum is exact. x + -x is +0 to nearest and -0 toward minus infinity: not folded.
Word exact_sum(double a, double b) {
    const double sum = a + b, back = sum - a;
    const double error = (a - (sum - back)) + (b - back);  // TwoSum (Knuth)
    if (error != 0) return {};
    return exact_result(sum, a == 0 && b == 0 && std::signbit(a) == std::signbit(b));
}

Word fold_float(Op op, std::span<const float> x) {
    const bool plain = is_plain(x[0]) && (x.size() < 2 || is_plain(x[1])) && (x.size() < 3 || is_plain(x[2]));
    const bool denormal = is_denormal(x[0]) || (x.size() > 1 && is_denormal(x[1]));
    const double a = x[0], b = x.size() > 1 ? x[1] : 0.0f;
    switch (op) {
        case Op::FNegate:
            return std::bit_cast<uint32_t>(x[0]) ^ 0x8000'0000u;
        case Op::FAbs:
            return std::bit_cast<uint32_t>(x[0]) & 0x7fff'ffffu;
        case Op::IsNan:
            return std::isnan(x[0]);
        default:
            break;
    }
    if (op == Op::FMin || op == Op::FMax || op == Op::FClamp) {
        // In Vulkan the minimum of +0 and -0 may be either, and NaN has rules of its own: neither is folded.
        if (!plain) return {};
        const float low = op == Op::FMin ? x[0] : x[1], high = op == Op::FMin ? x[1] : x.back();
        if (op != Op::FClamp) {
            if (x[0] == x[1] && !same_bits(x[0], x[1])) return {};
            return bits_of(op == Op::FMin ? (high < low ? high : low) : (x[0] < x[1] ? x[1] : x[0]));
        }
        if (!(low < high) && !same_bits(low, high)) return {};
        if (x[0] < low || same_bits(x[0], low)) return bits_of(low);
        if (x[0] > high || same_bits(x[0], high)) return bits_of(high);
        return x[0] == low || x[0] == high ? Word{} : bits_of(x[0]);
    }
    if (is_relation(op) && !denormal) return relation(op, a, b);
    if (!plain) return {};
    switch (op) {
        case Op::FAdd:
            return exact_sum(a, b);
        case Op::FSub:
            return exact_sum(a, -b);
        case Op::FMul:
            return exact_result(a * b, a == 0 || b == 0);  // 48 bits: exact in double
        case Op::Fma: {
            const double product = a * b;  // exact; also in f32, so rounding twice equals rounding once
            if (!exact_result(product, a == 0 || b == 0)) return {};
            return exact_sum(product, x[2]);
        }
        case Op::FFloor:
            return bits_of(std::floor(x[0]));
        case Op::FCeil:
            return bits_of(std::ceil(x[0]));
        case Op::FTrunc:
            return bits_of(std::trunc(x[0]));
        case Op::FRoundEven: {
            if (std::fabs(x[0]) >= 0x1p23f) return bits_of(x[0]);
            const float down = std::floor(x[0]), rest = x[0] - down;  // exact below 2^23
            const bool up = rest > 0.5f || (rest == 0.5f && std::fmod(down, 2.0f) != 0);
            return bits_of(std::copysign(up ? down + 1 : down, x[0]));
        }
        case Op::FFract:
            return exact_result(a - std::floor(a), false);
        default:
            return {};
    }
}

// ---- float: one component, f64: signs and comparisons

Word fold_double(Op op, std::span<const uint64_t> bits) {
    constexpr uint64_t kSign = uint64_t{1} << 63;
    const auto a = std::bit_cast<double>(bits[0]);
    switch (op) {
        case Op::FNegate:
            return bits[0] ^ kSign;
        case Op::FAbs:
            return bits[0] & ~kSign;
        case Op::IsNan:
            return std::isnan(a);
        default:
            break;
    }
    if (!is_relation(op)) return {};
    const auto b = std::bit_cast<double>(bits[1]);
    if (std::fpclassify(a) == FP_SUBNORMAL || std::fpclassify(b) == FP_SUBNORMAL) return {};
    return relation(op, a, b);
}

// ---- integer: one component of `width` bits

int64_t sign_extend(uint64_t x, int width) {
    return static_cast<int64_t>(x << (64 - width)) >> (64 - width);
}
uint64_t low_bits(int64_t n) {
    return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1;
}

/// Folds operations on 32 bits.
Word fold_bits(Op op, std::span<const uint64_t> x) {
    const uint64_t a = x[0], b = x.size() > 1 ? x[1] : 0;
    switch (op) {
        case Op::BitInsert: {
            if (x[2] > 32 || x[3] > 32 || x[2] + x[3] > 32) return {};
            const uint64_t mask = low_bits(static_cast<int64_t>(x[3])) << x[2];
            return (a & ~mask) | (b << x[2] & mask);
        }
        case Op::UBitExtract:
        case Op::SBitExtract: {
            if (b > 32 || x[2] > 32 || b + x[2] > 32) return {};
            const uint64_t field = a >> b & low_bits(static_cast<int64_t>(x[2]));
            if (op == Op::UBitExtract || x[2] == 0) return field;
            return static_cast<uint64_t>(sign_extend(field, static_cast<int>(x[2])));
        }
        case Op::BitReverse: {
            uint64_t reversed = 0;
            for (int n = 0; n < 32; n++) reversed |= (a >> n & 1) << (31 - n);
            return reversed;
        }
        case Op::BitCount:
            return static_cast<uint64_t>(std::popcount(a));
        case Op::FindLsb:
            return a == 0 ? ~uint64_t{0} : static_cast<uint64_t>(std::countr_zero(a));
        case Op::FindUMsb:
            return a == 0 ? ~uint64_t{0} : static_cast<uint64_t>(63 - std::countl_zero(a));
        case Op::FindSMsb: {
            const uint64_t magnitude = (sign_extend(a, 32) < 0 ? ~a : a) & 0xffff'ffffu;
            return magnitude == 0 ? ~uint64_t{0} : static_cast<uint64_t>(63 - std::countl_zero(magnitude));
        }
        default:
            return {};
    }
}

Word compare_integers(Op op, uint64_t a, uint64_t b, int64_t s, int64_t t) {
    switch (op) {
        case Op::IEq:
            return a == b;
        case Op::INe:
            return a != b;
        case Op::SLt:
            return s < t;
        case Op::SLe:
            return s <= t;
        case Op::SGt:
            return s > t;
        case Op::SGe:
            return s >= t;
        case Op::ULt:
            return a < b;
        case Op::ULe:
            return a <= b;
        case Op::UGt:
            return a > b;
        case Op::UGe:
            return a >= b;
        default:
            return {};
    }
}

Word fold_integer(Op op, int width, std::span<const uint64_t> x) {
    const uint64_t a = x[0], b = x.size() > 1 ? x[1] : 0;
    const int64_t s = sign_extend(a, width), t = sign_extend(b, width);
    const auto bits = static_cast<uint64_t>(width);
    switch (op) {
        case Op::IAdd:
            return a + b;
        case Op::ISub:
            return a - b;
        case Op::IMul:
            return a * b;
        case Op::UDiv:
            return b == 0 ? Word{} : a / b;
        case Op::UMod:
            return b == 0 ? Word{} : a % b;
        case Op::SDiv: {
            const bool overflows = t == -1 && a == uint64_t{1} << (width - 1);
            return t == 0 || overflows ? Word{} : static_cast<uint64_t>(s / t);
        }
        case Op::INegate:
            return uint64_t{0} - a;
        case Op::SAbs:
            return s < 0 ? uint64_t{0} - a : a;
        case Op::SSign:
            return static_cast<uint64_t>((s > 0) - (s < 0));
        case Op::SMin:
            return s < t ? a : b;
        case Op::SMax:
            return s > t ? a : b;
        case Op::UMin:
            return a < b ? a : b;
        case Op::UMax:
            return a > b ? a : b;
        case Op::And:
            return a & b;
        case Op::Or:
            return a | b;
        case Op::Xor:
            return a ^ b;
        case Op::Not:
            return ~a;
        case Op::Shl:
            return b >= bits ? Word{} : a << b;
        case Op::LShr:
            return b >= bits ? Word{} : a >> b;
        case Op::AShr:
            return b >= bits ? Word{} : static_cast<uint64_t>(s >> b);
        case Op::BitInsert:
        case Op::UBitExtract:
        case Op::SBitExtract:
        case Op::BitReverse:
        case Op::BitCount:
        case Op::FindLsb:
        case Op::FindUMsb:
        case Op::FindSMsb:
            return fold_bits(op, x);
        default:
            return compare_integers(op, a, b, s, t);
    }
}

Word fold_bool(Op op, uint64_t a, uint64_t b) {
    switch (op) {
        case Op::LAnd:
            return a & b;
        case Op::LOr:
            return a | b;
        case Op::LNot:
            return a ^ 1;
        case Op::LEq:
            return a == b;
        case Op::LNe:
            return a != b;
        default:
            return {};
    }
}

Word fold_conversion(Op op, Type to, uint64_t bits, Type from) {
    if (op == Op::UConvert) return bits;
    if (op == Op::SConvert) return static_cast<uint64_t>(sign_extend(bits, from.is_wide() ? 64 : 32));
    const float x = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (to.scalar == Scalar::F64 && !from.is_wide()) {  // exact, except for values that may be flushed
        if (op == Op::SToF) return std::bit_cast<uint64_t>(static_cast<double>(sign_extend(bits, 32)));
        if (op == Op::UToF) return std::bit_cast<uint64_t>(static_cast<double>(bits));
        if (op == Op::FConvert && is_plain(x)) return std::bit_cast<uint64_t>(static_cast<double>(x));
    }
    if (to.is_wide() || from.is_wide()) return {};
    switch (op) {
        case Op::SToF:
            return exact_result(static_cast<double>(sign_extend(bits, 32)), true);
        case Op::UToF:
            return exact_result(static_cast<double>(bits), true);
        case Op::FToS:
            if (!is_plain(x) || x < -0x1p31f || x >= 0x1p31f) return {};
            return static_cast<uint64_t>(static_cast<int64_t>(x));
        case Op::FToU:
            if (!is_plain(x) || x <= -1.0f || x >= 0x1p32f) return {};
            return static_cast<uint64_t>(x < 0 ? 0.0f : x);
        default:
            return {};
    }
}

}  // namespace

std::optional<Constant> fold_constants(Op op, Type result, std::span<const Constant* const> args) {
    Constant c{.type = result};
    if (args.empty() || args.size() > 4) return {};
    const Type type = args[0]->type;
    if (op == Op::Bitcast) {
        c.words = args[0]->words;  // same bits, same words
        return c;
    }
    if (op == Op::Select) {
        for (int n = 0; n < result.components; n++) {
            const bool condition = get(*args[0], type.components == 1 ? 0 : n) != 0;
            set(c, n, get(*args[condition ? 1 : 2], n));
        }
        return c;
    }
    if (op == Op::Any || op == Op::All) {
        uint64_t any = 0, all = 1;
        for (int n = 0; n < type.components; n++) {
            any |= get(*args[0], n);
            all &= get(*args[0], n);
        }
        set(c, 0, op == Op::Any ? any : all);
        return c;
    }
    const bool conversion = op >= Op::FToS && op <= Op::SConvert;
    for (int n = 0; n < result.components; n++) {
        uint64_t x[4] = {};
        float f[4] = {};
        for (size_t a = 0; a < args.size(); a++) {
            x[a] = get(*args[a], args[a]->type.components == 1 ? 0 : n);
            f[a] = std::bit_cast<float>(static_cast<uint32_t>(x[a]));
        }
        Word word;
        if (conversion)
            word = fold_conversion(op, result, x[0], type);
        else if (type.scalar == Scalar::F32)
            word = fold_float(op, std::span(f, args.size()));
        else if (type.scalar == Scalar::F64)
            word = fold_double(op, std::span(x, args.size()));
        else if (type.is_int())
            word = fold_integer(op, type.is_wide() ? 64 : 32, std::span(x, args.size()));
        else if (type.scalar == Scalar::Bool)
            word = fold_bool(op, x[0], x[1]);
        if (!word) return {};
        set(c, n, *word);
    }
    return c;
}

}  // namespace tgsi2spv::ir
