// A short text without memory of its own: names of variables and functions, and names in the reflection.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tgsi2spv::ir {

/// Texts longer than kMax bytes are cut off: none that lowering and reflection write is longer.
class Name {
  public:
    static constexpr size_t kMax = 47;

    constexpr Name() = default;
    template <class Text>
    requires std::convertible_to<const Text&, std::string_view>
    constexpr Name(const Text& text) {  // NOLINT: implicit on purpose
        append(text);
    }

    constexpr size_t size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr std::string_view view() const { return {text_.data(), size_}; }
    constexpr operator std::string_view() const { return view(); }  // NOLINT: implicit on purpose
    constexpr Name& append(std::string_view text) {
        const size_t count = std::min(text.size(), kMax - size_);
        std::copy_n(text.data(), count, text_.data() + size_);
        size_ = static_cast<uint8_t>(size_ + count);
        return *this;
    }

    template <class Text>
    requires std::convertible_to<const Text&, std::string_view>
    friend constexpr bool operator==(const Name& a, const Text& b) { return a.view() == std::string_view(b); }

  private:
    std::array<char, kMax> text_{};
    uint8_t size_ = 0;
};

}  // namespace tgsi2spv::ir
