// Handles eight bytes of text at once, as one number with the first byte lowest. So unpredictable properties of the
// text, such as the length of a word, need no loop and no branch.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tgsi2spv::tgsi {

inline constexpr bool kFirstByteIsLowest = std::endian::native == std::endian::little;

inline uint64_t eight_bytes(const char* p) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, p, sizeof bytes);
    return bytes;
}

/// The first of eight bytes, `count` below eight; the rest zeros.
constexpr uint64_t first_bytes(uint64_t bytes, size_t count) {
    return bytes & ((uint64_t{1} << 8 * count) - 1);
}

/// A byte eight times.
constexpr uint64_t eight_times(int byte) {
    return 0x0101'0101'0101'0101u * static_cast<uint8_t>(byte);
}

/// The number of bytes before the first one that has a bit set; 8 if none has.
constexpr size_t bytes_before(uint64_t found) {
    return static_cast<unsigned>(std::countr_zero(found)) / 8;
}

/// The first byte at or after `p` that is not ' ', or one of the last seven before `end`.
inline const char* after_spaces(const char* p, const char* end) {
    for (; end - p >= 8; p += 8)
        if (const uint64_t others = eight_bytes(p) ^ eight_times(' '); others != 0) return p + bytes_before(others);
    return p;
}

/// Sets the top bit of each byte that is not a letter, digit or '_'.
constexpr uint64_t find_no_word(uint64_t bytes) {
    // With seven bits each, no sum overflows its byte, and its top bit shows which of two numbers is larger.
    const uint64_t low = bytes & eight_times(0x7f), lower_case = low | eight_times(0x20);
    const uint64_t letter = (lower_case + eight_times(0x80 - 'a')) & ~(lower_case + eight_times(0x80 - 'z' - 1));
    const uint64_t digit = (low + eight_times(0x80 - '0')) & ~(low + eight_times(0x80 - '9' - 1));
    const uint64_t underscore = ~((low ^ eight_times('_')) + eight_times(0x7f));
    return (~(letter | digit | underscore) | bytes) & eight_times(0x80);
}

}  // namespace tgsi2spv::tgsi
