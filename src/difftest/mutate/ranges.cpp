// What is known about a node's word: a range as an integer, and as a float.
#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "difftest/mutate/nodes.h"

namespace tgsi2spv::difftest::mutation {

using spv::Op;

LowBits Nodes::low_bits(uint32_t id, int depth) const {
    const Node& n = all_[id];
    const auto cut = [](uint32_t count, uint64_t word) { return LowBits{count, word & limit(count)}; };
    if (n.is_constant()) return cut(32, n.literal);
    if (depth == 0 || n.bits != 32 || n.operands.size() < 2) return {};
    const LowBits a = low_bits(n.operands[n.operands.size() - 2], depth - 1);
    const LowBits b = low_bits(n.operands.back(), depth - 1);
    const uint32_t both = std::min(a.count, b.count);
    const auto either = [&]() {
        uint32_t same = both;
        while (same > 0 && ((a.word ^ b.word) & limit(same)) != 0) same--;
        return cut(same, a.word);
    };
    // A product with a number that ends in zeros has as many more known low bits.
    const auto product = [&](const LowBits& x, uint64_t by) {
        return cut(std::min(32u, x.count + static_cast<uint32_t>(std::countr_zero(by))), x.word * by);
    };
    switch (n.op) {
        case Op::OpIAdd:
            return cut(both, a.word + b.word);
        case Op::OpISub:
            return cut(both, a.word - b.word);
        case Op::OpIMul:
            if (a.count == 32 && a.word != 0) return product(b, a.word);
            if (b.count == 32 && b.word != 0) return product(a, b.word);
            return cut(both, a.word * b.word);
        case Op::OpShiftLeftLogical:
            return b.count == 32 && b.word < 32 ? product(a, uint64_t{1} << b.word) : LowBits{};
        case Op::OpSelect:
            return either();
        case Op::OpExtInst:
            return n.operands.size() == 2 && (n.literal == GLSLstd450UMin || n.literal == GLSLstd450UMax ||
                                              n.literal == GLSLstd450SMin || n.literal == GLSLstd450SMax)
                       ? either()
                       : LowBits{};
        default:
            return {};
    }
}

/// The range of the result.
void Nodes::bound(Node& n) const {
    const auto& o = n.operands;
    if (n.op == Op::OpSelect && o.size() == 3) {
        const Node &a = all_[o[1]], &b = all_[o[2]];
        n.lo = std::min(a.lo, b.lo);
        n.hi = std::max(a.hi, b.hi);
        n.least_signed = std::min(a.least_signed, b.least_signed);
        n.most_signed = std::max(a.most_signed, b.most_signed);
        n.real = a.real && b.real;
        n.ranged = a.ranged && b.ranged;
        n.kept = a.kept && b.kept;
        n.whole = a.whole && b.whole;
        n.no_minus = a.no_minus && b.no_minus;
        n.least = std::min(a.least, b.least);
        n.most = std::max(a.most, b.most);
        return;
    }
    if (n.op == Op::OpFConvert && n.bits == 64 && all_[o[0]].bits == 32) {
        n.real = all_[o[0]].real;
        n.ranged = all_[o[0]].ranged;
        n.least = all_[o[0]].least;
        n.most = all_[o[0]].most;
    }
    if (n.bits == 64 && n.op == Op::OpExtInst && !o.empty() && all_[o[0]].bits == 64) {
        // Holds for a NaN, too.
        const bool clamps = n.literal == GLSLstd450NClamp && all_[o[1]].real && all_[o[2]].real;
        n.real = n.ranged = clamps;
        n.least = clamps ? all_[o[1]].least : 0;
        n.most = clamps ? all_[o[2]].most : 0;
        n.whole = is_whole(n);
    }
    if (n.bits == 64 && !o.empty() && all_[o[0]].bits == 32) {
        const Node& narrow = all_[o[0]];
        if (n.op == Op::OpUConvert) n.lo = narrow.lo, n.hi = narrow.hi;
        if (n.op == Op::OpSConvert) n.least_signed = narrow.least_signed, n.most_signed = narrow.most_signed;
    }
    if (n.bits != 32) return;
    bound_float(n);
    bound_integer(n);
    bound_signed(n);
}

void Nodes::bound_integer(Node& n) const {
    const auto& o = n.operands;
    if (o.size() == 1 && n.op == Op::OpConvertFToU && all_[o[0]].bits == 32 && all_[o[0]].real &&
        all_[o[0]].least >= 0 && all_[o[0]].most < 0x1p31) {
        n.lo = static_cast<uint64_t>(all_[o[0]].least);
        n.hi = static_cast<uint64_t>(all_[o[0]].most);
    }
    constexpr uint64_t kFull = 0xffffffff;
    if (n.op == Op::OpBitCount) n.hi = 32;
    if (n.op == Op::OpNot && all_[o[0]].bits == 32) n.lo = kFull - all_[o[0]].hi, n.hi = kFull - all_[o[0]].lo;
    // Only the minimum's absolute value has this word.
    if (n.op == Op::OpExtInst && n.literal == GLSLstd450SAbs) n.hi = 0x80000000;
    if (n.op == Op::OpBitFieldUExtract && o.size() == 3 && all_[o[2]].hi < 32)
        n.hi = (uint64_t{1} << all_[o[2]].hi) - 1;
    if (o.size() != 2 || all_[o[0]].bits != 32) return;
    const Node &a = all_[o[0]], &b = all_[o[1]];
    switch (n.op) {
        case Op::OpBitwiseAnd:
            n.hi = std::min(a.hi, b.hi);
            return;
        case Op::OpBitwiseOr:
            n.lo = std::max(a.lo, b.lo);
            n.hi = std::bit_ceil(std::max(a.hi, b.hi) + 1) - 1;
            return;
        case Op::OpBitwiseXor:
            n.hi = std::bit_ceil(std::max(a.hi, b.hi) + 1) - 1;
            return;
        case Op::OpShiftRightLogical:
            if (!b.is_constant() || b.literal >= 32) return;
            n.lo = a.lo >> b.literal;
            n.hi = a.hi >> b.literal;
            return;
        case Op::OpShiftLeftLogical:
            if (!b.is_constant() || b.literal >= 32 || a.hi << b.literal > kFull) return;
            n.lo = a.lo << b.literal;
            n.hi = a.hi << b.literal;
            return;
        case Op::OpIAdd:
            if (a.hi + b.hi > kFull) return;
            n.lo = a.lo + b.lo;
            n.hi = a.hi + b.hi;
            return;
        case Op::OpISub:
            if (a.lo < b.hi) return;
            n.lo = a.lo - b.hi;
            n.hi = a.hi - b.lo;
            return;
        case Op::OpIMul:
            if (a.hi * b.hi > kFull) return;
            n.lo = a.lo * b.lo;
            n.hi = a.hi * b.hi;
            return;
        case Op::OpUMod:
            if (b.lo > 0) n.hi = std::min(a.hi, b.hi - 1);
            return;
        case Op::OpUDiv:
            if (b.lo > 0) n.hi = a.hi / b.lo;
            return;
        case Op::OpExtInst:
            if (n.literal == GLSLstd450UMin) n.lo = std::min(a.lo, b.lo), n.hi = std::min(a.hi, b.hi);
            if (n.literal == GLSLstd450UMax) n.lo = std::max(a.lo, b.lo), n.hi = std::max(a.hi, b.hi);
            return;
        default:
            return;
    }
}

/// With signs: a result that wraps around has no range.
void Nodes::bound_signed(Node& n) const {
    const auto& o = n.operands;
    if (o.empty() || o.size() > 2 || all_[o[0]].bits != 32) return;
    constexpr int64_t kMin = std::numeric_limits<int32_t>::min(), kMax = std::numeric_limits<int32_t>::max();
    const auto set = [&](int64_t least, int64_t most) {
        if (least < kMin || most > kMax) return;
        n.least_signed = std::max(n.least_signed, least);
        n.most_signed = std::min(n.most_signed, most);
    };
    const Node& a = all_[o[0]];
    if (o.size() == 1) {
        if (n.op == Op::OpSNegate) set(-a.most_signed, -a.least_signed);
        if (n.op == Op::OpConvertFToS && a.real) set(static_cast<int64_t>(a.least), static_cast<int64_t>(a.most));
        const bool finds =
            n.op == Op::OpExtInst &&
            (n.literal == GLSLstd450FindILsb || n.literal == GLSLstd450FindUMsb || n.literal == GLSLstd450FindSMsb);
        if (finds) set(-1, 31);
        if (n.op == Op::OpExtInst && n.literal == GLSLstd450SAbs && a.least_signed > kMin)
            set(a.least_signed > 0 ? a.least_signed : 0, std::max(a.most_signed, -a.least_signed));
        return;
    }
    const Node& b = all_[o[1]];
    switch (n.op) {
        case Op::OpIAdd:
            return set(a.least_signed + b.least_signed, a.most_signed + b.most_signed);
        case Op::OpISub:
            return set(a.least_signed - b.most_signed, a.most_signed - b.least_signed);
        case Op::OpShiftRightArithmetic:
            if (b.is_constant() && b.literal < 32) set(a.least_signed >> b.literal, a.most_signed >> b.literal);
            return;
        case Op::OpSDiv:
            // Only a divisor of -1 gives a quotient as large as the absolute value of the minimum.
            if (b.is_constant() && b.least_signed > 0)
                set(a.least_signed / b.least_signed, a.most_signed / b.least_signed);
            return;
        case Op::OpIMul: {
            const int64_t ends[] = {a.least_signed * b.least_signed, a.least_signed * b.most_signed,
                                    a.most_signed * b.least_signed, a.most_signed * b.most_signed};
            return set(*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4));
        }
        case Op::OpExtInst:
            if (n.literal == GLSLstd450SMin)
                set(std::min(a.least_signed, b.least_signed), std::min(a.most_signed, b.most_signed));
            if (n.literal == GLSLstd450SMax)
                set(std::max(a.least_signed, b.least_signed), std::max(a.most_signed, b.most_signed));
            return;
        default:
            return;
    }
}

bool Nodes::is_whole(const Node& n) const {
    if (n.op == Op::OpConvertUToF || n.op == Op::OpConvertSToF) return true;
    const bool all = std::all_of(n.operands.begin(), n.operands.end(), [&](uint32_t o) { return all_[o].whole; });
    // A result that is rounded is too large to have a fraction.
    if (n.op == Op::OpFNegate || n.op == Op::OpFAdd || n.op == Op::OpFSub || n.op == Op::OpFMul) return all;
    if (n.op != Op::OpExtInst) return false;
    switch (n.literal) {
        case GLSLstd450Floor:
        case GLSLstd450Ceil:
        case GLSLstd450Trunc:
        case GLSLstd450RoundEven:
            return true;
        case GLSLstd450FAbs:
        case GLSLstd450NMin:
        case GLSLstd450NMax:
        case GLSLstd450NClamp:
            return all;
        default:
            return false;
    }
}

/// With rounding to nearest, a sum is only -0 if both operands are; an underflow keeps its sign.
bool Nodes::has_no_minus(const Node& n) const {
    const auto& o = n.operands;
    const auto nonzero = [&](uint32_t id) { return all_[id].is_constant() && all_[id].real && all_[id].least != 0; };
    if (n.op == Op::OpConvertUToF || n.op == Op::OpConvertSToF) return true;
    if (n.op == Op::OpExtInst && n.literal == GLSLstd450FAbs) return true;
    if (n.op == Op::OpFAdd) return all_[o[0]].no_minus || all_[o[1]].no_minus || nonzero(o[0]) || nonzero(o[1]);
    if (n.op == Op::OpFSub) return nonzero(o[0]) || nonzero(o[1]) || all_[o[0]].no_minus;
    if (n.op == Op::OpExtInst && n.literal == GLSLstd450InverseSqrt) return all_[o[0]].ranged && all_[o[0]].least > 0;
    return n.op == Op::OpFMul && o[0] == o[1];
}

void Nodes::bound_float(Node& n) const {
    const auto& o = n.operands;
    if (o.empty() || all_[o[0]].bits != 32) return;
    const Node& a = all_[o[0]];
    n.kept = n.op == Op::OpConvertUToF || n.op == Op::OpConvertSToF;
    n.whole = is_whole(n);
    n.no_minus = has_no_minus(n);
    const auto nothing = [&](uint32_t id) {
        const Node& x = all_[id];
        return x.naught || (x.real && x.least == 0 && x.most == 0);
    };
    if (n.op == Op::OpFMul) n.naught = nothing(o[0]) || nothing(o[1]);
    if (n.op == Op::OpFSub) n.naught = o[0] == o[1] || (nothing(o[0]) && nothing(o[1]));
    if (n.op == Op::OpFAdd) n.naught = nothing(o[0]) && nothing(o[1]);
    const auto set = [&](double least, double most) {
        n.real = n.ranged = std::abs(least) < 0x1p126 && std::abs(most) < 0x1p126;
        // Denormals may be flushed.
        if (least > 0 && least < 0x1p-126) least = 0;
        if (most < 0 && most > -0x1p-126) most = 0;
        n.least = least;
        n.most = most;
    };
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kAbove = 1 + 0x1p-18;  // more than the error of any function
    // NaN and infinities are not excluded, but other values outside are.
    const auto bound_only = [&](double least, double most) {
        n.ranged = true;
        n.least = least;
        n.most = most;
    };
    // Rounding to nearest keeps the order: the ends of a range bound the rounded values in between.
    const auto round = [](double d) { return static_cast<double>(static_cast<float>(d)); };
    if (o.size() == 1) {
        if (n.op == Op::OpConvertUToF) return set(round(static_cast<double>(a.lo)), round(static_cast<double>(a.hi)));
        if (n.op == Op::OpConvertSToF)
            return set(round(static_cast<double>(a.least_signed)), round(static_cast<double>(a.most_signed)));
        const auto either = [&](double least, double most) {
            return a.real ? set(least, most) : bound_only(least, most);
        };
        if (n.op == Op::OpExtInst && n.literal == GLSLstd450Fract) return either(0, 1);
        if (n.op == Op::OpExtInst && n.literal == GLSLstd450FSign) return either(-1, 1);
        if (n.op == Op::OpExtInst && n.literal == GLSLstd450FAbs && !a.ranged) return bound_only(0, kInfinity);
        if (n.op == Op::OpExtInst && n.literal == GLSLstd450InverseSqrt && a.ranged && a.least > 0x1p-100)
            return bound_only(a.most < 0x1p100 ? 1 / (kAbove * std::sqrt(a.most)) : 0, kAbove / std::sqrt(a.least));
        if (!a.ranged) return;
        if (n.op == Op::OpFNegate) return either(-a.most, -a.least);
        if (n.op != Op::OpExtInst) return;
        if (n.literal == GLSLstd450FAbs) {
            const double most = std::max(std::abs(a.least), std::abs(a.most));
            return either(a.least > 0 ? a.least : a.most < 0 ? -a.most : 0, most);
        }
        if (n.literal == GLSLstd450Floor) return either(std::floor(a.least), std::floor(a.most));
        if (n.literal == GLSLstd450Ceil) return either(std::ceil(a.least), std::ceil(a.most));
        if (n.literal == GLSLstd450RoundEven) return either(std::nearbyint(a.least), std::nearbyint(a.most));
        if (n.literal == GLSLstd450Trunc) return either(std::trunc(a.least), std::trunc(a.most));
        // Vulkan lets a square root be as imprecise as the inverse of an inverse square root: it still has no sign, and
        // is not NaN.
        if (n.literal == GLSLstd450Sqrt && a.least >= 0) return bound_only(0, kInfinity);
        return;
    }
    const Node& b = all_[o[1]];
    const bool clamps =
        n.op == Op::OpExtInst && o.size() == 3 && n.literal == GLSLstd450NClamp && b.real && all_[o[2]].real;
    if (clamps && a.naught && b.least == 0 && b.most == 0) return set(0, 0);
    if (clamps) {
        const double lo = b.least, hi = all_[o[2]].most;
        if (a.real && lo <= hi) return set(std::clamp(a.least, lo, hi), std::clamp(a.most, lo, hi));
        return set(lo, hi);  // for a NaN, too
    }
    // Division has 2.5 ulp.
    if (n.op == Op::OpFDiv && o.size() == 2 && a.real && a.least > 0 && b.ranged && b.most > 0 && b.most < 0x1p100 &&
        (b.least > 0 || (b.least == 0 && b.no_minus)))
        return bound_only(a.least / b.most / kAbove, kInfinity);
    // A square is not negative, whatever was squared.
    if (n.op == Op::OpFMul && o[0] == o[1] && !a.real) return bound_only(0, kInfinity);
    if (o.size() == 2 && (!a.real || !b.real) && a.ranged && b.ranged) {
        // Infinities that cancel give NaN, and no other number.
        const auto sum = [](double x, double y, double none) { return std::isnan(x + y) ? none : x + y; };
        const auto product = [](double x, double y) { return x == 0 || y == 0 ? 0 : x * y; };
        if (n.op == Op::OpFAdd)
            return bound_only(round(sum(a.least, b.least, -kInfinity)), round(sum(a.most, b.most, kInfinity)));
        if (n.op == Op::OpFSub)
            return bound_only(round(sum(a.least, -b.most, -kInfinity)), round(sum(a.most, -b.least, kInfinity)));
        if (n.op == Op::OpFMul) {
            const double ends[] = {product(a.least, b.least), product(a.least, b.most), product(a.most, b.least),
                                   product(a.most, b.most)};
            double least = round(*std::min_element(ends, ends + 4)), most = round(*std::max_element(ends, ends + 4));
            if (least > 0 && least < 0x1p-126) least = 0;
            if (most < 0 && most > -0x1p-126) most = 0;
            return bound_only(least, most);
        }
    }
    // For a NaN and a number, the result is the number.
    if ((!a.real || !b.real) && (a.real || b.real) && n.op == Op::OpExtInst && o.size() == 2) {
        const Node &number = a.real ? a : b, &other = a.real ? b : a;
        if (n.literal == GLSLstd450NMax) {
            if (other.ranged && other.most < kInfinity) return set(number.least, std::max(number.most, other.most));
            return bound_only(number.least, kInfinity);
        }
        if (n.literal == GLSLstd450NMin) {
            if (other.ranged && other.least > -kInfinity) return set(std::min(number.least, other.least), number.most);
            return bound_only(-kInfinity, number.most);
        }
    }
    if (!a.real || !b.real || o.size() != 2) return;
    if (n.op == Op::OpFAdd) return set(round(a.least + b.least), round(a.most + b.most));
    if (n.op == Op::OpFSub) return set(round(a.least - b.most), round(a.most - b.least));
    if (n.op == Op::OpFMul) {
        const double ends[] = {a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most};
        return set(round(*std::min_element(ends, ends + 4)), round(*std::max_element(ends, ends + 4)));
    }
    if (n.op != Op::OpExtInst) return;
    if (n.literal == GLSLstd450NMin || n.literal == GLSLstd450FMin)
        return set(std::min(a.least, b.least), std::min(a.most, b.most));
    if (n.literal == GLSLstd450NMax || n.literal == GLSLstd450FMax)
        return set(std::max(a.least, b.least), std::max(a.most, b.most));
}

/// Whether x is a number, which the facts also say by x - x being 0 or not.
bool Nodes::is_finite(uint32_t id, const Facts& facts) const {
    const Node& n = all_[id];
    if (n.real) return true;
    if (n.op == Op::OpSelect) return is_finite(n.operands[1], facts) && is_finite(n.operands[2], facts);
    return std::any_of(facts.begin(), facts.end(), [&](const auto& fact) {
        const Node& f = all_[fact.first];
        if ((f.op != Op::OpFUnordNotEqual || fact.second) && (f.op != Op::OpFOrdEqual || !fact.second)) return false;
        for (size_t k = 0; k < 2; k++) {
            const Node &zero = all_[f.operands[k]], &difference = all_[f.operands[1 - k]];
            if (zero.is_constant() && zero.real && zero.least == 0 && difference.op == Op::OpFSub &&
                difference.operands == std::vector{id, id})
                return true;
        }
        return false;
    });
}

/// x - x: 0 for numbers, otherwise NaN (it is not -0 in any rounding mode of Vulkan).
std::optional<uint32_t> Nodes::difference_of_same(uint32_t id, const Facts& facts) {
    if (all_[id].bits != 32) return std::nullopt;
    if (is_finite(id, facts)) return constant(32, 0);
    const uint32_t difference = opaque(Op::OpFSub, 32, 0, {id, id});
    const uint32_t differs = make(Op::OpFUnordNotEqual, 1, 0, {difference, constant(32, 0)});
    const auto fact = facts.find(differs);
    return fact != facts.end() && fact->second ? std::optional(nan()) : std::nullopt;
}

}  // namespace tgsi2spv::difftest::mutation
