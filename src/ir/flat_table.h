// A hash table over things that stand elsewhere: it holds their indices only. clear() is O(1), and once the table has
// grown to its working size nothing allocates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tgsi2spv::ir {

/// Mixes `word` into `hash` (splitmix64's multiplier).
constexpr uint64_t hash_word(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0xbf58'476d'1ce4'e5b9ull;
    return hash ^ (hash >> 29);
}

class FlatTable {
  public:
    void clear() {
        used_ = 0;
        if (++generation_ == 0) {  // the stamps have gone round: none may look current
            slots_.assign(slots_.size(), {});
            generation_ = 1;
        }
    }

    /// The index already stored whose thing equals the sought one, else `index`, which is stored. The caller may
    /// write another index of an equal thing to the place, until the next insertion.
    template <class Equal>
    uint32_t& find_or_insert(uint64_t full_hash, uint32_t index, Equal&& equal) {
        if (used_ * 2 >= slots_.size()) grow();
        const auto hash = static_cast<uint32_t>(full_hash >> 16);
        const size_t mask = slots_.size() - 1;
        for (size_t at = hash & mask;; at = (at + 1) & mask) {
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
    std::vector<Slot> slots_;
    size_t used_ = 0;
    uint32_t generation_ = 1;

    void grow() {
        std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
        old.swap(slots_);
        const size_t mask = slots_.size() - 1;
        for (const Slot& slot : old) {
            if (slot.generation != generation_) continue;
            size_t at = slot.hash & mask;
            while (slots_[at].generation == generation_) at = (at + 1) & mask;
            slots_[at] = slot;
        }
    }
};

}  // namespace tgsi2spv::ir
