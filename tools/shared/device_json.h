// Shared parts of the readers of vulkaninfo's JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace tools {

/// Larger files are refused: vulkaninfo writes a few hundred kilobytes.
inline constexpr size_t kMaxCapsBytes = 8 << 20;

/// Any text may come; an error says what is wrong with it.
tl::expected<nlohmann::json, std::string> parse_device_json(std::string_view text);

/// The number that a member holds: also true, "VK_FALSE", "0x10", a number as text. Nothing for everything else.
std::optional<int64_t> number_of(const nlohmann::json& value);
/// "1.3.230", or the number that Vulkan packs.
std::optional<int64_t> version_of(const nlohmann::json& value);
/// Flags by name, of which those of later versions are unknown, or as a number.
std::optional<int64_t> flags_of(const nlohmann::json& value);

/// The block of a profile, or what is wrong, for messages: at most 80 letters and digits of a name that anybody wrote.
std::string_view plain_name(std::string_view name);

}  // namespace tools
