// Values of a scene's JSON, each with its place in it: error messages name the place.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tgsi2spv::scene {

/// An error in a scene; read_scene() returns its message.
struct Wrong : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A value and its place: `state.alpha_test.func`, `layout.bindings[1]`; the scene itself has no place.
struct Member {
    const nlohmann::json* value;
    std::string place;
};

[[noreturn]] void wrong(const Member& member, const std::string& message);
/// `expected WHAT, found …`
[[noreturn]] void unexpected(const Member& member, std::string_view what);

/// Checks that an object has no members but these.
void only(const Member& object, std::initializer_list<std::string_view> names);
std::optional<Member> find(const Member& object, std::string_view name);
Member at(const Member& object, std::string_view name);
std::vector<Member> elements(const Member& array);
/// Members of an object whose names are numbers below `end`.
std::vector<std::pair<uint32_t, Member>> numbered(const Member& object, uint32_t end);

bool flag(const Member& member);
/// A number that a float holds.
float real(const Member& member);
std::string text(const Member& member);
/// Text of hexadecimal digits.
uint32_t hexadecimal(const Member& member);
int64_t whole(const Member& member, int64_t least, int64_t most);
template <class T>
T whole(const Member& member, T most = std::numeric_limits<T>::max()) {
    return static_cast<T>(whole(member, 0, most));
}

/// Numbers in arrays of any depth, in order.
std::vector<float> reals(const Member& member);
std::vector<int64_t> integers(const Member& member, int64_t least, int64_t most);

template <class T, size_t N>
T by_name(const std::pair<std::string_view, T> (&names)[N], const Member& member) {
    std::string known;
    for (const auto& [name, value] : names) {
        if (member.value->is_string() && member.value->get_ref<const std::string&>() == name) return value;
        known += fmt::format("{}{}", known.empty() ? "" : ", ", name);
    }
    unexpected(member, "one of " + known);
}

/// Reads the member if it is there.
inline void take(const Member& object, std::string_view name, bool& value) {
    if (const auto member = find(object, name)) value = flag(*member);
}
inline void take(const Member& object, std::string_view name, float& value) {
    if (const auto member = find(object, name)) value = real(*member);
}
inline void take(const Member& object, std::string_view name, uint32_t& value) {
    if (const auto member = find(object, name)) value = whole<uint32_t>(*member);
}

}  // namespace tgsi2spv::scene
