#include "scene/members.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "tgsi/text/nearest.h"

namespace tgsi2spv::scene {

using json = nlohmann::json;

namespace {

std::string shown(const json& j) {
    if (j.is_object() || j.is_array()) return j.is_array() ? "an array" : "an object";
    return j.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 40);
}

/// Calls `each` for each number, with the place of the array that contains it.
template <class Each>
void flatten(const Member& member, const Each& each) {
    if (!member.value->is_array()) return each(member);
    Member one = member;
    for (size_t i = 0; i < member.value->size(); ++i) {
        one.value = &(*member.value)[i];
        if (one.value->is_array())
            flatten(Member{one.value, fmt::format("{}[{}]", member.place, i)}, each);
        else
            each(one);
    }
}

}  // namespace

void wrong(const Member& member, const std::string& message) {
    throw Wrong(member.place.empty() ? message : member.place + ": " + message);
}

void unexpected(const Member& member, std::string_view what) {
    wrong(member, fmt::format("expected {}, found {}", what, shown(*member.value)));
}

void only(const Member& object, std::initializer_list<std::string_view> names) {
    if (!object.value->is_object()) unexpected(object, "an object");
    for (const auto& [name, value] : object.value->items()) {
        if (std::find(names.begin(), names.end(), name) != names.end()) continue;
        tgsi::Nearest nearest(name);
        for (const std::string_view known : names) nearest.offer(known);
        const std::string hint = nearest.word.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest.word);
        wrong(object, fmt::format("unknown member {}{}", shown(json(name)), hint));
    }
}

std::optional<Member> find(const Member& object, std::string_view name) {
    if (!object.value->is_object()) unexpected(object, "an object");
    const auto found = object.value->find(std::string(name));
    if (found == object.value->end()) return std::nullopt;
    return Member{&*found, fmt::format("{}{}{}", object.place, object.place.empty() ? "" : ".", name)};
}

Member at(const Member& object, std::string_view name) {
    auto found = find(object, name);
    if (!found) wrong(object, fmt::format("\"{}\" is missing", name));
    return std::move(*found);
}

std::vector<Member> elements(const Member& array) {
    if (!array.value->is_array()) unexpected(array, "an array");
    std::vector<Member> all;
    for (const json& value : *array.value) all.push_back({&value, fmt::format("{}[{}]", array.place, all.size())});
    return all;
}

std::vector<std::pair<uint32_t, Member>> numbered(const Member& object, uint32_t end) {
    if (!object.value->is_object()) unexpected(object, "an object");
    std::vector<std::pair<uint32_t, Member>> all;
    for (const auto& [name, value] : object.value->items()) {
        uint32_t number = 0;
        const char* const last = name.data() + name.size();
        const auto [stop, failure] = std::from_chars(name.data(), last, number);
        // 01 would be another name for 1.
        if (failure != std::errc() || stop != last || number >= end || (name.size() > 1 && name[0] == '0'))
            wrong(object,
                  fmt::format("expected a number from 0 to {1} as the name, found {0}", shown(json(name)), end - 1));
        all.emplace_back(number, Member{&value, fmt::format("{}.{}", object.place, name)});
    }
    return all;
}

bool flag(const Member& member) {
    if (!member.value->is_boolean()) unexpected(member, "true or false");
    return member.value->get<bool>();
}

float real(const Member& member) {
    if (!member.value->is_number()) unexpected(member, "a number");
    const auto value = static_cast<float>(member.value->get<double>());
    if (std::isinf(value)) unexpected(member, "a number within the range of a 32-bit float");
    return value;
}

std::string text(const Member& member) {
    if (!member.value->is_string()) unexpected(member, "a string");
    return member.value->get<std::string>();
}

uint32_t hexadecimal(const Member& member) {
    uint32_t value = 0;
    const std::string digits = member.value->is_string() ? text(member) : std::string();
    const char* const last = digits.data() + digits.size();
    const auto [stop, failure] = std::from_chars(digits.data(), last, value, 16);
    if (failure != std::errc() || stop != last) unexpected(member, "a string of 1 to 8 hexadecimal digits");
    return value;
}

int64_t whole(const Member& member, int64_t least, int64_t most) {
    const json& j = *member.value;
    const bool fits =
        j.is_number_unsigned() ? j.get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX) : j.is_number_integer();
    if (!fits || j.get<int64_t>() < least || j.get<int64_t>() > most)
        unexpected(member, fmt::format("an integer from {} to {}", least, most));
    return j.get<int64_t>();
}

std::vector<float> reals(const Member& member) {
    std::vector<float> out;
    flatten(member, [&](const Member& m) { out.push_back(real(m)); });
    return out;
}

std::vector<int64_t> integers(const Member& member, int64_t least, int64_t most) {
    std::vector<int64_t> out;
    flatten(member, [&](const Member& m) { out.push_back(whole(m, least, most)); });
    return out;
}

}  // namespace tgsi2spv::scene
