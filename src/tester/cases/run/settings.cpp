#include "cases/run/settings.h"

#include <fmt/format.h>

#include <charconv>

namespace tgsi2spv::difftest {

namespace {

constexpr std::string_view kDialects[] = {"auto", "oldest", "middle", "newest"};

bool from_text(std::string_view text, bool& value) {
    value = text == "yes";
    return value || text == "no";
}
bool from_text(std::string_view text, tgsi::Dialect& value) {
    for (size_t i = 0; i < std::size(kDialects); i++) {
        if (kDialects[i] != text) continue;
        value = static_cast<tgsi::Dialect>(i);
        return true;
    }
    return false;
}
template <class Number>
bool from_text(std::string_view text, Number& value) {
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    return read.ec == std::errc() && read.ptr == end;
}

std::string to_text(bool value) {
    return value ? "yes" : "no";
}
std::string to_text(tgsi::Dialect value) {
    return std::string(name(value));
}
template <class Number>
std::string to_text(Number value) {
    return std::to_string(value);
}

}  // namespace

std::string_view name(tgsi::Dialect dialect) {
    return kDialects[static_cast<size_t>(dialect)];
}

std::string text_of(const RunSettings& settings, const Setting& setting) {
    return std::visit([&](auto member) { return to_text(settings.*member); }, setting.member);
}

bool set_from_text(RunSettings& settings, const Setting& setting, std::string_view text) {
    return std::visit([&](auto member) { return from_text(text, settings.*member); }, setting.member);
}

std::string summary_of(const RunSettings& settings) {
    std::string all;
    for (const Setting& s : kSettings) {
        if (!s.changes_answers || is_default(settings, s)) continue;
        const std::string value = text_of(settings, s);
        all += fmt::format("{}{}{}", all.empty() ? "" : ", ", s.name, value == "yes" ? "" : " " + value);
    }
    return all;
}

}  // namespace tgsi2spv::difftest
