// Random numbers. Each use has a stream of its own, so that dropping one use changes no other.
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>

namespace scenes {

class Random {
  public:
    /// A stream for one operation of one feature of one scene.
    Random(uint64_t seed, std::string_view feature, uint64_t operation = 0) : state_(seed) {
        for (const char letter : feature) state_ = (state_ ^ static_cast<unsigned char>(letter)) * 0x100000001B3;
        state_ += (operation + 1) * 0xD1B54A32D192ED03;
        next();
    }
    /// Splitmix64: all 64 bits of the state change the upper half of the result.
    uint32_t next() {
        uint64_t z = state_ += 0x9E3779B97F4A7C15;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return static_cast<uint32_t>((z ^ (z >> 31)) >> 32);
    }
    int below(int limit) { return static_cast<int>(uint64_t{next()} * static_cast<uint64_t>(limit) >> 32); }
    int between(int first, int last) { return first + below(last - first + 1); }
    bool one_in(int times) { return below(times) == 0; }
    template <typename List>
    const auto& of(const List& list) {
        return std::data(list)[below(static_cast<int>(std::size(list)))];
    }

  private:
    uint64_t state_;
};

}  // namespace scenes
