// Numbers as cases write them: 5, -7 and 0xff are words, 1.5, inf, nan, 2^-22, 0x1.8p3 and 5.0:255 (a quotient) floats,
// 1.5d is a double, 7q has 64 bits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tgsi2spv::test {

struct Number {
    uint64_t bits = 0;
    bool is_wide = false;

    /// One word, or the low and the high one.
    std::vector<uint32_t> words() const;
};

bool parse_number(const std::string& text, Number& number);

}  // namespace tgsi2spv::test
