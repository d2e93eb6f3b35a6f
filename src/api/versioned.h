// Structs that grow at their end: `struct_size` gives the size of the part that exists.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace tgsi2spv::api {

/// Reads a caller's struct, of this version or of an older or newer one. A null pointer means all zeros, which are the
/// defaults. False if the size is invalid, or if something is set that this version does not know.
template <class T>
bool copy_in(const T* from, T& to) {
    // Bytes that belong to no member would be members of the next version, unset.
    static_assert(std::has_unique_object_representations_v<T>);
    to = {};
    to.struct_size = sizeof(T);
    if (from == nullptr) return true;
    const size_t size = from->struct_size;
    if (size < sizeof(size_t)) return false;
    std::memcpy(&to, from, std::min(size, sizeof(T)));
    to.struct_size = sizeof(T);
    const auto* bytes = reinterpret_cast<const unsigned char*>(from);
    for (size_t i = sizeof(T); i < size; ++i)
        if (bytes[i] != 0) return false;
    return true;
}

/// Fills as much of the caller's struct as the caller knows; the part that this version does not know becomes zero.
template <class T>
bool copy_out(const T& from, T* to) {
    if (to == nullptr || to->struct_size < sizeof(size_t)) return false;
    const size_t size = to->struct_size;
    std::memcpy(to, &from, std::min(size, sizeof(T)));
    if (size > sizeof(T)) std::memset(reinterpret_cast<unsigned char*>(to) + sizeof(T), 0, size - sizeof(T));
    to->struct_size = size;
    return true;
}

}  // namespace tgsi2spv::api
