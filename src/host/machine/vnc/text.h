// The clipboards of viewers: RFB has Latin-1, and UTF-8 in its extension.
#pragma once

#include <string>
#include <string_view>

namespace tgsi2spv::vnc {

std::string utf8_of_latin1(std::string_view text);
/// Characters that Latin-1 lacks, and bytes that are not UTF-8, become question marks.
std::string latin1_of_utf8(std::string_view text);
/// Lines end with a line feed alone, and the text at its first zero.
std::string with_line_feeds(std::string_view text);

}  // namespace tgsi2spv::vnc
