#include "machine/vnc/text.h"

#include <cstdint>

namespace tgsi2spv::vnc {

std::string utf8_of_latin1(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<uint8_t>(c);
        if (byte >= 0x80) out += static_cast<char>(0xc0 | byte >> 6);
        out += static_cast<char>(byte < 0x80 ? byte : 0x80 | (byte & 0x3f));
    }
    return out;
}

std::string latin1_of_utf8(std::string_view text) {
    std::string out;
    for (size_t i = 0; i < text.size(); i++) {
        const auto byte = static_cast<uint8_t>(text[i]);
        const auto next = static_cast<uint8_t>(i + 1 < text.size() ? text[i + 1] : 0);
        if (byte < 0x80) {
            out += text[i];
        } else if ((byte == 0xc2 || byte == 0xc3) && (next & 0xc0) == 0x80) {
            out += static_cast<char>((byte & 3) << 6 | (next & 0x3f));
            i++;
        } else if ((byte & 0xc0) != 0x80) {
            out += '?';  // for the character, which goes on with bytes of 10xxxxxx
        }
    }
    return out;
}

std::string with_line_feeds(std::string_view text) {
    std::string out;
    for (const char c : text.substr(0, text.find('\0')))
        if (c != '\r') out += c;
    return out;
}

}  // namespace tgsi2spv::vnc
