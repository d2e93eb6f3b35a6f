// Keyword lookup: a word is folded into a few 64-bit numbers and found in a table computed at compile time. Folding
// clears bit 5. That turns lower case into upper case, keeps '_' and moves digits to unused values: words of letters,
// digits and '_' stay distinct.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tgsi2spv::tgsi {

/// The bits of eight letters that folding keeps.
inline constexpr uint64_t kFoldedLetters = 0xdfdf'dfdf'dfdf'dfdfu;

template <size_t Parts>
using Folded = std::array<uint64_t, Parts>;

/// The caller must refuse words longer than the key (WordTable::find does).
template <size_t Parts>
constexpr Folded<Parts> fold(std::string_view word) {
    Folded<Parts> key{};
    for (size_t i = 0; i < word.size(); ++i)
        key[i / 8] |= uint64_t{static_cast<uint8_t>(word[i] & 0xdf)} << (8 * (i % 8));
    return key;
}

/// The same, faster, if at least 8 * Parts bytes of text may be read from the word's start.
template <size_t Parts>
inline Folded<Parts> fold(std::string_view word, const char* end) {
    if (std::endian::native != std::endian::little || end - word.data() < static_cast<ptrdiff_t>(8 * Parts))
        return fold<Parts>(word);
    Folded<Parts> key;
    for (size_t i = 0; i < Parts; ++i) {
        uint64_t part = 0;
        std::memcpy(&part, word.data() + 8 * i, sizeof part);
        const size_t left = word.size() > 8 * i ? word.size() - 8 * i : 0;
        const uint64_t keep = left >= 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * left)) - 1;
        key[i] = part & keep & kFoldedLetters;
    }
    return key;
}

struct Spelling {
    std::string_view word;
    uint16_t value = 0;
};

/// An open-addressed hash table over `Count` spellings. `Slots` is a power of two, at least twice `Count`.
template <size_t Parts, size_t Count, size_t Slots>
class WordTable {
  public:
    static_assert(Slots >= 2 * Count && (Slots & (Slots - 1)) == 0);
    static constexpr uint16_t kNone = 0xffff;

    constexpr explicit WordTable(const std::array<Spelling, Count>& spellings) {
        for (const Spelling& s : spellings) {
            const Folded<Parts> key = fold<Parts>(s.word);
            size_t slot = hash(key);
            while (slots_[slot].value != kNone) slot = (slot + 1) % Slots;
            slots_[slot] = {key, s.value};
        }
    }

    constexpr uint16_t find(const Folded<Parts>& key) const {
        for (size_t slot = hash(key); slots_[slot].value != kNone; slot = (slot + 1) % Slots)
            if (same(slots_[slot].key, key)) return slots_[slot].value;
        return kNone;
    }
    /// The word may contain any bytes.
    constexpr uint16_t find(std::string_view word) const {
        if (word.size() > 8 * Parts) return kNone;
        for (char c : word)
            if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) return kNone;
        return find(fold<Parts>(word));
    }
    /// The word contains letters, digits and '_' only. `end`: end of the text that contains the word.
    uint16_t find(std::string_view word, const char* end) const {
        return word.size() > 8 * Parts ? kNone : find(fold<Parts>(word, end));
    }

  private:
    /// Compares without a branch for each part.
    static constexpr bool same(const Folded<Parts>& a, const Folded<Parts>& b) {
        uint64_t differ = 0;
        for (size_t i = 0; i < Parts; ++i) differ |= a[i] ^ b[i];
        return differ == 0;
    }
    static constexpr size_t hash(const Folded<Parts>& key) {
        uint64_t h = 0;
        for (uint64_t part : key) h = (h ^ part) * 0x9e3779b97f4a7c15u;
        return h >> (64 - std::countr_zero(Slots));
    }
    struct Slot {  // together: a word is looked up when the table is no longer in the cache
        Folded<Parts> key{};
        uint16_t value = kNone;
    };
    std::array<Slot, Slots> slots_{};
};

}  // namespace tgsi2spv::tgsi
