// How the targets that read texts change one: by words and lines (damage.h), or into one from the opcode table
// (shaped.h).
#pragma once

#include <algorithm>
#include <cstring>

#include "damage.h"
#include "shaped.h"
#include "target.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

namespace fuzz {

/// LLVMFuzzerCustomMutator for a text that follows `before` bytes. Half of the changes are libFuzzer's own.
inline size_t change_text(uint8_t* data, size_t size, size_t most, unsigned seed, size_t before) {
    Random random(seed);
    if (size < before || most < before || random.below(2) == 0) return LLVMFuzzerMutate(data, size, most);
    if (before > 0 && random.below(2) == 0) data[random.below(before)] = static_cast<uint8_t>(random.next());
    const std::string other = shaped(random);
    const std::string text =
        random.below(8) == 0 ? other : mutate(text_of(data + before, size - before), other, random);
    const size_t length = std::min(text.size(), most - before);
    std::memcpy(data + before, text.data(), length);
    return before + length;
}

}  // namespace fuzz
