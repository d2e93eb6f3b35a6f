#include "inputs/draw.h"

#include <bit>

namespace tgsi2spv::difftest {

namespace {

constexpr uint32_t kEdgeFloats[] = {
    0x00000000, 0x80000000,                                      // ±0
    0x7f800000, 0xff800000,                                      // ±inf
    0x7fc00000,                                                  // NaN
    0x00000001, 0x80000001,                                      // the smallest denormals
    0x007fffff, 0x00800000,                                      // the largest denormal, the smallest normal
    0x7f7fffff, 0xff7fffff,                                      // the largest
    0x3f800000, 0xbf800000,                                      // ±1
    0x3effffff, 0x3f000000, 0xbf000000, 0x3f7fffff, 0x40200000,  // around halves and 1
    0x4b800001,                                                  // odd, and too large to have a fraction
    0xcf000000, 0x4f000000, 0x4effffff, 0x4f7fffff, 0x4f800000,  // around 2^31 and 2^32
    0xdf000000, 0x5f000000, 0x5effffff, 0x5f7fffff, 0x5f800000,  // around 2^63 and 2^64
};

constexpr uint64_t kEdgeDoubles[] = {
    0x0000000000000000, 0x8000000000000000,  // ±0
    0x7ff0000000000000, 0xfff0000000000000,  // ±inf
    0x7ff8000000000000,                      // NaN
    0x0000000000000001, 0x8000000000000001,  // the smallest denormals
    0x000fffffffffffff, 0x0010000000000000,  // the largest denormal, the smallest normal
    0x7fefffffffffffff, 0xffefffffffffffff,  // the largest
    0x3ff0000000000000, 0xbff0000000000000,  // ±1
    0x3fdfffffffffffff, 0x3fe0000000000000, 0x3fefffffffffffff, 0x4004000000000000,  // around halves and 1
    0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000000000,                      // around ±2^31
    0x41efffffffe00000, 0x41f0000000000000,                                          // around 2^32
    0x43dfffffffffffff, 0x43e0000000000000, 0xc3e0000000000000,                      // around ±2^63
    0x43efffffffffffff, 0x43f0000000000000,                                          // around 2^64
};

constexpr uint64_t kEdgeLongs[] = {
    0,
    1,
    ~0ull,
    0x8000000000000000,
    0x8000000000000001,
    0x7fffffffffffffff,
    0x100000000,
    0xffffffff,
    0x80000000,
    63,
    0x20000000000001,  // 2^53 + 1, which is not a double
};

uint32_t bits(double v) {
    return std::bit_cast<uint32_t>(static_cast<float>(v));
}

template <class T, size_t N>
T any_of(Random& random, const T (&list)[N]) {
    return list[random.below(N)];
}

}  // namespace

/// Returns a position inside a texel, away from its edges and centre.
double Draw::inside_texel() {
    const double start = random.below(2) != 0 ? 0.6 : 0.1;
    return start + 0.3 * random.unit();
}

/// The words that a program compares with are most likely among its own immediates.
uint32_t Draw::own_word() {
    return program.immediates[random.below(program.immediates.size())].words[random.below(4)];
}

/// Returns an index that often lies beyond small arrays, and sometimes beyond all arrays.
int32_t Draw::beyond_arrays() {
    return random.below(3) == 0 ? random.between(-64, 512) : random.between(-3, 12);
}

/// Fractions distinguish rounding modes: halves (of odd and even numbers) and values on either side of them. In all
/// modes the result is 0 to 3, unless the set goes beyond that.
double Draw::float_index() {
    constexpr double kFractions[] = {0.25, 0.5, 0.75};
    const double fraction = random.below(2) == 0 ? 0 : any_of(random, kFractions);
    if (beyond && random.below(4) == 0) return beyond_arrays() + fraction;
    return random.between(0, fraction == 0 ? 3 : 2) + fraction;
}

uint32_t Draw::integer(bool edges) {
    if (edges && random.below(edge_odds) == 0) {
        // Divisions overflow for the smallest integer over -1, so these two are more likely.
        constexpr uint32_t kEdges[] = {0,  0xffffffff, 0x80000000, 0x7fffffff, 32,
                                       31, 0xffffffff, 0x80000000, 0x80000001};
        return any_of(random, kEdges);
    }
    if (wide && random.below(2) == 0) return any_word();
    const uint32_t kind = random.below(8);
    return kind == 0   ? static_cast<uint32_t>(random.next())
           : kind == 1 ? static_cast<uint32_t>(random.between(-16, -1))
                       : random.below(16);
}

uint64_t Draw::long_word(bool edges) {
    if (edges && random.below(edge_odds) == 0) {
        if (random.below(3) == 0) return random.below(2) == 0 ? ~0ull : 0x8000000000000000;  // as in integer()
        return any_of(random, kEdgeLongs);
    }
    // Small numbers divide others and are sometimes equal; the others fill one word or both.
    if (random.below(3) == 0) return static_cast<uint64_t>(int64_t{random.between(-8, 15)});
    const uint64_t word = random.next() >> random.below(64);
    return random.below(2) == 0 ? word : 0 - word;
}

uint64_t Draw::double_word(bool edges) {
    if (edges && random.below(edge_odds) == 0) {
        if (random.below(4) != 0) return any_of(random, kEdgeDoubles);
        // Magnitudes up to the end of the range of 64-bit integers.
        const uint64_t sign_bit = uint64_t{random.below(2)} << 63;
        const uint64_t exponent = (0x3ffull + random.below(66)) << 52;
        return sign_bit | exponent | random.next() >> 12;
    }
    // Halves: a number between two integers shows how it is rounded.
    if (random.below(8) == 0) return std::bit_cast<uint64_t>(random.between(-8, 8) * 0.5);
    const uint64_t low = value(Use::DoubleLow, false);
    return uint64_t{value(Use::DoubleHigh, false)} << 32 | low;
}

uint64_t Draw::pair(Use high, bool edges) {
    if (beyond && !program.immediates.empty() && random.below(3) == 0) {
        const auto& words = program.immediates[random.below(program.immediates.size())].words;
        const size_t first = 2 * random.below(2);
        return uint64_t{words[first + 1]} << 32 | words[first];
    }
    return high == Use::LongHigh ? long_word(edges) : double_word(edges);
}

uint32_t Draw::constant(Use use) {
    if (use == Use::Angle && !wide) return value(Use::Float, false);
    if (plain(use) != Use::Integer || use == Use::LongLow || use == Use::LongHigh) return value(use, false);
    if (wide && random.below(4) == 0) return random.below(2) == 0 ? any_word() : 0 - any_word();
    const auto small = [&] { return random.below(10); };
    const auto negative = [&] { return static_cast<uint32_t>(random.between(-16, -1)); };
    // A loop that checks whether its counter is below a negative number ends at once; a loop that counts up to that
    // number, as unsigned, does not.
    if (use == Use::Count) return small();
    if (use == Use::SignedCount) return random.below(4) == 0 ? negative() : small();
    switch (random.below(8)) {
        case 0:
            return 0;
        case 1:
        case 2:
            return negative();
        case 3:
            return any_word();
        case 4:
            return 0 - any_word();
        default:
            return small();
    }
}

uint32_t Draw::value(Use use, bool edges) {
    const Use kind = plain(use);
    const bool free = kind == Use::Integer || kind == Use::Float || kind == Use::DoubleLow || kind == Use::DoubleHigh;
    if (beyond && free && !program.immediates.empty() && random.below(3) == 0) return own_word();
    switch (use) {
        case Use::Place:
            // Values elsewhere than at the lane's position are unknown (docs/judge.md).
            return random.below(8) == 0 ? bits(random.unit() - 0.5) : 0;
        case Use::Small:
            return bits(random.unit() * 3 - 0.9);
        case Use::Bias:
            // Beyond the range to which a bias is clamped, ±16.
            if (random.below(8) == 0) {
                const double direction = sign();
                return bits(direction * (random.below(2) == 0 ? 17 : 40));
            }
            return bits(random.unit() * 3 - 0.9);
        case Use::Gradient: {
            // Up to the texture's size, so that levels between the first and the last are selected. Often only one
            // direction matters.
            const double size = random.below(3) == 0 ? 0 : random.magnitude(-5, 0);
            return bits(sign() * size);
        }
        case Use::Divisor:
            return bits(0.5 + 1.5 * random.unit());
        case Use::Reference:
            return bits(random.unit());
        case Use::Coordinate: {
            const int32_t texel = random.between(-3, 10);
            return bits((texel + inside_texel()) / kTextureSize);
        }
        case Use::Direction:
            return bits((random.unit() * 2 - 1) * 1.5);
        case Use::TexelCoordinate: {
            const int32_t texel = random.between(-2, 9);
            return bits(texel + inside_texel());
        }
        case Use::Layer: {
            const int32_t layer = random.between(0, 4);
            return bits(layer + random.unit() * 0.6 - 0.3);
        }
        case Use::Texel:
            if (beyond && random.below(4) == 0) return static_cast<uint32_t>(random.between(-3, 12));
            return static_cast<uint32_t>(random.between(random.below(8) == 0 ? -1 : 0, 7));
        case Use::Address:
            if (beyond && random.below(4) == 0) return random.below(2048);
            return 4 * random.below(random.below(8) == 0 ? 80 : 24);
        case Use::FloatIndex:
            return bits(float_index());
        case Use::Index:
            return static_cast<uint32_t>(beyond && random.below(4) == 0 ? beyond_arrays() : random.between(0, 3));
        case Use::ImageHandle:
            if (beyond && random.below(4) == 0) return random.below(2) == 0 ? 4 + random.below(40) : any_word();
            return random.below(4);
        case Use::Handle:
            return random.below(4);
        case Use::Integer:
        case Use::SignedCount:
        case Use::Count:
            return integer(edges);
        case Use::DoubleLow:
            return random.below(4) == 0 ? 0 : static_cast<uint32_t>(random.next());
        case Use::DoubleHigh: {
            if (edges && random.below(edge_odds) == 0) return static_cast<uint32_t>(any_of(random, kEdgeDoubles) >> 32);
            // Magnitudes are similar, so that sums do not lose the smaller operand.
            const auto mantissa = static_cast<uint32_t>(random.next()) & 0xfffff;
            const uint32_t sign_bit = random.below(2) << 31;
            return sign_bit | (0x3fdu + random.below(random.below(4) == 0 ? 9 : 5)) << 20 | mantissa;
        }
        case Use::LongLow:
            return static_cast<uint32_t>(long_word(edges));
        case Use::LongHigh:
            return static_cast<uint32_t>(long_word(edges) >> 32);
        case Use::Truth:
            // Both zeros are false as floats, but −0 is true as an integer.
            if (random.below(2) == 0) return random.below(2) << 31;
            return value(Use::Float, edges);
        case Use::Angle:
            // Up to the limit of the judge's bounds, with every power of two equally likely.
            if (random.below(3) == 0) {
                const double direction = sign();
                return bits(direction * random.magnitude(-3, 15));
            }
            return value(Use::Float, edges);
        default: {
            if (edges && random.below(edge_odds) == 0) return any_of(random, kEdgeFloats);
            if (random.below(16) == 0) return bits(random.between(-2, 2));
            const double part = random.unit() * 2 - 1;
            return bits(part * (random.below(4) == 0 ? 40 : 2));
        }
    }
}

}  // namespace tgsi2spv::difftest
