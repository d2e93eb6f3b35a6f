#include "tgsi/log_line.h"

#include <algorithm>

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

bool is_capital(std::string_view word) {
    for (char c : word)
        if (c >= 'a' && c <= 'z') return false;
    return true;
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

}  // namespace

std::string_view next_line(std::string_view log, size_t& at) {
    const auto ends = [&](size_t i) {
        return log[i] == '\n' || (log[i] == '\r' && (i + 1 == log.size() || log[i + 1] != '\n'));
    };
    size_t end = at;
    while (end < log.size() && !ends(end)) ++end;
    const std::string_view line = log.substr(at, end - at);
    at = end + 1;
    return line;
}

std::optional<Stage> stage_at_end(std::string_view line, size_t& first) {
    while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
    size_t end = line.size();
    while (end > 0 && (is_digit(line[end - 1]) || line[end - 1] == '.')) --end;
    first = end;
    while (first > 0 && is_word(line[first - 1])) --first;
    const std::string_view word = line.substr(first, end - first);
    return is_capital(word) ? stage_from_name(word) : std::nullopt;
}

std::string_view trimmed(std::string_view line) {
    while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    return line;
}

ShaderLine shader_line(std::string_view line) {
    ShaderLine out;
    const auto with = [&](LineKind kind) {
        out.kind = kind;
        return out;
    };
    line = trimmed(line);
    if (line.empty()) return with(LineKind::Blank);
    if (std::string_view("{}#,:").find(line[0]) != line.npos || line.starts_with("//"))
        return with(LineKind::Continued);
    if (line[0] == '(') return with(line.find("PRED") != line.npos ? LineKind::Instruction : LineKind::Other);
    out.number = take_number(line);
    if (out.number && (line.empty() || line.starts_with('('))) return with(LineKind::Instruction);
    if (line.empty() || is_digit(line[0])) return out;
    const std::string_view word = first_word(line);
    if (!is_capital(word)) return out;
    out.is_word = word.size() == line.size();
    if (is_declaration(word)) return with(LineKind::Declaration);
    // Quotation marks and brackets may close the text in which the shader was.
    if (word == "END")
        return with(line.find_first_not_of(" \t\r\"'`;,)]}>", 3) == line.npos ? LineKind::End : LineKind::Other);
    return with(opcode_of(word) || is_unknown_instruction(word, line) ? LineKind::Instruction : LineKind::Other);
}

Reading StatementReader::of(Stage stage, std::string_view text, std::string_view piece) {
    if (text.size() > kLongest) return Reading::Other;
    const std::string shader = std::string(name(stage)) + '\n' + std::string(text);
    diagnostics_.clear();
    if (parse(shader, {}, program_, diagnostics_)) {
        const bool has_immediate = !program_.immediates.empty() || !program_.immediate_rows.empty();
        const size_t statements = program_.declarations.size() + program_.instructions.size() +
                                  program_.properties.size() + (has_immediate ? 1 : 0);
        if (statements == 0 && piece.empty()) return Reading::Beginning;  // of a property's name, unknown as it is
        return statements == 1 ? Reading::Statement : Reading::Other;
    }
    const auto error = std::ranges::find(diagnostics_, Severity::Error, &Diagnostic::severity);
    if (error == diagnostics_.end()) return Reading::Other;
    std::string_view rest = trimmed(std::string_view(shader).substr(error->offset));
    const bool is_whole_piece = !rest.empty() && rest == trimmed(piece);
    rest.remove_prefix(std::min(rest.find_first_not_of("-|"), rest.size()));
    return first_word(rest).size() == rest.size() && !is_whole_piece ? Reading::Beginning : Reading::Other;
}

}  // namespace tgsi2spv::tgsi
