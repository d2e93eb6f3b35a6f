// Comparisons and selects. Float comparisons read a denormal as itself or as zero. SLT … give 1.0 or 0.0; FSLT … and
// the integer ones give ~0 or 0 (semantics: Integer).
#include "reference/frame.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::Opcode;

void set_floats(Frame& f, Relation relation, bool swapped, bool negated, uint32_t yes) {
    const Value one = exact(yes), zero = exact(0u);
    f.each2([&](const Value& a, const Value& b) {
        Truth t = swapped ? compare(f.c, relation, b, a) : compare(f.c, relation, a, b);
        return select(negated ? !t : t, one, zero);
    });
}

/// Equality of bits.
Truth same_bits(const Context& c, const Value& a, const Value& b) {
    Truth t{a.value == b.value, true, true};
    if (c.plain || (is_exact(a) && is_exact(b))) {
        t.may_be_true = t.plain;
        t.may_be_false = !t.plain;
        return t;
    }
    WordList x, y;
    if (enumerate(a, x) && enumerate(b, y)) {
        t.may_be_true = t.may_be_false = false;
        for (int i = 0; i < x.count; ++i)
            for (int j = 0; j < y.count; ++j) (x.words[i] == y.words[j] ? t.may_be_true : t.may_be_false) = true;
    } else if (is_exact(b)) {
        t.may_be_true = permits(a, b.words[0]);
    } else if (is_exact(a)) {
        t.may_be_true = permits(b, a.words[0]);
    }
    return t;
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
            set_floats(f, Relation::Less, false, false, kOne);
            return true;
        case Opcode::SGE:
            set_floats(f, Relation::LessEqual, true, false, kOne);
            return true;
        case Opcode::SEQ:
            set_floats(f, Relation::Equal, false, false, kOne);
            return true;
        case Opcode::SNE:
            set_floats(f, Relation::Equal, false, true, kOne);
            return true;
        case Opcode::SGT:
            set_floats(f, Relation::Less, true, false, kOne);
            return true;
        case Opcode::SLE:
            set_floats(f, Relation::LessEqual, false, false, kOne);
            return true;
        case Opcode::FSLT:
            set_floats(f, Relation::Less, false, false, ~0u);
            return true;
        case Opcode::FSGE:
            set_floats(f, Relation::LessEqual, true, false, ~0u);
            return true;
        case Opcode::FSEQ:
            set_floats(f, Relation::Equal, false, false, ~0u);
            return true;
        case Opcode::FSNE:
            set_floats(f, Relation::Equal, false, true, ~0u);
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
                Truth t = same_bits(f.c, a, b);
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
                return select(compare(f.c, Relation::Less, a, exact(0.0f)), b, d);
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
