// A growing array of SPIR-V words, and the one way to write an instruction into it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tgsi2spv::spirv {

using Id = uint32_t;

/// Keeps its memory when cleared; new words hold anything. (A std::vector, which clears what it appends, makes
/// conversions 3.5 % slower.)
class WordBuffer {
  public:
    explicit WordBuffer(std::pmr::memory_resource* memory) : words_(memory) {}

    void clear() { size_ = 0; }
    size_t size() const { return size_; }
    std::span<const uint32_t> words() const { return {words_.data(), size_}; }
    uint32_t& operator[](size_t i) { return words_[i]; }

    uint32_t* grow(size_t n) {
        if (size_ + n > words_.size()) enlarge(size_ + n);
        uint32_t* const p = words_.data() + size_;
        size_ += n;
        return p;
    }
    void push(uint32_t word) { *grow(1) = word; }

  private:
    [[gnu::noinline]] void enlarge(size_t least) { words_.resize(std::max<size_t>(256, 2 * least)); }

    std::pmr::vector<uint32_t> words_;
    size_t size_ = 0;
};

/// A word of an instruction: an id, a number, or an enumerant.
struct Word {
    uint32_t value;
    template <class T>
    requires std::is_enum_v<T> || std::is_integral_v<T>
    constexpr Word(T v) : value(static_cast<uint32_t>(v)) {}  // NOLINT: implicit on purpose
};

/// Writes one instruction whose operands are known here. The braces evaluate them from left to right, so ids that are
/// created on the way are the same with every compiler.
template <size_t N>
[[gnu::always_inline]] inline void put(WordBuffer& buffer, spv::Op op, const Word (&operands)[N]) {
    uint32_t* const p = buffer.grow(1 + N);
    p[0] = static_cast<uint32_t>(1 + N) << 16 | static_cast<uint32_t>(op);
    // No loop: the operands stay in registers. A loop would read them back from memory, two at once, and wait for that.
    [&]<size_t... I>(std::index_sequence<I...>) {
        ((p[1 + I] = operands[I].value), ...);
    }
    (std::make_index_sequence<N>());
}
inline void put(WordBuffer& buffer, spv::Op op) {
    buffer.push(1u << 16 | static_cast<uint32_t>(op));
}

/// A literal string: UTF-8 bytes, low byte first, NUL-terminated, padded with zeros.
inline void push_string(WordBuffer& buffer, std::string_view text) {
    const size_t count = text.size() / 4 + 1;
    uint32_t* p = buffer.grow(count);
    for (size_t i = 0; i < count; ++i) p[i] = 0;
    for (size_t i = 0; i < text.size(); ++i)
        p[i / 4] |= static_cast<uint32_t>(static_cast<unsigned char>(text[i])) << (8 * (i % 4));
}

/// Writes an instruction of an id and a literal string.
inline void put_string(WordBuffer& buffer, spv::Op op, Id id, std::string_view text) {
    buffer.push(static_cast<uint32_t>(2 + text.size() / 4 + 1) << 16 | static_cast<uint32_t>(op));
    buffer.push(id);
    push_string(buffer, text);
}

}  // namespace tgsi2spv::spirv
