#include "tgsi/unwrap.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace tgsi2spv::tgsi {
namespace {

constexpr std::string_view kBlanks = " \t\r";

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// The character of an entity at the beginning of the text; its length is 0 if there is none.
std::pair<char, size_t> entity(std::string_view text) {
    constexpr std::pair<std::string_view, char> kNamed[] = {{"&gt;", '>'},   {"&lt;", '<'},    {"&amp;", '&'},
                                                            {"&quot;", '"'}, {"&apos;", '\''}, {"&nbsp;", ' '}};
    for (const auto& [name, meaning] : kNamed)
        if (text.starts_with(name)) return {meaning, name.size()};
    if (!text.starts_with("&#")) return {};
    const bool hex = text.size() > 2 && (text[2] == 'x' || text[2] == 'X');
    unsigned code = 0;
    const char* const first = text.data() + (hex ? 3 : 2);
    const auto [end, wrong] = std::from_chars(first, text.data() + text.size(), code, hex ? 16 : 10);
    constexpr unsigned kNoBreakSpace = 0xa0;
    if (wrong != std::errc{} || end == text.data() + text.size() || *end != ';' ||
        (code > 126 && code != kNoBreakSpace))
        return {};
    return {code == kNoBreakSpace ? ' ' : static_cast<char>(code), static_cast<size_t>(end + 1 - text.data())};
}

/// Whether a tag of HTML separates lines, or of gallium's traces.
bool separates(std::string_view tag) {
    for (std::string_view block : {"br", "p", "/p", "pre", "/pre", "div", "/div", "li", "/li", "tr", "/tr", "string",
                                   "/string", "code", "/code"})
        if (tag.starts_with(block) && !is_letter(tag[std::min(block.size(), tag.size() - 1)])) return true;
    return false;
}

/// The length of a mark of XML or of a forum's markup that separates lines, at the beginning of the text, or 0.
size_t other_mark(std::string_view text) {
    for (std::string_view mark : {"<![CDATA[", "]]>", "[code]", "[/code]", "[quote]", "[/quote]"})
        if (text.starts_with(mark)) return mark.size();
    return 0;
}

/// The line without tags, and with entities replaced by their characters. Tags of blocks become ends of lines.
std::string without_html(std::string_view line) {
    std::string out;
    bool may_be_tag = true;
    while (!line.empty()) {
        size_t taken = 1;
        char c = line[0];
        if (c == '&') {
            if (const auto [meaning, length] = entity(line); length != 0) c = meaning, taken = length;
        } else if (line.starts_with("\xc2\xa0")) {
            c = ' ', taken = 2;
        } else if (const size_t mark = other_mark(line); mark != 0) {
            out += '\n';
            line.remove_prefix(mark);
            continue;
        } else if (c == '<' && line.size() > 1 && may_be_tag && (is_letter(line[1]) || line[1] == '/')) {
            const size_t end = line.find('>');
            may_be_tag = end != line.npos;
            if (may_be_tag) {
                if (separates(line.substr(1, end))) out += '\n';
                line.remove_prefix(end + 1);
                continue;
            }
        }
        out += c;
        line.remove_prefix(taken);
    }
    return out;
}

/// A raw literal (also Python's, with three quotation marks) that begins in the text.
struct Raw {
    size_t first = std::string_view::npos;  ///< the first character of its content
    std::string end;                        ///< its delimiter
};
Raw raw_literal(std::string_view text) {
    if (const size_t at = text.find("\"\"\""); at != text.npos) return {at + 3, "\"\"\""};
    constexpr size_t kLongestDelimiter = 16;
    for (size_t at = text.find("R\""); at != text.npos; at = text.find("R\"", at + 2)) {
        const std::string_view delimiter = text.substr(at + 2, kLongestDelimiter + 1);
        const size_t open = delimiter.find_first_of("( \\\")");
        if (open == delimiter.npos || delimiter[open] != '(') continue;
        return {at + 2 + open + 1, ')' + std::string(delimiter.substr(0, open)) + '"'};
    }
    return {};
}

/// The contents of a line's literals.
struct Literals {
    std::string text;        ///< literals with something else than blanks between them are on different lines
    bool has_lines = false;  ///< a line ends in a literal
    bool open = false;       ///< the last literal goes on in the next line
    bool last = false;       ///< nothing is after the last literal: the next line may continue it
};

Literals literals_of(std::string_view line, bool inside) {
    Literals out;
    const char quote = inside || line.find('"') != line.npos ? '"' : '\'';  // Python's
    bool any = inside;
    for (size_t at = 0; at < line.size(); ++at) {
        const char c = line[at];
        if (inside && c == '\\') {
            if (++at == line.size()) {
                out.open = true;
                break;
            }
            out.has_lines |= line[at] == 'n';
            if (line[at] != 'r') out.text += line[at] == 'n' ? '\n' : line[at] == 't' ? '\t' : line[at];
        } else if (c == quote) {
            if (!inside && any && !out.last) out.text += '\n';
            inside = !inside;
            any = out.last = true;
        } else if (inside) {
            out.text += c;
        } else if (line.substr(at, 2) == "//") {
            break;
        } else if (line.substr(at, 2) == "/*") {
            const size_t end = line.find("*/", at + 2);
            if (end == line.npos) break;
            at = end + 1;
        } else if (kBlanks.find(c) == kBlanks.npos) {
            out.last = false;
        }
    }
    if (inside && !out.open) out.has_lines = false;  // not C
    return out;
}

/// Whether the line is an object of JSON, as some logs are of: its strings are lines.
bool begins_object(std::string_view line) {
    if (!line.starts_with('{') || line.find_last_of('}') == line.npos) return false;
    const size_t first = line.find_first_not_of(kBlanks, 1);
    return first != line.npos && line[first] == '"';
}

}  // namespace

std::string Unwrapper::of_literals(std::string_view line) {
    const bool continued = std::exchange(in_literal_, false);
    const size_t first = line.find_first_not_of(kBlanks);
    const bool begins = first != line.npos && line[first] == '"';
    Literals found = literals_of(line, continued);
    found.has_lines |= begins_object(line);
    if (!found.has_lines && !continued && !(in_program_ && begins)) {
        in_program_ = false;
        return rest() + std::string(line) + '\n';
    }
    in_program_ = true;
    in_literal_ = found.open;
    if (!found.open && !found.last) found.text += '\n';
    std::string out = begins || continued ? std::string() : rest();
    if (const size_t end = found.text.rfind('\n') + 1; end != 0) {  // npos + 1 is 0
        out += std::exchange(pending_, {}) + found.text.substr(0, end);
        found.text.erase(0, end);
    }
    pending_ += found.text;
    return out;
}

std::string Unwrapper::lines_of(std::string_view line) {
    const std::string plain = without_html(line);
    std::string out;
    for (std::string_view all(plain);;) {
        const size_t end = std::min(all.find('\n'), all.size());
        std::string_view part = all.substr(0, end);
        if (raw_end_.empty()) {
            if (Raw raw = raw_literal(part); raw.first != part.npos) {
                out += rest();
                part.remove_prefix(raw.first);
                raw_end_ = std::move(raw.end);
            }
        }
        if (raw_end_.empty()) {
            out += of_literals(part);
        } else {
            const size_t closed = part.find(raw_end_);
            out += std::string(part.substr(0, closed)) + '\n';
            if (closed != part.npos) raw_end_.clear();
        }
        if (end == all.size()) return out;
        all.remove_prefix(end + 1);
    }
}

std::string Unwrapper::rest() {
    if (pending_.empty()) return {};
    return std::exchange(pending_, {}) + '\n';
}

}  // namespace tgsi2spv::tgsi
