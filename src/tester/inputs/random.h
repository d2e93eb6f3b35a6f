// SplitMix64: a small generator with the same numbers everywhere (unlike the standard library's distributions).
//
// Draws must be separate statements, or be sequenced by the language: the order in which a compiler evaluates the
// operands of + or |, or the arguments of a call, is its own choice.
#pragma once

#include <cmath>
#include <cstdint>

namespace tgsi2spv::difftest {

class Random {
  public:
    explicit Random(uint64_t seed) : state_(seed) {}

    uint64_t next() {
        uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    /// Returns 0 … n−1, for n below 2^32.
    uint32_t below(uint64_t n) { return static_cast<uint32_t>((next() >> 32) * n >> 32); }
    /// Returns low … high.
    int32_t between(int32_t low, int32_t high) {
        return low + static_cast<int32_t>(below(static_cast<uint32_t>(high - low + 1)));
    }
    /// Returns a number in [0, 1).
    double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    /// Returns a number in [2^low, 2^high), every power of two equally likely. A math library's exp2 would give other
    /// numbers elsewhere.
    double magnitude(int32_t low, int32_t high) {
        const int32_t exponent = between(low, high - 1);
        return std::ldexp(1 + static_cast<double>(next() >> 12) * 0x1p-52, exponent);
    }

  private:
    uint64_t state_;
};

}  // namespace tgsi2spv::difftest
