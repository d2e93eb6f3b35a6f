// Opcodes that only the older editions describe.
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/interpreter.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::Opcode;

struct Vec {
    std::array<const Value*, 4> c{};
    Vec(Frame& f, int source, int n = 4) {
        for (int i = 0; i < n; ++i) c[static_cast<size_t>(i)] = f.src(source, i);
    }
    const Value& at(int component, uint32_t lane) const { return c[static_cast<size_t>(component)][lane]; }
};

/// x / length as a division by the root, or as a product with the reciprocal root (semantics: Float, NRM).
/// LEGACY_MATH_RULES name NRM among the multiplications, and only for the product can they mean anything: then 0 / 0 is
/// 0.
Value normalised(const Context& c, const Value& x, const Value& squared_length) {
    if (c.legacy_math) {
        const Value by_root = mul(c, x, rsq(c, squared_length));
        if (c.nominal) return by_root;
        Hull h;
        h.add(by_root);
        h.add(mul(c, x, div(c, exact(1.0f), sqrt(c, squared_length))));
        return h.finish(by_root.value);
    }
    const Value quotient = div(c, x, sqrt(c, squared_length));
    if (c.nominal) return quotient;
    Hull h;
    h.add(quotient);
    h.add(mul(c, x, rsq(c, squared_length)));
    return h.finish(quotient.value);
}

void normalise(Frame& f, int n) {
    const Vec x(f, 0, n);
    std::array<Value*, 4> out{};
    for (int i = 0; i < n; ++i)
        if (f.writes(i)) out[static_cast<size_t>(i)] = f.scratch();
    for (uint32_t lane : f.lanes()) {
        Term terms[4];
        for (int i = 0; i < n; ++i) terms[i] = {&x.at(i, lane), &x.at(i, lane), false};
        const Value squared = sum(f.c, terms, n);
        for (int i = 0; i < n; ++i)
            if (Value* column = out[static_cast<size_t>(i)]) column[lane] = normalised(f.c, x.at(i, lane), squared);
    }
    f.result = {out[0], out[1], out[2], n == 3 ? f.constant(kOne) : out[3]};
}

/// 2 (a·b) / (a·a) a - b.
void reflect(Frame& f) {
    const Vec a(f, 0, 3), b(f, 1, 3);
    std::array<Value*, 3> out{f.scratch(), f.scratch(), f.scratch()};
    for (uint32_t lane : f.lanes()) {
        Term ab[3], aa[3];
        for (int i = 0; i < 3; ++i) {
            ab[i] = {&a.at(i, lane), &b.at(i, lane), false};
            aa[i] = {&a.at(i, lane), &a.at(i, lane), false};
        }
        const Value scale = div(f.c, mul(f.c, exact(2.0f), sum(f.c, ab, 3)), sum(f.c, aa, 3));
        for (int i = 0; i < 3; ++i) {
            if (!f.writes(i)) continue;
            const Term terms[2] = {{&scale, &a.at(i, lane), false}, {&b.at(i, lane), nullptr, true}};
            out[static_cast<size_t>(i)][lane] = sum(f.c, terms, 2);
        }
    }
    f.result = {out[0], out[1], out[2], f.constant(kOne)};
}

void cross(Frame& f) {
    const Vec a(f, 0, 3), b(f, 1, 3);
    for (int i = 0; i < 3; ++i) {
        if (!f.writes(i)) continue;
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        Value* out = f.scratch();
        for (uint32_t lane : f.lanes()) {
            const Term terms[2] = {{&a.at(j, lane), &b.at(k, lane), false}, {&b.at(j, lane), &a.at(k, lane), true}};
            out[lane] = sum(f.c, terms, 2);
        }
        f.result[static_cast<size_t>(i)] = out;
    }
    f.result[3] = f.constant(kOne);
}

/// dst.xz = src0.x + src1.x·src2.x + src1.y·src2.y, dst.yw = src0.y + src1.x·src2.z + src1.y·src2.w.
void transform2d(Frame& f) {
    const Vec a(f, 0, 2), b(f, 1, 2), m(f, 2);
    for (int row = 0; row < 2; ++row) {
        if (!f.writes(row) && !f.writes(row + 2)) continue;
        Value* out = f.scratch();
        for (uint32_t lane : f.lanes()) {
            const Term terms[3] = {{&a.at(row, lane), nullptr, false},
                                   {&b.at(0, lane), &m.at(2 * row, lane), false},
                                   {&b.at(1, lane), &m.at(2 * row + 1, lane), false}};
            out[lane] = sum(f.c, terms, 3);
        }
        f.result[static_cast<size_t>(row)] = f.result[static_cast<size_t>(row) + 2] = out;
    }
}

/// The first n products of src0 and src1, plus `last`.
void dot_and_add(Frame& f, int n, const Value* last) {
    const Vec a(f, 0, n), b(f, 1, n);
    Value* out = f.scratch();
    for (uint32_t lane : f.lanes()) {
        Term terms[4];
        for (int i = 0; i < n; ++i) terms[i] = {&a.at(i, lane), &b.at(i, lane), false};
        terms[n] = {&last[lane], nullptr, false};
        out[lane] = sum(f.c, terms, n + 1);
    }
    f.replicate(out);
}

/// What CLAMP gives if nothing is known of x: y, z, an x that is neither below y nor above z, or a NaN, with which both
/// comparisons are false. They may take denormals for zeros, so an x as small as these may lie beyond an end there.
Value clamped_unknown(const Context& c, const Value& y, const Value& z, uint32_t nominal) {
    constexpr float least_normal = std::numeric_limits<float>::min();
    FloatRange r, s;
    if (!c.preserve || !float_range(y, r) || !float_range(z, s) || r.nan || s.nan) return unknown(nominal);
    const float denormal = as_float(next_down(as_word(least_normal)));
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
Value clamp(const Context& c, const Value& x, const Value& y, const Value& z) {
    const Truth below = compare(c, kLess, x, y), above = compare(c, kLess, z, x);
    const Value printed = select(below, y, select(above, z, x));
    if (c.nominal) return printed;
    if (is_unknown(x)) return clamped_unknown(c, y, z, printed.value);
    const Truth ordered = compare(c, kLessEqual, y, z);
    const Value number = without_nan(x);
    if (is_unknown(number) || !ordered.may_be_true) return printed;
    Hull h;
    h.add(printed);
    h.add(min(c, max(c, number, y), z));
    return h.finish(printed.value);
}

/// 1/x with its magnitude clamped to [5.42101e-20, 1.884467e+19], as CLAMP does. It keeps its sign, also if it is a
/// zero (semantics: Float; the page's formula would make 1/inf negative). Where Vulkan promises nothing of 1/x, the
/// clamp still limits the result.
Value reciprocal_clamped(const Context& c, const Value& x) {
    constexpr float least = 5.42101e-20f, most = 1.884467e+19f;
    const Value r = rcp(c, x);
    const Value magnitude = clamp(c, abs(c, r), exact(least), exact(most));
    return select(has_sign(r), neg(c, magnitude), magnitude);
}

/// The top entry; an empty stack gives zeros. A predicate decides what is written, not whether the entry is popped
/// (semantics: Predicates).
void pop(Frame& f) {
    std::array<Value*, 4> out{f.scratch(), f.scratch(), f.scratch(), f.scratch()};
    for (uint32_t lane : f.lanes()) {
        Stack& stack = f.m.stacks[lane];
        std::array<Value, 4> entry{};
        const Presence here = f.m.exec[lane];
        if (here != kAll) stack.unknown |= here != 0;
        if (!stack.entries.empty()) {
            entry = stack.entries.back();
            if (here & kNominal) stack.entries.pop_back();
        }
        for (size_t c = 0; c < 4; ++c) out[c][lane] = stack.unknown ? unknown(entry[c].value) : entry[c];
    }
    f.result = {out[0], out[1], out[2], out[3]};
}

}  // namespace

void push_words(Machine& m, const std::array<const Value*, 4>& words, const Mask& here) {
    constexpr size_t kEntries = 8;
    for (uint32_t lane : m.active) {
        Stack& stack = m.stacks[lane];
        if (here[lane] != kAll) stack.unknown |= here[lane] != 0;
        if (!(here[lane] & kNominal) || stack.entries.size() == kEntries) continue;
        stack.entries.push_back({words[0][lane], words[1][lane], words[2][lane], words[3][lane]});
    }
}

bool legacy(Frame& f) {
    const Context& c = f.c;
    switch (f.op()) {
        case Opcode::ABS:
            f.each1([&](const Value& v) { return abs(c, v); });
            return true;
        case Opcode::SUB:
            f.each2([&](const Value& a, const Value& b) { return sub(c, a, b); });
            return true;
        case Opcode::CLAMP:
            f.each3([&](const Value& x, const Value& y, const Value& z) { return clamp(c, x, y, z); });
            return true;
        case Opcode::CND:
            f.each3([&](const Value& a, const Value& b, const Value& t) {
                return select(compare(c, kLess, exact(0.5f), t), a, b);
            });
            return true;
        case Opcode::ARA:
            for (int i = 0; i < 2; ++i) {
                if (!f.writes(i) && !f.writes(i + 2)) continue;
                const Value* column =
                    f.map([&](const Value& a,
                              const Value& b) { return words2(c, a, b, [](uint32_t x, uint32_t y) { return x + y; }); },
                          f.src(0, i), f.src(0, i + 2));
                f.result[static_cast<size_t>(i)] = f.result[static_cast<size_t>(i) + 2] = column;
            }
            return true;
        case Opcode::DP2A:
            dot_and_add(f, 2, f.src(2, 0));
            return true;
        case Opcode::DPH:
            dot_and_add(f, 3, f.src(1, 3));
            return true;
        case Opcode::NRM:
            normalise(f, 3);
            return true;
        case Opcode::NRM4:
            normalise(f, 4);
            return true;
        case Opcode::SCS: {
            const Value* x = f.src(0, 0);
            if (f.writes(0)) f.result[0] = f.map([&](const Value& v) { return cos(c, v); }, x);
            if (f.writes(1)) f.result[1] = f.map([&](const Value& v) { return sin(c, v); }, x);
            f.result[2] = f.constant(0);
            f.result[3] = f.constant(kOne);
            return true;
        }
        case Opcode::RCC:
            f.scalar1([&](const Value& v) { return reciprocal_clamped(c, v); });
            return true;
        case Opcode::RFL:
            reflect(f);
            return true;
        case Opcode::XPD:
            cross(f);
            return true;
        case Opcode::X2D:
            transform2d(f);
            return true;
        case Opcode::SAD:
            f.each3([&](const Value& a, const Value& b, const Value& d) {
                return words3(c, a, b, d,
                              [](uint32_t x, uint32_t y, uint32_t z) { return (x > y ? x - y : y - x) + z; });
            });
            return true;
        case Opcode::SHR:
            for (int i = 0; i < 4; ++i) {
                if (!f.writes(i)) continue;
                // The count is src1.x for every component in the older editions (semantics: Integer).
                f.result[static_cast<size_t>(i)] = f.map(
                    [&](const Value& a, const Value& b) {
                        return words2(c, a, b, [](uint32_t x, uint32_t n) {
                            return static_cast<uint32_t>(static_cast<int32_t>(x) >> (n & 31));
                        });
                    },
                    f.src(0, i), f.src(1, c.old_dialect() ? 0 : i));
            }
            return true;
        case Opcode::SFL:
            f.replicate(f.constant(0));
            return true;
        case Opcode::POPA:
            pop(f);
            return true;
        case Opcode::STR:
            f.replicate(f.constant(kOne));
            return true;
        default:
            return false;
    }
}

}  // namespace tgsi2spv::reference
