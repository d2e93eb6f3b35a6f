// Comparisons and selects. Float comparisons read a denormal as itself or as zero. SLT … give 1.0 or 0.0; FSLT … and
// the integer ones give ~0 or 0 (semantics: Integer).
#include <algorithm>

#include "reference/families/families.h"
#include "reference/numbers/words.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::Opcode;

void set_floats(Frame& frame, Comparison comparison, uint32_t yes) {
    const Value one = exact(yes), zero = exact(0u);
    frame.each2([&](const Value& a, const Value& b) { return select(compare(frame.c, comparison, a, b), one, zero); });
}

/// The least and the greatest integer that a value may be. An interval has the order of floats: that of integers for
/// words without a sign bit, and the reverse for those with one, which are the greater ones without a sign.
struct Ends {
    int64_t least, most;
};
Ends ends_of(const Value& v, bool is_signed) {
    const auto number = [is_signed](uint32_t w) { return is_signed ? int64_t{static_cast<int32_t>(w)} : int64_t{w}; };
    if (is_unknown(v) || v.maybe_nan) return {is_signed ? INT32_MIN : 0, is_signed ? INT32_MAX : int64_t{UINT32_MAX}};
    if (v.kind == Kind::Words) {
        Ends e{number(v.words[0]), number(v.words[0])};
        for (int i = 1; i < v.count; ++i) {
            e.least = std::min(e.least, number(v.words[static_cast<size_t>(i)]));
            e.most = std::max(e.most, number(v.words[static_cast<size_t>(i)]));
        }
        return e;
    }
    if (!(v.lo & kSign)) return {number(v.lo), number(v.hi)};
    if (v.hi & kSign) return {number(v.hi), number(v.lo)};
    return is_signed ? Ends{INT32_MIN, number(v.hi)} : Ends{0, number(v.lo)};
}

/// a < b or (`negated`) a >= b for integers.
void set_words(Frame& frame, bool is_signed, bool negated) {
    frame.each2([&](const Value& a, const Value& b) {
        const Value v = words2(frame.c, a, b, [&](uint32_t x, uint32_t y) {
            const bool less = is_signed ? static_cast<int32_t>(x) < static_cast<int32_t>(y) : x < y;
            return less != negated ? ~0u : 0u;
        });
        if (!is_unknown(v)) return v;
        const Ends x = ends_of(a, is_signed), y = ends_of(b, is_signed);
        const Truth less{(v.value != 0) != negated, x.least < y.most, x.most >= y.least};
        return select(negated ? !less : less, exact(~0u), exact(0u));
    });
}

}  // namespace

void compare(Frame& frame) {
    switch (frame.op()) {
        case Opcode::SLT:
            return set_floats(frame, kLess, kOne);
        case Opcode::SGE:
            return set_floats(frame, kGreaterEqual, kOne);
        case Opcode::SEQ:
            return set_floats(frame, kEqual, kOne);
        case Opcode::SNE:
            return set_floats(frame, kNotEqual, kOne);
        case Opcode::SGT:
            return set_floats(frame, kGreater, kOne);
        case Opcode::SLE:
            return set_floats(frame, kLessEqual, kOne);
        case Opcode::FSLT:
            return set_floats(frame, kLess, ~0u);
        case Opcode::FSGE:
            return set_floats(frame, kGreaterEqual, ~0u);
        case Opcode::FSEQ:
            return set_floats(frame, kEqual, ~0u);
        case Opcode::FSNE:
            return set_floats(frame, kNotEqual, ~0u);
        case Opcode::ISGE:
            return set_words(frame, true, true);
        case Opcode::ISLT:
            return set_words(frame, true, false);
        case Opcode::USEQ:
        case Opcode::USNE:
            return frame.each2([&](const Value& a, const Value& b) {
                const bool same = a.value == b.value;
                const Truth t = frame.c.nominal ? Truth{same, same, !same} : same_bits(a, b);
                return select(frame.op() == Opcode::USEQ ? t : !t, exact(~0u), exact(0u));
            });
        case Opcode::USGE:
            return set_words(frame, false, true);
        case Opcode::USLT:
            return set_words(frame, false, false);
        case Opcode::CMP:
            return frame.each3([&](const Value& a, const Value& b, const Value& d) {
                return select(compare(frame.c, kLess, a, exact(0.0f)), b, d);
            });
        case Opcode::UCMP:
            return frame.each3([](const Value& a, const Value& b, const Value& d) { return select(any_bit(a), b, d); });
        default:
            return;
    }
}

}  // namespace tgsi2spv::reference
