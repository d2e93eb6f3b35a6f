#include "tgsi/diagnostic.h"

#include <algorithm>

namespace tgsi2spv::tgsi {
namespace {

constexpr size_t kShownBytes = 160;  ///< bytes shown of a source line; longer ones are cut around the caret
constexpr char kHexDigits[] = "0123456789abcdef";

std::string_view severity_name(Severity severity) {
    switch (severity) {
        case Severity::Error:
            return "error";
        case Severity::Warning:
            return "warning";
        case Severity::Note:
            return "note";
    }
    return "error";
}

/// The display form of a byte of the source line: tabs as one blank, bytes that a terminal could obey as \xNN.
std::string shown(char c) {
    const auto b = static_cast<uint8_t>(c);
    if (c == '\t') return " ";
    if (b >= 0x20 && b < 0x7f) return std::string(1, c);
    return {'\\', 'x', kHexDigits[b >> 4], kHexDigits[b & 15]};
}

std::string shown(std::string_view bytes) {
    std::string out;
    for (char c : bytes) out += shown(c);
    return out;
}

/// The line that contains the offset, without its end.
std::string_view line_of(std::string_view text, size_t offset, size_t& start) {
    start = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;  // npos + 1 is 0
    size_t stop = std::min(text.find('\n', start), text.size());
    std::string_view line = text.substr(start, stop - start);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
}

std::string json_string(std::string_view s) {
    std::string out = "\"";
    for (char c : s) {
        const auto b = static_cast<uint8_t>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (b < 0x20 || b == 0x7f) {
            out += "\\u00";
            out += kHexDigits[b >> 4];
            out += kHexDigits[b & 15];
        } else {
            out += c;
        }
    }
    return out + '"';
}

/// A file's name may contain bytes that are not UTF-8: all bytes except ASCII are read as Latin-1.
std::string latin1_to_utf8(std::string_view s) {
    std::string out;
    for (char c : s) {
        const auto b = static_cast<uint8_t>(c);
        if (b < 0x80) {
            out += c;
        } else {
            out += static_cast<char>(0xc0 | b >> 6);
            out += static_cast<char>(0x80 | (b & 0x3f));
        }
    }
    return out;
}

}  // namespace

LineColumn line_column_of(std::string_view text, uint32_t offset) {
    const size_t at = std::min<size_t>(offset, text.size());
    const std::string_view before = text.substr(0, at);
    LineColumn place;
    place.line = 1 + static_cast<uint32_t>(std::ranges::count(before, '\n'));
    const size_t newline = before.rfind('\n');
    place.column = static_cast<uint32_t>(newline == before.npos ? at + 1 : at - newline);
    return place;
}

uint32_t marked_bytes(const Diagnostic& d, std::string_view text) {
    if (d.length != 0) return d.length;
    const size_t start = std::min<size_t>(d.offset, text.size());
    const std::string_view rest = text.substr(start, text.find('\n', start) - start);
    const auto in_word = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
    };
    size_t end = 0, depth = 0;  // depth: open brackets
    for (size_t i = 0; i < rest.size(); ++i) {
        const char c = rest[i];
        if (c == '[' && i > 0)
            ++depth;
        else if (c == ']' && depth > 0)
            --depth;
        else if (depth == 0 && (!in_word(c) || (i > 0 && rest[i - 1] == ']')))
            break;
        if (depth == 0) end = i + 1;  // without an index that does not end
    }
    return static_cast<uint32_t>(std::max<size_t>(end, 1));
}

std::string printable(std::string_view message) {
    constexpr size_t kMaxBytes = 4000;
    std::string out;
    for (size_t i = 0; i < message.size(); ++i) {
        if (i == kMaxBytes) return out + "...";
        const auto b = static_cast<uint8_t>(message[i]);
        // U+0080 to U+009F control terminals, too.
        const bool wide = b == 0xc2 && i + 1 < message.size() && static_cast<uint8_t>(message[i + 1]) < 0xa0;
        if ((b < 0x20 && b != '\n' && b != '\t') || b == 0x7f || wide)
            out += shown(message[i]);
        else
            out += message[i];
    }
    return out;
}

std::string render(const Diagnostic& d, std::string_view file, std::string_view text) {
    const LineColumn place = line_column_of(text, d.offset);
    std::string out = shown(file);
    out += ':' + std::to_string(place.line) + ':' + std::to_string(place.column) + ": ";
    out += severity_name(d.severity);
    out += ": " + d.message + '\n';

    const size_t offset = std::min<size_t>(d.offset, text.size());
    size_t start = 0;
    std::string_view line = line_of(text, offset, start);
    size_t column = std::min(offset - start, line.size());
    std::string prefix = "    ", suffix;
    if (line.size() > kShownBytes) {
        const size_t cut = column > kShownBytes / 2 ? column - kShownBytes / 2 : 0;
        if (cut > 0) prefix += "...";
        if (cut + kShownBytes < line.size()) suffix = "...";
        line = line.substr(cut, kShownBytes);
        column -= cut;
    }
    out += prefix + shown(line) + suffix + '\n';
    const size_t underlined = shown(line.substr(column, marked_bytes(d, text))).size();
    out += std::string(prefix.size() + shown(line.substr(0, column)).size(), ' ') + '^';
    if (underlined > 1) out += std::string(underlined - 1, '~');
    out += '\n';
    if (!d.hint.empty()) out += "hint: " + d.hint + '\n';
    return out;
}

std::string render_json(const Diagnostic& d, std::string_view file, std::string_view text) {
    const LineColumn place = line_column_of(text, d.offset);
    std::string out = "{\"file\": " + json_string(latin1_to_utf8(file));
    out += ", \"line\": " + std::to_string(place.line) + ", \"column\": " + std::to_string(place.column);
    out += ", \"length\": " + std::to_string(marked_bytes(d, text));
    out += ", \"severity\": " + json_string(severity_name(d.severity));
    out += ", \"code\": " + json_string(d.code.name()) + ", \"message\": " + json_string(d.message);
    out += ", \"hint\": " + json_string(d.hint) + "}";
    return out;
}

}  // namespace tgsi2spv::tgsi
