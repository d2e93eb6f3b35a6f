// SplitMix64: a small generator with the same numbers everywhere (unlike the standard library's distributions).
#pragma once

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

  private:
    uint64_t state_;
};

}  // namespace tgsi2spv::difftest
