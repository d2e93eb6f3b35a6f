// JSON as this folder writes and reads it. Its parser and its writer are large templates, compiled in json.cpp only.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace tgsi2spv::difftest {

using Json = nlohmann::ordered_json;

/// Parses a whole text. The error is a message with the place, such as "parse error at line 1, column 2: …", or names a
/// number that does not fit a double, or describes the error in an object (files/json_shape.h).
tl::expected<Json, std::string> read_json(std::string_view text);

/// Parses a text that is an object; nothing if it is anything else.
std::optional<Json> read_object(std::string_view text);

/// Writes a value as one line without its newline. Bytes that are not UTF-8 in a string become U+FFFD.
std::string json_line(const Json& value);

}  // namespace tgsi2spv::difftest
