// Comparisons and selects. Float comparisons read a denormal as itself or as zero. SLT … give 1.0 or 0.0; FSLT … and
// the integer ones give ~0 or 0 (semantics: Integer).
#include "reference/frame.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::Opcode;

void set_floats(Frame& f, Comparison comparison, uint32_t yes) {
    const Value one = exact(yes), zero = exact(0u);
    f.each2([&](const Value& a, const Value& b) { return select(compare(f.c, comparison, a, b), one, zero); });
}

template <class F>
void set_words(Frame& f, F holds) {
    f.each2([&](const Value& a, const Value& b) {
        Value v = words2(f.c, a, b, [&](uint32_t x, uint32_t y) { return holds(x, y) ? ~0u : 0u; });
        return is_unknown(v) ? select({v.value != 0, true, true}, exact(~0u), exact(0u)) : v;
    });
}

int32_t s(uint32_t w) {
    return static_cast<int32_t>(w);
}

}  // namespace

bool compare(Frame& f) {
    switch (f.op()) {
        case Opcode::SLT:
            set_floats(f, kLess, kOne);
            return true;
        case Opcode::SGE:
            set_floats(f, kGreaterEqual, kOne);
            return true;
        case Opcode::SEQ:
            set_floats(f, kEqual, kOne);
            return true;
        case Opcode::SNE:
            set_floats(f, kNotEqual, kOne);
            return true;
        case Opcode::SGT:
            set_floats(f, kGreater, kOne);
            return true;
        case Opcode::SLE:
            set_floats(f, kLessEqual, kOne);
            return true;
        case Opcode::FSLT:
            set_floats(f, kLess, ~0u);
            return true;
        case Opcode::FSGE:
            set_floats(f, kGreaterEqual, ~0u);
            return true;
        case Opcode::FSEQ:
            set_floats(f, kEqual, ~0u);
            return true;
        case Opcode::FSNE:
            set_floats(f, kNotEqual, ~0u);
            return true;
        case Opcode::ISGE:
            set_words(f, [](uint32_t a, uint32_t b) { return s(a) >= s(b); });
            return true;
        case Opcode::ISLT:
            set_words(f, [](uint32_t a, uint32_t b) { return s(a) < s(b); });
            return true;
        case Opcode::USEQ:
        case Opcode::USNE:
            f.each2([&](const Value& a, const Value& b) {
                const bool same = a.value == b.value;
                const Truth t = f.c.plain ? Truth{same, same, !same} : same_bits(a, b);
                return select(f.op() == Opcode::USEQ ? t : !t, exact(~0u), exact(0u));
            });
            return true;
        case Opcode::USGE:
            set_words(f, [](uint32_t a, uint32_t b) { return a >= b; });
            return true;
        case Opcode::USLT:
            set_words(f, [](uint32_t a, uint32_t b) { return a < b; });
            return true;
        case Opcode::CMP:
            f.each3([&](const Value& a, const Value& b, const Value& d) {
                return select(compare(f.c, kLess, a, exact(0.0f)), b, d);
            });
            return true;
        case Opcode::UCMP:
            f.each3([](const Value& a, const Value& b, const Value& d) { return select(any_bit(a), b, d); });
            return true;
        default:
            return false;
    }
}

}  // namespace tgsi2spv::reference
