// A register file and an index as producers write them, for the parsers of usual statements.
#pragma once

#include "tgsi/bytes.h"
#include "tgsi/keywords.h"
#include "tgsi/types.h"

namespace tgsi2spv::tgsi {

/// Register files by their names in capitals.
inline constexpr auto kUsualFiles = [] {
    using Files = DistinctWords<File, kFileCount, 6>;
    std::array<Files::Entry, kFileCount> all{};
    for (size_t i = 0; i < kFileCount; ++i) all[i] = {bytes_of(kFileNames[i]), static_cast<File>(i)};
    return Files(all);
}();

/// Takes the name of a file in capitals, up to seven, and '[': returns the place behind, or null. Eight bytes may be
/// read from `p` on.
[[gnu::always_inline]] inline const char* usual_file(const char* p, File& file) {
    const uint64_t bytes = eight_bytes(p), bracket = find_byte(bytes, '[');
    const bool known = kUsualFiles.find(bytes & (bracket ^ (bracket - 1)) >> 8, file);
    p += bytes_before(bracket) + 1;
    return bracket != 0 && known && p[-2] != '\0' ? p : nullptr;  // a zero behind a word does not change its number
}

/// An index with more digits is not usual.
inline constexpr int kMaxDigits = 6;

/// Parses digits up to ']', which is taken. Mostly one or two digits: these need no loop.
inline bool usual_index(const char*& p, int32_t& index) {
    const auto digit = [](char c) { return static_cast<uint8_t>(c - '0'); };
    if (digit(*p) > 9) return false;
    index = digit(*p++);
    if (*p != ']') {
        if (digit(*p) > 9) return false;
        index = index * 10 + digit(*p++);
        for (int digits = 2; digit(*p) <= 9 && digits < kMaxDigits; ++digits) index = index * 10 + digit(*p++);
    }
    return *p++ == ']';
}

}  // namespace tgsi2spv::tgsi
