// 32-bit integer, bitwise and bit-field opcodes: exact on words.
#include <algorithm>

#include "reference/frame.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::Opcode;

int32_t s(uint32_t w) {
    return static_cast<int32_t>(w);
}
uint32_t u(int64_t i) {
    return static_cast<uint32_t>(i);
}

/// `x`, widened to what the two-valued masks of `b` leave of it: AND with a truth value keeps an interval.
Value and_words(const Context& c, const Value& a, const Value& b) {
    Value v = words2(c, a, b, [](uint32_t x, uint32_t y) { return x & y; });
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
                Context plain_bits;
                Value magnitude = abs(plain_bits, x);
                h.add(magnitude);
            } else {
                return false;
            }
        }
        v = h.finish(v.value);
        return true;
    };
    if (masked(a, b) || masked(b, a)) return v;
    return v;
}

Value or_words(const Context& c, const Value& a, const Value& b) {
    Value v = words2(c, a, b, [](uint32_t x, uint32_t y) { return x | y; });
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

Value xor_words(const Context& c, const Value& a, const Value& b) {
    Value v = words2(c, a, b, [](uint32_t x, uint32_t y) { return x ^ y; });
    if (!is_unknown(v)) return v;
    for (const auto& [x, mask] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
        if (!is_exact(*mask)) continue;
        Value r = *x;
        r.value = v.value;
        if (mask->words[0] == 0) return r;
        r.pair = 0;
        if (mask->words[0] == kSign && r.kind == Kind::Interval) {
            r.lo = x->hi ^ kSign;
            r.hi = x->lo ^ kSign;
            return r;
        }
    }
    return v;
}

/// Sums of small numbers keep an interval: the patterns of non-negative integers are in the order of floats.
Value add_words(const Context& c, const Value& a, const Value& b) {
    Value v = words2(c, a, b, [](uint32_t x, uint32_t y) { return x + y; });
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

/// Whether the offset and bits of a field are in range (semantics: Integer); otherwise the result is undefined.
bool field(uint32_t offset, uint32_t bits) {
    return s(offset) >= 0 && s(bits) >= 0 && uint64_t{offset} + bits <= 32;
}

/// A bit-field operation f(word, offset, bits) with undefined fields.
template <class F>
Value field_op(const Context& c, const Value& base, const Value& offset, const Value& bits, F f) {
    auto plain = [&](uint32_t o, uint32_t b, uint32_t w) { return field(o, b) ? f(w, o, b) : 0; };
    const uint32_t value = plain(offset.value, bits.value, base.value);
    WordList os, bs;
    if (!enumerate(offset, os) || !enumerate(bits, bs)) return unknown(value);
    for (int i = 0; i < os.count; ++i)
        for (int j = 0; j < bs.count; ++j)
            if (!field(os.words[i], bs.words[j])) return unknown(value);
    return words3(c, base, offset, bits, [&](uint32_t w, uint32_t o, uint32_t b) { return plain(o, b, w); });
}

uint32_t low_bits(uint32_t bits) {
    return bits >= 32 ? ~0u : (1u << bits) - 1;
}

uint32_t reversed(uint32_t w) {
    uint32_t r = 0;
    for (int i = 0; i < 32; ++i, w >>= 1) r = r << 1 | (w & 1);
    return r;
}

uint32_t highest_bit(uint32_t w) {
    return w ? 31u - static_cast<uint32_t>(std::countl_zero(w)) : ~0u;
}

/// Shift count of component i: src1.x for every component in the older editions (semantics: Integer).
template <class F>
void shift(Frame& f, bool shared_count, F op) {
    for (int i = 0; i < 4; ++i) {
        if (!f.writes(i)) continue;
        f.result[static_cast<size_t>(i)] = f.map(
            [&](const Value& a, const Value& b) {
                return words2(f.c, a, b, [&](uint32_t x, uint32_t n) { return op(x, n & 31); });
            },
            f.src(0, i), f.src(1, shared_count ? 0 : i));
    }
}

}  // namespace

bool integer(Frame& f) {
    const Context& c = f.c;
    auto one = [&](auto op) { f.each1([&](const Value& a) { return words1(c, a, op); }); };
    auto two = [&](auto op) { f.each2([&](const Value& a, const Value& b) { return words2(c, a, b, op); }); };
    auto three = [&](auto op) {
        f.each3([&](const Value& a, const Value& b, const Value& d) { return words3(c, a, b, d, op); });
    };
    switch (f.op()) {
        case Opcode::UADD:
            f.each2([&](const Value& a, const Value& b) { return add_words(c, a, b); });
            return true;
        case Opcode::UMUL:
            two([](uint32_t a, uint32_t b) { return a * b; });
            return true;
        case Opcode::UMAX:
            two([](uint32_t a, uint32_t b) { return a > b ? a : b; });
            return true;
        case Opcode::UMIN:
            two([](uint32_t a, uint32_t b) { return a < b ? a : b; });
            return true;
        case Opcode::UDIV:
            two([](uint32_t a, uint32_t b) { return b ? a / b : ~0u; });
            return true;
        case Opcode::UMOD:
            two([](uint32_t a, uint32_t b) { return b ? a % b : ~0u; });
            return true;
        case Opcode::UMUL_HI:
            two([](uint32_t a, uint32_t b) { return static_cast<uint32_t>(uint64_t{a} * b >> 32); });
            return true;
        case Opcode::UMAD:
            three([](uint32_t a, uint32_t b, uint32_t d) { return a * b + d; });
            return true;
        case Opcode::IDIV:
            two([](uint32_t a, uint32_t b) { return b ? u(int64_t{s(a)} / s(b)) : 0u; });
            return true;
        case Opcode::MOD:
            two([](uint32_t a, uint32_t b) { return b ? u(int64_t{s(a)} % s(b)) : ~0u; });
            return true;
        case Opcode::IMAX:
            two([](uint32_t a, uint32_t b) { return s(a) > s(b) ? a : b; });
            return true;
        case Opcode::IMIN:
            two([](uint32_t a, uint32_t b) { return s(a) < s(b) ? a : b; });
            return true;
        case Opcode::IMUL_HI:
            two([](uint32_t a, uint32_t b) { return u(int64_t{s(a)} * s(b) >> 32); });
            return true;
        case Opcode::IABS:
            one([](uint32_t a) { return s(a) < 0 ? 0 - a : a; });
            return true;
        case Opcode::INEG:
            one([](uint32_t a) { return 0 - a; });
            return true;
        case Opcode::ISSG:
            one([](uint32_t a) { return s(a) < 0 ? ~0u : a ? 1u : 0u; });
            return true;
        case Opcode::AND:
            f.each2([&](const Value& a, const Value& b) { return and_words(c, a, b); });
            return true;
        case Opcode::OR:
            f.each2([&](const Value& a, const Value& b) { return or_words(c, a, b); });
            return true;
        case Opcode::XOR:
            f.each2([&](const Value& a, const Value& b) { return xor_words(c, a, b); });
            return true;
        case Opcode::NOT:
            one([](uint32_t a) { return ~a; });
            return true;
        case Opcode::SHL:
            shift(f, c.old_dialect(), [](uint32_t a, uint32_t n) { return a << n; });
            return true;
        case Opcode::USHR:
            shift(f, false, [](uint32_t a, uint32_t n) { return a >> n; });
            return true;
        case Opcode::ISHR:
            shift(f, false, [](uint32_t a, uint32_t n) { return u(s(a) >> n); });
            return true;
        case Opcode::BFI:
            for (int i = 0; i < 4; ++i) {
                if (!f.writes(i)) continue;
                f.result[static_cast<size_t>(i)] = f.map(
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
                            if (c.plain) return exact(value);
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
                    f.src(0, i), f.src(1, i), f.src(2, i), f.src(3, i));
            }
            return true;
        case Opcode::UBFE:
            f.each3([&](const Value& a, const Value& o, const Value& b) {
                return field_op(c, a, o, b, [](uint32_t w, uint32_t offset, uint32_t bits) {
                    return bits ? w >> offset & low_bits(bits) : 0;
                });
            });
            return true;
        case Opcode::IBFE:
            f.each3([&](const Value& a, const Value& o, const Value& b) {
                return field_op(c, a, o, b, [](uint32_t w, uint32_t offset, uint32_t bits) {
                    return bits ? u(s(w << (32 - offset - bits)) >> (32 - bits)) : 0;
                });
            });
            return true;
        case Opcode::BREV:
            one(reversed);
            return true;
        case Opcode::POPC:
            one([](uint32_t a) { return static_cast<uint32_t>(std::popcount(a)); });
            return true;
        case Opcode::LSB:
            one([](uint32_t a) { return a ? static_cast<uint32_t>(std::countr_zero(a)) : ~0u; });
            return true;
        case Opcode::UMSB:
            one(highest_bit);
            return true;
        case Opcode::IMSB:
            one([](uint32_t a) { return highest_bit(s(a) < 0 ? ~a : a); });
            return true;
        case Opcode::UARL:
            f.each1([](const Value& v) { return v; });
            return true;
        default:
            return false;
    }
}

}  // namespace tgsi2spv::reference
