// Float arithmetic of the newest edition (its chapters "Core ISA" and "Compute ISA").
#include "reference/families/families.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::Opcode;

/// src0 · src1 over the first n components.
void dot(Frame& frame, int n) {
    std::array<const Value*, 4> a{}, b{};
    for (int i = 0; i < n; ++i) {
        a[static_cast<size_t>(i)] = frame.src(0, i);
        b[static_cast<size_t>(i)] = frame.src(1, i);
    }
    Value* out = frame.scratch();
    for (uint32_t lane : frame.lanes()) {
        Term terms[4];
        for (size_t i = 0; i < static_cast<size_t>(n); ++i) terms[i] = {&a[i][lane], &b[i][lane], false};
        out[lane] = sum(frame.c, terms, n);
    }
    frame.replicate(out);
}

/// pow(max(y, 0), clamp(w, -128, 128)) with 0^0 = 1 (semantics: Float, LIT).
Value light_power(const Context& context, const Value& y, const Value& w) {
    return pow(context, max(context, y, exact(0.0f)), light_exponent(context, w));
}

void light(Frame& frame) {
    const Value *x = frame.src(0, 0), *y = frame.src(0, 1), *w = frame.src(0, 3);
    frame.result[0] = frame.result[3] = frame.constant(kOne);
    if (frame.writes(1)) frame.result[1] = frame.map([&](const Value& v) { return max(frame.c, v, exact(0.0f)); }, x);
    if (!frame.writes(2)) return;
    frame.result[2] = frame.map(
        [&](const Value& vx, const Value& vy, const Value& vw) {
            const Truth lit = compare(frame.c, kLess, exact(0.0f), vx);
            return select(lit, light_power(frame.c, vy, vw), exact(0.0f));
        },
        x, y, w);
}

void exponential(Frame& frame) {
    const Value* x = frame.src(0, 0);
    if (frame.writes(0))
        frame.result[0] = frame.map([&](const Value& v) { return exp2(frame.c, floor(frame.c, v)); }, x);
    if (frame.writes(1)) frame.result[1] = frame.map([&](const Value& v) { return fract(frame.c, v); }, x);
    if (frame.writes(2)) frame.result[2] = frame.map([&](const Value& v) { return exp2(frame.c, v); }, x);
    frame.result[3] = frame.constant(kOne);
}

/// |x| / 2^floor(log2 |x|), with the exponent within its bounds (semantics: Float, LOG).
Value mantissa(const Context& context, const Value& magnitude, const Value& exponent) {
    // The nominal value comes from the bits: exact for normal numbers.
    const float x = as_number(magnitude.value);
    int e = 0;
    const bool legacy_zero = x == 0 && context.legacy_math;
    const float nominal = x > 0 && std::isfinite(x) ? std::frexp(x, &e) * 2 : legacy_zero ? 0.0f : std::nanf("");
    Value v;
    if (is_exact(magnitude) && is_zero(magnitude.value)) {
        v = context.legacy_math ? exact(0u) : unknown();
    } else {
        // Either a division, or a product with the negative power.
        v = div(context, magnitude, exp2(context, exponent));
        Hull h;
        h.add(v);
        h.add(mul(context, magnitude, exp2(context, neg(context, exponent))));
        v = h.finish(v.value);
    }
    v.value = as_word(nominal);
    return v;
}

void logarithm(Frame& frame) {
    const Value* x = frame.map([&](const Value& v) { return abs(frame.c, v); }, frame.src(0, 0));
    const Value* l = frame.map([&](const Value& v) { return log2(frame.c, v); }, x);
    auto whole = [&](const Value& magnitude, const Value& v) {
        // floor(-inf) is decided: LOG(0) = (-inf, undefined, -inf, 1).
        if (is_exact(v) && v.value == (kInf | kSign)) return v;
        Value w = floor(frame.c, v);
        // The nominal exponent comes from the bits, as the nominal mantissa does: the logarithm of a number just below
        // a power of two is rounded to that of the power.
        if (const float m = as_number(magnitude.value); m > 0 && std::isfinite(m)) {
            const uint32_t exponent = as_word(static_cast<float>(std::ilogb(m)));
            if (frame.c.nominal) return exact(exponent);
            w.value = exponent;
        }
        FloatRange r;
        if (is_unknown(w) && float_range(v, r) && !r.nan && std::isinf(r.lo) && std::isfinite(r.hi))
            w = interval(r.lo, std::floor(r.hi), as_number(w.value));
        return w;
    };
    const Value* e = frame.map(whole, x, l);
    if (frame.writes(0)) frame.result[0] = e;
    if (frame.writes(1))
        frame.result[1] = frame.map([&](const Value& a, const Value& b) { return mantissa(frame.c, a, b); }, x, e);
    frame.result[2] = l;
    frame.result[3] = frame.constant(kOne);
}

void distance(Frame& frame) {
    frame.result[0] = frame.constant(kOne);
    if (frame.writes(1))
        frame.result[1] = frame.map([&](const Value& a, const Value& b) { return mul(frame.c, a, b); }, frame.src(0, 1),
                                    frame.src(1, 1));
    // Copies, because a source column may be a component that this instruction writes first.
    const auto copy = [](const Value& v) { return v; };
    if (frame.writes(2)) frame.result[2] = frame.map(copy, frame.src(0, 2));
    if (frame.writes(3)) frame.result[3] = frame.map(copy, frame.src(1, 3));
}

/// Differences within the quad: lanes (x,y) (x+1,y) (x,y+1) (x+1,y+1). `step` is 1 for x and 2 for y. Coarse: the
/// difference of either row or column; the nominal one is that of the lower row and the left column. Unknown if the
/// quad does not execute together.
void derivative(Frame& frame, uint32_t step, bool fine) {
    const uint32_t other = step == 1 ? 2 : 1;
    for (int i = 0; i < 4; ++i) {
        if (!frame.writes(i)) continue;
        const Value* column = frame.src(0, i);
        Value* out = frame.scratch();
        for (uint32_t lane : frame.lanes()) {
            const uint32_t quad = lane & ~3u;
            const bool together = frame.m.quad_is_together(lane);
            const Value first = sub(frame.c, column[quad + step], column[quad]);
            const Value second = sub(frame.c, column[quad + other + step], column[quad + other]);
            Value v = fine ? (lane & other ? second : first) : (step == 1 ? second : first);
            if (!together)
                v = unknown(v.value);
            else if (!fine && !frame.c.nominal)
                v = step == 1 ? join(second, first) : join(first, second);
            out[lane] = v;
        }
        frame.result[static_cast<size_t>(i)] = out;
    }
}

}  // namespace

/// A case for each opcode: longer than a screen, but most are two lines, and the others are functions.
void arithmetic(Frame& frame) {
    const Context& c = frame.c;
    auto one = [&](Value (*op)(const Context&, const Value&)) { return [&c, op](const Value& a) { return op(c, a); }; };
    auto two = [&](Value (*op)(const Context&, const Value&, const Value&)) {
        return [&c, op](const Value& a, const Value& b) { return op(c, a, b); };
    };
    auto three = [&](Value (*op)(const Context&, const Value&, const Value&, const Value&)) {
        return [&c, op](const Value& a, const Value& b, const Value& d) { return op(c, a, b, d); };
    };
    switch (frame.op()) {
        case Opcode::MOV:
            return frame.each1([](const Value& v) { return v; });
        case Opcode::FRC:
            return frame.each1(one(fract));
        case Opcode::FLR:
            return frame.each1(one(floor));
        case Opcode::CEIL:
            return frame.each1(one(ceil));
        case Opcode::TRUNC:
            return frame.each1(one(trunc));
        case Opcode::ROUND:
            return frame.each1(one(round_even));
        case Opcode::SSG:
            return frame.each1(one(sign));
        case Opcode::ADD:
            return frame.each2(two(add));
        case Opcode::MUL:
            // A register component times itself is one object.
            return frame.each2([&](const Value& a, const Value& b) { return &a == &b ? square(c, a) : mul(c, a, b); });
        case Opcode::DIV:
            return frame.each2(two(div));
        case Opcode::MIN:
            return frame.each2(two(min));
        case Opcode::MAX:
            return frame.each2(two(max));
        case Opcode::MAD:
            return frame.each3(three(mad));
        case Opcode::FMA:
            return frame.each3(three(fma));
        case Opcode::LRP:
            return frame.each3(three(lerp));
        case Opcode::LDEXP:
            return frame.each2(two(ldexp));
        case Opcode::RCP:
            return frame.scalar1(one(rcp));
        case Opcode::RSQ:
            return frame.scalar1(one(rsq));
        case Opcode::SQRT:
            return frame.scalar1(one(sqrt));
        case Opcode::EX2:
            return frame.scalar1(one(exp2));
        case Opcode::LG2:
            return frame.scalar1(one(log2));
        case Opcode::COS:
            return frame.scalar1(one(cos));
        case Opcode::SIN:
            return frame.scalar1(one(sin));
        case Opcode::POW:
            return frame.scalar2(two(pow));
        case Opcode::DP2:
            return dot(frame, 2);
        case Opcode::DP3:
            return dot(frame, 3);
        case Opcode::DP4:
            return dot(frame, 4);
        case Opcode::EXP:
            return exponential(frame);
        case Opcode::LOG:
            return logarithm(frame);
        case Opcode::LIT:
            return light(frame);
        case Opcode::DST:
            return distance(frame);
        case Opcode::DDX:
        case Opcode::DDX_FINE:
            return derivative(frame, 1, frame.op() == Opcode::DDX_FINE);
        case Opcode::DDY:
        case Opcode::DDY_FINE:
            return derivative(frame, 2, frame.op() == Opcode::DDY_FINE);
        default:
            return;
    }
}

}  // namespace tgsi2spv::reference
