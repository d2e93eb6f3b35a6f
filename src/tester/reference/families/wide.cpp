// 64-bit operations on pairs of components (docs: Double ISA, 64-bit Integer ISA; semantics: 64-bit pairs).
#include "reference/families/wide.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::Opcode;

int64_t s(uint64_t w) {
    return static_cast<int64_t>(w);
}
uint64_t u(int64_t w) {
    return static_cast<uint64_t>(w);
}

/// Puts the answers of a comparison into place: xy's in x and zw's in z, but in y or w if these are alone in the write
/// mask.
void answers(Frame& frame, const Value* const columns[2]) {
    for (int k = 0; k < 2; ++k) {
        const int first = 2 * k;
        const int at = frame.writes(first) ? first : first + 1;
        if (frame.writes(at)) frame.result[static_cast<size_t>(at)] = columns[k];
        if (at == first) frame.mask = static_cast<uint8_t>(frame.mask & ~(2u << first));
    }
}

/// A comparison `holds(a, b)` of each pair.
template <class Holds>
void compare_pairs(Frame& frame, Holds holds) {
    const Value* columns[2] = {};
    for (int k = 0; k < 2; ++k) {
        if (!frame.writes_pair(k)) continue;
        const Pair a = frame.pair(0, k), b = frame.pair(1, k);
        columns[k] =
            frame.map_lanes([&](uint32_t lane) { return all_bits(holds(a.at(frame.c, lane), b.at(frame.c, lane))); });
    }
    answers(frame, columns);
}

/// In the earlier editions, DSEQ and DSLT give 1.0 or 0.0, all others ~0 or 0.
void compare_doubles(Frame& frame, Comparison comparison) {
    const Context c = wide_context(frame.c);
    const auto holds = [&](const Wide& a, const Wide& b) { return compare(c, comparison, a, b); };
    const bool gives_doubles = frame.c.old_dialect() && (frame.op() == Opcode::DSEQ || frame.op() == Opcode::DSLT);
    if (!gives_doubles) return compare_pairs(frame, holds);
    each_pair2(frame, [&](const Wide& a, const Wide& b) {
        const Truth t = holds(a, b);
        Wide v = exact(t.nominal ? Double::kOne : 0);
        if (t.may_be_true && t.may_be_false) {
            const uint64_t nominal = v.value;
            v = join(exact(uint64_t{0}), exact(Double::kOne));
            v.value = nominal;
        }
        return v;
    });
}

Truth either(bool nominal) {
    return {nominal, true, true};
}

/// f of every combination of two short sets of words.
template <class F>
Truth truth2(const Context& context, const Wide& a, const Wide& b, F f) {
    const bool nominal = f(a.value, b.value);
    if (context.nominal) return {nominal, nominal, !nominal};
    if (a.kind != Kind::Words || b.kind != Kind::Words || a.maybe_nan || b.maybe_nan) return either(nominal);
    Truth t{nominal, false, false};
    for (size_t i = 0; i < a.count; ++i)
        for (size_t j = 0; j < b.count; ++j) (f(a.words[i], b.words[j]) ? t.may_be_true : t.may_be_false) = true;
    return t;
}

template <class F>
void compare_words(Frame& frame, F holds) {
    compare_pairs(frame, [&](const Wide& a, const Wide& b) { return truth2(frame.c, a, b, holds); });
}

/// Equality does not need a list on both sides.
void compare_equal(Frame& frame, bool negated) {
    compare_pairs(frame, [&](const Wide& a, const Wide& b) {
        Truth t = truth2(frame.c, a, b, [](uint64_t x, uint64_t y) { return x == y; });
        if (is_exact(b) && !permits(a, b.words[0])) t.may_be_true = false;
        if (is_exact(a) && !permits(b, a.words[0])) t.may_be_true = false;
        return negated ? !t : t;
    });
}

template <class F>
void words1(Frame& frame, F op) {
    each_pair1(frame, [&](const Wide& a) { return wide_words1(frame.c, a, op); });
}
template <class F>
void words2(Frame& frame, F op) {
    each_pair2(frame, [&](const Wide& a, const Wide& b) { return wide_words2(frame.c, a, b, op); });
}

/// Shifts: the count is src1.x for xy and src1.z for zw, masked to 63.
template <class F>
void shift(Frame& frame, F op) {
    each_pair(frame, [&](int k) {
        const Pair a = frame.pair(0, k);
        const Value* count = frame.src(1, 2 * k);
        return [&frame, a, count, op](uint32_t lane) {
            const Wide n = widened_words(frame.c, count[lane], [](uint32_t w) { return uint64_t{w}; });
            return wide_words2(frame.c, a.at(frame.c, lane), n, [&](uint64_t x, uint64_t y) { return op(x, y & 63); });
        };
    });
}

void load_exponent(Frame& frame) {
    const Context c = wide_context(frame.c);
    each_pair(frame, [&](int k) {
        const Pair a = frame.pair(0, k);
        const Value* e = frame.src(1, frame.c.old_dialect() ? k : 2 * k);
        return [&frame, c, a, e](uint32_t lane) { return wide::ldexp(c, a.at(frame.c, lane), e[lane]); };
    });
}

/// Puts the fraction into one destination, and the exponents as integers into x and y of the other: dst0 and dst1, or
/// swapped in the older editions.
void fraction_and_exponent(Frame& frame) {
    const Context c = wide_context(frame.c);
    const bool swapped = frame.c.old_dialect();
    const auto dsts = frame.m.program.dsts(frame.instruction);
    const uint8_t fraction_mask = dsts[swapped ? 1 : 0].write_mask, exponent_mask = dsts[swapped ? 0 : 1].write_mask;
    auto& fractions = swapped ? frame.second : frame.result;
    auto& exponents = swapped ? frame.result : frame.second;
    frame.mask = dsts[0].write_mask;
    frame.second_mask = dsts[1].write_mask;
    const bool has_low = (fraction_mask & 0x3) != 0, has_high = (fraction_mask & 0xc) != 0;
    for (int k = 0; k < 2; ++k) {
        // Where the fraction is only one pair, every component takes its exponent.
        uint8_t takers = k == 0 ? 0x5 : 0xa;
        if (has_low != has_high) takers = has_high == (k == 1) ? 0xf : 0;
        takers &= exponent_mask;
        if (!(k == 0 ? has_low : has_high) && takers == 0) continue;
        const Pair a = frame.pair(0, k);
        Value *low = frame.scratch(), *high = frame.scratch(), *e = frame.scratch();
        for (uint32_t lane : frame.lanes()) {
            Wide fraction;
            wide::frexp(c, a.at(frame.c, lane), fraction, e[lane]);
            // The exponent is an integer.
            if (frame.instruction.saturate) fraction = wide::saturate(c, fraction, frame.instruction.saturate_signed);
            split(fraction, frame.m.pairs, low[lane], high[lane]);
        }
        fractions[static_cast<size_t>(2 * k)] = low;
        fractions[static_cast<size_t>(2 * k + 1)] = high;
        for (size_t i = 0; i < 4; ++i)
            if (takers >> i & 1) exponents[i] = e;
    }
}

void doubles(Frame& frame) {
    const Context c = wide_context(frame.c);
    const auto one = [&](Wide (*op)(const Context&, const Wide&)) {
        each_pair1(frame, [&](const Wide& a) { return op(c, a); });
    };
    const auto two = [&](Wide (*op)(const Context&, const Wide&, const Wide&)) {
        each_pair2(frame, [&](const Wide& a, const Wide& b) { return op(c, a, b); });
    };
    const auto three = [&](Wide (*op)(const Context&, const Wide&, const Wide&, const Wide&)) {
        each_pair(frame, [&](int k) {
            const Pair x = frame.pair(0, k), y = frame.pair(1, k), z = frame.pair(2, k);
            return [&frame, &c, op, x, y, z](uint32_t lane) {
                return op(c, x.at(frame.c, lane), y.at(frame.c, lane), z.at(frame.c, lane));
            };
        });
    };
    switch (frame.op()) {
        case Opcode::DABS:
            return one(abs);
        case Opcode::DNEG:
            return one(neg);
        case Opcode::DCEIL:
            return one(ceil);
        case Opcode::DFLR:
            return one(floor);
        case Opcode::DFRAC:
            return one(fract);
        case Opcode::DROUND:
            return one(round_even);
        case Opcode::DTRUNC:
            return one(trunc);
        case Opcode::DRCP:
            return one(wide::rcp);
        case Opcode::DRSQ:
            return one(wide::rsq);
        case Opcode::DSQRT:
            return one(wide::sqrt);
        case Opcode::DSSG:
            return one(sign);
        case Opcode::DADD:
            return two(add);
        case Opcode::DDIV:
            return two(wide::div);
        case Opcode::DMUL:
            return each_pair(frame, [&](int k) {
                const Pair a = frame.pair(0, k), b = frame.pair(1, k);
                return [&frame, &c, a, b](uint32_t lane) {
                    return a.same_as(b) ? square(c, a.at(frame.c, lane))
                                        : mul(c, a.at(frame.c, lane), b.at(frame.c, lane));
                };
            });
        case Opcode::DMAX:
            return two(max);
        case Opcode::DMIN:
            return two(min);
        case Opcode::DMAD:
            return each_pair(frame, [&](int k) {
                const Pair x = frame.pair(0, k), y = frame.pair(1, k), z = frame.pair(2, k);
                return [&frame, &c, x, y, z](uint32_t lane) {
                    const Wide a = x.at(frame.c, lane), d = z.at(frame.c, lane);
                    if (x.same_as(y) && !c.contract) return add(c, square(c, a), d);
                    return wide::mad(c, a, y.at(frame.c, lane), d);
                };
            });
        case Opcode::DFMA:
            return three(wide::fma);
        case Opcode::DSEQ:
            return compare_doubles(frame, kEqual);
        case Opcode::DSNE:
            return compare_doubles(frame, kNotEqual);
        case Opcode::DSGE:
            return compare_doubles(frame, kGreaterEqual);
        case Opcode::DSLT:
            return compare_doubles(frame, kLess);
        case Opcode::DLDEXP:
            return load_exponent(frame);
        case Opcode::DFRACEXP:
            return fraction_and_exponent(frame);
        default:
            return;
    }
}

/// The others are of doubles.
void integer_pairs(Frame& frame) {
    switch (frame.op()) {
        case Opcode::I64ABS:
            return words1(frame, [](uint64_t a) { return s(a) < 0 ? 0 - a : a; });
        case Opcode::I64NEG:
            return words1(frame, [](uint64_t a) { return 0 - a; });
        case Opcode::I64SSG:
            return words1(frame, [](uint64_t a) { return s(a) < 0 ? ~uint64_t{0} : a ? 1 : 0; });
        case Opcode::I64DIV:
            // As IDIV: division by 0 gives 0, INT64_MIN ÷ -1 gives INT64_MIN itself.
            return words2(frame, [](uint64_t a, uint64_t b) {
                return b == 0 ? 0 : b == ~uint64_t{0} ? 0 - a : u(s(a) / s(b));
            });
        case Opcode::I64MOD:
            return words2(frame, [](uint64_t a, uint64_t b) {
                return b == 0 ? ~uint64_t{0} : b == ~uint64_t{0} ? 0 : u(s(a) % s(b));
            });
        case Opcode::I64MAX:
            return words2(frame, [](uint64_t a, uint64_t b) { return s(a) > s(b) ? a : b; });
        case Opcode::I64MIN:
            return words2(frame, [](uint64_t a, uint64_t b) { return s(a) < s(b) ? a : b; });
        case Opcode::I64SGE:
            return compare_words(frame, [](uint64_t a, uint64_t b) { return s(a) >= s(b); });
        case Opcode::I64SLT:
            return compare_words(frame, [](uint64_t a, uint64_t b) { return s(a) < s(b); });
        case Opcode::I64SHR:
            return shift(frame, [](uint64_t a, uint64_t n) { return u(s(a) >> n); });
        case Opcode::U64ADD:
            return words2(frame, [](uint64_t a, uint64_t b) { return a + b; });
        case Opcode::U64MUL:
            return words2(frame, [](uint64_t a, uint64_t b) { return a * b; });
        case Opcode::U64DIV:
            return words2(frame, [](uint64_t a, uint64_t b) { return b ? a / b : ~uint64_t{0}; });
        case Opcode::U64MOD:
            return words2(frame, [](uint64_t a, uint64_t b) { return b ? a % b : ~uint64_t{0}; });
        case Opcode::U64MAX:
            return words2(frame, [](uint64_t a, uint64_t b) { return a > b ? a : b; });
        case Opcode::U64MIN:
            return words2(frame, [](uint64_t a, uint64_t b) { return a < b ? a : b; });
        case Opcode::U64SEQ:
        case Opcode::U64SNE:
            return compare_equal(frame, frame.op() == Opcode::U64SNE);
        case Opcode::U64SGE:
            return compare_words(frame, [](uint64_t a, uint64_t b) { return a >= b; });
        case Opcode::U64SLT:
            return compare_words(frame, [](uint64_t a, uint64_t b) { return a < b; });
        case Opcode::U64SHL:
            return shift(frame, [](uint64_t a, uint64_t n) { return a << n; });
        case Opcode::U64SHR:
            return shift(frame, [](uint64_t a, uint64_t n) { return a >> n; });
        default:
            return doubles(frame);
    }
}

/// CLOCK: it rises by itself; the nominal clock counts instructions.
void read_clock(Frame& frame) {
    frame.result[0] = frame.map_lanes([&](uint32_t) { return unknown(static_cast<uint32_t>(frame.m.progress.steps)); });
    frame.result[1] =
        frame.map_lanes([&](uint32_t) { return unknown(static_cast<uint32_t>(frame.m.progress.steps >> 32)); });
    frame.mask &= 3;
}

}  // namespace

void wide_family(Frame& frame) {
    frame.op() == Opcode::CLOCK ? read_clock(frame) : integer_pairs(frame);
}

}  // namespace tgsi2spv::reference
