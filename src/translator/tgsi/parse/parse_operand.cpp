// Register operands: `-|TEMP[ADDR[0].x+3](1).xyzw|`, `IN[ADDR[1].x](1)[2]`, `CONST[0][3].xyxy`, `NULL[0].`.
#include "tgsi/parse/parser.h"
#include "tgsi/tables/names.h"
#include "tgsi/text/nearest.h"

namespace tgsi2spv::tgsi {

namespace {

bool unknown_file(Parser& parser, std::string_view word) {
    Nearest nearest(word);
    for (int i = 0; i < kFileCount; ++i) nearest.offer(name(static_cast<File>(i)));
    return parser.fail(parser.offset(word.data()), word.size(), "unknown-register-file",
                       "unknown register file " + quoted(word), did_you_mean(nearest.word));
}

/// Parses the number in the brackets of an operand, which producers print negative for a resource that is not there.
bool operand_index(Parser& parser, int32_t& index) {
    if (parser.skip(), parser.peek() != '-') return parse_number(parser, "index", index);
    ++parser.p;
    if (!parse_number(parser, "index", index)) return false;
    index = -index;
    return true;
}

/// Parses a non-negative number in brackets; '[' is taken.
bool direct_index(Parser& parser, const char* what, int32_t& value) {
    parser.skip();
    if (parser.peek() == '-') {
        const uint32_t at = parser.here();
        ++parser.p;
        parser.skip();
        const char* first = parser.p;
        while (parser.klass() & kDigit) ++parser.p;
        return parser.fail(at, static_cast<size_t>(parser.p - first) + 1, "negative-index",
                           std::string(what) + " " + quoted("-" + std::string(first, parser.p)) + " is negative");
    }
    return parse_number(parser, what, value);
}

/// Parses `ADDR[0].x`, `CONST[0][3].y`, `NULL[0].x`, from the word on.
bool relative_register(Parser& parser, Relative& relative) {
    const std::string_view word = parser.word();
    if (!file_of_word(word, parser.end, relative.file)) {
        if (parser.peek() == '[') return unknown_file(parser, word);
        return parser.fail(parser.offset(word.data()), word.size(), "bad-index",
                           "expected a number or a register in an index, found " + quoted(word));
    }
    parser.token_end = parser.p;
    if (parser.take('[')) {
        if (parser.skip(), parser.klass() & kWordChar)
            return parser.fail(parser.here(), parser.look_word().size(), "nested-index",
                               "the register in an index must itself be indexed by a number");
        if (!direct_index(parser, "index", relative.index) || !parser.expect(']', "after an index")) return false;
        if (parser.take('[')) {
            relative.has_dim = true;
            relative.dim = relative.index;
            if (!direct_index(parser, "index", relative.index) || !parser.expect(']', "after an index")) return false;
        }
    } else if (!is_bare(relative.file)) {
        return parser.fail_expected("syntax", "'[' after " + std::string(name(relative.file)));
    }
    if (!parser.take('.')) return true;
    parser.skip();
    const std::string_view letters = parser.word();
    const uint8_t component = letters.size() == 1 ? kComponentOf[static_cast<uint8_t>(letters[0])] : uint8_t{0xff};
    if (component > 3)
        return parser.fail(parser.offset(letters.data()), letters.size(), "bad-component",
                           "expected one component x, y, z or w in an index, found " + quoted(letters));
    relative.component = component;
    parser.token_end = parser.p;
    return true;
}

/// Parses the index between brackets, and ']'. '[' is taken.
bool index_in_brackets(Parser& parser, Operand& operand, int32_t& index, bool& is_relative) {
    parser.skip();
    if (parser.klass() & kDigit) {
        if (!parse_number(parser, "index", index)) return false;
        if (parser.peek() == ']') {
            parser.token_end = ++parser.p;
            return true;
        }
        if (parser.skip(); parser.end - parser.p > 1 && parser.p[0] == '.' && parser.p[1] == '.')
            return parser.fail(parser.here(), 2, "range-in-operand",
                               "an operand names one register; a range is allowed only in DCL");
        return parser.expect(']', "after an index");
    }
    if (!(parser.klass() & kWordChar)) {
        if (parser.peek() == ']')
            return parser.fail(parser.here(), 1, "missing-index", "an operand needs an index between the brackets");
        return operand_index(parser, index) && parser.expect(']', "after an index");
    }
    Relative r;
    if (!relative_register(parser, r)) return false;
    if (!operand.dim_is_relative && !operand.index_is_relative)
        operand.relative = static_cast<uint32_t>(parser.program.relatives.size());
    is_relative = true;
    parser.program.relatives.push_back(r);
    parser.skip();
    if (const char sign = parser.peek(); sign == '+' || sign == '-') {
        ++parser.p;
        parser.token_end = parser.p;
        if (!parse_number(parser, "index offset", index)) return false;
        if (sign == '-') index = -index;
    }
    return parser.expect(']', "after an index");
}

/// Parses `(2)` after a bracket. A predicate of the next statement is not an array id.
bool array_id(Parser& parser, uint16_t& id) {
    parser.skip();
    if (parser.peek() != '(') return true;
    const char* const q = after_blanks(parser.p + 1, parser.end);
    if (q == parser.end || !(kCharClass[static_cast<uint8_t>(*q)] & kDigit)) return true;
    ++parser.p;
    parser.skip();
    const uint32_t at = parser.here();
    int32_t value = 0;
    if (!parse_number(parser, "array id", value)) return false;
    if (value < 0 || value > 0xffff)  // 0 is as good as none
        return parser.fail(at, parser.here() - at, "bad-array-id", "an array id must be a number from 0 to 65535");
    id = static_cast<uint16_t>(value);
    return parser.expect(')', "after an array id");
}

/// Goes to the letters of a write mask after a dot and perhaps a blank. On the next line, only a comma distinguishes
/// them from an opcode.
bool find_mask(Parser& parser) {
    while (parser.peek() == ' ' || parser.peek() == '\t') ++parser.p;
    if (parser.klass() & (kWordChar | kDigit)) return true;
    const char* const empty = parser.p;
    parser.skip();
    const std::string_view word = parser.look_word();
    const char* const q = after_blanks(word.data() + word.size(), parser.end);
    if (!word.empty() && word.find_first_not_of("xyzwXYZW") == word.npos && q < parser.end && *q == ',') return true;
    parser.p = empty;
    return false;
}

bool swizzle(Parser& parser, Operand& operand) {
    if (kComponentOf[static_cast<uint8_t>(parser.peek())] > 3) parser.skip();
    const char* first = parser.p;
    uint32_t bits = 0;
    uint8_t letters = 0, c = 0;
    bool of_xyzw = false, of_rgba = false;
    for (; letters < 4 && parser.p < parser.end; ++letters, ++parser.p) {
        const uint8_t next = kComponentOf[static_cast<uint8_t>(*parser.p)];
        if (next > 3) break;
        c = next;
        ((*parser.p | 0x20) >= 'w' ? of_xyzw : of_rgba) = true;
        bits |= uint32_t{c} << (2 * letters);
    }
    if (letters == 0 || (of_xyzw && of_rgba) || parser.klass() & (kWordChar | kDigit)) {
        parser.p = first;
        if (parser.line_ended() || parser.look_word().empty())
            return parser.fail_expected("bad-swizzle", "a swizzle after '.'");
        const std::string_view word = parser.word();
        return parser.fail(parser.offset(first), word.size(), "bad-swizzle", "bad swizzle " + quoted(word),
                           "expected one to four of the letters x, y, z, w (or r, g, b, a)");
    }
    // semantics: Machine. A shorter swizzle repeats its last letter.
    for (int i = letters; i < 4; ++i) bits |= uint32_t{c} << (2 * i);
    operand.swizzle = static_cast<uint8_t>(bits);
    operand.swizzle_letters = letters;
    parser.token_end = parser.p;
    return true;
}

/// Parses file, brackets and array ids.
bool register_of(Parser& parser, Operand& operand) {
    const std::string_view word = parser.word();
    if (word.empty()) return parser.fail_expected("missing-operand", "a register");
    if (!file_of_word(word, parser.end, operand.file)) {
        if (parser.peek() == '[') return unknown_file(parser, word);
        parser.p = word.data();
        return fail_no_register(parser);
    }
    parser.token_end = parser.p;
    if (!parser.take('[')) {
        if (is_bare(operand.file)) return true;
        return parser.fail_expected("syntax", "'[' after " + std::string(name(operand.file)));
    }
    if (!index_in_brackets(parser, operand, operand.index, operand.index_is_relative) ||
        !array_id(parser, operand.array_id))
        return false;
    if (!parser.take('[')) return true;
    operand.has_dim = true;
    operand.dim = operand.index;
    operand.dim_is_relative = operand.index_is_relative;
    operand.dim_array_id = operand.array_id;
    operand.index = 0;
    operand.index_is_relative = false;
    operand.array_id = 0;
    return index_in_brackets(parser, operand, operand.index, operand.index_is_relative) &&
           array_id(parser, operand.array_id);
}

}  // namespace

bool is_bare(File file) {
    return file == File::Null || contains(kNamedMemory, file);
}

bool file_of_word(std::string_view word, const char* text_end, File& file) {
    const auto found = file_from_word(word, text_end);
    if (found) file = *found;
    return found.has_value();
}

bool fail_no_register(Parser& parser) {
    parser.skip();
    const std::string_view word = parser.look_word();
    if (word.empty() || parser.line_ended()) return parser.fail_expected("missing-operand", "an operand");
    File file{};
    if (file_of_word(word, parser.end, file)) {
        parser.word();
        parser.token_end = parser.p;
        return parser.fail_expected("syntax", "'[' after " + std::string(name(file)));
    }
    std::string hint;
    size_t letters = word.size();
    while (letters > 0 && kCharClass[static_cast<uint8_t>(word[letters - 1])] & kDigit) --letters;
    if (letters == 0)
        hint = "write a constant as an immediate, such as IMM[0].xxxx";
    else if (letters < word.size() && file_of_word(word.substr(0, letters), parser.end, file))
        hint = "write " + std::string(name(file)) + '[' + std::string(word.substr(letters)) + ']';
    return parser.fail(parser.here(), word.size(), "bad-operand", "expected a register, found " + quoted(word),
                       std::move(hint));
}

bool starts_register(Parser& parser) {
    parser.skip();
    const char c = parser.peek();
    if (c == '-' || c == '|' || c == '+') return true;
    const std::string_view word = parser.look_word();
    if (word.empty()) return false;
    const char* q = word.data() + word.size();
    if (q < parser.end && *q == '[') return true;
    File file{};
    if (file_of_word(word, parser.end, file) && is_bare(file)) return true;
    q = after_blanks(q, parser.end);
    return q < parser.end && *q == '[';
}

bool starts_optional_register(Parser& parser) {
    if (!starts_register(parser)) return false;
    const std::string_view word = parser.look_word();
    File file{};
    if (!file_of_word(word, parser.end, file) || file != File::Immediate) return true;
    const char* q = word.data() + word.size();
    while (q < parser.end && *q != ']' && *q != '\n') ++q;
    if (q == parser.end || *q != ']') return true;
    const char* const first = q = after_blanks(q + 1, parser.end);
    while (q < parser.end && kCharClass[static_cast<uint8_t>(*q)] & (kWordChar | kDigit)) ++q;
    return !immediate_type_from_name({first, static_cast<size_t>(q - first)});
}

bool parse_mask(Parser& parser, const char* what, uint8_t& mask) {
    const char* first = parser.p;
    uint8_t bits = 0;
    for (; parser.klass() & (kWordChar | kDigit); ++parser.p) {
        const uint8_t c = kComponentOf[static_cast<uint8_t>(*parser.p)];
        if (c > 3 || bits >> c != 0) {
            parser.p = first;
            const std::string_view word = parser.word();
            return parser.fail(parser.offset(first), word.size(), "bad-mask",
                               std::string("bad ") + what + " " + quoted(word),
                               "expected letters of xyzw in that order, each at most once");
        }
        bits |= static_cast<uint8_t>(1 << c);
    }
    mask = bits;
    if (parser.p != first) parser.token_end = parser.p;
    return true;
}

bool parse_operand(Parser& parser, bool is_destination, Operand& operand) {
    operand.position = parser.here();
    if (is_destination) {
        if (const char c = parser.peek(); c == '-' || c == '|')
            return parser.fail(parser.here(), 1, "modifier-on-destination", "a destination cannot have '-' or '|'");
        if (!register_of(parser, operand)) return false;
        operand.swizzle_letters = 0;
        if (!parser.take('.')) return true;
        if (!find_mask(parser)) {
            operand.write_mask = 0;  // an empty mask is written as a dot with nothing after it
            return true;
        }
        return parse_mask(parser, "write mask", operand.write_mask);
    }
    if (parser.peek() == '-') {
        operand.negate = true;
        parser.token_end = ++parser.p;
        parser.skip();
    }
    if (parser.peek() == '|') {
        operand.absolute = true;
        parser.token_end = ++parser.p;
        parser.skip();
        if (parser.peek() == '-')
            return parser.fail(parser.here(), 1, "misplaced-negation", "'-' must precede '|'",
                               "write -|…|; the absolute value of a negated register is |…|");
    }
    if (!register_of(parser, operand)) return false;
    operand.swizzle_letters = 0;
    if (parser.take('.') && !swizzle(parser, operand)) return false;
    if (!operand.absolute) return true;
    if (!parser.expect('|', "after an absolute value")) return false;
    if (parser.peek() == '.')
        return parser.fail(parser.here(), 1, "misplaced-swizzle", "the swizzle must precede the closing '|'",
                           "write it inside: |TEMP[0].xyzw|");
    return true;
}

bool parse_predicate(Parser& parser, Operand& operand, bool& inverted) {
    parser.token_end = ++parser.p;
    inverted = parser.take('!');
    parser.skip();
    operand.position = parser.here();
    const std::string_view word = parser.look_word();
    if (!file_of_word(word, parser.end, operand.file) || operand.file != File::Predicate)
        return parser.fail_expected("bad-predicate", "PRED in a predicate");
    parser.word();
    parser.token_end = parser.p;
    if (!parser.expect('[', "after PRED") || !direct_index(parser, "index", operand.index) ||
        !parser.expect(']', "after an index"))
        return false;
    operand.swizzle_letters = 0;
    if (parser.take('.') && !swizzle(parser, operand)) return false;
    return parser.expect(')', "after a predicate");
}

}  // namespace tgsi2spv::tgsi
