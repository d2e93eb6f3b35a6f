#include "tgsi2spv/log_shaders.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "tgsi/parse/parse.h"
#include "tgsi/tables/names.h"
#include "tgsi/tables/opcode.h"
#include "tgsi/text/diagnostic.h"

namespace tools {
namespace {

using namespace tgsi2spv;

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kBlanks{" \t\r\0", 4};

std::string_view trimmed(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_word(char c) {
    return is_letter(c) || c == '_' || kDigits.find(c) != kDigits.npos;
}
std::string_view first_word(std::string_view text) {
    return text.substr(0, static_cast<size_t>(std::ranges::find_if_not(text, is_word) - text.begin()));
}
/// Producers print in capitals: in prose, the same words mean something else.
bool is_capital(std::string_view word) {
    return std::ranges::none_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
}

/// Returns a line, and moves `at` to the next one. A CR alone ends a line too.
std::string_view next_line(std::string_view log, size_t& at) {
    const size_t end = std::min(log.find_first_of("\r\n", at), log.size());
    const std::string_view line = log.substr(at, end - at);
    at = end + (log.substr(end, 2) == "\r\n" ? 2 : 1);
    return line;
}

/// The stage at the end of a line, `FRAG` or `FRAG1.1`, and where it begins.
std::optional<tgsi::Stage> stage_at_end(std::string_view line, size_t& first) {
    const size_t end = line.find_last_not_of(" \t\r.0123456789") + 1;  // npos + 1 is 0
    first = end;
    while (first > 0 && is_word(line[first - 1])) --first;
    const std::string_view word = line.substr(first, end - first);
    return is_capital(word) ? tgsi::stage_from_name(word) : std::nullopt;
}

enum class LineKind : uint8_t { Other, Blank, Declaration, Instruction, Continued, End };

/// A shader's line, without the log's prefix.
struct ShaderLine {
    LineKind kind = LineKind::Other;
    std::optional<uint64_t> number{};  ///< `  12: `
    std::string_view word{};           ///< the word after it
    bool is_word = false;              ///< nothing follows the word
};

/// Takes off the number before a statement, `  12: `.
std::optional<uint64_t> take_number(std::string_view& line) {
    constexpr size_t kMostDigits = 18;
    const size_t digits = line.find_first_not_of(kDigits);
    if (digits == 0 || digits == line.npos || digits > kMostDigits || line[digits] != ':') return std::nullopt;
    uint64_t number = 0;
    for (const char c : line.substr(0, digits)) number = number * 10 + static_cast<uint64_t>(c - '0');
    line = trimmed(line.substr(digits + 1));
    return number;
}

/// Whether a word is a mnemonic with suffixes, or an unknown one before an operand: the parser then names it. Without
/// its line, the shader would be another one.
bool is_instruction(std::string_view word, std::string_view line) {
    std::string_view mnemonic = word;
    for (const std::string_view suffix : {"_PRECISE", "_SAT", "_SATNV", "_PRECISE", "_LZ"})
        if (mnemonic.ends_with(suffix) && !tgsi::opcode_from_name(mnemonic)) mnemonic.remove_suffix(suffix.size());
    if (tgsi::opcode_from_name(mnemonic)) return true;
    std::string_view operand = trimmed(line.substr(word.size()));
    operand.remove_prefix(std::min(operand.find_first_not_of("-|"), operand.size()));
    const std::string_view file = first_word(operand);
    return word.size() > 1 && !file.empty() && tgsi::file_from_name(file) &&
           operand.substr(file.size()).starts_with('[');
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
    out.number = take_number(line);
    if (line.starts_with('(')) {
        const bool is_predicate = out.number || line.find("PRED") != line.npos;
        return with(is_predicate ? LineKind::Instruction : LineKind::Other);
    }
    out.word = first_word(line);
    if (line.empty()) return with(LineKind::Instruction);
    if (!is_letter(line[0]) || !is_capital(out.word)) return out;
    out.is_word = out.word.size() == line.size();
    if (out.word == "DCL" || out.word == "IMM" || out.word == "PROPERTY") return with(LineKind::Declaration);
    // Quotation marks and brackets may close the text in which the shader is.
    if (out.word == "END")
        return with(line.find_first_not_of(" \t\r\"'`;,)]}>", 3) == line.npos ? LineKind::End : LineKind::Other);
    return with(is_instruction(out.word, line) ? LineKind::Instruction : LineKind::Other);
}

/// Takes the number at `at`, with the blanks that pad it. Empty, and takes nothing, if there is none.
std::string_view take_padded(std::string_view text, size_t& at) {
    constexpr std::string_view kPadding = " \t";
    const bool after_blank = at > 0 && kPadding.find(text[at - 1]) != kPadding.npos;  // already tried
    const size_t first = after_blank ? at : std::min(text.find_first_not_of(kPadding, at), text.size());
    const size_t end = std::min(text.find_first_not_of(kDigits, first), text.size());
    if (first < end) at = end;
    return text.substr(first, end - first);
}

/// The line after a prefix whose numbers may differ, also in their width and the blanks before them.
std::optional<std::string_view> without_prefix(std::string_view prefix, std::string_view line) {
    size_t at = 0;
    for (size_t i = 0; i < prefix.size();) {
        if (!take_padded(prefix, i).empty()) {
            if (take_padded(line, at).empty()) return std::nullopt;
        } else if (at < line.size() && line[at] == prefix[i]) {
            ++at, ++i;
        } else {
            return std::nullopt;
        }
    }
    return line.substr(at);
}

/// The shader in progress.
struct Shader {
    LogShader out;
    std::string prefix;
    std::vector<uint32_t> lines;       ///< line of the log for each line of the text
    std::optional<uint64_t> next = 0;  ///< number of the next instruction, if they are numbered
    uint32_t left_out = 0;             ///< first line that was left out after a statement; 0: none
    bool has_statement = false, ended = false, in_subroutine = false;
    bool noisy = false;  ///< another line came after the stage

    void note(uint32_t line, const char* code, std::string message) {
        out.notes.push_back({line, code, std::move(message)});
    }
    bool has_note(std::string_view code) const {
        return std::ranges::find(out.notes, code, &LogNote::code) != out.notes.end();
    }

    /// Instructions count up by one: where a number is missing, the log lost a line.
    void count(const ShaderLine& is, uint32_t line) {
        if (is.kind == LineKind::Declaration || !next) return;
        const bool lost = is.number ? *is.number > *next : *next > 0 && is.kind != LineKind::End;
        if (lost && !has_note("gap"))
            note(line, "gap", fmt::format("instruction {} is missing before this line; the log lost lines", *next));
        if (is.number && *is.number < *next && !has_note("mixed"))
            note(line, "mixed", "the numbers of instructions go back here; this line may belong to another shader");
        if (is.number)
            next = *is.number + 1;
        else
            next.reset();
    }

    void append(std::string_view text, uint32_t line) {
        if (left_out != 0 && !has_note("left-out"))
            note(left_out, "left-out",
                 "this line was left out; if it is the rest of the one before it, join them in the log");
        out.text += text.substr(0, text.find_last_not_of(kBlanks) + 1);
        out.text += '\n';
        lines.push_back(line);
    }

    bool leave_out(uint32_t line) {
        noisy = true;
        if (has_statement && !ended && left_out == 0) left_out = line;
        return false;
    }

    /// Whether the line is the shader's.
    bool take(std::string_view line, uint32_t number) {
        auto rest = without_prefix(prefix, line);
        if (!rest && number == out.line + 1) {
            const ShaderLine bare = shader_line(line);
            if (bare.kind == LineKind::Declaration || bare.number == 0u || bare.kind == LineKind::End)
                prefix.clear(), rest = line;
        }
        if (!rest) return leave_out(number);
        ShaderLine is = shader_line(*rest);
        if (is.kind == LineKind::Blank) return true;
        // A numbered word is an instruction with an unknown opcode.
        if (is.kind == LineKind::Other && is.is_word && is.number && *is.number > 0 && is.number == next)
            is.kind = LineKind::Instruction;
        if (is.kind == LineKind::Other) return leave_out(number);
        if (noisy && !has_statement && is.kind != LineKind::Declaration && is.number != 0u) return false;
        if (ended) {
            const bool goes_on = in_subroutine || is.word == "BGNSUB" || (is.number && is.number == next);
            if (is.kind != LineKind::Instruction || !goes_on) return false;
        }
        if (is.word == "BGNSUB" || is.word == "ENDSUB") in_subroutine = is.word == "BGNSUB";
        if (is.kind != LineKind::Continued) count(is, number);
        has_statement = true;
        ended |= is.kind == LineKind::End;
        append(is.kind == LineKind::End ? rest->substr(0, rest->rfind("END") + 3) : *rest, number);
        return true;
    }
};

constexpr size_t kLongestPrefix = 256;  // all later lines are compared with it

class LogReader {
  public:
    void take_line(std::string_view line, uint32_t number) {
        if (shader_ && shader_->take(line, number)) return;
        size_t first = 0;
        const auto stage = stage_at_end(line, first);
        if (!stage || first > kLongestPrefix || trimmed(line.substr(0, first)).ends_with("NEXT_SHADER")) return;
        close(Header{*stage, line.substr(0, first)});
        shader_.emplace();
        shader_->out.stage = *stage;
        shader_->out.line = number;
        if (const std::string_view prefix = line.substr(0, first); !trimmed(prefix).empty()) shader_->prefix = prefix;
        shader_->append(line.substr(first), number);
    }

    LogShaders finish() {
        close(std::nullopt);
        return std::move(found_);
    }

  private:
    LogShaders found_;
    std::optional<Shader> shader_;
    tgsi::Program program_;
    std::vector<tgsi::Diagnostic> diagnostics_;

    struct Header {
        tgsi::Stage stage;
        std::string_view prefix;
    };

    /// `next`: the header that ends the shader.
    void close(const std::optional<Header>& next) {
        if (!shader_) return;
        LogShader& out = shader_->out;
        if (!shader_->has_statement) {
            const bool is_heading = next && next->stage == out.stage;
            const bool is_followed = next && without_prefix(shader_->prefix, next->prefix) == "";
            const bool is_prose = !is_followed && std::ranges::any_of(shader_->prefix, is_letter);
            if (!is_heading && !is_prose) found_.headers.push_back(out.line);
            return;
        }
        // Old compute text has no END.
        if (!shader_->ended && out.stage != tgsi::Stage::Compute)
            shader_->note(
                out.line, "cut-off",
                next ? "this shader has no END before the next one begins; the log may have lost or mixed lines"
                     : "this shader has no END; the log may be truncated");
        check_statements();
        found_.shaders.push_back(std::move(out));
    }

    /// Programs that cut lines leave statements without their ends.
    void check_statements() {
        diagnostics_.clear();
        const std::string& text = shader_->out.text;
        if (tgsi::parse(text, {}, program_, diagnostics_)) return;
        const auto error = std::ranges::find(diagnostics_, tgsi::Severity::Error, &tgsi::Diagnostic::severity);
        if (error == diagnostics_.end()) return;
        const size_t line = std::min<size_t>(tgsi::line_column_of(text, error->offset).line, shader_->lines.size());
        shader_->note(shader_->lines[line - 1], "not-a-statement",
                      error->message + "; the log may have cut this line or the one before");
    }
};

}  // namespace

LogShaders shaders_of_log(std::string_view log) {
    LogReader reader;
    uint32_t number = 0;
    for (size_t at = 0; at < log.size();) reader.take_line(next_line(log, at), ++number);
    return reader.finish();
}

}  // namespace tools
