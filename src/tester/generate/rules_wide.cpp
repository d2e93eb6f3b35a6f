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
    const Need d = doubles(), e = decisive(), l = longs(), shift = word(0, 0x1p31 - 1);
    switch (op) {
        case Opcode::DABS:
        case Opcode::DNEG:
        case Opcode::DADD:
        case Opcode::DMUL:
        case Opcode::DMAX:
        case Opcode::DMIN:
        case Opcode::DMAD:
        case Opcode::DFMA:
            return Needs{d, d, d, d};
        case Opcode::DCEIL:
        case Opcode::DFLR:
        case Opcode::DFRAC:
        case Opcode::DROUND:
        case Opcode::DTRUNC:
        case Opcode::DSSG:
        case Opcode::DSEQ:
        case Opcode::DSGE:
        case Opcode::DSLT:
        case Opcode::DSNE:
            return Needs{e, e, e, e};
        case Opcode::DRCP:
        case Opcode::DRSQ:
        case Opcode::DSQRT:
            return Needs{doubles(0.25, 4096, 3), d, d, d};
        case Opcode::DDIV:
            return Needs{d, doubles(0.25, 4096, 3), d, d};
        case Opcode::DLDEXP:
            return Needs{doubles(-256, 256, 2), word(-8, 8), d, d};
        case Opcode::F2D:
            return Needs{Need{Kind::Float, -kMaxFloat, kMaxFloat, kData, false, false}, d, d, d};
        case Opcode::I2D:
        case Opcode::I2I64:
            return Needs{word(kMinInt, 0x1p31 - 1), d, d, d};
        case Opcode::U2D:
        case Opcode::U2I64:
            return Needs{word(0, kMaxUint), d, d, d};
        case Opcode::D2F:
            return Needs{d, d, d, d};
        case Opcode::D2I:
        case Opcode::D2I64:
            return Needs{decisive(-0x1p20, 0x1p20), d, d, d};
        case Opcode::D2U:
        case Opcode::D2U64:
            return Needs{decisive(-4, 0x1p20), d, d, d};
        case Opcode::F2I64:
            return Needs{floats(-0x1p20, 0x1p20), d, d, d};
        case Opcode::F2U64:
            return Needs{floats(-4, 0x1p20), d, d, d};
        case Opcode::I642F:
        case Opcode::U642F:
            return Needs{longs(op == Opcode::U642F ? 0 : -0x1p20, 0x1p20), d, d, d};
        case Opcode::I642D:
        case Opcode::U642D:
            return Needs{longs(op == Opcode::U642D ? 0 : -0x1p20, 0x1p20), d, d, d};
        case Opcode::I64ABS:
        case Opcode::I64NEG:
        case Opcode::I64SSG:
        case Opcode::I64DIV:
        case Opcode::I64MAX:
        case Opcode::I64MIN:
        case Opcode::I64MOD:
        case Opcode::I64SGE:
        case Opcode::I64SLT:
        case Opcode::U64ADD:
        case Opcode::U64DIV:
        case Opcode::U64MAX:
        case Opcode::U64MIN:
        case Opcode::U64MOD:
        case Opcode::U64MUL:
        case Opcode::U64SEQ:
        case Opcode::U64SGE:
        case Opcode::U64SLT:
        case Opcode::U64SNE:
            return Needs{l, l, l, l};
        case Opcode::I64SHR:
        case Opcode::U64SHL:
        case Opcode::U64SHR:
            return Needs{l, shift, l, l};
        default:
            return std::nullopt;
    }
}

/// As long as float_result(), for the same reason.
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
