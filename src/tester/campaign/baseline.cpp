#include "campaign/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>

namespace tgsi2spv::difftest {

namespace {

using Error = tl::unexpected<std::string>;

std::string lower_case(std::string_view text) {
    std::string s(text);
    for (auto& c : s) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return s;
}

std::string_view trimmed(std::string_view s) {
    while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
    while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r')) s.remove_suffix(1);
    return s;
}

std::optional<Status> status_of(std::string_view word) {
    for (int i = 0; i < kStatuses; i++)
        if (word == name(static_cast<Status>(i)) && word != name(Status::Pass)) return static_cast<Status>(i);
    return std::nullopt;
}

/// Reads "NAME[, driver >= VERSION | < VERSION]". Returns the error, or an empty string.
std::string read_device(std::string_view text, DeviceChoice& choice) {
    static constexpr std::string_view kDriver = ", driver ";
    const size_t comma = text.rfind(kDriver);
    choice = {std::string(trimmed(text.substr(0, comma))), {}, {}};
    if (comma == std::string_view::npos) return {};
    const std::string_view condition = trimmed(text.substr(comma + kDriver.size()));
    const size_t space = std::min(condition.find(' '), condition.size());
    const std::string_view sign = condition.substr(0, space), wanted = trimmed(condition.substr(space));
    vulkan::Version& version = sign == "<" ? choice.less_than : choice.at_least;
    version = vulkan::read_version(wanted);
    const bool whole = wanted.find_first_not_of("0123456789.") == std::string_view::npos && !wanted.ends_with('.');
    if ((sign != "<" && sign != ">=") || !whole || version.empty())
        return fmt::format("wrong condition '{}': expected device NAME, driver >= VERSION, or < VERSION", condition);
    return {};
}

/// Reads the line at NAME:LINE. Returns the error, or an empty string.
std::string read_line(std::string_view line, const std::string& place, DeviceChoice& device, Baseline& baseline) {
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    const std::string_view rest = trimmed(line.substr(word.size()));
    if (word == "device") return read_device(rest, device);
    if (word == "root") {
        const auto folder = std::filesystem::path(place).parent_path();
        baseline.roots.push_back((folder / rest).string());
        return {};
    }
    const auto status = status_of(word);
    if (!status)
        return fmt::format("unknown word '{}': expected device, root, fail, crash, timeout, device-lost, skip or flake",
                           word);
    // An id may contain a hash, but not after a space.
    const size_t hash = rest.rfind(" #");
    const std::string_view reason = hash == std::string_view::npos ? "" : trimmed(rest.substr(hash + 2));
    if (reason.empty()) return "a line needs a reason: expected STATUS REGEX  # why";
    const std::string pattern(trimmed(rest.substr(0, hash)));
    if (pattern.empty()) return "a line needs a regular expression: expected STATUS REGEX  # why";
    auto compiled = compile_pattern(pattern);
    if (!compiled) return compiled.error();
    baseline.lines.push_back({*status, device, *std::move(compiled), std::string(reason), place});
    return {};
}

/// Whether `wanted` is part of the device's name or, in quotation marks, all of it.
bool is_device(std::string_view name, std::string_view wanted) {
    if (wanted.size() >= 2 && wanted.front() == '"' && wanted.back() == '"')
        return name == wanted.substr(1, wanted.size() - 2);
    return name.find(wanted) != std::string_view::npos;
}

std::string escaped_id(std::string_view id) {
    std::string s;
    for (const char c : id) {
        if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) s += '\\';
        s += c;
    }
    return s;
}

}  // namespace

bool DeviceChoice::matches(std::string_view device, std::string_view driver) const {
    if (!is_device(lower_case(device), lower_case(name))) return false;
    if (at_least.empty() && less_than.empty()) return true;
    const vulkan::Version version = vulkan::version_of(driver);
    return !version.empty() && version >= at_least && (less_than.empty() || version < less_than);
}

const Expectation* Baseline::find(const std::string& id, std::string_view device, std::string_view driver) const {
    for (const Expectation& e : lines)
        if (e.device.matches(device, driver) && is_all_of(e.pattern, id)) return &e;
    return nullptr;
}

tl::expected<void, std::string> read_baseline(std::string_view text, std::string_view name, Baseline& baseline) {
    DeviceChoice device;
    for (size_t number = 1; !text.empty(); number++) {
        const std::string_view whole = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), whole.size() + 1));
        const std::string_view line = trimmed(whole);
        if (line.empty() || line.front() == '#') continue;
        const std::string place = fmt::format("{}:{}", name, number);
        if (auto error = read_line(line, place, device, baseline); !error.empty()) return Error(place + ": " + error);
    }
    return {};
}

void apply_baseline(const Baseline& baseline, CaseResult& result) {
    const Expectation* e = baseline.find(result.id, result.device, result.driver);
    if (e != nullptr) result.expecting = e->reason;
    const bool flake = e != nullptr && e->status == Status::Flake;
    const bool skip = e != nullptr && e->status == Status::Skip;
    switch (result.status) {
        case Status::Skip:
        case Status::Pass:
            result.expected = e == nullptr || flake || skip;
            return;
        default:
            result.expected = flake || (e != nullptr && e->status == result.status);
            return;
    }
}

std::string write_baseline(const Summary& summary, const std::string& root) {
    std::map<std::string, std::string> by_device;
    for (const Record& r : summary.records) {
        const bool left_out = r.status == Status::Skip && r.reason == Reason::Baseline;
        if (r.status == Status::Pass || (r.status == Status::Skip && !left_out)) continue;
        std::string reason = r.expecting.empty() ? r.message : r.expecting;
        for (char& c : reason)
            if (c == '\n' || c == '#') c = ' ';
        if (trimmed(reason).empty()) reason = "seen";
        by_device[summary.devices[r.device]] += fmt::format("{} {}  # {}\n", name(r.status), escaped_id(r.id), reason);
    }
    std::string text = "# Expected results of tgsi-difftest: STATUS REGEX  # why\n";
    if (!root.empty()) text += fmt::format("root {}\n", root);
    for (const auto& [device, lines] : by_device) text += fmt::format("\ndevice \"{}\"\n{}", device, lines);
    return text;
}

}  // namespace tgsi2spv::difftest
