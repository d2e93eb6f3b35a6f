// 32-bit integer, bitwise and bit-field opcodes: exact on words.
#include <algorithm>

#include "reference/families/families.h"
#include "reference/numbers/words.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::Opcode;

int32_t s(uint32_t w) {
    return static_cast<int32_t>(w);
}
uint32_t u(int64_t i) {
    return static_cast<uint32_t>(i);
}

// Bounds of results that are too many to list. An interval has the order of floats, which is that of the words from 0
// to that of infinity; the other words without a sign bit are NaNs, and so are integers from -1 down to -2^23 + 1.

/// The greatest word that a value may be.
uint32_t most(const Value& v) {
    if (is_unknown(v) || v.maybe_nan) return ~0u;
    if (v.kind == Kind::Words) return *std::max_element(v.words.begin(), v.words.begin() + v.count);
    return (v.lo | v.hi) & kSign ? ~0u : v.hi;
}

/// Every word from 0 to `last`.
void add_up_to(Hull& hull, uint32_t last) {
    if (last & kSign) return hull.add_unknown();
    if (last < 4) {
        for (uint32_t w = 0; w <= last; ++w) hull.add_word(w);
        return;
    }
    hull.add_interval(0u, std::min(last, kInf));
    if (last > kInf) hull.add_nan();
}
/// Every integer from -`last` - 1 to `last`.
void add_signed(Hull& hull, uint32_t last) {
    if (last >= 0x7fffff) return hull.add_unknown();
    if (last < 2) {
        for (int32_t i = -s(last) - 1; i <= s(last); ++i) hull.add_word(u(i));
        return;
    }
    add_up_to(hull, last);
    hull.add_nan();
}

/// The same value, or if it is unknown, the Hull that `put` fills.
template <class Put>
Value bounded(const Context& context, const Value& v, Put put) {
    if (context.nominal || !is_unknown(v)) return v;
    Hull h;
    put(h);
    return h.is_unknown() ? v : unknown_if_free(h.finish(v.value));
}
Value up_to(const Context& context, const Value& v, uint32_t last) {
    return bounded(context, v, [last](Hull& h) { add_up_to(h, last); });
}
/// The Hull of `put` for each word of `list`; unknown if these cannot be listed.
template <class Put>
Value bounded_for_each(const Context& context, const Value& v, const Value& list, Put put) {
    WordList words;
    if (context.nominal || !is_unknown(v) || !enumerate(list, words)) return v;
    return bounded(context, v, [&](Hull& h) {
        for (int i = 0; i < words.count; ++i) put(h, words.words[static_cast<size_t>(i)]);
    });
}

/// `a`, widened by the two-valued masks of `b`: AND with a truth value keeps an interval.
Value and_words(const Context& context, const Value& a, const Value& b) {
    Value v = words2(context, a, b, [](uint32_t x, uint32_t y) { return x & y; });
    if (!is_unknown(v)) return v;
    auto masked = [&](const Value& x, const Value& mask) {
        WordList m;
        if (!enumerate(mask, m)) return false;
        Hull h;
        for (int i = 0; i < m.count; ++i) {
            const uint32_t w = m.words[i];
            if (w == 0) {
                h.add_word(0);
            } else if (w == ~0u) {
                h.add(x);
            } else if (std::popcount(w) <= 1) {
                h.add_word(0);
                h.add_word(w);
            } else if (w == ~kSign && x.kind == Kind::Interval) {
                Context nominal_bits;
                Value magnitude = abs(nominal_bits, x);
                h.add(magnitude);
            } else {
                return false;
            }
        }
        v = h.finish(v.value);
        return true;
    };
    if (masked(a, b) || masked(b, a)) return v;
    return up_to(context, v, std::min(most(a), most(b)));
}

Value or_words(const Context& context, const Value& a, const Value& b) {
    Value v = words2(context, a, b, [](uint32_t x, uint32_t y) { return x | y; });
    if (!is_unknown(v)) return v;
    for (const auto& [x, mask] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
        WordList m;
        if (!enumerate(*mask, m)) continue;
        Hull h;
        bool known = true;
        for (int i = 0; i < m.count && known; ++i) {
            if (m.words[i] == 0)
                h.add(*x);
            else if (m.words[i] == ~0u)
                h.add_word(~0u);
            else
                known = false;
        }
        if (known) return h.finish(v.value);
    }
    return v;
}

Value xor_words(const Context& context, const Value& a, const Value& b) {
    Value v = words2(context, a, b, [](uint32_t x, uint32_t y) { return x ^ y; });
    if (!is_unknown(v)) return v;
    for (const auto& [x, mask] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
        if (!is_exact(*mask)) continue;
        Value r = *x;
        r.value = v.value;
        if (mask->words[0] == 0) return r;
        r.pair = 0;
        if (mask->words[0] == kSign && r.kind == Kind::Interval) {
            Value f = flipped(r);
            f.value = v.value;
            return f;
        }
    }
    return v;
}

/// Sums of small numbers keep an interval: the patterns of non-negative integers are in the order of floats.
Value add_words(const Context& context, const Value& a, const Value& b) {
    Value v = words2(context, a, b, [](uint32_t x, uint32_t y) { return x + y; });
    if (!is_unknown(v)) return v;
    auto ends = [](const Value& x, uint32_t& lo, uint32_t& hi) {
        if (x.kind == Kind::Unknown || x.maybe_nan) return false;
        const bool words = x.kind == Kind::Words;
        lo = words ? *std::min_element(x.words.begin(), x.words.begin() + x.count) : x.lo;
        hi = words ? *std::max_element(x.words.begin(), x.words.begin() + x.count) : x.hi;
        return lo <= hi && hi < kInf / 2;
    };
    uint32_t al, ah, bl, bh;
    if (!ends(a, al, ah) || !ends(b, bl, bh)) return v;
    return interval(al + bl, ah + bh, v.value);
}

/// Products of small numbers do, too.
Value multiply_words(const Context& context, const Value& a, const Value& b) {
    const Value v = words2(context, a, b, [](uint32_t x, uint32_t y) { return x * y; });
    return bounded(context, v, [last = uint64_t{most(a)} * most(b)](Hull& h) {
        last <= kInf ? add_up_to(h, static_cast<uint32_t>(last)) : h.add_unknown();
    });
}

/// Whether the offset and bits of a field are in range (semantics: Integer); otherwise the result is undefined.
bool field(uint32_t offset, uint32_t bits) {
    return s(offset) >= 0 && s(bits) >= 0 && uint64_t{offset} + bits <= 32;
}

/// A bit-field operation f(word, offset, bits) with undefined fields.
template <class F>
Value field_op(const Context& context, const Value& base, const Value& offset, const Value& bits, F f) {
    auto nominal = [&](uint32_t o, uint32_t b, uint32_t w) { return field(o, b) ? f(w, o, b) : 0; };
    const uint32_t value = nominal(offset.value, bits.value, base.value);
    WordList os, bs;
    if (!enumerate(offset, os) || !enumerate(bits, bs)) return unknown(value);
    for (int i = 0; i < os.count; ++i)
        for (int j = 0; j < bs.count; ++j)
            if (!field(os.words[i], bs.words[j])) return unknown(value);
    return words3(context, base, offset, bits, [&](uint32_t w, uint32_t o, uint32_t b) { return nominal(o, b, w); });
}

uint32_t low_bits(uint32_t bits) {
    return bits >= 32 ? ~0u : (1u << bits) - 1;
}

/// Calls put(offset, bits) for each field, if they can be listed and all are in range.
template <class Put>
Value bounded_by_fields(const Context& context, const Value& v, const Value& offset, const Value& bits, Put put) {
    WordList os, bs;
    if (context.nominal || !is_unknown(v) || !enumerate(offset, os) || !enumerate(bits, bs)) return v;
    return bounded(context, v, [&](Hull& h) {
        for (int i = 0; i < os.count; ++i)
            for (int j = 0; j < bs.count; ++j) {
                const uint32_t o = os.words[static_cast<size_t>(i)], b = bs.words[static_cast<size_t>(j)];
                if (!field(o, b)) return h.add_unknown();
                b == 0 ? h.add_word(0) : put(h, o, b);
            }
    });
}

/// a >> n, logically or (`is_signed`) arithmetically.
Value right_shifted(const Context& context, const Value& a, const Value& n, bool is_signed) {
    const Value v = words2(context, a, n, [is_signed](uint32_t x, uint32_t count) {
        return is_signed ? u(s(x) >> (count & 31)) : x >> (count & 31);
    });
    const uint32_t last = most(a);
    if ((last & kSign) == 0) is_signed = false;  // the same
    const Value shifted = bounded_for_each(context, v, n, [&](Hull& h, uint32_t count) {
        count &= 31;
        is_signed ? add_signed(h, 0x7fffffffu >> count) : add_up_to(h, last >> count);
    });
    return is_signed ? shifted : up_to(context, shifted, last);
}

/// The remainder of a by b. `is_signed`: it has the sign of a (semantics: Integer).
Value remainder(const Context& context, const Value& a, const Value& b, bool is_signed) {
    const Value v = words2(context, a, b, [is_signed](uint32_t x, uint32_t y) {
        if (y == 0) return ~0u;
        return is_signed ? u(int64_t{s(x)} % s(y)) : x % y;
    });
    const uint32_t last = most(a);
    return bounded_for_each(context, v, b, [&](Hull& h, uint32_t y) {
        if (y == 0) return h.add_word(~0u);
        const uint32_t below = (is_signed && s(y) < 0 ? 0 - y : y) - 1;
        is_signed && (last & kSign) ? add_signed(h, below) : add_up_to(h, std::min(last, below));
    });
}

uint32_t reversed(uint32_t w) {
    uint32_t r = 0;
    for (int i = 0; i < 32; ++i, w >>= 1) r = r << 1 | (w & 1);
    return r;
}

uint32_t highest_bit(uint32_t w) {
    return w ? 31u - static_cast<uint32_t>(std::countl_zero(w)) : ~0u;
}

void shift_left(Frame& frame) {
    const Context& c = frame.c;
    // The count is src1.x for every component in the older editions (semantics: Integer).
    for (int i = 0; i < 4; ++i) {
        if (!frame.writes(i)) continue;
        frame.result[static_cast<size_t>(i)] = frame.map(
            [&](const Value& a, const Value& b) {
                const Value v = words2(c, a, b, [](uint32_t x, uint32_t n) { return x << (n & 31); });
                return bounded_for_each(c, v, b, [last = most(a)](Hull& h, uint32_t n) {
                    const uint64_t shifted = uint64_t{last} << (n & 31);
                    shifted <= kInf ? add_up_to(h, static_cast<uint32_t>(shifted)) : h.add_unknown();
                });
            },
            frame.src(0, i), frame.src(1, c.old_dialect() ? 0 : i));
    }
}

/// BFI
void insert_field(Frame& frame) {
    const Context& c = frame.c;
    for (int i = 0; i < 4; ++i) {
        if (!frame.writes(i)) continue;
        frame.result[static_cast<size_t>(i)] = frame.map(
            [&](const Value& base, const Value& insert, const Value& offset, const Value& bits) {
                // Base and insert are combined only when the field is known, so that each half keeps its words.
                Value inserted = field_op(c, insert, offset, bits, [](uint32_t w, uint32_t o, uint32_t b) {
                    return b ? (w & low_bits(b)) << o : 0;
                });
                Value kept = field_op(c, base, offset, bits, [](uint32_t w, uint32_t o, uint32_t b) {
                    return b ? w & ~(low_bits(b) << o) : w;
                });
                if (!is_exact(offset) || !is_exact(bits)) {
                    const uint32_t value = inserted.value | kept.value;
                    WordList x, y;
                    if (c.nominal) return exact(value);
                    if (!enumerate(base, x) || !enumerate(insert, y) || is_unknown(kept)) return unknown(value);
                    Hull h;
                    WordList o, b;
                    enumerate(offset, o);
                    enumerate(bits, b);
                    for (int p = 0; p < o.count; ++p)
                        for (int q = 0; q < b.count; ++q) {
                            const uint32_t n = b.words[q], at = o.words[p];
                            const uint32_t mask = n ? low_bits(n) << at : 0;
                            for (int k = 0; k < x.count; ++k)
                                for (int l = 0; l < y.count; ++l)
                                    h.add_word((n ? y.words[l] << at & mask : 0) | (x.words[k] & ~mask));
                        }
                    return h.finish(value);
                }
                return words2(c, inserted, kept, [](uint32_t x, uint32_t y) { return x | y; });
            },
            frame.src(0, i), frame.src(1, i), frame.src(2, i), frame.src(3, i));
    }
}

void arithmetic_of_integers(Frame& frame) {
    const Context& c = frame.c;
    auto one = [&](auto op) { frame.each1([&](const Value& a) { return words1(c, a, op); }); };
    auto two = [&](auto op) { frame.each2([&](const Value& a, const Value& b) { return words2(c, a, b, op); }); };
    switch (frame.op()) {
        case Opcode::UADD:
            return frame.each2([&](const Value& a, const Value& b) { return add_words(c, a, b); });
        case Opcode::UMUL:
            return frame.each2([&](const Value& a, const Value& b) { return multiply_words(c, a, b); });
        case Opcode::UMAX:
            return two([](uint32_t a, uint32_t b) { return a > b ? a : b; });
        case Opcode::UMIN:
            return frame.each2([&](const Value& a, const Value& b) {
                return up_to(c, words2(c, a, b, [](uint32_t x, uint32_t y) { return x < y ? x : y; }),
                             std::min(most(a), most(b)));
            });
        case Opcode::UDIV:
            return frame.each2([&](const Value& a, const Value& b) {
                const Value v = words2(c, a, b, [](uint32_t x, uint32_t y) { return y ? x / y : ~0u; });
                return bounded_for_each(c, v, b, [last = most(a)](Hull& h, uint32_t y) {
                    y == 0 ? h.add_word(~0u) : add_up_to(h, last / y);
                });
            });
        case Opcode::UMOD:
            return frame.each2([&](const Value& a, const Value& b) { return remainder(c, a, b, false); });
        case Opcode::UMUL_HI:
            return two([](uint32_t a, uint32_t b) { return static_cast<uint32_t>(uint64_t{a} * b >> 32); });
        case Opcode::UMAD:
            return frame.each3([&](const Value& a, const Value& b, const Value& d) {
                const Value v = words3(c, a, b, d, [](uint32_t x, uint32_t y, uint32_t z) { return x * y + z; });
                if (c.nominal || !is_unknown(v)) return v;
                return add_words(c, multiply_words(c, a, b), d);
            });
        case Opcode::IDIV:
            return two([](uint32_t a, uint32_t b) { return b ? u(int64_t{s(a)} / s(b)) : 0u; });
        case Opcode::MOD:
            return frame.each2([&](const Value& a, const Value& b) { return remainder(c, a, b, true); });
        case Opcode::IMAX:
            return two([](uint32_t a, uint32_t b) { return s(a) > s(b) ? a : b; });
        case Opcode::IMIN:
            return two([](uint32_t a, uint32_t b) { return s(a) < s(b) ? a : b; });
        case Opcode::IMUL_HI:
            return two([](uint32_t a, uint32_t b) { return u(int64_t{s(a)} * s(b) >> 32); });
        case Opcode::IABS:
            return one([](uint32_t a) { return s(a) < 0 ? 0 - a : a; });
        case Opcode::INEG:
            return one([](uint32_t a) { return 0 - a; });
        case Opcode::ISSG:
            return frame.each1([&](const Value& a) {
                const Value v = words1(c, a, [](uint32_t w) { return s(w) < 0 ? ~0u : w ? 1u : 0u; });
                return bounded(c, v, [last = most(a)](Hull& h) {
                    for (uint32_t w : {0u, 1u}) h.add_word(w);
                    if (last & kSign) h.add_word(~0u);
                });
            });
        default:
            return;
    }
}

}  // namespace

void integer(Frame& frame) {
    const Context& c = frame.c;
    auto one = [&](auto op) { frame.each1([&](const Value& a) { return words1(c, a, op); }); };
    // The number of a bit, or -1 for none.
    auto bit_number = [&](uint32_t last, auto op) {
        frame.each1([&](const Value& a) {
            return bounded(c, words1(c, a, op), [last](Hull& h) {
                add_up_to(h, last);
                h.add_word(~0u);
            });
        });
    };
    switch (frame.op()) {
        case Opcode::AND:
            return frame.each2([&](const Value& a, const Value& b) { return and_words(c, a, b); });
        case Opcode::OR:
            return frame.each2([&](const Value& a, const Value& b) { return or_words(c, a, b); });
        case Opcode::XOR:
            return frame.each2([&](const Value& a, const Value& b) { return xor_words(c, a, b); });
        case Opcode::NOT:
            return one([](uint32_t a) { return ~a; });
        case Opcode::SHL:
            return shift_left(frame);
        case Opcode::USHR:
            return frame.each2([&](const Value& a, const Value& n) { return right_shifted(c, a, n, false); });
        case Opcode::ISHR:
            return frame.each2([&](const Value& a, const Value& n) { return right_shifted(c, a, n, true); });
        case Opcode::BFI:
            return insert_field(frame);
        case Opcode::UBFE:
            return frame.each3([&](const Value& a, const Value& o, const Value& b) {
                const Value v = field_op(c, a, o, b, [](uint32_t w, uint32_t offset, uint32_t bits) {
                    return bits ? w >> offset & low_bits(bits) : 0;
                });
                return bounded_by_fields(c, v, o, b, [last = most(a)](Hull& h, uint32_t offset, uint32_t bits) {
                    add_up_to(h, std::min(low_bits(bits), last >> offset));
                });
            });
        case Opcode::IBFE:
            return frame.each3([&](const Value& a, const Value& o, const Value& b) {
                const Value v = field_op(c, a, o, b, [](uint32_t w, uint32_t offset, uint32_t bits) {
                    return bits ? u(s(w << (32 - offset - bits)) >> (32 - bits)) : 0;
                });
                return bounded_by_fields(c, v, o, b,
                                         [](Hull& h, uint32_t, uint32_t bits) { add_signed(h, low_bits(bits - 1)); });
            });
        case Opcode::BREV:
            return one(reversed);
        case Opcode::POPC:
            return frame.each1([&](const Value& a) {
                return up_to(c, words1(c, a, [](uint32_t w) { return static_cast<uint32_t>(std::popcount(w)); }), 32);
            });
        case Opcode::LSB:
            return bit_number(31, [](uint32_t a) { return a ? static_cast<uint32_t>(std::countr_zero(a)) : ~0u; });
        case Opcode::UMSB:
            return bit_number(31, highest_bit);
        case Opcode::IMSB:
            return bit_number(30, [](uint32_t a) { return highest_bit(s(a) < 0 ? ~a : a); });
        case Opcode::UARL:
            return frame.each1([](const Value& v) { return v; });
        default:
            return arithmetic_of_integers(frame);
    }
}

}  // namespace tgsi2spv::reference
