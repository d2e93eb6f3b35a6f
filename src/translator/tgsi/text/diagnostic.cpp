#include "tgsi/text/diagnostic.h"

#include <algorithm>

#include "tgsi/text/utf8.h"

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

std::string escaped(std::string_view bytes) {
    std::string out;
    for (char c : bytes) {
        const auto b = static_cast<uint8_t>(c);
        out += {'\\', 'x', kHexDigits[b >> 4], kHexDigits[b & 15]};
    }
    return out;
}

/// The display form of a text: bytes that are not UTF-8, and those that a terminal could obey, as \xNN. `kept` are
/// control characters that stay.
std::string shown(std::string_view bytes, std::string_view kept = {}) {
    std::string out;
    while (!bytes.empty()) {
        const size_t length = utf8_sequence(bytes);
        const std::string_view one = bytes.substr(0, std::max<size_t>(length, 1));
        const bool plain = length != 0 && (!is_control(one) || kept.find(one[0]) != kept.npos);
        out += plain ? std::string(one) : escaped(one);
        bytes.remove_prefix(one.size());
    }
    return out;
}

/// The form of a source line in messages: tabs are one blank.
std::string shown_line(std::string_view line) {
    std::string text = shown(line, "\t");
    std::ranges::replace(text, '\t', ' ');
    return text;
}

/// The columns that a terminal takes for it, if none of its characters is wide.
size_t width(std::string_view text) {
    return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
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

/// A file's name may contain bytes that are not UTF-8: these are read as Latin-1.
std::string as_utf8(std::string_view s) {
    std::string out;
    while (!s.empty()) {
        const size_t length = utf8_sequence(s);
        if (length == 0)
            append_utf8(out, static_cast<uint8_t>(s[0]));
        else
            out += s.substr(0, length);
        s.remove_prefix(std::max<size_t>(length, 1));
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

uint32_t marked_bytes(const Diagnostic& diagnostic, std::string_view text) {
    if (diagnostic.length != 0) return diagnostic.length;
    const size_t start = std::min<size_t>(diagnostic.offset, text.size());
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
    return shown(message.substr(0, kMaxBytes), "\n\t") + (message.size() > kMaxBytes ? "..." : "");
}

std::string render(const Diagnostic& diagnostic, std::string_view file, std::string_view text) {
    const LineColumn place = line_column_of(text, diagnostic.offset);
    std::string out = shown(file);
    out += ':' + std::to_string(place.line) + ':' + std::to_string(place.column) + ": ";
    out += severity_name(diagnostic.severity);
    out += ": " + diagnostic.message + '\n';

    const size_t offset = std::min<size_t>(diagnostic.offset, text.size());
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
    out += prefix + shown_line(line) + suffix + '\n';
    const size_t underlined = width(shown_line(line.substr(column, marked_bytes(diagnostic, text))));
    out += std::string(prefix.size() + width(shown_line(line.substr(0, column))), ' ') + '^';
    if (underlined > 1) out += std::string(underlined - 1, '~');
    out += '\n';
    if (!diagnostic.hint.empty()) out += "hint: " + diagnostic.hint + '\n';
    return out;
}

std::string render_json(const Diagnostic& diagnostic, std::string_view file, std::string_view text) {
    const LineColumn place = line_column_of(text, diagnostic.offset);
    std::string out = "{\"file\": " + json_string(as_utf8(file));
    out += ", \"line\": " + std::to_string(place.line) + ", \"column\": " + std::to_string(place.column);
    out += ", \"length\": " + std::to_string(marked_bytes(diagnostic, text));
    out += ", \"severity\": " + json_string(severity_name(diagnostic.severity));
    out += ", \"code\": " + json_string(diagnostic.code.name()) + ", \"message\": " + json_string(diagnostic.message);
    out += ", \"hint\": " + json_string(diagnostic.hint) + "}";
    return out;
}

}  // namespace tgsi2spv::tgsi
