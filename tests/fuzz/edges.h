// Wrong words, near right ones.
#pragma once

#include <array>
#include <cstdint>
#include <random>

namespace fuzz {

inline uint32_t damaged(uint32_t word, uint32_t other, std::mt19937_64& random) {
    constexpr std::array<uint32_t, 12> kEdges = {0,      1,       2,          3,          16,         255,
                                                 0x7fff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff};
    switch (random() % 5) {
        case 0:
            return kEdges[random() % kEdges.size()];
        case 1:
            return word + static_cast<uint32_t>(random() % 9) - 4;
        case 2:
            return other;
        case 3:
            return word ^ 1u << random() % 32;
        default:
            return word * 2;
    }
}

}  // namespace fuzz
