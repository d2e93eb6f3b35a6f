// Structs that grow at their end: `struct_size` gives the size of the part that exists.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace tgsi2spv::api {

/// A text as an argument of a template: the name of a struct.
template <size_t N>
struct StructName {
    char text[N]{};
    constexpr StructName(const char (&name)[N]) { std::copy_n(name, N, text); }  // NOLINT: implicit on purpose
    template <size_t M>
    constexpr StructName<N + M - 1> operator+(const char (&more)[M]) const {
        char all[N + M - 1]{};
        std::copy_n(more, M, std::copy_n(text, N - 1, all));
        return all;
    }
};

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

/// Why copy_in() refuses a struct of this name.
template <StructName kName>
const char* refusal_of() {
    static constexpr auto kText =
        kName + ": struct_size is too small, or a member that this version does not know is not 0";
    return kText.text;
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
