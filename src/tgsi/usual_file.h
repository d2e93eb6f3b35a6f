// A register file and an index as producers write them, for the parsers of usual statements.
#pragma once

#include "tgsi/bytes.h"
#include "tgsi/keywords.h"
#include "tgsi/types.h"

namespace tgsi2spv::tgsi {

/// Parses the name of a file and '[': up to eight letters, in any case. Eight bytes may be read from `p` on.
[[gnu::always_inline]] inline bool usual_file(const char*& p, File& file) {
    const uint64_t bytes = eight_bytes(p);
    const uint64_t bracket = find_byte(bytes, '[');
    if (bracket == 0) return false;
    const uint64_t word = bytes & (bracket ^ (bracket - 1)) >> 8 & kFoldedLetters;
    const uint16_t found = kFileWords.find({word});
    if (found == kFileWords.kNone) return false;
    file = static_cast<File>(found);
    p += bytes_before(bracket) + 1;
    return static_cast<uint8_t>(p[-2]) > ' ';  // folding does not turn a blank into a letter
}

/// An index with more digits is not usual.
inline constexpr int kMostDigits = 6;

/// Parses digits up to ']', which is taken. Mostly one or two digits: these need no loop.
inline bool usual_index(const char*& p, int32_t& index) {
    const auto digit = [](char c) { return static_cast<uint8_t>(c - '0'); };
    if (digit(*p) > 9) return false;
    index = digit(*p++);
    if (*p != ']') {
        if (digit(*p) > 9) return false;
        index = index * 10 + digit(*p++);
        for (int digits = 2; digit(*p) <= 9 && digits < kMostDigits; ++digits) index = index * 10 + digit(*p++);
    }
    return *p++ == ']';
}

}  // namespace tgsi2spv::tgsi
