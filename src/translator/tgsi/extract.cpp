#include "tgsi/extract.h"

#include <algorithm>
#include <optional>

#include "tgsi/names.h"
#include "tgsi/opcode.h"
#include "tgsi/unwrap.h"

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

std::string_view first_word(std::string_view text) {
    return text.substr(0, static_cast<size_t>(std::ranges::find_if_not(text, is_word) - text.begin()));
}

/// The opcode of a mnemonic with its suffixes.
std::optional<Opcode> opcode_of(std::string_view word) {
    for (std::string_view suffix : {"_PRECISE", "_SAT", "_SATNV", "_PRECISE", "_LZ"})
        if (word.ends_with(suffix) && !opcode_from_name(word)) word.remove_suffix(suffix.size());
    return opcode_from_name(word);
}

/// Takes off the number before a statement, `  12: `.
std::optional<uint64_t> take_number(std::string_view& line) {
    line = trimmed(line);
    uint64_t number = 0;
    size_t at = 0;
    for (; at < line.size() && at < 18 && is_digit(line[at]); ++at)
        number = number * 10 + static_cast<uint64_t>(line[at] - '0');
    if (at == 0 || at == line.size() || line[at] != ':') return std::nullopt;
    line = trimmed(line.substr(at + 1));
    return number;
}

bool is_declaration(std::string_view word) {
    return word == "DCL" || word == "IMM" || word == "PROPERTY";
}

/// Whether this is an instruction whose opcode is unknown: parsing will name it. Without the line, the shader would be
/// another one.
bool is_unknown_instruction(std::string_view opcode, std::string_view line) {
    std::string_view operand = trimmed(line.substr(opcode.size()));
    operand.remove_prefix(std::min(operand.find_first_not_of("-|"), operand.size()));
    const std::string_view file = first_word(operand);
    return opcode.size() > 1 && !file.empty() && file_from_name(file) && operand.substr(file.size()).starts_with('[');
}

enum class Kind : uint8_t { Other, Blank, Statement, Continued, End };

/// The kind of a shader's line, without its prefix.
Kind kind_of(std::string_view line) {
    line = trimmed(line);
    if (line.empty()) return Kind::Blank;
    if (std::string_view("{}#,:").find(line[0]) != line.npos || line.starts_with("//")) return Kind::Continued;
    if (line[0] == '(') return line.find("PRED") != line.npos ? Kind::Statement : Kind::Other;
    const bool numbered = take_number(line).has_value();
    if (numbered && (line.empty() || line.starts_with('('))) return Kind::Statement;
    if (line.empty() || is_digit(line[0])) return Kind::Other;
    const std::string_view word = first_word(line);
    if (!is_capital(word)) return Kind::Other;
    if (is_declaration(word)) return Kind::Statement;
    if (word == "END") return word.size() == line.size() ? Kind::End : Kind::Other;
    return opcode_of(word) || is_unknown_instruction(word, line) ? Kind::Statement : Kind::Other;
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

/// Whether the statement goes on in the next line: mail programs wrap long lines.
bool is_incomplete(std::string_view text) {
    text = trimmed(text.substr(0, text.find_last_not_of('\n') + 1));
    if (text.ends_with(',') || text.ends_with('{')) return true;
    text.remove_prefix(text.rfind('\n') + 1);  // npos + 1 is 0
    if (text.find('{') != text.npos) return text.find('}') == text.npos;
    take_number(text);
    const std::string_view word = first_word(text);
    if (word.starts_with("IMM")) return true;  // its values are in braces
    const std::string_view others = trimmed(text.substr(word.size()));
    if (word == "PROPERTY") return others.find_first_of(" \t") == others.npos;
    if (!others.empty()) return text.starts_with('(') && text.ends_with(')');  // a predicate
    const auto op = opcode_of(word);
    return word.empty() || word == "DCL" || (op && info(*op).num_dst + min_sources(*op) > 0);
}

/// A shader in progress.
struct Shader {
    Extracted out;
    std::string prefix;
    std::string blanks;  ///< blank lines that are kept if something follows
    bool has_statement = false, ended = false;
    std::optional<uint64_t> next = 0;  ///< number of the next instruction, if they are numbered

    /// Instructions count up by one: where a number is left out, the log lost a line.
    void count(std::string_view statement) {
        if (const auto number = take_number(statement)) {
            if (next && *number > *next && !out.missing) out.missing = next;
            next = *number + 1;
        } else if (!is_declaration(first_word(statement))) {
            next.reset();
        }
    }

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
            // A mail program that wraps a line may forget the quotation mark.
            size_t stage = 0;
            const bool may_continue = rest || (!trimmed(line).empty() && !stage_at_end(line, stage));
            if (kind == Kind::Other && may_continue && shader.has_statement && is_incomplete(shader.last_line()))
                kind = Kind::Continued;
            if (rest && (kind == Kind::Statement || kind == Kind::End)) shader.count(*rest);
            if (kind == Kind::Statement || kind == Kind::End || (kind == Kind::Continued && !shader.ended)) {
                shader.out.text += shader.blanks;
                shader.out.text += rest.value_or(line);
                shader.out.text += '\n';
                shader.blanks.clear();
                shader.has_statement = true;
                shader.ended |= kind == Kind::End;
                return;
            }
            // Other lines of the log may come between those of a shader; the next one begins with its stage.
            if (shader.has_statement && !shader.ended && !stage_at_end(line, stage)) return;
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
    const auto take_all = [&](std::string_view lines) {
        for (size_t at = 0; at < lines.size();) take(next_line(lines, at));
    };
    Unwrapper unwrapper;
    for (size_t at = 0; at < log.size();) {
        const std::string_view line = next_line(log, at);
        ++number;
        take_all(unwrapper.lines_of(line));
    }
    take_all(unwrapper.rest());
    finish();
    return found;
}

}  // namespace tgsi2spv::tgsi
