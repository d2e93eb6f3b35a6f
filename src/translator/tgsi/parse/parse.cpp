// Reads the text as a sequence of statements. One pass over the bytes, nothing copied, no recursion.
#include "tgsi/parse/parse.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "tgsi/parse/parser.h"
#include "tgsi/program/stage.h"
#include "tgsi/tables/names.h"
#include "tgsi/text/nearest.h"
#include "tgsi/text/words.h"

namespace tgsi2spv::tgsi {
namespace {

constexpr std::string_view kBom = "\xef\xbb\xbf";

/// The words that begin a statement, except opcodes.
enum class Keyword : uint16_t { Declaration, Immediate, Property };
constexpr WordTable<1, 3, 8> kKeywords({{{"DCL", 0}, {"IMM", 1}, {"PROPERTY", 2}}});

/// semantics: Text. NULs and blanks at the end are white space.
void trim(Parser& parser) {
    while (parser.end > parser.begin &&
           (parser.end[-1] == '\0' || kCharClass[static_cast<uint8_t>(parser.end[-1])] & kSpace))
        --parser.end;
}

/// Parses `VERT` or `FRAG1.1`: the stage, and a version in the oldest texts.
bool parse_stage(Parser& parser) {
    parser.skip();
    const char* first = parser.p;
    const std::string_view written = parser.word();
    std::string_view letters = written;
    while (!letters.empty() && kCharClass[static_cast<uint8_t>(letters.back())] & kDigit) letters.remove_suffix(1);
    const auto stage = stage_from_word(letters, parser.end);
    if (!stage) {
        trim(parser);
        parser.p = first = std::min(first, parser.end);
        if (first == parser.end) return parser.fail(parser.here(), 0, "empty-text", "the text contains no shader");
        Nearest nearest(letters);
        for (int i = 0; i < kStageCount; ++i) nearest.offer(name(static_cast<Stage>(i)));
        std::string hint = did_you_mean(nearest.word);
        if (hint.empty()) hint = "a shader begins with VERT, TESS_CTRL, TESS_EVAL, GEOM, FRAG or COMP";
        return parser.fail(parser.here(), written.size(), "missing-stage",
                           written.empty() ? "expected a stage" : "expected a stage, found " + quoted(written),
                           std::move(hint));
    }
    parser.program.stage = *stage;
    parser.program.stage_position = {parser.offset(first)};
    if (letters.size() == written.size()) return true;
    uint8_t major = 0, minor = 0;
    bool fits = std::from_chars(letters.end(), written.end(), major).ec == std::errc{};
    if (fits && parser.peek() == '.') {
        const char* digits = ++parser.p;
        while (parser.klass() & kDigit) ++parser.p;
        fits = std::from_chars(digits, parser.p, minor).ec == std::errc{};
    }
    if (!fits)
        return parser.fail(parser.offset(first), static_cast<size_t>(parser.p - first), "bad-version",
                           "expected a version such as 1.1 after the stage");
    parser.program.version = static_cast<uint16_t>(major << 8 | minor);
    return true;
}

/// Whether a statement begins here without doubt: a keyword, an opcode, or a label before a word.
bool starts_statement(Parser parser) {
    if (parser.klass() & kDigit) {
        while (parser.klass() & kDigit) ++parser.p;
        if (!parser.take(':')) return false;
        parser.skip();
        return (parser.klass() & kWordChar) != 0;
    }
    const std::string_view word = parser.look_word();
    return !word.empty() && (kKeywords.find(word) != kKeywords.kNone || opcode_from_name(word));
}

/// After an error, moves to the next line that looks like the beginning of a statement. If something was missing at the
/// end of a line, that is the line at hand.
void recover(Parser& parser) {
    if (parser.line_ended() && starts_statement(parser)) return;
    for (;;) {
        while (parser.p < parser.end && *parser.p != '\n') ++parser.p;
        parser.skip();
        if (parser.p == parser.end) return;
        const uint8_t c = parser.klass();
        if (c & kWordChar || *parser.p == '(') return;
        if (c & kDigit) {
            const char* q = parser.p;
            while (q < parser.end && kCharClass[static_cast<uint8_t>(*q)] & kDigit) ++q;
            if (q < parser.end && *q == ':') return;
        }
    }
}

bool parse_statement(Parser& parser) {
    parser.token_end = parser.p;
    const char* const first = parser.p;
    if (parser.klass() & kDigit) {  // a label: it only repeats the text order
        while (parser.klass() & kDigit) ++parser.p;
        if (parser.klass() & kWordChar)
            return parser.fail(parser.offset(first), parser.look_word().size() + static_cast<size_t>(parser.p - first),
                               "bad-statement",
                               "expected a statement, found " +
                                   quoted({first, parser.look_word().size() + static_cast<size_t>(parser.p - first)}));
        parser.token_end = parser.p;
        if (!parser.expect(':', "after an instruction number")) return false;
        parser.skip();
    }
    Operand predicate;
    bool inverted = false;
    const bool has_predicate = parser.peek() == '(';
    if (has_predicate) {
        if (!parse_predicate(parser, predicate, inverted)) return false;
        parser.skip();
    }
    const uint32_t position = parser.here();
    const std::string_view word = parser.word();
    if (word.empty()) return parser.fail_expected("bad-statement", "a statement");
    parser.token_end = parser.p;
    if (!has_predicate && word.size() <= 8) {
        switch (const uint16_t keyword = kKeywords.find(word, parser.end); keyword) {
            case static_cast<uint16_t>(Keyword::Declaration):
                return parse_declaration(parser, position);
            case static_cast<uint16_t>(Keyword::Immediate):
                return parse_immediate(parser, position);
            case static_cast<uint16_t>(Keyword::Property):
                return parse_property(parser, position);
            default:
                break;
        }
    }
    return parse_instruction(parser, word, has_predicate ? &predicate : nullptr, inverted);
}

/// Fetches the text into the cache while the lists are emptied.
void fetch(std::string_view text) {
    constexpr size_t kLine = 64, kMax = 4096;
    for (size_t at = 0; at < std::min(text.size(), kMax); at += kLine) __builtin_prefetch(text.data() + at);
    if (!text.empty()) __builtin_prefetch(&text.back());
}

void clear(Program& program) {
    program.stage = {};
    program.stage_position = {};
    program.version = 0;
    program.entry = 0;
    program.properties.clear();
    program.declarations.clear();
    program.immediates.clear();
    program.immediate_rows.clear();
    program.instructions.clear();
    program.operands.clear();
    program.relatives.clear();
}

}  // namespace

bool parse(std::string_view text, const Limits& limits, Program& program, std::vector<Diagnostic>& diagnostics) {
    Survey unread;
    return parse(text, limits, program, unread, diagnostics);
}

bool parse(std::string_view text, const Limits& limits, Program& program, Survey& survey,
           std::vector<Diagnostic>& diagnostics) {
    fetch(text);
    clear(program);
    survey.clear();
    Parser s{.begin = text.data(),
             .p = text.data(),
             .end = text.data() + text.size(),
             .limits = limits,
             .program = program,
             .survey = survey,
             .diagnostics = diagnostics,
             .token_end = text.data()};
    if (text.size() > limits.text_bytes)
        return s.fail(0, 0, "text-limit",
                      "the text is longer than the limit of " + std::to_string(limits.text_bytes) + " bytes");
    if (text.substr(0, kBom.size()) == kBom) s.p += kBom.size();  // semantics: Text. It is white space.

    const bool has_stage = parse_stage(s);
    trim(s);  // not before, because the text's end is not in the cache yet
    if (!has_stage && !s.stop && s.p < s.end && !(s.klass() & kWordChar)) recover(s);
    if (s.errors != 0 && !s.stop) {
        // If the stage is misspelt, statements follow it; if it is missing, the word is itself a statement.
        const std::string_view word = s.look_word();
        if (kKeywords.find(word) == kKeywords.kNone && !opcode_from_name(word)) s.word();
    }
    while (!s.stop) {
        s.skip();
        if (s.p == s.end) break;
        if (!parse_statement(s) && !s.stop) recover(s);
    }
    return s.errors == 0;
}

}  // namespace tgsi2spv::tgsi
