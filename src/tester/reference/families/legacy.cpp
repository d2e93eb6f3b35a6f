// Opcodes that only the older editions describe.
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/families/families.h"
#include "reference/numbers/words.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::Opcode;

struct Vec {
    std::array<const Value*, 4> c{};
    Vec(Frame& frame, int source, int n = 4) {
        for (int i = 0; i < n; ++i) c[static_cast<size_t>(i)] = frame.src(source, i);
    }
    const Value& at(int component, uint32_t lane) const { return c[static_cast<size_t>(component)][lane]; }
};

/// x / length as a division by the root, or as a product with the reciprocal root (semantics: Float, NRM).
/// LEGACY_MATH_RULES name NRM among the multiplications, and only for the product can they mean anything: then 0 / 0 is
/// 0.
Value normalised(const Context& context, const Value& x, const Value& squared_length) {
    if (context.legacy_math) {
        const Value by_root = mul(context, x, rsq(context, squared_length));
        if (context.nominal) return by_root;
        Hull h;
        h.add(by_root);
        h.add(mul(context, x, div(context, exact(1.0f), sqrt(context, squared_length))));
        return h.finish(by_root.value);
    }
    const Value quotient = div(context, x, sqrt(context, squared_length));
    if (context.nominal) return quotient;
    Hull h;
    h.add(quotient);
    h.add(mul(context, x, rsq(context, squared_length)));
    return h.finish(quotient.value);
}

void normalise(Frame& frame, int n) {
    const Vec x(frame, 0, n);
    std::array<Value*, 4> out{};
    for (int i = 0; i < n; ++i)
        if (frame.writes(i)) out[static_cast<size_t>(i)] = frame.scratch();
    for (uint32_t lane : frame.lanes()) {
        Term terms[4];
        for (int i = 0; i < n; ++i) terms[i] = {&x.at(i, lane), &x.at(i, lane), false};
        const Value squared = sum(frame.c, terms, n);
        for (int i = 0; i < n; ++i)
            if (Value* column = out[static_cast<size_t>(i)]) column[lane] = normalised(frame.c, x.at(i, lane), squared);
    }
    frame.result = {out[0], out[1], out[2], n == 3 ? frame.constant(kOne) : out[3]};
}

/// 2 (a·b) / (a·a) a - b.
void reflect(Frame& frame) {
    const Vec a(frame, 0, 3), b(frame, 1, 3);
    std::array<Value*, 3> out{frame.scratch(), frame.scratch(), frame.scratch()};
    for (uint32_t lane : frame.lanes()) {
        Term ab[3], aa[3];
        for (int i = 0; i < 3; ++i) {
            ab[i] = {&a.at(i, lane), &b.at(i, lane), false};
            aa[i] = {&a.at(i, lane), &a.at(i, lane), false};
        }
        const Value scale = div(frame.c, mul(frame.c, exact(2.0f), sum(frame.c, ab, 3)), sum(frame.c, aa, 3));
        for (int i = 0; i < 3; ++i) {
            if (!frame.writes(i)) continue;
            const Term terms[2] = {{&scale, &a.at(i, lane), false}, {&b.at(i, lane), nullptr, true}};
            out[static_cast<size_t>(i)][lane] = sum(frame.c, terms, 2);
        }
    }
    frame.result = {out[0], out[1], out[2], frame.constant(kOne)};
}

void cross(Frame& frame) {
    const Vec a(frame, 0, 3), b(frame, 1, 3);
    for (int i = 0; i < 3; ++i) {
        if (!frame.writes(i)) continue;
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        Value* out = frame.scratch();
        for (uint32_t lane : frame.lanes()) {
            const Term terms[2] = {{&a.at(j, lane), &b.at(k, lane), false}, {&b.at(j, lane), &a.at(k, lane), true}};
            out[lane] = sum(frame.c, terms, 2);
        }
        frame.result[static_cast<size_t>(i)] = out;
    }
    frame.result[3] = frame.constant(kOne);
}

/// dst.xz = src0.x + src1.x·src2.x + src1.y·src2.y, dst.yw = src0.y + src1.x·src2.z + src1.y·src2.w.
void transform2d(Frame& frame) {
    const Vec a(frame, 0, 2), b(frame, 1, 2), m(frame, 2);
    for (int row = 0; row < 2; ++row) {
        if (!frame.writes(row) && !frame.writes(row + 2)) continue;
        Value* out = frame.scratch();
        for (uint32_t lane : frame.lanes()) {
            const Term terms[3] = {{&a.at(row, lane), nullptr, false},
                                   {&b.at(0, lane), &m.at(2 * row, lane), false},
                                   {&b.at(1, lane), &m.at(2 * row + 1, lane), false}};
            out[lane] = sum(frame.c, terms, 3);
        }
        frame.result[static_cast<size_t>(row)] = frame.result[static_cast<size_t>(row) + 2] = out;
    }
}

/// The first n products of src0 and src1, plus `last`.
void dot_and_add(Frame& frame, int n, const Value* last) {
    const Vec a(frame, 0, n), b(frame, 1, n);
    Value* out = frame.scratch();
    for (uint32_t lane : frame.lanes()) {
        Term terms[4];
        for (int i = 0; i < n; ++i) terms[i] = {&a.at(i, lane), &b.at(i, lane), false};
        terms[n] = {&last[lane], nullptr, false};
        out[lane] = sum(frame.c, terms, n + 1);
    }
    frame.replicate(out);
}

/// The result of CLAMP if x is unknown: y, z, an x that is neither below y nor above z, or a NaN, with which both
/// comparisons are false. They may take denormals for zeros, so an x as small as these may lie beyond an end there.
Value clamped_unknown(const Context& context, const Value& y, const Value& z, uint32_t nominal) {
    constexpr float least_normal = std::numeric_limits<float>::min();
    FloatRange r, s;
    if (!context.preserve || !float_range(y, r) || !float_range(z, s) || r.nan || s.nan) return unknown(nominal);
    const float denormal = as_number(next_down(as_word(least_normal)));
    float lo = std::min(r.lo, s.lo), hi = std::max(r.hi, s.hi);
    if (std::fabs(lo) < least_normal) lo = -denormal;
    if (std::fabs(hi) < least_normal) hi = denormal;
    Hull h;
    h.add_nan();
    h.add_interval(lo, hi);
    if (r.contains_zero() || s.contains_zero() || (lo < 0 && hi > 0)) h.add_zeros();
    return unknown_if_free(h.finish(nominal));
}

/// The numbers that a value may be; unknown if it may be none.
Value without_nan(const Value& v) {
    FloatRange r;
    if (!float_range(v, r) || !r.nan) return v;
    Value numbers = v;
    numbers.maybe_nan = false;
    if (v.kind == Kind::Interval) return numbers;
    numbers.count = 0;
    for (size_t i = 0; i < v.count; ++i)
        if (!is_nan(v.words[i])) numbers.words[numbers.count++] = v.words[i];
    return numbers.count != 0 ? numbers : unknown(v.value);
}

/// (x < y) ? y : (x > z) ? z : x; also MAX then MIN if y <= z and nothing is NaN (semantics: Float, CLAMP).
Value clamp(const Context& context, const Value& x, const Value& y, const Value& z) {
    const Truth below = compare(context, kLess, x, y), above = compare(context, kLess, z, x);
    const Value printed = select(below, y, select(above, z, x));
    if (context.nominal) return printed;
    if (is_unknown(x)) return clamped_unknown(context, y, z, printed.value);
    const Truth ordered = compare(context, kLessEqual, y, z);
    const Value number = without_nan(x);
    if (is_unknown(number) || !ordered.may_be_true) return printed;
    Hull h;
    h.add(printed);
    h.add(min(context, max(context, number, y), z));
    return h.finish(printed.value);
}

/// 1/x with its magnitude clamped to [5.42101e-20, 1.884467e+19], as CLAMP does. It keeps its sign, also if it is a
/// zero (semantics: Float; the page's formula would make 1/inf negative). Where Vulkan promises nothing of 1/x, the
/// clamp still limits the result.
Value reciprocal_clamped(const Context& context, const Value& x) {
    constexpr float least = 5.42101e-20f, most = 1.884467e+19f;
    const Value r = rcp(context, x);
    const Value magnitude = clamp(context, abs(context, r), exact(least), exact(most));
    return select(has_sign(r), neg(context, magnitude), magnitude);
}

/// The top entry; an empty stack gives zeros. A predicate decides which components are written, not whether the entry
/// is popped (semantics: Predicates).
void pop(Frame& frame) {
    std::array<Value*, 4> out{frame.scratch(), frame.scratch(), frame.scratch(), frame.scratch()};
    for (uint32_t lane : frame.lanes()) {
        Stack& stack = frame.m.stacks[lane];
        std::array<Value, 4> entry{};
        const Presence here = frame.m.exec[lane];
        if (here != kAll) stack.unknown |= here != 0;
        if (!stack.entries.empty()) {
            entry = stack.entries.back();
            if (here & kNominal) stack.entries.pop_back();
        }
        for (size_t c = 0; c < 4; ++c) out[c][lane] = stack.unknown ? unknown(entry[c].value) : entry[c];
    }
    frame.result = {out[0], out[1], out[2], out[3]};
}

}  // namespace

void push_words(Machine& machine, const std::array<const Value*, 4>& words, const Mask& here) {
    constexpr size_t kEntries = 8;
    for (uint32_t lane : machine.active) {
        Stack& stack = machine.stacks[lane];
        if (here[lane] != kAll) stack.unknown |= here[lane] != 0;
        if (!(here[lane] & kNominal) || stack.entries.size() == kEntries) continue;
        stack.entries.push_back({words[0][lane], words[1][lane], words[2][lane], words[3][lane]});
    }
}

void legacy(Frame& frame) {
    const Context& c = frame.c;
    switch (frame.op()) {
        case Opcode::ABS:
            return frame.each1([&](const Value& v) { return abs(c, v); });
        case Opcode::SUB:
            return frame.each2([&](const Value& a, const Value& b) { return sub(c, a, b); });
        case Opcode::CLAMP:
            return frame.each3([&](const Value& x, const Value& y, const Value& z) { return clamp(c, x, y, z); });
        case Opcode::CND:
            return frame.each3([&](const Value& a, const Value& b, const Value& t) {
                return select(compare(c, kLess, exact(0.5f), t), a, b);
            });
        case Opcode::ARA:
            for (int i = 0; i < 2; ++i) {
                if (!frame.writes(i) && !frame.writes(i + 2)) continue;
                const Value* column = frame.map(
                    [&](const Value& a, const Value& b) {
                        return words2(c, a, b, [](uint32_t x, uint32_t y) { return x + y; });
                    },
                    frame.src(0, i), frame.src(0, i + 2));
                frame.result[static_cast<size_t>(i)] = frame.result[static_cast<size_t>(i) + 2] = column;
            }
            return;
        case Opcode::DP2A:
            return dot_and_add(frame, 2, frame.src(2, 0));
        case Opcode::DPH:
            return dot_and_add(frame, 3, frame.src(1, 3));
        case Opcode::NRM:
            return normalise(frame, 3);
        case Opcode::NRM4:
            return normalise(frame, 4);
        case Opcode::SCS: {
            const Value* x = frame.src(0, 0);
            if (frame.writes(0)) frame.result[0] = frame.map([&](const Value& v) { return cos(c, v); }, x);
            if (frame.writes(1)) frame.result[1] = frame.map([&](const Value& v) { return sin(c, v); }, x);
            frame.result[2] = frame.constant(0);
            frame.result[3] = frame.constant(kOne);
            return;
        }
        case Opcode::RCC:
            return frame.scalar1([&](const Value& v) { return reciprocal_clamped(c, v); });
        case Opcode::RFL:
            return reflect(frame);
        case Opcode::XPD:
            return cross(frame);
        case Opcode::X2D:
            return transform2d(frame);
        case Opcode::SAD:
            return frame.each3([&](const Value& a, const Value& b, const Value& d) {
                return words3(c, a, b, d,
                              [](uint32_t x, uint32_t y, uint32_t z) { return (x > y ? x - y : y - x) + z; });
            });
        case Opcode::SHR:
            for (int i = 0; i < 4; ++i) {
                if (!frame.writes(i)) continue;
                // The count is src1.x for every component in the older editions (semantics: Integer).
                frame.result[static_cast<size_t>(i)] = frame.map(
                    [&](const Value& a, const Value& b) {
                        return words2(c, a, b, [](uint32_t x, uint32_t n) {
                            return static_cast<uint32_t>(static_cast<int32_t>(x) >> (n & 31));
                        });
                    },
                    frame.src(0, i), frame.src(1, c.old_dialect() ? 0 : i));
            }
            return;
        case Opcode::SFL:
            return frame.replicate(frame.constant(0));
        case Opcode::POPA:
            return pop(frame);
        case Opcode::STR:
            return frame.replicate(frame.constant(kOne));
        default:
            return;
    }
}

}  // namespace tgsi2spv::reference
