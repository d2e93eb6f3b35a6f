// A hash table over things that stand elsewhere: it holds their indices only. clear() takes no time, and once the table
// has grown to its working size nothing allocates. A small module uses few slots of a table that a large one has grown,
// so that it stays in the cache.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tgsi2spv::ir {

/// Mixes `word` into `hash` (splitmix64's multiplier).
constexpr uint64_t hash_word(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0xbf58'476d'1ce4'e5b9ull;
    return hash ^ (hash >> 29);
}

class FlatTable {
  public:
    /// Empties the table; about `expected` insertions follow.
    void clear(size_t expected = 0) {
        used_ = 0;
        next_generation();
        mask_ = std::bit_ceil(std::max<size_t>(64, expected * 2)) - 1;
        if (slots_.size() <= mask_) slots_.resize(mask_ + 1);
    }

    /// The index already stored whose thing equals the sought one, else `index`, which is stored. The caller may
    /// write another index of an equal thing to the place, until the next insertion.
    template <class Equal>
    uint32_t& find_or_insert(uint64_t full_hash, uint32_t index, Equal&& equal) {
        if (used_ * 2 >= mask_ + 1) grow();
        const auto hash = static_cast<uint32_t>(full_hash >> 16);
        for (size_t at = hash & mask_;; at = (at + 1) & mask_) {
            Slot& slot = slots_[at];
            if (slot.generation != generation_) {
                slot = {generation_, hash, index};
                used_++;
                return slot.index;
            }
            if (slot.hash == hash && equal(slot.index)) return slot.index;
        }
    }

  private:
    struct Slot {
        uint32_t generation = 0;
        uint32_t hash = 0;
        uint32_t index = 0;
    };
    std::vector<Slot> slots_ = std::vector<Slot>(64);
    std::vector<Slot> other_;  ///< takes turns with `slots_` when the table grows
    size_t used_ = 0;
    size_t mask_ = 63;  ///< of the slots in use
    uint32_t generation_ = 1;

    void next_generation() {
        if (++generation_ != 0) return;
        std::fill(slots_.begin(), slots_.end(), Slot{});  // the stamps have gone round: none may look current
        std::fill(other_.begin(), other_.end(), Slot{});
        generation_ = 1;
    }
    void grow() {
        const uint32_t old_generation = generation_;
        const size_t old_size = mask_ + 1;
        std::swap(slots_, other_);
        mask_ = old_size * 2 - 1;
        if (slots_.size() <= mask_) slots_.resize(mask_ + 1);
        if (++generation_ == 0) {
            std::fill(slots_.begin(), slots_.end(), Slot{});
            generation_ = 1;
        }
        for (size_t i = 0; i < old_size; i++) {
            const Slot& slot = other_[i];
            if (slot.generation != old_generation) continue;
            size_t at = slot.hash & mask_;
            while (slots_[at].generation == generation_) at = (at + 1) & mask_;
            slots_[at] = {generation_, slot.hash, slot.index};
        }
    }
};

}  // namespace tgsi2spv::ir
