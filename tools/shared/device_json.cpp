#include "shared/device_json.h"

#include <algorithm>
#include <charconv>

#include "api/device.h"
#include "files/json_shape.h"

namespace tools {

using Json = nlohmann::json;

namespace {

constexpr size_t kMaxDepth = 1000;

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

struct Flag {
    std::string_view name;
    uint32_t bit;
};
constexpr Flag kStages[] = {
    {"VK_SHADER_STAGE_VERTEX_BIT", 1},
    {"VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT", 2},
    {"VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT", 4},
    {"VK_SHADER_STAGE_GEOMETRY_BIT", 8},
    {"VK_SHADER_STAGE_FRAGMENT_BIT", 16},
    {"VK_SHADER_STAGE_COMPUTE_BIT", 32},
    {"VK_SHADER_STAGE_ALL_GRAPHICS", 31},
    {"VK_SHADER_STAGE_ALL", 0x7fffffff},
};

/// The number in a name: 4 for VK_SAMPLE_COUNT_4_BIT.
uint32_t samples_of(std::string_view name) {
    constexpr std::string_view kPrefix = "VK_SAMPLE_COUNT_";
    uint32_t count = 0;
    if (name.starts_with(kPrefix)) std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), count);
    return count;
}

uint32_t bit_of(std::string_view name) {
    for (const Flag& f : kStages)
        if (f.name == name) return f.bit;
    for (const auto& o : tgsi2spv::api::subgroup_operations())
        if (o.name == name) return o.bit;
    return samples_of(name);
}

}  // namespace

std::optional<int64_t> number_of(const Json& value) {
    if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
    if (value.is_number_unsigned()) return static_cast<int64_t>(std::min<uint64_t>(value.get<uint64_t>(), INT64_MAX));
    if (value.is_number_integer()) return value.get<int64_t>();
    if (!value.is_string()) return std::nullopt;
    std::string_view text = value.get_ref<const std::string&>();
    if (text == "true" || text == "VK_TRUE") return 1;
    if (text == "false" || text == "VK_FALSE") return 0;
    const int base = text.starts_with("0x") ? 16 : 10;
    if (base == 16) text.remove_prefix(2);
    int64_t n = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), n, base);
    if (text.empty() || read.ptr != text.data() + text.size() || read.ec != std::errc{}) return std::nullopt;
    return n;
}

std::optional<int64_t> version_of(const Json& value) {
    if (!value.is_string()) return number_of(value);
    const auto& text = value.get_ref<const std::string&>();
    const char* const end = text.data() + text.size();
    uint32_t major = 0, minor = 0, patch = 0;
    const auto dot = std::from_chars(text.data(), end, major);
    if (dot.ec != std::errc{} || dot.ptr == end || *dot.ptr != '.') return number_of(value);
    auto rest = std::from_chars(dot.ptr + 1, end, minor);
    if (rest.ec == std::errc{} && rest.ptr != end && *rest.ptr == '.') rest = std::from_chars(rest.ptr + 1, end, patch);
    if (rest.ec != std::errc{} || rest.ptr != end) return std::nullopt;
    return (major & 0x7f) << 22 | (minor & 0x3ff) << 12;
}

std::optional<int64_t> flags_of(const Json& value) {
    if (!value.is_array()) return number_of(value);
    int64_t flags = 0;
    for (const Json& name : value) {
        if (!name.is_string()) return std::nullopt;
        flags |= bit_of(name.get_ref<const std::string&>());
    }
    return flags;
}

tl::expected<Json, std::string> parse_device_json(std::string_view text) {
    if (text.size() > kMaxCapsBytes) return tl::unexpected<std::string>("file is larger than any device description");
    if (std::string fault = tgsi2spv::json_shape_fault<Json>(text, kMaxDepth); !fault.empty())
        return tl::unexpected("not valid JSON: " + fault);
    try {
        return Json::parse(text);
    } catch (const Json::exception& e) {
        // "[json.exception.parse_error.101] parse error at line …"
        const std::string what = e.what();
        return tl::unexpected<std::string>("not valid JSON: " + what.substr(what.find("] ") + 2));
    }
}

std::string_view plain_name(std::string_view name) {
    return name.substr(0, name.find_first_not_of(kLetters)).substr(0, 80);
}

}  // namespace tools
