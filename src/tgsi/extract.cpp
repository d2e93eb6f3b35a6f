#include "tgsi/extract.h"

#include <optional>

#include "tgsi/names.h"
#include "tgsi/opcode.h"

namespace tgsi2spv::tgsi {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_word(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\0';
}

std::string_view trimmed(std::string_view line) {
    while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    return line;
}

/// Producers print in capitals: in prose these words mean something else.
bool is_capital(std::string_view word) {
    for (char c : word)
        if (c >= 'a' && c <= 'z') return false;
    return true;
}

/// The stage at the end of a line, `FRAG` or `FRAG1.1`, and where it begins.
std::optional<Stage> stage_at_end(std::string_view line, size_t& first) {
    while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
    size_t end = line.size();
    while (end > 0 && (is_digit(line[end - 1]) || line[end - 1] == '.')) --end;
    first = end;
    while (first > 0 && is_word(line[first - 1])) --first;
    const std::string_view word = line.substr(first, end - first);
    return is_capital(word) ? stage_from_name(word) : std::nullopt;
}

enum class Kind : uint8_t { Other, Blank, Statement, Continued, End };

/// The kind of a shader's line, without its prefix.
Kind kind_of(std::string_view line) {
    line = trimmed(line);
    if (line.empty()) return Kind::Blank;
    if (line[0] == '{' || line[0] == '}' || line[0] == '#' || line.starts_with("//")) return Kind::Continued;
    if (line[0] == '(') return line.find("PRED") != line.npos ? Kind::Statement : Kind::Other;
    size_t at = 0;
    while (at < line.size() && is_digit(line[at])) ++at;
    if (at > 0) {
        if (at == line.size() || line[at] != ':') return Kind::Other;
        line = trimmed(line.substr(at + 1));
        if (line.starts_with('(')) return Kind::Statement;
    }
    at = 0;
    while (at < line.size() && is_word(line[at])) ++at;
    std::string_view word = line.substr(0, at);
    if (!is_capital(word)) return Kind::Other;
    if (word == "DCL" || word == "IMM" || word == "PROPERTY") return Kind::Statement;
    for (std::string_view suffix : {"_PRECISE", "_SAT", "_PRECISE"})
        if (word.ends_with(suffix)) word.remove_suffix(suffix.size());
    if (word == "END") return at == line.size() ? Kind::End : Kind::Other;
    return opcode_from_name(word) ? Kind::Statement : Kind::Other;
}

/// The line without the log's prefix; digits in the prefix may differ.
std::optional<std::string_view> without(std::string_view prefix, std::string_view line) {
    if (line.size() < prefix.size()) return trimmed(line).empty() ? std::optional(std::string_view{}) : std::nullopt;
    for (size_t i = 0; i < prefix.size(); ++i)
        if (line[i] != prefix[i] && !(is_digit(line[i]) && is_digit(prefix[i]))) return std::nullopt;
    return line.substr(prefix.size());
}

std::string_view next_line(std::string_view log, size_t& at) {
    const size_t end = std::min(log.find('\n', at), log.size());
    const std::string_view line = log.substr(at, end - at);
    at = end + 1;
    return line;
}

/// Replaces what HTML and C write for a character. The escapes of a string stand for lines; `"` ends it.
std::string unescaped(std::string_view text, bool is_string) {
    constexpr std::pair<std::string_view, char> kEntities[] = {{"&gt;", '>'},   {"&lt;", '<'},   {"&amp;", '&'},
                                                               {"&quot;", '"'}, {"&#39;", '\''}, {"&nbsp;", ' '}};
    std::string out;
    while (!text.empty()) {
        size_t taken = 1;
        char c = text[0];
        if (is_string && c == '\\' && text.size() > 1) {
            taken = 2;
            c = text[1] == 'n' ? '\n' : text[1] == 't' ? '\t' : text[1];
        }
        for (const auto& [entity, meaning] : kEntities)
            if (text.starts_with(entity)) taken = entity.size(), c = meaning;
        out += c;
        text.remove_prefix(taken);
    }
    return out;
}

/// The lines that a line of the log stands for: a C string literal may have several, and HTML's tags around a line go.
std::string lines_of(std::string_view line) {
    if (const size_t pre = line.find("<pre"); pre != line.npos)
        line.remove_prefix(std::min(line.find('>', pre), line.size() - 1) + 1);
    while (line.starts_with("<code") && line.find('>') != line.npos) line.remove_prefix(line.find('>') + 1);
    for (std::string_view tag : {"</", "<br"}) line = line.substr(0, line.find(tag));
    const size_t open = line.find('"');
    const size_t close = line.rfind('"');
    if (open == line.npos || close == open) return unescaped(line, false);
    const std::string_view inside = line.substr(open + 1, close - open - 1);
    // Only text whose lines end inside the string is a program.
    if (inside.find("\\n") == inside.npos || inside.find('"') != inside.npos) return unescaped(line, false);
    std::string out = unescaped(inside, true);
    if (out.ends_with('\n')) out.pop_back();
    return out;
}

/// Whether the statement goes on in the next line: mail programs wrap long lines.
bool is_incomplete(std::string_view text) {
    text = trimmed(text.substr(0, text.find_last_not_of('\n') + 1));
    if (text.ends_with(',') || text.ends_with('{')) return true;
    text.remove_prefix(text.rfind('\n') + 1);  // npos + 1 is 0
    return text.find('{') != text.npos && text.find('}') == text.npos;
}

/// A shader in progress.
struct Shader {
    Extracted out;
    std::string prefix;
    std::string blanks;  ///< blank lines that are kept if something follows
    bool has_statement = false, ended = false;

    std::string_view last_line() const {
        const std::string_view text(out.text);
        const size_t end = text.find_last_not_of('\n');
        const size_t before = end == text.npos ? text.npos : text.rfind('\n', end);
        return text.substr(before == text.npos ? 0 : before + 1);
    }
};

}  // namespace

std::vector<Extracted> extract(std::string_view log) {
    std::vector<Extracted> found;
    Shader shader;
    bool inside = false;
    const auto finish = [&] {
        if (inside && shader.has_statement) {
            // Old compute text has no END.
            shader.out.complete = shader.ended || shader.out.stage == Stage::Compute;
            found.push_back(std::move(shader.out));
        }
        inside = false;
    };
    uint32_t number = 0;
    const auto take = [&](std::string_view line) {
        if (inside) {
            const auto rest = without(shader.prefix, line);
            Kind kind = rest ? kind_of(*rest) : Kind::Other;
            if (kind == Kind::Blank && !shader.ended) {
                shader.blanks += '\n';
                return;
            }
            if (kind == Kind::Other && rest && shader.has_statement && is_incomplete(shader.last_line()))
                kind = Kind::Continued;
            if (kind == Kind::Statement || kind == Kind::End || (kind == Kind::Continued && !shader.ended)) {
                shader.out.text += shader.blanks;
                shader.out.text += *rest;
                shader.out.text += '\n';
                shader.blanks.clear();
                shader.has_statement = true;
                shader.ended |= kind == Kind::End;
                return;
            }
            finish();
        }
        size_t first = 0;
        if (const auto stage = stage_at_end(line, first)) {
            shader = {};
            inside = true;
            shader.out.stage = *stage;
            shader.out.line = number;
            shader.prefix = line.substr(0, first);
            shader.out.text = std::string(line.substr(first)) + '\n';
        }
    };
    for (size_t at = 0; at < log.size();) {
        const std::string lines = lines_of(next_line(log, at));
        ++number;
        for (size_t in = 0; in <= lines.size();) take(next_line(lines, in));
    }
    finish();
    return found;
}

}  // namespace tgsi2spv::tgsi
