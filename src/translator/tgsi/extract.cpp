#include "tgsi/extract.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <tuple>

#include "tgsi/log_line.h"
#include "tgsi/log_prefix.h"
#include "tgsi/unwrap.h"

namespace tgsi2spv::tgsi {
namespace {

/// A line of the log as a shader sees it.
struct LogLine {
    std::string_view text;  ///< the line without the shader's prefix, if it has that
    bool has_prefix = false;
    size_t length = 0;    ///< the length with the prefix
    uint32_t number = 0;  ///< the number in the log, from 1
};

/// A shader in progress.
struct Shader {
    Extracted out;
    std::string prefix, pattern;
    size_t begun = 0;      ///< number of the header among all lines
    std::string blanks;    ///< blank lines that are kept if something follows
    size_t statement = 0;  ///< place in the text of the last statement
    size_t longest = 0;    ///< the length of its longest line in the log
    size_t last = 0;       ///< the length of the last one
    size_t touched = 0;    ///< number of the last one among all lines
    bool has_statement = false, ended = false;
    bool noisy = false;                ///< another line came after the stage or END
    bool stamped = false;              ///< numbers of its prefix changed
    std::optional<uint64_t> next = 0;  ///< number of the next instruction, if they are numbered
};

/// Instructions count up by one: where a number is left out, the log lost a line.
void count(Shader& shader, const ShaderLine& line, uint32_t log_line) {
    Extracted& out = shader.out;
    if (line.kind == LineKind::Declaration || !shader.next) return;
    if (line.number) {
        if (*line.number > *shader.next && !out.missing) out.missing = shader.next;
        if (*line.number < *shader.next && shader.stamped && !out.mixed) out.mixed = log_line;
        shader.next = *line.number + 1;
    } else {
        if (*shader.next > 0 && line.kind != LineKind::End && !out.missing) out.missing = shader.next;
        shader.next.reset();
    }
}

void append(Shader& shader, std::string_view text, size_t length) {
    shader.out.text += shader.blanks;
    shader.blanks.clear();
    shader.out.text += text;
    shader.out.text += '\n';
    shader.has_statement = true;
    shader.noisy = false;
    shader.longest = std::max(shader.longest, length);
    shader.last = length;
}

/// Joins a line that goes on with the last statement. A terminal cuts a statement anywhere, at its width; a mail
/// program between words.
bool join(StatementReader& reader, Shader& shader, const LogLine& line, LineKind kind) {
    Extracted& out = shader.out;
    if (out.text.size() - shader.statement > StatementReader::kLongest) return false;
    const std::string_view last = std::string_view(out.text).substr(shader.statement);
    const std::string before(last.substr(0, last.find_last_not_of("\r\n") + 1));
    const bool was_end = shader_line(before).kind == LineKind::End;
    const bool whole = reader.of(out.stage, before) == Reading::Statement;
    const bool is_word = trimmed(line.text).find_first_of("[]{}()|.,:") == line.text.npos;
    if (whole && kind != LineKind::Other && reader.of(out.stage, line.text) == Reading::Statement) return false;
    for (const Reading reading : {Reading::Statement, Reading::Beginning})
        for (const char* between : {" ", ""}) {
            const std::string joined = before + between + std::string(line.text);
            if (reader.of(out.stage, joined, line.text) != reading) continue;
            if (whole && (reading == Reading::Beginning || shader.last < shader.longest)) {
                // Perhaps another program's line.
                if (!out.left_out && (reading == Reading::Statement || !is_word)) out.left_out = line.number;
                return false;
            }
            out.text.resize(shader.statement);
            shader.blanks.clear();
            append(shader, joined, line.length);
            const bool is_end = shader_line(joined).kind == LineKind::End;
            shader.ended = is_end || (shader.ended && !was_end);
            return true;
        }
    return false;
}

/// Whether the line is the shader's.
bool take(StatementReader& reader, Shader& shader, const LogLine& line) {
    ShaderLine is = shader_line(line.text);
    if (is.kind == LineKind::Blank) {
        if (!shader.ended) shader.blanks += '\n';
        return true;
    }
    if (!line.has_prefix) is.kind = LineKind::Other;
    // An unknown opcode, or the beginning of an instruction.
    const bool is_next = is.number && is.number == shader.next && *is.number > 0;
    if (is.kind == LineKind::Other && line.has_prefix && is.is_word && is_next) is.kind = LineKind::Instruction;
    // Subroutines may come after END; after other lines, only their numbers show whose they are.
    if (shader.ended && shader.noisy && !(is.number && is.number == shader.next)) return false;
    const bool may_continue = shader.has_statement && !is.number && is.kind != LineKind::Continued;
    if (may_continue && join(reader, shader, line, is.kind)) return true;
    if (is.kind == LineKind::Other) {
        shader.noisy |= !shader.has_statement || shader.ended;
        // The beginning of an instruction without a number, at the end of a terminal's line.
        if (line.has_prefix && is.is_word && !shader.prefix.empty() && shader.has_statement &&
            line.length >= shader.longest && !shader.out.left_out)
            shader.out.left_out = line.number;
        return false;
    }
    if (shader.noisy && !shader.has_statement && is.kind != LineKind::Declaration && is.number != 0u) return false;
    if (shader.ended && (is.kind == LineKind::Continued || is.kind == LineKind::Declaration)) return false;
    if (is.kind != LineKind::Continued) {
        count(shader, is, line.number);
        shader.statement = shader.out.text.size() + shader.blanks.size();
    }
    shader.ended |= is.kind == LineKind::End;
    const bool is_closed = is.kind == LineKind::End && !trimmed(line.text).ends_with("END");  // by a quotation mark
    append(shader, is_closed ? line.text.substr(0, line.text.rfind("END") + 3) : line.text, line.length);
    return true;
}

/// Gives each line to its shader. Several are in progress where threads write at once.
class Extractor {
  public:
    void take_line(std::string_view line, uint32_t number) {
        ++lines_;
        size_t first = 0;
        auto stage = stage_at_end(line, first);
        constexpr size_t kLongestPrefix = 256;  // all later lines are compared with it
        if (first > kLongestPrefix) stage.reset();
        if (!give(line, number, stage.has_value()) && stage) begin(*stage, line, first, number);
    }

    std::vector<Extracted> finish(std::vector<uint32_t>* headers) {
        while (!open_.empty()) close(0);
        std::ranges::stable_sort(found_, {}, &Extracted::line);
        std::ranges::sort(headers_);
        if (headers != nullptr) *headers = std::move(headers_);
        return std::move(found_);
    }

  private:
    static constexpr size_t kMostOpen = 16;
    std::vector<Extracted> found_;
    std::vector<uint32_t> headers_;  ///< headers without a shader
    std::vector<Shader> open_;
    StatementReader reader_;
    size_t lines_ = 0;
    std::string pattern_;  ///< the pattern of the prefix for which `times_` holds
    uint64_t times_ = 0;   ///< the numbers of the prefix that change within a shader

    /// The numbers of a prefix that may tell threads apart.
    uint64_t ids(const Shader& shader) const { return shader.pattern == pattern_ ? ~times_ : ~uint64_t{0}; }

    bool give(std::string_view line, uint32_t number, bool is_header) {
        // A text in quotation marks has no prefix, and neither has one whose next line is a statement without it.
        Shader* const fresh = open_.empty() || open_.back().begun + 1 != lines_ ? nullptr : &open_.back();
        const bool is_quoted = fresh != nullptr && fresh->prefix.find_last_of("\"'`") + 1 == fresh->prefix.size();
        if (is_quoted && give_bare(*fresh, line, number)) return true;
        if (give_with_prefix(line, number)) return true;
        if (is_header) return false;
        if (fresh != nullptr && !is_quoted && give_bare(*fresh, line, number)) return true;
        const auto recent = std::ranges::max_element(open_, {}, &Shader::touched);
        return recent != open_.end() && recent->has_statement && !recent->prefix.empty() && !trimmed(line).empty() &&
               touch(*recent, take(reader_, *recent, {line, false, line.size(), number}));
    }

    bool touch(Shader& shader, bool taken) {
        if (taken) shader.touched = lines_;
        return taken;
    }

    bool give_bare(Shader& fresh, std::string_view line, uint32_t number) {
        const ShaderLine is = shader_line(line);
        if (fresh.prefix.empty() || !(is.kind == LineKind::Declaration || is.number == 0u)) return false;
        fresh.prefix.clear();
        fresh.pattern.clear();
        return touch(fresh, take(reader_, fresh, {line, true, line.size(), number}));
    }

    bool give_with_prefix(std::string_view line, uint32_t number) {
        using Score = std::tuple<size_t, int, bool>;
        Score best{};
        Shader* owner = nullptr;
        PrefixMatch match;
        bool tie = false;
        for (Shader& shader : open_) {
            const auto found = match_prefix(shader.prefix, line);
            if (!found) continue;
            const Score score{shader.pattern.size(), std::popcount(found->equal & ids(shader)), !shader.ended};
            if (owner != nullptr && score < best) continue;
            tie = owner != nullptr && score == best;
            best = score;
            owner = &shader;
            match = *found;
        }
        if (owner == nullptr) return false;
        Shader& shader = *owner;
        if (touch(shader, take(reader_, shader, {match.rest, true, line.size(), number}))) {
            // A time does not come back.
            if ((tie || (match.differ == 0 && shader.stamped)) && !shader.out.mixed) shader.out.mixed = number;
            shader.stamped |= match.differ != 0;
            if (shader.pattern != pattern_) times_ = 0, pattern_ = shader.pattern;
            if (!tie) times_ |= match.differ;
            return true;
        }
        return false;
    }

    void begin(Stage stage, std::string_view line, size_t first, uint32_t number) {
        Shader shader;
        shader.out.stage = stage;
        shader.out.line = number;
        shader.out.text = std::string(line.substr(first)) + '\n';
        shader.prefix = line.substr(0, first);
        shader.pattern = prefix_pattern(shader.prefix);
        shader.begun = shader.touched = lines_;
        for (size_t i = open_.size(); i-- > 0;) {
            const auto same = match_prefix(open_[i].prefix, shader.prefix);
            if (!same || !same->rest.empty() || (same->differ & ids(shader)) != 0) continue;
            // A heading may repeat the stage.
            close(i, open_[i].out.stage != stage);
        }
        if (open_.size() == kMostOpen) close(0);
        open_.push_back(std::move(shader));
    }

    void close(size_t at, bool reports = true) {
        Shader& shader = open_[at];
        const bool has_words =
            std::ranges::any_of(shader.prefix, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
        if (shader.has_statement) {
            // Old compute text has no END.
            shader.out.complete = shader.ended || shader.out.stage == Stage::Compute;
            found_.push_back(std::move(shader.out));
        } else if (reports && !has_words) {  // otherwise it may be prose
            headers_.push_back(shader.out.line);
        }
        open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(at));
    }
};

}  // namespace

std::vector<Extracted> extract(std::string_view log, std::vector<uint32_t>* headers) {
    Extractor extractor;
    uint32_t number = 0;
    const auto take_all = [&](std::string_view lines) {
        for (size_t at = 0; at < lines.size();) extractor.take_line(next_line(lines, at), number);
    };
    Unwrapper unwrapper;
    for (size_t at = 0; at < log.size();) {
        const std::string_view line = next_line(log, at);
        ++number;
        take_all(unwrapper.lines_of(line));
    }
    take_all(unwrapper.rest());
    return extractor.finish(headers);
}

}  // namespace tgsi2spv::tgsi
