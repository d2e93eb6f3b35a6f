// Random numbers. Each use has a stream of its own, so that dropping one use changes no other.
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>

#include "inputs/random.h"

namespace scenes {

class Random {
  public:
    /// A stream for one operation of one feature of one scene.
    Random(uint64_t seed, std::string_view feature, uint64_t operation = 0)
        : numbers_(state_of(seed, feature, operation)) {
        next();
    }
    uint32_t next() { return static_cast<uint32_t>(numbers_.next() >> 32); }
    int below(int limit) { return static_cast<int>(numbers_.below(static_cast<uint64_t>(limit))); }
    int between(int first, int last) { return numbers_.between(first, last); }
    bool one_in(int times) { return below(times) == 0; }
    template <typename List>
    const auto& of(const List& list) {
        return std::data(list)[below(static_cast<int>(std::size(list)))];
    }

  private:
    static uint64_t state_of(uint64_t seed, std::string_view feature, uint64_t operation) {
        for (const char letter : feature) seed = (seed ^ static_cast<unsigned char>(letter)) * 0x100000001B3;
        return seed + (operation + 1) * 0xD1B54A32D192ED03;
    }
    tgsi2spv::difftest::Random numbers_;
};

}  // namespace scenes
