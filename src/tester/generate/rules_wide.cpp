#include <algorithm>
#include <cmath>

#include "generate/rules.h"

namespace tgsi2spv::difftest::generate {

namespace {

using tgsi::Opcode;

constexpr int kData = 5;

Need doubles(double lo = -kMaxFloat, double hi = kMaxFloat, int most_fuzz = kData) {
    return {Kind::Double, lo, hi, most_fuzz, false, false};
}
Need decisive(double lo = -kMaxFloat, double hi = kMaxFloat) {
    return {Kind::Double, lo, hi, 0, true, false};
}
Need longs(double lo = kMinLong, double hi = kMaxUlong) {
    return {Kind::Long, lo, hi, 0, false, false};
}
Need word(double lo, double hi) {
    return {Kind::Int, lo, hi, 0, false, false};
}
Need floats(double lo, double hi) {
    return {Kind::Float, lo, hi, 0, true, false};
}

Value inexact_double(double lo, double hi, int fuzz) {
    return checked({Kind::Double, lo, hi, fuzz, kNoGrid, false});
}
Value whole(const Value& a) {
    Value v = a;
    v.lo = std::floor(a.lo);
    v.hi = std::ceil(a.hi);
    v.grid = 0;
    return v;
}
Value double_of(double lo, double hi, int grid) {
    return {Kind::Double, lo, hi, 0, grid, false};
}
Value long_of(double lo, double hi) {
    return {Kind::Long, lo, hi, 0, kNoGrid, false};
}

}  // namespace

std::optional<Needs> wide_needs(Opcode op) {
    using enum Opcode;
    const Need d = doubles(), e = decisive(), l = longs(), shift = word(0, 0x1p31 - 1);
    static const NeedsRule kRules[] = {
        {{DABS, DNEG, DADD, DMUL, DMAX, DMIN, DMAD, DFMA, D2F}, {d, d, d, d}},
        {{DCEIL, DFLR, DFRAC, DROUND, DTRUNC, DSSG, DSEQ, DSGE, DSLT, DSNE}, {e, e, e, e}},
        {{DRCP, DRSQ, DSQRT}, {doubles(0.25, 4096, 3), d, d, d}},
        {{DDIV}, {d, doubles(0.25, 4096, 3), d, d}},
        {{DLDEXP}, {doubles(-256, 256, 2), word(-8, 8), d, d}},
        {{F2D}, {Need{Kind::Float, -kMaxFloat, kMaxFloat, kData, false, false}, d, d, d}},
        {{I2D, I2I64}, {word(kMinInt, 0x1p31 - 1), d, d, d}},
        {{U2D, U2I64}, {word(0, kMaxUint), d, d, d}},
        {{D2I, D2I64}, {decisive(-0x1p20, 0x1p20), d, d, d}},
        {{D2U, D2U64}, {decisive(-4, 0x1p20), d, d, d}},
        {{F2I64}, {floats(-0x1p20, 0x1p20), d, d, d}},
        {{F2U64}, {floats(-4, 0x1p20), d, d, d}},
        {{U642F, U642D}, {longs(0, 0x1p20), d, d, d}},
        {{I642F, I642D}, {longs(-0x1p20, 0x1p20), d, d, d}},
        {{I64ABS, I64NEG, I64SSG, I64DIV, I64MAX, I64MIN, I64MOD, I64SGE, I64SLT, U64ADD, U64DIV, U64MAX, U64MIN,
          U64MOD, U64MUL, U64SEQ, U64SGE, U64SLT, U64SNE},
         {l, l, l, l}},
        {{I64SHR, U64SHL, U64SHR}, {l, shift, l, l}},
    };
    return find_needs(kRules, op);
}

/// A case for each opcode, longer than a screen, as float_result().
Value wide_result(Opcode op, const std::array<Values, 4>& s, int c) {
    const Value &a = s[0][c], &b = s[1][c], &d = s[2][c];
    switch (op) {
        case Opcode::DABS:
            return absolute(a);
        case Opcode::DNEG:
            return negate(a);
        case Opcode::DADD:
            return add(a, b);
        case Opcode::DMUL:
            return multiply(a, b);
        case Opcode::DMAX:
            return maximum(a, b);
        case Opcode::DMIN:
            return minimum(a, b);
        case Opcode::DMAD:
        case Opcode::DFMA: {
            const Value product = multiply(a, b);
            return product.kind == Kind::None ? product : add(product, d);
        }
        case Opcode::DCEIL:
        case Opcode::DFLR:
        case Opcode::DROUND:
        case Opcode::DTRUNC:
            return whole(a);
        case Opcode::DFRAC:
            return double_of(0, 1, std::min(0, a.grid));
        case Opcode::DSSG:
            return double_of(-1, 1, 0);
        case Opcode::DSEQ:
        case Opcode::DSGE:
        case Opcode::DSLT:
        case Opcode::DSNE:
        case Opcode::I64SGE:
        case Opcode::I64SLT:
        case Opcode::U64SEQ:
        case Opcode::U64SGE:
        case Opcode::U64SLT:
        case Opcode::U64SNE:
            return mask_of();
        case Opcode::DRCP:
            return inexact_double(1 / a.hi / 1.01, 1.01 / a.lo, a.fuzz + 2);
        case Opcode::DRSQ:
            return inexact_double(1 / std::sqrt(a.hi) / 1.01, 1.01 / std::sqrt(a.lo), a.fuzz + 2);
        case Opcode::DSQRT:
            return inexact_double(std::sqrt(a.lo) / 1.01, std::sqrt(a.hi) * 1.01, a.fuzz + 2);
        case Opcode::DDIV: {
            const auto [lo, hi] = std::minmax({a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi});
            return inexact_double(lo, hi, std::max(a.fuzz, b.fuzz) + 2);
        }
        case Opcode::DLDEXP:
            return inexact_double(std::min(a.lo, 0.0) * 256, std::max(a.hi, 0.0) * 256, a.fuzz + 1);
        case Opcode::F2D: {
            Value v = a;
            v.kind = Kind::Double;
            v.uniform = false;
            return v;
        }
        case Opcode::I2D:
        case Opcode::U2D:
            return {Kind::Double, std::max(a.lo, -0x1p31), a.hi, 0, 0, false};
        case Opcode::D2F: {
            Value v = inexact(a.lo, a.hi, a.fuzz + 1);
            const double most = std::max(std::abs(a.lo), std::abs(a.hi));
            if (a.fuzz == 0 && a.grid != kNoGrid && most <= std::ldexp(1, 23 + a.grid))
                v = float_of(a.lo, a.hi, a.grid);
            return v;
        }
        case Opcode::D2I:
            return int_of(std::trunc(a.lo), std::trunc(a.hi));
        case Opcode::D2U:
            return int_of(std::max(0.0, std::trunc(a.lo)), std::max(0.0, std::trunc(a.hi)));
        case Opcode::D2I64:
        case Opcode::F2I64:
            return long_of(std::trunc(a.lo), std::trunc(a.hi));
        case Opcode::D2U64:
        case Opcode::F2U64:
            return long_of(std::max(0.0, std::trunc(a.lo)), std::max(0.0, std::trunc(a.hi)));
        case Opcode::I2I64:
        case Opcode::U2I64:
            return long_of(a.lo, a.hi);
        case Opcode::I642F:
        case Opcode::U642F:
            return float_of(a.lo, a.hi, 0);
        case Opcode::I642D:
        case Opcode::U642D:
            return double_of(a.lo, a.hi, 0);
        case Opcode::I64SSG:
            return long_of(-1, 1);
        case Opcode::I64MAX:
            return a.hi < 0x1p63 && b.hi < 0x1p63 ? long_of(std::max(a.lo, b.lo), std::max(a.hi, b.hi)) : any_long();
        case Opcode::I64MIN:
            return a.hi < 0x1p63 && b.hi < 0x1p63 ? long_of(std::min(a.lo, b.lo), std::min(a.hi, b.hi)) : any_long();
        case Opcode::U64MOD:
            return b.lo > 0 ? long_of(0, b.hi) : any_long();
        case Opcode::U64MIN:
            return a.lo >= 0 && b.lo >= 0 ? long_of(0, std::min(a.hi, b.hi)) : any_long();
        default:
            return any_long();
    }
}

}  // namespace tgsi2spv::difftest::generate
