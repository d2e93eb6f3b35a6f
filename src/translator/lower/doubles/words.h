// Arithmetic of several words, as instructions of the function that is being built. Operators emit when they are
// evaluated, and C++ leaves the order of most operands and arguments open: at most one of a call may emit anything.
// `ONE_EMITS(function)` refuses calls with two that have no name. (Braced lists, whose order is defined, are not seen.)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ir/builder.h"

namespace tgsi2spv::lower::doubles {

/// A u32, or a bool where a function says so.
struct Word {
    ir::Builder* b = nullptr;
    ir::Value v = ir::kNone;
};

/// A word, or a number that becomes a constant.
struct Operand {
    Operand(const Word& word) : v(word.v) {}     // NOLINT: implicit on purpose
    Operand(uint32_t constant) : n(constant) {}  // NOLINT: implicit on purpose
    ir::Value in(ir::Builder& b) const { return v == ir::kNone ? b.const_u32(n) : v; }

    ir::Value v = ir::kNone;
    uint32_t n = 0;
};

/// Whether two of the arguments are results of calls.
template <class... T>
concept SeveralEmit = (int{std::is_class_v<T>} + ...) > 1;  // forwarded: an argument with a name is a reference
#define ONE_EMITS(function)        \
    template <class X, class... Y> \
    requires SeveralEmit<X, Y...>  \
    void function(X&&, Y&&...) = delete;
ONE_EMITS(both)
ONE_EMITS(either)
ONE_EMITS(choose)
ONE_EMITS(flipped)
ONE_EMITS(sum)
ONE_EMITS(difference)
ONE_EMITS(is_below)
ONE_EMITS(shifted_left)
ONE_EMITS(shifted_right)
ONE_EMITS(product)

inline Word operation(ir::Op op, const Word& x, const Operand& y) {
    return {x.b, x.b->op(op, x.v, y.in(*x.b))};
}
#define OPERATOR(symbol, op)                                       \
    template <class X, class Y>                                    \
    requires SeveralEmit<X, Y>                                     \
    void operator symbol(X&&, Y&&) = delete;                       \
    inline Word operator symbol(const Word& x, const Operand& y) { \
        return operation(ir::Op::op, x, y);                        \
    }
OPERATOR(+, IAdd)
OPERATOR(-, ISub)
OPERATOR(&, And)
OPERATOR(|, Or)
OPERATOR(^, Xor)
OPERATOR(<<, Shl)
OPERATOR(>>, LShr)
// Comparisons, of unsigned words, and the logic of their bools.
OPERATOR(==, IEq)
OPERATOR(!=, INe)
OPERATOR(<, ULt)
OPERATOR(>, UGt)
OPERATOR(>=, UGe)
#undef OPERATOR
// For two words, which could also be compared the other way round.
inline Word operator==(const Word& x, const Word& y) {
    return operation(ir::Op::IEq, x, y);
}
inline Word both(const Word& x, const Word& y) {
    return operation(ir::Op::LAnd, x, y);
}
inline Word either(const Word& x, const Word& y) {
    return operation(ir::Op::LOr, x, y);
}
inline Word negation(const Word& x) {
    return {x.b, x.b->lnot(x.v)};
}
/// condition ? x : y
inline Word choose(const Word& condition, const Operand& x, const Operand& y) {
    ir::Builder& b = *condition.b;
    const ir::Value a = x.in(b);
    return {&b, b.select(condition.v, a, y.in(b))};
}
inline Word constant(ir::Builder& b, uint32_t n) {
    return {&b, b.const_u32(n)};
}
/// 1 or 0, of a bool.
inline Word bit(const Word& condition) {
    return choose(condition, 1u, 0u);
}

/// A number of N words, the lowest first.
template <size_t N>
using Wide = std::array<Word, N>;

template <size_t N>
Wide<N> wide(ir::Builder& b, uint64_t n) {
    Wide<N> x;
    for (size_t i = 0; i < N; ++i) x[i] = constant(b, i < 2 ? static_cast<uint32_t>(n >> 32 * i) : 0);
    return x;
}
template <size_t N>
Wide<N> choose(const Word& condition, Wide<N> x, const Wide<N>& y) {
    for (size_t i = 0; i < N; ++i) x[i] = choose(condition, x[i], y[i]);
    return x;
}
template <size_t N>
Word is_nonzero(const Wide<N>& x) {
    Word any = x[0];
    for (size_t i = 1; i < N; ++i) any = any | x[i];
    return any != 0u;
}
/// Each word with y.
template <size_t N>
Wide<N> flipped(Wide<N> x, const Operand& y) {
    for (Word& word : x) word = word ^ y;
    return x;
}

/// x + y + carry, which is 0 or 1; wraps.
template <size_t N>
Wide<N> sum(const Wide<N>& x, const Wide<N>& y, Word carry) {
    Wide<N> s;
    for (size_t i = 0; i < N; ++i) {
        const Word part = x[i] + y[i];
        s[i] = part + carry;
        if (i + 1 == N) break;
        const Word over = part < x[i], again = s[i] < part;
        carry = bit(either(over, again));
    }
    return s;
}
/// x − y; wraps.
template <size_t N>
Wide<N> difference(const Wide<N>& x, const Wide<N>& y) {
    const Wide<N> inverse = flipped(y, 0xffff'ffffu);
    return sum(x, inverse, constant(*x[0].b, 1));
}
/// x < y
template <size_t N>
Word is_below(const Wide<N>& x, const Wide<N>& y) {
    Word below = x[0] < y[0];
    for (size_t i = 1; i < N; ++i) {
        const Word equal = x[i] == y[i], less = x[i] < y[i];
        below = either(less, both(equal, below));
    }
    return below;
}

/// Shifts by 0 to 32·N − 1 bits.
template <size_t N>
Wide<N> shifted_left(Wide<N> x, const Word& count) {
    for (size_t step = N / 2; step > 0; step /= 2) {  // N is a power of two
        const Word masked = count & static_cast<uint32_t>(32 * step);
        const Word far = masked != 0u;
        for (size_t i = N; i-- > 0;) x[i] = i < step ? choose(far, 0u, x[i]) : choose(far, x[i - step], x[i]);
    }
    const Word bits = count & 31u;
    const Word rest = bits ^ 31u;
    for (size_t i = N; i-- > 0;) {
        const Word high = x[i] << bits;
        x[i] = i == 0 ? high : high | (x[i - 1] >> 1u) >> rest;
    }
    return x;
}
/// Shifts by 0 to 32·N − 1 bits. With `sticky`, a lost bit that was set also sets bit 0: the rest rounds as x does.
template <size_t N>
Wide<N> shifted_right(Wide<N> x, const Word& count, bool sticky) {
    Word lost = constant(*count.b, 0);
    for (size_t step = N / 2; step > 0; step /= 2) {
        const Word masked = count & static_cast<uint32_t>(32 * step);
        const Word far = masked != 0u;
        Word low = x[0];
        for (size_t i = 1; i < step; ++i) low = low | x[i];
        if (sticky) lost = lost | choose(far, low, 0u);
        for (size_t i = 0; i < N; ++i) x[i] = i + step < N ? choose(far, x[i + step], x[i]) : choose(far, 0u, x[i]);
    }
    const Word bits = count & 31u;
    const Word rest = bits ^ 31u;
    if (sticky) lost = lost | (x[0] << 1u) << rest;
    for (size_t i = 0; i < N; ++i) {
        const Word low = x[i] >> bits;
        x[i] = i + 1 == N ? low : low | (x[i + 1] << 1u) << rest;
    }
    if (sticky) x[0] = x[0] | bit(lost != 0u);
    return x;
}

/// x moved up so that its top bit is set, and by how many bits. 0 stays, by 0.
template <size_t N>
struct Normalised {
    Wide<N> x;
    Word zeros;
};
template <size_t N>
Normalised<N> normalised(const Wide<N>& x) {
    ir::Builder& b = *x[0].b;
    Word zeros = constant(b, 0);
    for (size_t i = 0; i < N; ++i) {
        const Word top{&b, b.op(ir::Op::FindUMsb, x[i].v)};
        const Word above = constant(b, static_cast<uint32_t>(31 + 32 * (N - 1 - i))) - top;
        zeros = choose(x[i] != 0u, above, zeros);
    }
    return {shifted_left(x, zeros), zeros};
}
/// The upper half; bit 0 is set too if the lower one is not 0.
template <size_t N>
Wide<N / 2> upper_half(const Wide<N>& x) {
    Wide<N / 2> high, low;
    for (size_t i = 0; i < N / 2; ++i) low[i] = x[i], high[i] = x[N / 2 + i];
    high[0] = high[0] | bit(is_nonzero(low));
    return high;
}

Wide<2> product(const Word& x, const Word& y);
Wide<4> product(const Wide<2>& x, const Wide<2>& y);

}  // namespace tgsi2spv::lower::doubles
