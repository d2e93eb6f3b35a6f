// Finds things that a module declares once: types and constants, by their words.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "ir/flat_table.h"
#include "spirv/words.h"

namespace tgsi2spv::spirv {

class Interner {
  public:
    explicit Interner(std::pmr::memory_resource* memory) : table_(memory), entries_(memory), keys_(memory) {}

    void clear() {
        table_.clear(128);
        entries_.clear();
        keys_.clear();
    }

    /// The place of a key's id: 0 if the key is new; the caller must fill it before the next call.
    template <size_t N>
    Id& id_of(std::span<const uint32_t, N> key) {
        const auto next = static_cast<uint32_t>(entries_.size());
        const uint32_t found = table_.find_or_insert(hash(key), next, [&](uint32_t e) {
            return entries_[e].length == key.size() &&
                   std::equal(key.begin(), key.end(), keys_.begin() + entries_[e].first);
        });
        if (found == next) {
            entries_.push_back({static_cast<uint32_t>(keys_.size()), static_cast<uint32_t>(key.size()), 0});
            keys_.insert(keys_.end(), key.begin(), key.end());
        }
        return entries_[found].id;
    }

  private:
    struct Entry {
        uint32_t first = 0;  ///< index in keys_
        uint32_t length = 0;
        Id id = 0;
    };

    template <size_t N>
    uint64_t hash(std::span<const uint32_t, N> key) const {
        uint64_t h = table_.seed();
        for (size_t i = 0; i < key.size(); i += 2)
            h = ir::hash_word(h, ir::pair_of_words(i + 1 < key.size() ? key[i + 1] : 0, key[i]));
        return h;
    }

    ir::FlatTable table_;
    std::pmr::vector<Entry> entries_;
    std::pmr::vector<uint32_t> keys_;
};

}  // namespace tgsi2spv::spirv
