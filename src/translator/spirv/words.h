// A growing array of SPIR-V words, and the one way to write an instruction into it.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tgsi2spv::spirv {

using Id = uint32_t;

/// Keeps its memory when cleared; new words are not initialised.
class WordBuffer {
  public:
    explicit WordBuffer(std::pmr::memory_resource* memory) : memory_(memory) {}
    WordBuffer(const WordBuffer&) = delete;
    WordBuffer& operator=(const WordBuffer&) = delete;
    ~WordBuffer() { release(); }

    void clear() { size_ = 0; }
    size_t size() const { return size_; }
    std::span<const uint32_t> words() const { return {data_, size_}; }
    uint32_t& operator[](size_t i) { return data_[i]; }

    uint32_t* grow(size_t n) {
        if (size_ + n > capacity_) enlarge(size_ + n);
        uint32_t* p = data_ + size_;
        size_ += n;
        return p;
    }
    void push(uint32_t word) { *grow(1) = word; }

  private:
    void enlarge(size_t needed) {
        size_t capacity = capacity_ ? capacity_ * 2 : 256;
        while (capacity < needed) capacity *= 2;
        auto* data = static_cast<uint32_t*>(memory_->allocate(capacity * sizeof(uint32_t), alignof(uint32_t)));
        if (size_) std::memcpy(data, data_, size_ * sizeof(uint32_t));
        release();
        data_ = data;
        capacity_ = capacity;
    }
    void release() {
        if (data_ != nullptr) memory_->deallocate(data_, capacity_ * sizeof(uint32_t), alignof(uint32_t));
    }

    std::pmr::memory_resource* memory_;
    uint32_t* data_ = nullptr;
    size_t size_ = 0;
    size_t capacity_ = 0;
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
