// `DCL OUT[0..3].xy, ARRAY(1), GENERIC[9], PERSPECTIVE, CENTROID`, `DCL SVIEW[0], 2D, FLOAT`,
// `DCL IMMX[0..1] {{ 1, 0, 0, 0 }, { 0, 1, 0, 0 }}`.
#include "tgsi/parse/parser.h"
#include "tgsi/tables/formats.h"
#include "tgsi/tables/names.h"
#include "tgsi/text/nearest.h"
#include "tgsi/text/words.h"

namespace tgsi2spv::tgsi {
namespace {

/// The attributes that are neither a semantic nor in the other enumerations.
enum class Word : uint16_t { Array, Local, Stream, Invariant, Wr, Raw, Atomic, Shared, Global, Private, Input, None };
constexpr std::string_view kWordText[] = {"ARRAY",  "LOCAL",  "STREAM", "INVARIANT", "WR",   "RAW",
                                          "ATOMIC", "SHARED", "GLOBAL", "PRIVATE",   "INPUT"};
constexpr auto kWords = [] {
    std::array<Spelling, std::size(kWordText)> all{};
    for (size_t i = 0; i < all.size(); ++i) all[i] = {kWordText[i], static_cast<uint16_t>(i)};
    return WordTable<2, std::size(kWordText), 32>(all);
}();

/// The files whose declarations take the attribute.
FileSet files_of(Word word) {
    switch (word) {
        case Word::Array:  // an index may name the registers of any file
            return ~FileSet{0};
        case Word::Local:
            return file_set({File::Temp, File::Address});
        case Word::Stream:
            return file_set({File::Output});
        case Word::Invariant:
            return file_set({File::Input, File::Output});
        case Word::Wr:
        case Word::Raw:
            return file_set({File::Image, File::Resource});
        case Word::Atomic:
            return file_set({File::Buffer});
        case Word::Shared:
        case Word::Global:
        case Word::Private:
        case Word::Input:
            return file_set({File::Memory});
        case Word::None:
            break;
    }
    return 0;
}

bool may_have_semantic(File file) {
    return file == File::Input || file == File::Output || file == File::SystemValue;
}

bool index_of(Parser& parser, int32_t& value) {
    parser.skip();
    if (parser.peek() == '-') {
        const uint32_t at = parser.here();
        ++parser.p;
        const size_t digits = parser.look_word().size();
        return parser.fail(at, digits + 1, "negative-index",
                           "index " + quoted("-" + std::string(parser.look_word())) + " is negative");
    }
    return parse_number(parser, "index", value);
}

/// Parses `[first]` or `[first..last]`; '[' is taken.
bool parse_range(Parser& parser, int32_t& first, int32_t& last) {
    parser.skip();
    const uint32_t at = parser.here();
    if (!index_of(parser, first)) return false;
    last = first;
    parser.skip();
    if (parser.peek() == '.') {
        ++parser.p;
        if (parser.peek() != '.') return parser.fail(parser.here() - 1, 1, "bad-range", "expected '..' in a range");
        parser.token_end = ++parser.p;
        if (!index_of(parser, last)) return false;
    }
    const uint32_t length = parser.offset(parser.token_end) - at;
    if (last < first)
        return parser.fail(at, length, "bad-range",
                           "the range " + std::to_string(first) + ".." + std::to_string(last) + " runs backwards");
    if (static_cast<uint32_t>(last) >= parser.most_registers())
        return parser.fail(at, length, "register-limit",
                           "register " + std::to_string(last) + " is beyond the limit of " +
                               std::to_string(parser.most_registers()) + " registers");
    return parser.expect(']', "after an index");
}

/// Parses `[3]` or `[0..31]`, as printers write them, with few digits and no further bracket after it. False: it is
/// something else, and nothing was taken.
bool fast_range(Parser& parser, int32_t& first, int32_t& last) {
    constexpr ptrdiff_t kLongest = 16;
    constexpr int32_t kFew = 1000;
    if (parser.end - parser.p < kLongest || *parser.p != '[') return false;
    const char* p = parser.p + 1;
    const auto number = [&p](int32_t& value) {
        const char* const digits = p;
        for (value = 0; kCharClass[static_cast<uint8_t>(*p)] & kDigit && value < kFew; ++p)
            value = value * 10 + (*p - '0');
        return p != digits && value < kFew;
    };
    if (!number(first)) return false;
    last = first;
    if (p[0] == '.' && p[1] == '.' && (p += 2, !number(last))) return false;
    if (*p++ != ']' || last < first || static_cast<uint32_t>(last) >= parser.most_registers()) return false;
    const char* const next = after_blanks(p, parser.end);
    if (next == parser.end || (*next != ',' && *next != '.' && !(kCharClass[static_cast<uint8_t>(*next)] & kWordChar)))
        return false;
    parser.token_end = parser.p = p;
    return true;
}

/// Parses `[2][0..31]`, `[][0]`, `[0..3]`.
bool parse_brackets(Parser& parser, Declaration& declaration) {
    if (!parser.expect('[', "after a register file")) return false;
    parser.skip();
    if (parser.peek() == ']') {
        parser.token_end = ++parser.p;
        declaration.has_dim = declaration.dim_is_empty = true;
        return fast_range(parser, declaration.first, declaration.last) ||
               (parser.expect('[', "after '[]'") && parse_range(parser, declaration.first, declaration.last));
    }
    const uint32_t at = parser.here();
    if (!parse_range(parser, declaration.first, declaration.last)) return false;
    if (!parser.take('[')) return true;
    if (declaration.first != declaration.last)
        return parser.fail(at, parser.offset(parser.token_end) - at - 2, "bad-range",
                           "the first of two indices cannot be a range");
    declaration.has_dim = true;
    declaration.dim = declaration.first;
    return parse_range(parser, declaration.first, declaration.last);
}

/// Parses `(1)` of ARRAY.
bool parse_array_id(Parser& parser, Declaration& declaration) {
    if (!parser.expect('(', "after ARRAY")) return false;
    parser.skip();
    const uint32_t at = parser.here();
    int32_t id = 0;
    if (!parse_number(parser, "array id", id)) return false;
    if (id < 0 || id > 0xffff)  // 0 is as good as none
        return parser.fail(at, parser.here() - at, "bad-array-id", "an array id must be a number from 0 to 65535");
    declaration.array_id = static_cast<uint16_t>(id);
    return parser.expect(')', "after an array id");
}

/// Parses `(0, 0, 0, 0)` of STREAM.
bool parse_streams(Parser& parser, Declaration& declaration) {
    for (int i = 0; i < 4; ++i) {
        if (!parser.expect(i == 0 ? '(' : ',', i == 0 ? "after STREAM" : "between streams")) return false;
        parser.skip();
        const uint32_t at = parser.here();
        int32_t stream = 0;
        if (!parse_number(parser, "stream", stream)) return false;
        if (stream > 3)
            return parser.fail(at, parser.here() - at, "bad-stream", "a stream must be a number from 0 to 3");
        declaration.streams[i] = static_cast<uint8_t>(stream);
    }
    declaration.has_stream = true;
    return parser.expect(')', "after four streams");
}

/// Parses `GENERIC[9]`; the word is taken.
bool parse_semantic(Parser& parser, Declaration& declaration, Semantic semantic, std::string_view word) {
    if (declaration.has_semantic)
        return parser.fail(parser.offset(word.data()), word.size(), "repeated-attribute",
                           "duplicate semantic " + quoted(word));
    declaration.has_semantic = true;
    declaration.semantic = semantic;
    if (!parser.take('[')) return true;
    int32_t index = 0;
    if (!index_of(parser, index)) return false;
    declaration.semantic_index = static_cast<uint32_t>(index);
    return parser.expect(']', "after a semantic index");
}

/// Parses UNORM, … of a view: one, or one for each component.
bool parse_return_type(Parser& parser, Declaration& declaration, ReturnType type, std::string_view word) {
    for (ReturnType& r : declaration.returns)
        if (r == ReturnType::Unwritten) {
            r = type;
            return true;
        }
    return parser.fail(parser.offset(word.data()), word.size(), "repeated-attribute",
                       "a view can have at most four types");
}

bool parse_word(Parser& parser, Declaration& declaration, Word word, std::string_view written) {
    if (!contains(files_of(word), declaration.file))
        return parser.fail(parser.offset(written.data()), written.size(), "unexpected-attribute",
                           std::string(name(declaration.file)) + " takes no " + quoted(written));
    const auto kind = [&](MemoryKind of) {
        if (declaration.memory_kind != MemoryKind::Unwritten)
            return parser.fail(parser.offset(written.data()), written.size(), "repeated-attribute",
                               "duplicate kind of memory " + quoted(written));
        declaration.memory_kind = of;
        return true;
    };
    switch (word) {
        case Word::Array:
            return parse_array_id(parser, declaration);
        case Word::Local:
            declaration.local = true;
            return true;
        case Word::Stream:
            return parse_streams(parser, declaration);
        case Word::Invariant:
            declaration.invariant = true;
            return true;
        case Word::Wr:
            declaration.writable = true;
            return true;
        case Word::Raw:
            declaration.raw = true;
            return true;
        case Word::Atomic:
            declaration.atomic = true;
            return true;
        case Word::Shared:
            return kind(MemoryKind::Shared);
        case Word::Global:
            return kind(MemoryKind::Global);
        case Word::Private:
            return kind(MemoryKind::Private);
        case Word::Input:
            return kind(MemoryKind::Input);
        case Word::None:
            break;
    }
    return false;
}

bool has_target(File file) {
    return file == File::SamplerView || file == File::Image || file == File::Resource;
}

bool unknown_attribute(Parser& parser, const Declaration& declaration, std::string_view word) {
    if (may_have_semantic(declaration.file) && !declaration.has_semantic && word == "CS_USER_DATA_AMD")
        return fail_driver_value(parser, parser.offset(word.data()), word);
    Nearest nearest(word);
    for (int i = 0; i < kSemanticCount; ++i) nearest.offer(name(static_cast<Semantic>(i)));
    for (int i = 0; i < 5; ++i) nearest.offer(name(static_cast<Interpolation>(i)));
    for (int i = 0; i < 3; ++i) nearest.offer(name(static_cast<Location>(i)));
    for (std::string_view text : kWordText) nearest.offer(text);
    if (has_target(declaration.file))
        for (int i = 0; i < kTargetCount; ++i) nearest.offer(name(static_cast<Target>(i)));
    if (has_target(declaration.file))
        for (int i = 0; i < 6; ++i) nearest.offer(name(static_cast<ReturnType>(i)));
    const bool semantic = may_have_semantic(declaration.file);
    return parser.fail(
        parser.offset(word.data()), word.size(),
        semantic && !declaration.has_semantic ? Code("unknown-semantic") : Code("unknown-attribute"),
        (semantic && !declaration.has_semantic ? "unknown semantic " : "unknown attribute ") + quoted(word),
        did_you_mean(nearest.word));
}

/// Whether the word can only be an attribute.
bool is_attribute(std::string_view word) {
    return !opcode_from_name(word) &&
           (kWords.find(word) != kWords.kNone || interpolation_from_name(word) || semantic_from_name(word) ||
            location_from_name(word) || target_from_name(word) || return_type_from_name(word));
}

bool parse_attribute(Parser& parser, Declaration& declaration) {
    parser.skip();
    const uint32_t at = parser.here();
    const bool line_ended = parser.line_ended();
    const std::string_view word = parser.word();
    // A word on another line, after a surplus comma, is the next statement, unless it is an attribute too.
    if (word.empty() || (line_ended && opcode_from_name(word) && !location_from_name(word))) {
        parser.p = word.data();
        return parser.fail_expected("missing-attribute", "an attribute after ','");
    }
    parser.token_end = parser.p;
    // COLOR is an interpolation too: if there is a semantic, it comes first.
    const auto semantic = semantic_from_word(word, parser.end);
    if (semantic && may_have_semantic(declaration.file) && !declaration.has_semantic)
        return parse_semantic(parser, declaration, *semantic, word);
    if (has_target(declaration.file)) {
        if (const auto target = target_from_name(word)) {
            if (declaration.target != Target::None)
                return parser.fail(at, word.size(), "repeated-attribute", "duplicate target " + quoted(word));
            declaration.target = *target;
            return true;
        }
        if (const auto type = return_type_from_name(word)) return parse_return_type(parser, declaration, *type, word);
        if (word.size() > 12 && fold<2>(word.substr(0, 12)) == fold<2>("PIPE_FORMAT_"))
            return parse_format(parser, word, declaration.format);
    }
    if (const uint16_t found = kWords.find(word, parser.end); found != kWords.kNone)
        return parse_word(parser, declaration, static_cast<Word>(found), word);
    const auto interpolation = interpolation_from_word(word, parser.end);
    if (semantic && !interpolation) return parse_semantic(parser, declaration, *semantic, word);
    if (interpolation) {
        if (declaration.interpolation != Interpolation::Unwritten)
            return parser.fail(at, word.size(), "repeated-attribute", "duplicate interpolation " + quoted(word));
        declaration.interpolation = *interpolation;
        return true;
    }
    if (const auto location = location_from_name(word)) {
        declaration.location = *location;
        return true;
    }
    constexpr std::string_view kCylWrap = "CYLWRAP_";
    if (word.size() > kCylWrap.size() && fold<1>(word.substr(0, kCylWrap.size())) == fold<1>(kCylWrap)) {
        parser.p = word.data() + kCylWrap.size();
        if (!parse_mask(parser, "CYLWRAP mask", declaration.cylwrap)) return false;
        parser.warn(at, word.size(), "cylwrap", "CYLWRAP is ignored");
        return true;
    }
    return unknown_attribute(parser, declaration, word);
}

/// Parses `{{ 1, 0, 0, 0 }, { … }}` of IMMX.
bool parse_rows(Parser& parser, Declaration& declaration) {
    Program& program = parser.program;
    declaration.immediates = static_cast<uint32_t>(program.immediate_rows.size());
    if (!parser.expect('{', "before the values of IMMX")) return false;
    for (int32_t i = declaration.first; i <= declaration.last; ++i) {
        if (i > declaration.first && !parser.expect(',', "between the rows of IMMX")) return false;
        parser.skip();
        Immediate row{ImmediateType::Float32, {}, parser.here()};
        if (!parse_values(parser, row.type, row.words)) return false;
        program.immediate_rows.push_back(row);
    }
    return parser.expect('}', "after the rows of IMMX");
}

bool parse_file(Parser& parser, Declaration& declaration) {
    parser.skip();
    const std::string_view word = parser.word();
    if (word.empty()) return parser.fail_expected("missing-operand", "a register file");
    const bool known = file_of_word(word, parser.end, declaration.file);
    if (known && !is_bare(declaration.file) && declaration.file != File::Immediate) {
        parser.token_end = parser.p;
        return true;
    }
    parser.p = word.data();
    if (!known) {
        if (parser.line_ended()) return parser.fail_expected("missing-operand", "a register file");
        Nearest nearest(word);
        for (int i = 0; i < kFileCount; ++i) nearest.offer(name(static_cast<File>(i)));
        return parser.fail(parser.here(), word.size(), "unknown-register-file", "unknown register file " + quoted(word),
                           did_you_mean(nearest.word));
    }
    return parser.fail(parser.here(), word.size(), "bad-declaration",
                       std::string(name(declaration.file)) + " cannot be declared with DCL");
}

}  // namespace

bool parse_declaration(Parser& parser, uint32_t position) {
    Declaration d;
    d.position = position;
    if (!parse_file(parser, d)) return false;
    if (!fast_range(parser, d.first, d.last) && !parse_brackets(parser, d)) return false;
    if (parser.take('.')) {
        parser.skip();
        if (!(parser.klass() & kWordChar)) return parser.fail_expected("bad-mask", "a usage mask after '.'");
        if (!parse_mask(parser, "usage mask", d.usage_mask)) return false;
    }
    if (d.file == File::ImmediateArray) {
        const size_t rows = parser.program.immediate_rows.size();
        if (!parse_rows(parser, d)) {
            parser.program.immediate_rows.resize(rows);
            return false;
        }
    }
    while (parser.take(','))
        if (!parse_attribute(parser, d)) return false;
    if (const std::string_view word = parser.look_word(); !word.empty() && !parser.line_ended() && is_attribute(word))
        return parser.fail(parser.here(), word.size(), "missing-comma", "expected ',' between attributes");
    // A view with one type has it for all four components.
    if (d.returns[0] != ReturnType::Unwritten && d.returns[1] == ReturnType::Unwritten)
        for (ReturnType& r : d.returns) r = d.returns[0];
    if (d.returns[0] != ReturnType::Unwritten && d.returns[3] == ReturnType::Unwritten)
        return parser.fail(position, 3, "type-count", "a view needs one type or four");
    parser.program.declarations.push_back(d);
    return true;
}

}  // namespace tgsi2spv::tgsi
