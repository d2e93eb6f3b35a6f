// A hash table that holds only indices of objects stored elsewhere. Once it has grown to its working size, nothing
// allocates. A small module uses few slots of a table that a large module has grown: they stay in the cache.
// (A std::pmr::unordered_multimap in a pool takes five times the machine instructions for each lookup: 403 against 83.)
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

namespace tgsi2spv::ir {

/// Mixes `word` into `hash` (splitmix64's multiplier).
constexpr uint64_t hash_word(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0xbf58'476d'1ce4'e5b9ull;
    return hash ^ (hash >> 29);
}

/// For each table another, so that no text can be written whose objects meet in one slot: neither addresses nor earlier
/// runs tell it. No order of a table reaches the output.
uint64_t random_seed() noexcept;

/// Two words as one to hash, with few collisions. No shift: a compiler would load both words at once, and wait for the
/// two stores that mostly come just before.
constexpr uint64_t pair_of_words(uint32_t first, uint32_t second) {
    return first * 0x9e37'79b9'7f4a'7c15ull + second;
}

class FlatTable {
  public:
    explicit FlatTable(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : slots_(memory), other_(memory) {
        clear();
    }

    /// Empties the table; about `expected` insertions follow. Takes no time: entries of older generations count as
    /// empty.
    void clear(size_t expected = 0) { start(std::bit_ceil(std::max<size_t>(64, 2 * expected))); }

    size_t size() const { return used_; }

    /// The hash of every object in this table starts with this.
    uint64_t seed() const { return seed_; }

    /// Returns the stored index whose object equals the wanted one; otherwise stores `index`. Until the next insertion,
    /// the caller may overwrite it with the index of another equal object.
    template <class Equal>
    [[gnu::always_inline]] uint32_t& find_or_insert(uint64_t full_hash, uint32_t index, Equal&& equal) {
        if (used_ >= limit_) grow();
        const auto hash = static_cast<uint32_t>(full_hash >> 16);
        for (size_t at = hash & mask_;; at = (at + 1) & mask_) {
            Slot& slot = slots_[at];
            if (slot.generation != generation_) {
                slot = {hash, index, generation_};
                used_++;
                return slot.index;
            }
            if (slot.hash == hash && equal(slot.index)) return slot.index;
        }
    }

  private:
    struct Slot {
        uint32_t hash = 0;
        uint32_t index = 0;
        uint32_t generation = 0;
    };
    std::pmr::vector<Slot> slots_;
    std::pmr::vector<Slot> other_;  ///< a copy of the slots, for grow()
    size_t used_ = 0;
    size_t mask_ = 0;   ///< number of slots in use, less 1
    size_t limit_ = 0;  ///< the table grows when this many slots are used
    uint32_t generation_ = 0;
    uint64_t seed_ = random_seed();

    void start(size_t size) {
        used_ = 0;
        mask_ = size - 1;
        limit_ = size / 4 * 3;
        if (++generation_ == 0) {  // wrapped: old entries would become valid again
            std::fill(slots_.begin(), slots_.end(), Slot());
            generation_ = 1;
        }
        if (slots_.size() < size) slots_.resize(size);
    }
    [[gnu::noinline]] void grow() {
        other_.assign(slots_.begin(), slots_.begin() + static_cast<ptrdiff_t>(mask_ + 1));
        const uint32_t old_generation = generation_;
        start(2 * (mask_ + 1));
        for (const Slot& slot : other_)
            if (slot.generation == old_generation)
                find_or_insert(uint64_t{slot.hash} << 16, slot.index, [](uint32_t) { return false; });
    }
};

}  // namespace tgsi2spv::ir
