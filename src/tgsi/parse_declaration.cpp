// `DCL OUT[0..3].xy, ARRAY(1), GENERIC[9], PERSPECTIVE, CENTROID`, `DCL SVIEW[0], 2D, FLOAT`,
// `DCL IMMX[0..1] {{ 1, 0, 0, 0 }, { 0, 1, 0, 0 }}`.
#include "tgsi/formats.h"
#include "tgsi/names.h"
#include "tgsi/nearest.h"
#include "tgsi/parser.h"
#include "tgsi/words.h"

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

bool index_of(Parser& s, int32_t& value) {
    s.skip();
    if (s.peek() == '-') {
        const uint32_t at = s.here();
        ++s.p;
        const size_t digits = s.look_word().size();
        return s.fail(at, digits + 1, "negative-index",
                      "index " + quoted("-" + std::string(s.look_word())) + " is negative");
    }
    return parse_number(s, "index", value);
}

/// Parses `[first]` or `[first..last]`; '[' is taken.
bool parse_range(Parser& s, int32_t& first, int32_t& last) {
    s.skip();
    const uint32_t at = s.here();
    if (!index_of(s, first)) return false;
    last = first;
    s.skip();
    if (s.peek() == '.') {
        ++s.p;
        if (s.peek() != '.') return s.fail(s.here() - 1, 1, "bad-range", "expected '..' in a range");
        s.token_end = ++s.p;
        if (!index_of(s, last)) return false;
    }
    const uint32_t length = s.offset(s.token_end) - at;
    if (last < first)
        return s.fail(at, length, "bad-range",
                      "the range " + std::to_string(first) + ".." + std::to_string(last) + " runs backwards");
    if (static_cast<uint32_t>(last) >= s.most_registers())
        return s.fail(at, length, "register-limit",
                      "register " + std::to_string(last) + " is beyond the limit of " +
                          std::to_string(s.most_registers()) + " registers");
    return s.expect(']', "after an index");
}

/// Parses `[3]` or `[0..31]`, as printers write them, with few digits and no further bracket after it. False: it is
/// something else, and nothing was taken.
bool fast_range(Parser& s, int32_t& first, int32_t& last) {
    constexpr ptrdiff_t kLongest = 16;
    constexpr int32_t kFew = 1000;
    if (s.end - s.p < kLongest || *s.p != '[') return false;
    const char* p = s.p + 1;
    const auto number = [&p](int32_t& value) {
        const char* const digits = p;
        for (value = 0; kCharClass[static_cast<uint8_t>(*p)] & kDigit && value < kFew; ++p)
            value = value * 10 + (*p - '0');
        return p != digits && value < kFew;
    };
    if (!number(first)) return false;
    last = first;
    if (p[0] == '.' && p[1] == '.' && (p += 2, !number(last))) return false;
    if (*p++ != ']' || last < first || static_cast<uint32_t>(last) >= s.most_registers()) return false;
    const char* const next = after_blanks(p, s.end);
    if (next == s.end || (*next != ',' && *next != '.' && !(kCharClass[static_cast<uint8_t>(*next)] & kWordChar)))
        return false;
    s.token_end = s.p = p;
    return true;
}

/// Parses `[2][0..31]`, `[][0]`, `[0..3]`.
bool parse_brackets(Parser& s, Declaration& d) {
    if (!s.expect('[', "after a register file")) return false;
    s.skip();
    if (s.peek() == ']') {
        s.token_end = ++s.p;
        d.has_dim = d.dim_is_empty = true;
        return fast_range(s, d.first, d.last) || (s.expect('[', "after '[]'") && parse_range(s, d.first, d.last));
    }
    const uint32_t at = s.here();
    if (!parse_range(s, d.first, d.last)) return false;
    if (!s.take('[')) return true;
    if (d.first != d.last)
        return s.fail(at, s.offset(s.token_end) - at - 2, "bad-range", "the first of two indices cannot be a range");
    d.has_dim = true;
    d.dim = d.first;
    return parse_range(s, d.first, d.last);
}

/// Parses `(1)` of ARRAY.
bool parse_array_id(Parser& s, Declaration& d) {
    if (!s.expect('(', "after ARRAY")) return false;
    s.skip();
    const uint32_t at = s.here();
    int32_t id = 0;
    if (!parse_number(s, "array id", id)) return false;
    if (id < 0 || id > 0xffff)  // 0 is as good as none
        return s.fail(at, s.here() - at, "bad-array-id", "an array id must be a number from 0 to 65535");
    d.array_id = static_cast<uint16_t>(id);
    return s.expect(')', "after an array id");
}

/// Parses `(0, 0, 0, 0)` of STREAM.
bool parse_streams(Parser& s, Declaration& d) {
    for (int i = 0; i < 4; ++i) {
        if (!s.expect(i == 0 ? '(' : ',', i == 0 ? "after STREAM" : "between streams")) return false;
        s.skip();
        const uint32_t at = s.here();
        int32_t stream = 0;
        if (!parse_number(s, "stream", stream)) return false;
        if (stream > 3) return s.fail(at, s.here() - at, "bad-stream", "a stream must be a number from 0 to 3");
        d.streams[i] = static_cast<uint8_t>(stream);
    }
    d.has_stream = true;
    return s.expect(')', "after four streams");
}

/// Parses `GENERIC[9]`; the word is taken.
bool parse_semantic(Parser& s, Declaration& d, Semantic semantic, std::string_view word) {
    if (d.has_semantic)
        return s.fail(s.offset(word.data()), word.size(), "repeated-attribute", "duplicate semantic " + quoted(word));
    d.has_semantic = true;
    d.semantic = semantic;
    if (!s.take('[')) return true;
    int32_t index = 0;
    if (!index_of(s, index)) return false;
    d.semantic_index = static_cast<uint32_t>(index);
    return s.expect(']', "after a semantic index");
}

/// Parses UNORM, … of a view: one, or one for each component.
bool parse_return_type(Parser& s, Declaration& d, ReturnType type, std::string_view word) {
    for (ReturnType& r : d.returns)
        if (r == ReturnType::Unwritten) {
            r = type;
            return true;
        }
    return s.fail(s.offset(word.data()), word.size(), "repeated-attribute", "a view can have at most four types");
}

bool parse_word(Parser& s, Declaration& d, Word word, std::string_view written) {
    if (!contains(files_of(word), d.file))
        return s.fail(s.offset(written.data()), written.size(), "unexpected-attribute",
                      std::string(name(d.file)) + " takes no " + quoted(written));
    const auto kind = [&](MemoryKind of) {
        if (d.memory_kind != MemoryKind::Unwritten)
            return s.fail(s.offset(written.data()), written.size(), "repeated-attribute",
                          "duplicate kind of memory " + quoted(written));
        d.memory_kind = of;
        return true;
    };
    switch (word) {
        case Word::Array:
            return parse_array_id(s, d);
        case Word::Local:
            d.local = true;
            return true;
        case Word::Stream:
            return parse_streams(s, d);
        case Word::Invariant:
            d.invariant = true;
            return true;
        case Word::Wr:
            d.writable = true;
            return true;
        case Word::Raw:
            d.raw = true;
            return true;
        case Word::Atomic:
            d.atomic = true;
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

bool unknown_attribute(Parser& s, const Declaration& d, std::string_view word) {
    if (may_have_semantic(d.file) && !d.has_semantic && word == "CS_USER_DATA_AMD")
        return fail_driver_value(s, s.offset(word.data()), word);
    Nearest nearest(word);
    for (int i = 0; i < kSemanticCount; ++i) nearest.offer(name(static_cast<Semantic>(i)));
    for (int i = 0; i < 5; ++i) nearest.offer(name(static_cast<Interpolation>(i)));
    for (int i = 0; i < 3; ++i) nearest.offer(name(static_cast<Location>(i)));
    for (std::string_view text : kWordText) nearest.offer(text);
    if (has_target(d.file))
        for (int i = 0; i < kTargetCount; ++i) nearest.offer(name(static_cast<Target>(i)));
    if (has_target(d.file))
        for (int i = 0; i < 6; ++i) nearest.offer(name(static_cast<ReturnType>(i)));
    const bool semantic = may_have_semantic(d.file);
    return s.fail(s.offset(word.data()), word.size(),
                  semantic && !d.has_semantic ? Code("unknown-semantic") : Code("unknown-attribute"),
                  (semantic && !d.has_semantic ? "unknown semantic " : "unknown attribute ") + quoted(word),
                  did_you_mean(nearest.word));
}

/// Whether the word can only be an attribute.
bool is_attribute(std::string_view word) {
    return !opcode_from_name(word) &&
           (kWords.find(word) != kWords.kNone || interpolation_from_name(word) || semantic_from_name(word) ||
            location_from_name(word) || target_from_name(word) || return_type_from_name(word));
}

bool parse_attribute(Parser& s, Declaration& d) {
    s.skip();
    const uint32_t at = s.here();
    const bool line_ended = s.line_ended();
    const std::string_view word = s.word();
    // A word on another line, after a surplus comma, is the next statement, unless it is an attribute too.
    if (word.empty() || (line_ended && opcode_from_name(word) && !location_from_name(word))) {
        s.p = word.data();
        return s.fail_expected("missing-attribute", "an attribute after ','");
    }
    s.token_end = s.p;
    // COLOR is an interpolation too: if there is a semantic, it comes first.
    const auto semantic = semantic_from_word(word, s.end);
    if (semantic && may_have_semantic(d.file) && !d.has_semantic) return parse_semantic(s, d, *semantic, word);
    if (has_target(d.file)) {
        if (const auto target = target_from_name(word)) {
            if (d.target != Target::None)
                return s.fail(at, word.size(), "repeated-attribute", "duplicate target " + quoted(word));
            d.target = *target;
            return true;
        }
        if (const auto type = return_type_from_name(word)) return parse_return_type(s, d, *type, word);
        if (word.size() > 12 && fold<2>(word.substr(0, 12)) == fold<2>("PIPE_FORMAT_"))
            return parse_format(s, word, d.format);
    }
    if (const uint16_t found = kWords.find(word, s.end); found != kWords.kNone)
        return parse_word(s, d, static_cast<Word>(found), word);
    const auto interpolation = interpolation_from_word(word, s.end);
    if (semantic && !interpolation) return parse_semantic(s, d, *semantic, word);
    if (interpolation) {
        if (d.interpolation != Interpolation::Unwritten)
            return s.fail(at, word.size(), "repeated-attribute", "duplicate interpolation " + quoted(word));
        d.interpolation = *interpolation;
        return true;
    }
    if (const auto location = location_from_name(word)) {
        d.location = *location;
        return true;
    }
    constexpr std::string_view kCylWrap = "CYLWRAP_";
    if (word.size() > kCylWrap.size() && fold<1>(word.substr(0, kCylWrap.size())) == fold<1>(kCylWrap)) {
        s.p = word.data() + kCylWrap.size();
        if (!parse_mask(s, "CYLWRAP mask", d.cylwrap)) return false;
        s.warn(at, word.size(), "cylwrap", "CYLWRAP is ignored");
        return true;
    }
    return unknown_attribute(s, d, word);
}

/// Parses `{{ 1, 0, 0, 0 }, { … }}` of IMMX.
bool parse_rows(Parser& s, Declaration& d) {
    Program& program = s.program;
    d.immediates = static_cast<uint32_t>(program.immediate_rows.size());
    if (!s.expect('{', "before the values of IMMX")) return false;
    for (int32_t i = d.first; i <= d.last; ++i) {
        if (i > d.first && !s.expect(',', "between the rows of IMMX")) return false;
        s.skip();
        Immediate row{ImmediateType::Float32, {}, s.here()};
        if (!parse_values(s, row.type, row.words)) return false;
        program.immediate_rows.push_back(row);
    }
    return s.expect('}', "after the rows of IMMX");
}

bool parse_file(Parser& s, Declaration& d) {
    s.skip();
    const std::string_view word = s.word();
    if (word.empty()) return s.fail_expected("missing-operand", "a register file");
    const bool known = file_of_word(word, s.end, d.file);
    if (known && !is_bare(d.file) && d.file != File::Immediate) {
        s.token_end = s.p;
        return true;
    }
    s.p = word.data();
    if (!known) {
        if (s.line_ended()) return s.fail_expected("missing-operand", "a register file");
        Nearest nearest(word);
        for (int i = 0; i < kFileCount; ++i) nearest.offer(name(static_cast<File>(i)));
        return s.fail(s.here(), word.size(), "unknown-register-file", "unknown register file " + quoted(word),
                      did_you_mean(nearest.word));
    }
    return s.fail(s.here(), word.size(), "bad-declaration", std::string(name(d.file)) + " cannot be declared with DCL");
}

}  // namespace

bool parse_declaration(Parser& s, uint32_t position) {
    Declaration d;
    d.position = position;
    if (!parse_file(s, d)) return false;
    if (!fast_range(s, d.first, d.last) && !parse_brackets(s, d)) return false;
    if (s.take('.')) {
        s.skip();
        if (!(s.klass() & kWordChar)) return s.fail_expected("bad-mask", "a usage mask after '.'");
        if (!parse_mask(s, "usage mask", d.usage_mask)) return false;
    }
    if (d.file == File::ImmediateArray) {
        const size_t rows = s.program.immediate_rows.size();
        if (!parse_rows(s, d)) {
            s.program.immediate_rows.resize(rows);
            return false;
        }
    }
    while (s.take(','))
        if (!parse_attribute(s, d)) return false;
    if (const std::string_view word = s.look_word(); !word.empty() && !s.line_ended() && is_attribute(word))
        return s.fail(s.here(), word.size(), "missing-comma", "expected ',' between attributes");
    // A view with one type has it for all four components.
    if (d.returns[0] != ReturnType::Unwritten && d.returns[1] == ReturnType::Unwritten)
        for (ReturnType& r : d.returns) r = d.returns[0];
    if (d.returns[0] != ReturnType::Unwritten && d.returns[3] == ReturnType::Unwritten)
        return s.fail(position, 3, "type-count", "a view needs one type or four");
    s.program.declarations.push_back(d);
    return true;
}

}  // namespace tgsi2spv::tgsi
