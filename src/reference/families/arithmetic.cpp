// Float arithmetic of the newest edition (its chapters "Core ISA" and "Compute ISA").
#include "reference/frame.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::Opcode;

/// src0 · src1 over the first n components.
void dot(Frame& f, int n) {
    std::array<const Value*, 4> a{}, b{};
    for (int i = 0; i < n; ++i) {
        a[static_cast<size_t>(i)] = f.src(0, i);
        b[static_cast<size_t>(i)] = f.src(1, i);
    }
    Value* out = f.scratch();
    for (uint32_t lane : f.lanes()) {
        Term terms[4];
        for (size_t i = 0; i < static_cast<size_t>(n); ++i) terms[i] = {&a[i][lane], &b[i][lane], false};
        out[lane] = sum(f.c, terms, n);
    }
    f.replicate(out);
}

/// pow(max(y, 0), clamp(w, -128, 128)) with 0^0 = 1 (semantics: Float, LIT).
Value light_power(const Context& c, const Value& y, const Value& w) {
    return pow(c, max(c, y, exact(0.0f)), light_exponent(c, w));
}

void light(Frame& f) {
    const Value *x = f.src(0, 0), *y = f.src(0, 1), *w = f.src(0, 3);
    f.result[0] = f.result[3] = f.constant(kOne);
    if (f.writes(1)) f.result[1] = f.map([&](const Value& v) { return max(f.c, v, exact(0.0f)); }, x);
    if (!f.writes(2)) return;
    f.result[2] = f.map(
        [&](const Value& vx, const Value& vy, const Value& vw) {
            const Truth lit = compare(f.c, kLess, exact(0.0f), vx);
            return select(lit, light_power(f.c, vy, vw), exact(0.0f));
        },
        x, y, w);
}

void exponential(Frame& f) {
    const Value* x = f.src(0, 0);
    if (f.writes(0)) f.result[0] = f.map([&](const Value& v) { return exp2(f.c, floor(f.c, v)); }, x);
    if (f.writes(1)) f.result[1] = f.map([&](const Value& v) { return fract(f.c, v); }, x);
    if (f.writes(2)) f.result[2] = f.map([&](const Value& v) { return exp2(f.c, v); }, x);
    f.result[3] = f.constant(kOne);
}

/// |x| / 2^floor(log2 |x|), with the exponent within its bounds (semantics: Float, LOG).
Value mantissa(const Context& c, const Value& magnitude, const Value& exponent) {
    // The nominal value comes from the bits: exact for normal numbers.
    const float x = as_float(magnitude.value);
    int e = 0;
    const bool legacy_zero = x == 0 && c.legacy_math;
    const float nominal = x > 0 && std::isfinite(x) ? std::frexp(x, &e) * 2 : legacy_zero ? 0.0f : std::nanf("");
    Value v;
    if (is_exact(magnitude) && is_zero(magnitude.value)) {
        v = c.legacy_math ? exact(0u) : unknown();
    } else {
        // Either a division, or a product with the negative power.
        v = div(c, magnitude, exp2(c, exponent));
        Hull h;
        h.add(v);
        h.add(mul(c, magnitude, exp2(c, neg(c, exponent))));
        v = h.finish(v.value);
    }
    v.value = as_word(nominal);
    return v;
}

void logarithm(Frame& f) {
    const Value* x = f.map([&](const Value& v) { return abs(f.c, v); }, f.src(0, 0));
    const Value* l = f.map([&](const Value& v) { return log2(f.c, v); }, x);
    auto whole = [&](const Value& magnitude, const Value& v) {
        // floor(-inf) is decided: LOG(0) = (-inf, undefined, -inf, 1).
        if (is_exact(v) && v.value == (kInf | kSign)) return v;
        Value w = floor(f.c, v);
        // The nominal exponent comes from the bits, as the nominal mantissa does: the logarithm of a number just below
        // a power of two is rounded to that of the power.
        if (const float m = as_float(magnitude.value); m > 0 && std::isfinite(m)) {
            const uint32_t exponent = as_word(static_cast<float>(std::ilogb(m)));
            if (f.c.nominal) return exact(exponent);
            w.value = exponent;
        }
        FloatRange r;
        if (is_unknown(w) && float_range(v, r) && !r.nan && std::isinf(r.lo) && std::isfinite(r.hi))
            w = interval(r.lo, std::floor(r.hi), as_float(w.value));
        return w;
    };
    const Value* e = f.map(whole, x, l);
    if (f.writes(0)) f.result[0] = e;
    if (f.writes(1)) f.result[1] = f.map([&](const Value& a, const Value& b) { return mantissa(f.c, a, b); }, x, e);
    f.result[2] = l;
    f.result[3] = f.constant(kOne);
}

void distance(Frame& f) {
    f.result[0] = f.constant(kOne);
    if (f.writes(1))
        f.result[1] = f.map([&](const Value& a, const Value& b) { return mul(f.c, a, b); }, f.src(0, 1), f.src(1, 1));
    // Copies, because a source column may be a component that this instruction writes first.
    const auto copy = [](const Value& v) { return v; };
    if (f.writes(2)) f.result[2] = f.map(copy, f.src(0, 2));
    if (f.writes(3)) f.result[3] = f.map(copy, f.src(1, 3));
}

/// Differences within the quad: lanes (x,y) (x+1,y) (x,y+1) (x+1,y+1). `step` is 1 for x and 2 for y. Coarse: the
/// difference of either row or column; the nominal one is that of the lower row and the left column. Unknown if the
/// quad does not execute together.
void derivative(Frame& f, uint32_t step, bool fine) {
    const uint32_t other = step == 1 ? 2 : 1;
    for (int i = 0; i < 4; ++i) {
        if (!f.writes(i)) continue;
        const Value* column = f.src(0, i);
        Value* out = f.scratch();
        for (uint32_t lane : f.lanes()) {
            const uint32_t quad = lane & ~3u;
            const bool together = f.m.quad_is_together(lane);
            const Value first = sub(f.c, column[quad + step], column[quad]);
            const Value second = sub(f.c, column[quad + other + step], column[quad + other]);
            Value v = fine ? (lane & other ? second : first) : (step == 1 ? second : first);
            if (!together)
                v = unknown(v.value);
            else if (!fine && !f.c.nominal)
                v = step == 1 ? join(second, first) : join(first, second);
            out[lane] = v;
        }
        f.result[static_cast<size_t>(i)] = out;
    }
}

}  // namespace

/// A case for each opcode: longer than a screen, but most are two lines, and the others are functions.
bool arithmetic(Frame& f) {
    const Context& c = f.c;
    auto one = [&](Value (*op)(const Context&, const Value&)) { return [&c, op](const Value& a) { return op(c, a); }; };
    auto two = [&](Value (*op)(const Context&, const Value&, const Value&)) {
        return [&c, op](const Value& a, const Value& b) { return op(c, a, b); };
    };
    auto three = [&](Value (*op)(const Context&, const Value&, const Value&, const Value&)) {
        return [&c, op](const Value& a, const Value& b, const Value& d) { return op(c, a, b, d); };
    };
    switch (f.op()) {
        case Opcode::MOV:
            f.each1([](const Value& v) { return v; });
            return true;
        case Opcode::FRC:
            f.each1(one(fract));
            return true;
        case Opcode::FLR:
            f.each1(one(floor));
            return true;
        case Opcode::CEIL:
            f.each1(one(ceil));
            return true;
        case Opcode::TRUNC:
            f.each1(one(trunc));
            return true;
        case Opcode::ROUND:
            f.each1(one(round_even));
            return true;
        case Opcode::SSG:
            f.each1(one(sign));
            return true;
        case Opcode::ADD:
            f.each2(two(add));
            return true;
        case Opcode::MUL:
            // A register component times itself is one object.
            f.each2([&](const Value& a, const Value& b) { return &a == &b ? square(c, a) : mul(c, a, b); });
            return true;
        case Opcode::DIV:
            f.each2(two(div));
            return true;
        case Opcode::MIN:
            f.each2(two(min));
            return true;
        case Opcode::MAX:
            f.each2(two(max));
            return true;
        case Opcode::MAD:
            f.each3(three(mad));
            return true;
        case Opcode::FMA:
            f.each3(three(fma));
            return true;
        case Opcode::LRP:
            f.each3(three(lerp));
            return true;
        case Opcode::LDEXP:
            f.each2(two(ldexp));
            return true;
        case Opcode::RCP:
            f.scalar1(one(rcp));
            return true;
        case Opcode::RSQ:
            f.scalar1(one(rsq));
            return true;
        case Opcode::SQRT:
            f.scalar1(one(sqrt));
            return true;
        case Opcode::EX2:
            f.scalar1(one(exp2));
            return true;
        case Opcode::LG2:
            f.scalar1(one(log2));
            return true;
        case Opcode::COS:
            f.scalar1(one(cos));
            return true;
        case Opcode::SIN:
            f.scalar1(one(sin));
            return true;
        case Opcode::POW:
            f.scalar2(two(pow));
            return true;
        case Opcode::DP2:
            dot(f, 2);
            return true;
        case Opcode::DP3:
            dot(f, 3);
            return true;
        case Opcode::DP4:
            dot(f, 4);
            return true;
        case Opcode::EXP:
            exponential(f);
            return true;
        case Opcode::LOG:
            logarithm(f);
            return true;
        case Opcode::LIT:
            light(f);
            return true;
        case Opcode::DST:
            distance(f);
            return true;
        case Opcode::DDX:
        case Opcode::DDX_FINE:
            derivative(f, 1, f.op() == Opcode::DDX_FINE);
            return true;
        case Opcode::DDY:
        case Opcode::DDY_FINE:
            derivative(f, 2, f.op() == Opcode::DDY_FINE);
            return true;
        default:
            return false;
    }
}

}  // namespace tgsi2spv::reference
