// Encodes commands as guests do: the other reading of the protocol's documents, for tests.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "virgl/protocol.h"

namespace tgsi2spv::virgl::test {

using Buffer = std::vector<uint32_t>;

/// A command's header and its words.
inline Buffer command(CommandId id, const Buffer& words, uint32_t object = 0) {
    Buffer out{static_cast<uint32_t>(id) | object << 8 | static_cast<uint32_t>(words.size()) << 16};
    out.insert(out.end(), words.begin(), words.end());
    return out;
}
inline Buffer create(ObjectType type, const Buffer& words) {
    return command(CommandId::CreateObject, words, static_cast<uint32_t>(type));
}

inline uint32_t bits(float value) {
    return std::bit_cast<uint32_t>(value);
}

/// A text as words; the last one is filled with zeros.
inline Buffer text_words(std::string_view text) {
    Buffer out((text.size() + 3) / 4);
    for (size_t i = 0; i < text.size(); i++)
        out[i / 4] |= static_cast<uint32_t>(static_cast<unsigned char>(text[i])) << 8 * (i % 4);
    return out;
}

/// The words `start`, `start + 1`, ….
inline Buffer counting(size_t count, uint32_t start = 1) {
    Buffer out(count);
    for (size_t i = 0; i < count; i++) out[i] = start + static_cast<uint32_t>(i);
    return out;
}

inline Buffer operator+(Buffer a, const Buffer& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

}  // namespace tgsi2spv::virgl::test
