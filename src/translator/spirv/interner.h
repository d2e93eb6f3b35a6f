// Finds things that a module declares once: types and constants, by their words.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "ir/flat_table.h"
#include "spirv/words.h"

namespace tgsi2spv::spirv {

/// Open addressing over keys that are stored one after another. Emptying it is free: entries of older generations count
/// as empty. A small module uses few slots of a table that a large module has grown: they stay in the cache.
class Interner {
  public:
    explicit Interner(std::pmr::memory_resource* memory) : slots_(kLeast, memory), old_(memory), keys_(memory) {}

    void clear() {
        keys_.clear();
        used_ = 0;
        mask_ = kLeast - 1;
        if (++generation_ == 0) {  // wrapped: old entries would become valid again
            for (Slot& s : slots_) s.generation = 0;
            generation_ = 1;
        }
    }

    /// The place of a key's id: 0 if the key is new; the caller must fill it before the next call.
    template <size_t N>
    Id& id_of(std::span<const uint32_t, N> key) {
        if (2 * used_ > mask_) grow();
        const uint32_t h = hash(key);
        size_t i = h & mask_;
        for (; slots_[i].generation == generation_; i = (i + 1) & mask_) {
            Slot& s = slots_[i];
            if (s.hash == h && s.length == key.size() && equal(s, key)) return s.id;
        }
        slots_[i] = {h, static_cast<uint32_t>(keys_.size()), static_cast<uint32_t>(key.size()), 0, generation_};
        uint32_t* copy = keys_.grow(key.size());
        for (size_t k = 0; k < key.size(); ++k) copy[k] = key[k];
        ++used_;
        return slots_[i].id;
    }

  private:
    struct Slot {
        uint32_t hash = 0;
        uint32_t first = 0;  ///< index in keys_
        uint32_t length = 0;
        Id id = 0;
        uint32_t generation = 0;
    };

    /// Round floats differ in their highest bits only, ids in their lowest: the last product takes both into the bits
    /// that choose a slot.
    template <size_t N>
    uint32_t hash(std::span<const uint32_t, N> key) const {
        constexpr uint64_t kOdd = 0xff51'afd7'ed55'8ccdu;
        uint64_t h = seed_;
        for (size_t i = 0; i < key.size(); i += 2) {
            h = (h ^ ir::pair_of_words(i + 1 < key.size() ? key[i + 1] : 0, key[i])) * kOdd;
            h ^= h >> 32;
        }
        return static_cast<uint32_t>(h * kOdd >> 32);
    }

    template <size_t N>
    bool equal(const Slot& slot, std::span<const uint32_t, N> key) {
        const uint32_t* const kept = keys_.words().data() + slot.first;
        for (size_t i = 0; i < key.size(); ++i)
            if (kept[i] != key[i]) return false;
        return true;
    }

    /// Doubles the number of slots. The slots in use belong to this generation; later ones belong to older generations.
    [[gnu::noinline]] void grow() {
        old_.assign(slots_.begin(), slots_.begin() + static_cast<ptrdiff_t>(mask_ + 1));
        mask_ = 2 * mask_ + 1;
        if (slots_.size() <= mask_) slots_.resize(mask_ + 1);
        for (size_t i = 0; i < old_.size(); ++i) slots_[i].generation = 0;
        for (const Slot& s : old_) {
            if (s.generation != generation_) continue;
            size_t i = s.hash & mask_;
            while (slots_[i].generation == generation_) i = (i + 1) & mask_;
            slots_[i] = s;
        }
    }

    static constexpr size_t kLeast = 256;
    std::pmr::vector<Slot> slots_;
    std::pmr::vector<Slot> old_;  ///< for grow()
    size_t mask_ = kLeast - 1;    ///< of the slots in use
    WordBuffer keys_;
    size_t used_ = 0;
    uint32_t generation_ = 1;
    uint64_t seed_ = ir::random_seed();
};

}  // namespace tgsi2spv::spirv
