// Hashes of the keys of programs and pipelines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace tgsi2spv::host {

uint64_t hash_bytes(const void* data, size_t bytes);

/// Hashes words, and structs without padding.
struct HashOfKey {
    size_t operator()(const std::vector<uint32_t>& words) const { return hash_bytes(words.data(), 4 * words.size()); }
    template <class Key>
    requires std::has_unique_object_representations_v<Key> size_t operator()(const Key& key) const {
        return hash_bytes(&key, sizeof key);
    }
};

}  // namespace tgsi2spv::host
