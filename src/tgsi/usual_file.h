// A register file as producers write it, for the parsers of usual statements.
#pragma once

#include <bit>

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
    p += std::countr_zero(bracket) / 8 + 1;
    return static_cast<uint8_t>(p[-2]) > ' ';  // folding does not turn a blank into a letter
}

}  // namespace tgsi2spv::tgsi
