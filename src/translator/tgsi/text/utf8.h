// UTF-8, as far as messages and reports need it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tgsi2spv::tgsi {

/// Returns the length of the valid UTF-8 sequence at the start of `text`, or 0.
size_t utf8_sequence(std::string_view text);

/// Appends a character, given by its code point up to U+10FFFF.
void append_utf8(std::string& out, uint32_t c);

/// Whether it is a control character of ASCII or Latin-1 (U+0000 to U+001F, U+007F to U+009F), which a terminal could
/// obey.
bool is_control(std::string_view sequence);

}  // namespace tgsi2spv::tgsi
