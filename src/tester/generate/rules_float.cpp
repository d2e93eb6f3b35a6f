#include <algorithm>
#include <cmath>

#include "generate/rules.h"

namespace tgsi2spv::difftest::generate {

namespace {

using tgsi::Opcode;

/// The largest fuzz of floating-point data.
constexpr int kData = 5;

Need any_float() {
    return {Kind::Float, -kMaxFloat, kMaxFloat, kData, false, false};
}
Need floats(double lo, double hi, int most_fuzz = kData) {
    return {Kind::Float, lo, hi, most_fuzz, false, false};
}
/// A value that decides something: a single word that no device may flush.
Need decisive(double lo = -kMaxFloat, double hi = kMaxFloat) {
    return {Kind::Float, lo, hi, 0, true, false};
}
Need word(double lo, double hi) {
    return {Kind::Int, lo, hi, 0, false, false};
}

Value boolean(bool as_float, const Value& a, const Value& b) {
    const int fuzz = a.fuzz + b.fuzz > 0 || a.grid == kNoGrid || b.grid == kNoGrid ? 1 : 0;
    const bool uniform = a.uniform && b.uniform;
    if (!as_float) return mask_of(fuzz, uniform);
    Value v = float_of(0, 1, 0, uniform);
    v.fuzz = fuzz;
    return v;
}

Value whole(double lo, double hi, const Value& from) {
    Value v = float_of(lo, hi, 0, from.uniform);
    v.fuzz = from.fuzz;
    return v;
}

Value sum_of_products(const std::array<Values, 4>& s, int from, int count, Value sum) {
    for (int c = from; c < from + count; c++) {
        const Value product = multiply(s[0][c], s[1][c]);
        if (product.kind == Kind::None) return {};
        sum = sum.kind == Kind::None ? product : add(sum, product);
        if (sum.kind == Kind::None) return {};
    }
    return sum;
}

Value with_fuzz(Value v, int fuzz) {
    if (fuzz > 0) v.grid = kNoGrid;
    v.fuzz = fuzz;
    return v;
}

/// A constant that a device can see: sums and products with it lose signs of zero (driver-bugs.md).
Value to_show(double v) {
    Value value = float_of(v, v, 0, true);
    value.fuzz = kOnlyShown;
    return value;
}

int most_fuzz(const std::array<Values, 4>& s, int sources) {
    int fuzz = 0;
    for (int i = 0; i < sources; i++)
        for (const Value& v : s[i]) fuzz = std::max(fuzz, v.fuzz);
    return fuzz;
}

}  // namespace

std::optional<Needs> float_needs(Opcode op) {
    using enum Opcode;
    const Need f = any_float(), d = decisive();
    static const NeedsRule kRules[] = {
        {{MOV, ABS,  MIN, MAX, ADD, SUB, MUL, MAD, FMA, DP2,      DP3,     DP4,
          DPH, DP2A, XPD, X2D, DST, SFL, STR, DDX, DDY, DDX_FINE, DDY_FINE},
         {f, f, f, f}},
        {{LRP}, {floats(-2, 2), floats(-64, 64), floats(-64, 64), f}},
        {{CLAMP}, {f, floats(-64, 0), floats(0, 64), f}},
        {{FRC, FLR, CEIL, TRUNC, ROUND, SSG, SLT, SGE, SEQ, SNE, SGT, SLE, FSLT, FSGE, FSEQ, FSNE}, {d, d, d, d}},
        {{CMP}, {d, f, f, f}},
        {{CND}, {f, f, d, f}},
        {{UCMP}, {word(kMinInt, kMaxUint), f, f, f}},
        {{DIV}, {f, floats(0.25, 256, 3), f, f}},
        {{RCP, RSQ, RCC}, {floats(0.25, 256, 3), f, f, f}},
        {{SQRT}, {floats(0.0625, 4096, 3), f, f, f}},
        {{EXP}, {floats(-8, 8, 0), f, f, f}},
        {{EX2}, {floats(-8, 8, 3), f, f, f}},
        {{LG2}, {floats(0.25, 4096, 3), f, f, f}},
        {{LOG}, {decisive(0.25, 4096), f, f, f}},
        {{POW}, {floats(0.25, 8, 2), floats(-3, 3, 2), f, f}},
        {{COS, SIN, SCS}, {floats(-4096, 4096, 1), f, f, f}},
        {{LIT}, {decisive(-4, 4), f, f, f}},
        {{NRM, NRM4}, {floats(0.25, 16, 2), f, f, f}},
        {{RFL}, {floats(0.25, 16, 2), floats(-16, 16, 2), f, f}},
        {{LDEXP}, {floats(-256, 256), word(-6, 6), f, f}},
        {{F2U}, {decisive(-4, 16384), f, f, f}},
        {{F2I, ARL, ARR, PK2H, PK2US, PK4B, PK4UB}, {decisive(-16384, 16384), f, f, f}},
        {{I2F}, {word(kMinInt, 0x1p31 - 1), f, f, f}},
        {{U2F}, {word(0, kMaxUint), f, f, f}},
        {{UP2US, UP4B, UP4UB}, {word(kMinInt, kMaxUint), f, f, f}},
    };
    return find_needs(kRules, op);
}

/// A case for each opcode: longer than a screen, but each is a line or two.
Value float_result(Opcode op, const std::array<Values, 4>& s, int c) {
    const Value &a = s[0][c], &b = s[1][c], &d = s[2][c];
    const Value &x = s[0][0], &y = s[1][0];
    const Value one = float_of(1, 1, 0, true);
    switch (op) {
        case Opcode::MOV:
            return a;
        case Opcode::ABS:
            return absolute(a);
        case Opcode::MIN:
            return minimum(a, b);
        case Opcode::MAX:
            return maximum(a, b);
        case Opcode::CLAMP:
            return minimum(maximum(a, b), d);
        case Opcode::ADD:
            return add(a, b);
        case Opcode::SUB:
            return add(a, negate(b));
        case Opcode::MUL:
            return multiply(a, b);
        case Opcode::MAD:
        case Opcode::FMA: {
            const Value product = multiply(a, b);
            return product.kind == Kind::None ? product : add(product, d);
        }
        case Opcode::LRP: {
            const Value difference = add(b, negate(d));
            const Value product = multiply(a, difference);
            const Value sum = product.kind == Kind::None ? product : add(product, d);
            return sum.kind == Kind::None ? sum : inexact(sum.lo, sum.hi, std::max(1, sum.fuzz + 1));
        }
        case Opcode::DP2:
            return sum_of_products(s, 0, 2, {});
        case Opcode::DP3:
            return sum_of_products(s, 0, 3, {});
        case Opcode::DP4:
            return sum_of_products(s, 0, 4, {});
        case Opcode::DPH:
            return sum_of_products(s, 0, 3, s[1][3]);
        case Opcode::DP2A:
            return sum_of_products(s, 0, 2, s[2][0]);
        case Opcode::XPD: {
            if (c == 3) return one;
            const int i = (c + 1) % 3, k = (c + 2) % 3;
            const Value p = multiply(s[0][i], s[1][k]), q = multiply(s[0][k], s[1][i]);
            return p.kind == Kind::None || q.kind == Kind::None ? Value{} : add(p, negate(q));
        }
        case Opcode::X2D: {
            const int i = c & 1;
            const Value p = multiply(s[1][0], s[2][i * 2]), q = multiply(s[1][1], s[2][i * 2 + 1]);
            if (p.kind == Kind::None || q.kind == Kind::None) return {};
            const Value sum = add(s[0][i], p);
            return sum.kind == Kind::None ? sum : add(sum, q);
        }
        case Opcode::DST:
            return c == 0 ? one : c == 1 ? multiply(a, b) : c == 2 ? a : b;
        case Opcode::SFL:
            return to_show(0);
        case Opcode::STR:
            return one;
        case Opcode::DDX:
        case Opcode::DDY:
        case Opcode::DDX_FINE:
        case Opcode::DDY_FINE:
            return inexact(a.lo - a.hi, a.hi - a.lo, a.fuzz + 1);
        case Opcode::FRC:
            return float_of(0, 1, std::min(0, a.grid), a.uniform);
        case Opcode::FLR:
        case Opcode::CEIL:
        case Opcode::TRUNC:
        case Opcode::ROUND:
            return whole(std::floor(a.lo), std::ceil(a.hi), a);
        case Opcode::SSG:
            return whole(-1, 1, a);
        case Opcode::SLT:
        case Opcode::SGE:
        case Opcode::SEQ:
        case Opcode::SNE:
        case Opcode::SGT:
        case Opcode::SLE:
            return boolean(true, a, b);
        case Opcode::FSLT:
        case Opcode::FSGE:
        case Opcode::FSEQ:
        case Opcode::FSNE:
            return boolean(false, a, b);
        case Opcode::CMP: {
            Value v = join(b, d);
            v.uniform &= a.uniform;
            return v;
        }
        case Opcode::UCMP: {
            Value v = join(b, d);
            v.uniform &= a.uniform;
            return v;
        }
        case Opcode::CND: {
            Value v = join(a, b);
            v.uniform &= d.uniform;
            return v;
        }
        case Opcode::DIV: {
            const auto [lo, hi] = std::minmax({a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi});
            return inexact(lo, hi, std::max(a.fuzz, b.fuzz) + 2);
        }
        case Opcode::RCP:
        case Opcode::RCC:
            return inexact(1 / x.hi, 1 / x.lo, x.fuzz + 2);
        case Opcode::RSQ:
            return inexact(1 / std::sqrt(x.hi) / 1.01, 1.01 / std::sqrt(x.lo), x.fuzz + 2);
        case Opcode::SQRT:
            return inexact(std::sqrt(x.lo) / 1.01, std::sqrt(x.hi) * 1.01, x.fuzz + 2);
        case Opcode::EX2:
            return inexact(std::exp2(x.lo) / 1.01, std::exp2(x.hi) * 1.01, x.fuzz + 2);
        case Opcode::EXP:
            if (c == 0) return with_fuzz(float_of(std::exp2(std::floor(x.lo)), std::exp2(std::floor(x.hi))), 2);
            if (c == 1) return float_of(0, 1, std::min(0, x.grid));
            return c == 2 ? inexact(std::exp2(x.lo) / 1.01, std::exp2(x.hi) * 1.01, 2) : one;
        case Opcode::LG2:
            return inexact(std::log2(x.lo) - 0.01, std::log2(x.hi) + 0.01, x.fuzz + 2);
        case Opcode::LOG:
            if (c == 0) return inexact(std::floor(std::log2(x.lo)) - 1, std::log2(x.hi) + 0.01, 4);
            if (c == 1) return inexact(0.9, 2.1, 4);
            return c == 2 ? inexact(std::log2(x.lo) - 0.01, std::log2(x.hi) + 0.01, 3) : one;
        case Opcode::POW: {
            const auto [lo, hi] =
                std::minmax({std::pow(x.lo, y.lo), std::pow(x.lo, y.hi), std::pow(x.hi, y.lo), std::pow(x.hi, y.hi)});
            return inexact(lo / 1.01, hi * 1.01, std::max(x.fuzz, y.fuzz) + 3);
        }
        case Opcode::COS:
        case Opcode::SIN:
            return inexact(-1.01, 1.01, x.fuzz + 3);
        case Opcode::SCS:
            return c < 2 ? inexact(-1.01, 1.01, x.fuzz + 3) : c == 2 ? to_show(0) : one;
        case Opcode::LIT:
            if (c == 1) return float_of(0, std::max(0.0, x.hi), x.grid);
            return c == 2 ? inexact(0, 512, 4) : one;
        case Opcode::NRM:
        case Opcode::NRM4:
            return op == Opcode::NRM && c == 3 ? one : inexact(0, 1.01, most_fuzz(s, 1) + 4);
        case Opcode::RFL:
            return c == 3 ? one : inexact(-4096, 4096, most_fuzz(s, 2) + 4);
        case Opcode::LDEXP: {
            const double scale = std::exp2(std::max(std::abs(b.lo), std::abs(b.hi)));
            Value v = inexact(std::min(a.lo, 0.0) * scale, std::max(a.hi, 0.0) * scale, a.fuzz + 1);
            return v;
        }
        case Opcode::F2I:
        case Opcode::F2U:
            return int_of(op == Opcode::F2U ? std::max(0.0, std::trunc(a.lo)) : std::trunc(a.lo),
                          std::max(0.0, std::trunc(a.hi)), a.uniform);
        case Opcode::ARL:
            return int_of(std::floor(a.lo), std::floor(a.hi), a.uniform);
        case Opcode::ARR: {
            Value v = int_of(std::floor(a.lo), std::ceil(a.hi), a.uniform);
            v.fuzz = a.grid >= 0 ? 0 : 1;
            return v;
        }
        case Opcode::PK2H:
        case Opcode::PK2US:
        case Opcode::PK4B:
        case Opcode::PK4UB: {
            Value v = any_int();
            v.fuzz = 1;
            return v;
        }
        case Opcode::I2F:
        case Opcode::U2F: {
            Value v = float_of(a.lo, a.hi, 0, a.uniform);
            if (std::max(std::abs(a.lo), std::abs(a.hi)) > 0x1p24) v.fuzz = 1, v.grid = kNoGrid;
            return v;
        }
        case Opcode::UP2US:
        case Opcode::UP4UB:
            return inexact(0, 1, 1);
        case Opcode::UP4B:
            return inexact(-1, 1, 1);
        default:
            return {};
    }
}

}  // namespace tgsi2spv::difftest::generate
