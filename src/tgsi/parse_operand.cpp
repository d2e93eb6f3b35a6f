// Register operands: `-|TEMP[ADDR[0].x+3](1).xyzw|`, `IN[ADDR[1].x](1)[2]`, `CONST[0][3].xyxy`, `NULL[0].`.
#include "tgsi/names.h"
#include "tgsi/nearest.h"
#include "tgsi/parser.h"

namespace tgsi2spv::tgsi {

namespace {

bool unknown_file(Parser& s, std::string_view word) {
    Nearest nearest(word);
    for (int i = 0; i < kFileCount; ++i) nearest.offer(name(static_cast<File>(i)));
    return s.fail(s.offset(word.data()), word.size(), "unknown-register-file", "unknown register file " + quoted(word),
                  did_you_mean(nearest.word));
}

/// Parses the number in the brackets of an operand, which producers print negative for a resource that is not there.
bool operand_index(Parser& s, int32_t& index) {
    if (s.skip(), s.peek() != '-') return parse_number(s, "index", index);
    ++s.p;
    if (!parse_number(s, "index", index)) return false;
    index = -index;
    return true;
}

/// Parses a non-negative number in brackets; '[' is taken.
bool direct_index(Parser& s, const char* what, int32_t& value) {
    s.skip();
    if (s.peek() == '-') {
        const uint32_t at = s.here();
        ++s.p;
        s.skip();
        const char* first = s.p;
        while (s.klass() & kDigit) ++s.p;
        return s.fail(at, static_cast<size_t>(s.p - first) + 1, "negative-index",
                      std::string(what) + " " + quoted("-" + std::string(first, s.p)) + " is negative");
    }
    return parse_number(s, what, value);
}

/// Parses `ADDR[0].x`, `CONST[0][3].y`, `NULL[0].x`, from the word on.
bool relative_register(Parser& s, Relative& r) {
    const std::string_view word = s.word();
    if (!file_of_word(word, s.end, r.file)) {
        if (s.peek() == '[') return unknown_file(s, word);
        return s.fail(s.offset(word.data()), word.size(), "bad-index",
                      "expected a number or a register in an index, found " + quoted(word));
    }
    s.token_end = s.p;
    if (s.take('[')) {
        if (s.skip(), s.klass() & kWordChar)
            return s.fail(s.here(), s.look_word().size(), "nested-index",
                          "the register in an index must itself be indexed by a number");
        if (!direct_index(s, "index", r.index) || !s.expect(']', "after an index")) return false;
        if (s.take('[')) {
            r.has_dim = true;
            r.dim = r.index;
            if (!direct_index(s, "index", r.index) || !s.expect(']', "after an index")) return false;
        }
    } else if (!is_bare(r.file)) {
        return s.fail_expected("syntax", "'[' after " + std::string(name(r.file)));
    }
    if (!s.take('.')) return true;
    s.skip();
    const std::string_view letters = s.word();
    const uint8_t component = letters.size() == 1 ? kComponentOf[static_cast<uint8_t>(letters[0])] : uint8_t{0xff};
    if (component > 3)
        return s.fail(s.offset(letters.data()), letters.size(), "bad-component",
                      "expected one component x, y, z or w in an index, found " + quoted(letters));
    r.component = component;
    s.token_end = s.p;
    return true;
}

/// Parses the index between brackets, and ']'. '[' is taken.
bool index_in_brackets(Parser& s, Operand& o, int32_t& index, bool& is_relative) {
    s.skip();
    if (s.klass() & kDigit) {
        if (!parse_number(s, "index", index)) return false;
        if (s.peek() == ']') {
            s.token_end = ++s.p;
            return true;
        }
        if (s.skip(); s.end - s.p > 1 && s.p[0] == '.' && s.p[1] == '.')
            return s.fail(s.here(), 2, "range-in-operand",
                          "an operand names one register; a range is allowed only in DCL");
        return s.expect(']', "after an index");
    }
    if (!(s.klass() & kWordChar)) {
        if (s.peek() == ']')
            return s.fail(s.here(), 1, "missing-index", "an operand needs an index between the brackets");
        return operand_index(s, index) && s.expect(']', "after an index");
    }
    Relative r;
    if (!relative_register(s, r)) return false;
    if (!o.dim_is_relative && !o.index_is_relative) o.relative = static_cast<uint32_t>(s.program.relatives.size());
    is_relative = true;
    s.program.relatives.push_back(r);
    s.skip();
    if (const char sign = s.peek(); sign == '+' || sign == '-') {
        ++s.p;
        s.token_end = s.p;
        if (!parse_number(s, "index offset", index)) return false;
        if (sign == '-') index = -index;
    }
    return s.expect(']', "after an index");
}

/// Parses `(2)` after a bracket. A predicate of the next statement is not an array id.
bool array_id(Parser& s, uint16_t& id) {
    s.skip();
    if (s.peek() != '(') return true;
    const char* const q = after_blanks(s.p + 1, s.end);
    if (q == s.end || !(kCharClass[static_cast<uint8_t>(*q)] & kDigit)) return true;
    ++s.p;
    s.skip();
    const uint32_t at = s.here();
    int32_t value = 0;
    if (!parse_number(s, "array id", value)) return false;
    if (value < 0 || value > 0xffff)  // 0 is as good as none
        return s.fail(at, s.here() - at, "bad-array-id", "an array id must be a number from 0 to 65535");
    id = static_cast<uint16_t>(value);
    return s.expect(')', "after an array id");
}

/// Goes to the letters of a write mask after a dot and perhaps a blank. On the next line, only a comma distinguishes
/// them from an opcode.
bool find_mask(Parser& s) {
    while (s.peek() == ' ' || s.peek() == '\t') ++s.p;
    if (s.klass() & (kWordChar | kDigit)) return true;
    const char* const empty = s.p;
    s.skip();
    const std::string_view word = s.look_word();
    const char* const q = after_blanks(word.data() + word.size(), s.end);
    if (!word.empty() && word.find_first_not_of("xyzwXYZW") == word.npos && q < s.end && *q == ',') return true;
    s.p = empty;
    return false;
}

bool swizzle(Parser& s, Operand& o) {
    if (kComponentOf[static_cast<uint8_t>(s.peek())] > 3) s.skip();
    const char* first = s.p;
    uint32_t bits = 0;
    uint8_t letters = 0, c = 0;
    for (; letters < 4 && s.p < s.end; ++letters, ++s.p) {
        const uint8_t next = kComponentOf[static_cast<uint8_t>(*s.p)];
        if (next > 3) break;
        c = next;
        bits |= uint32_t{c} << (2 * letters);
    }
    if (letters == 0 || s.klass() & (kWordChar | kDigit)) {
        s.p = first;
        if (s.line_ended() || s.look_word().empty()) return s.fail_expected("bad-swizzle", "a swizzle after '.'");
        const std::string_view word = s.word();
        return s.fail(s.offset(first), word.size(), "bad-swizzle", "bad swizzle " + quoted(word),
                      "expected one to four of the letters x, y, z, w (or r, g, b, a)");
    }
    // semantics: Machine. A shorter swizzle repeats its last letter.
    for (int i = letters; i < 4; ++i) bits |= uint32_t{c} << (2 * i);
    o.swizzle = static_cast<uint8_t>(bits);
    o.swizzle_letters = letters;
    s.token_end = s.p;
    return true;
}

/// Parses file, brackets and array ids.
bool register_of(Parser& s, Operand& o) {
    const std::string_view word = s.word();
    if (word.empty()) return s.fail_expected("missing-operand", "a register");
    if (!file_of_word(word, s.end, o.file)) {
        if (s.peek() == '[') return unknown_file(s, word);
        s.p = word.data();
        return fail_no_register(s);
    }
    s.token_end = s.p;
    if (!s.take('[')) {
        if (is_bare(o.file)) return true;
        return s.fail_expected("syntax", "'[' after " + std::string(name(o.file)));
    }
    if (!index_in_brackets(s, o, o.index, o.index_is_relative) || !array_id(s, o.array_id)) return false;
    if (!s.take('[')) return true;
    o.has_dim = true;
    o.dim = o.index;
    o.dim_is_relative = o.index_is_relative;
    o.dim_array_id = o.array_id;
    o.index = 0;
    o.index_is_relative = false;
    o.array_id = 0;
    return index_in_brackets(s, o, o.index, o.index_is_relative) && array_id(s, o.array_id);
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

bool fail_no_register(Parser& s) {
    s.skip();
    const std::string_view word = s.look_word();
    if (word.empty() || s.line_ended()) return s.fail_expected("missing-operand", "an operand");
    File file{};
    if (file_of_word(word, s.end, file)) {
        s.word();
        s.token_end = s.p;
        return s.fail_expected("syntax", "'[' after " + std::string(name(file)));
    }
    std::string hint;
    size_t letters = word.size();
    while (letters > 0 && kCharClass[static_cast<uint8_t>(word[letters - 1])] & kDigit) --letters;
    if (letters == 0)
        hint = "write a constant as an immediate, such as IMM[0].xxxx";
    else if (letters < word.size() && file_of_word(word.substr(0, letters), s.end, file))
        hint = "write " + std::string(name(file)) + '[' + std::string(word.substr(letters)) + ']';
    return s.fail(s.here(), word.size(), "bad-operand", "expected a register, found " + quoted(word), std::move(hint));
}

bool starts_register(Parser& s) {
    s.skip();
    const char c = s.peek();
    if (c == '-' || c == '|' || c == '+') return true;
    const std::string_view word = s.look_word();
    if (word.empty()) return false;
    const char* q = word.data() + word.size();
    if (q < s.end && *q == '[') return true;
    File file{};
    if (file_of_word(word, s.end, file) && is_bare(file)) return true;
    q = after_blanks(q, s.end);
    return q < s.end && *q == '[';
}

bool starts_optional_register(Parser& s) {
    if (!starts_register(s)) return false;
    const std::string_view word = s.look_word();
    File file{};
    if (!file_of_word(word, s.end, file) || file != File::Immediate) return true;
    const char* q = word.data() + word.size();
    while (q < s.end && *q != ']' && *q != '\n') ++q;
    if (q == s.end || *q != ']') return true;
    const char* const first = q = after_blanks(q + 1, s.end);
    while (q < s.end && kCharClass[static_cast<uint8_t>(*q)] & (kWordChar | kDigit)) ++q;
    return !immediate_type_from_name({first, static_cast<size_t>(q - first)});
}

bool parse_mask(Parser& s, const char* what, uint8_t& mask) {
    const char* first = s.p;
    uint8_t bits = 0;
    for (; s.klass() & (kWordChar | kDigit); ++s.p) {
        const uint8_t c = kComponentOf[static_cast<uint8_t>(*s.p)];
        if (c > 3 || bits >> c != 0) {
            s.p = first;
            const std::string_view word = s.word();
            return s.fail(s.offset(first), word.size(), "bad-mask", std::string("bad ") + what + " " + quoted(word),
                          "expected letters of xyzw in that order, each at most once");
        }
        bits |= static_cast<uint8_t>(1 << c);
    }
    mask = bits;
    if (s.p != first) s.token_end = s.p;
    return true;
}

bool parse_operand(Parser& s, bool is_destination, Operand& o) {
    o.position = s.here();
    if (is_destination) {
        if (const char c = s.peek(); c == '-' || c == '|')
            return s.fail(s.here(), 1, "modifier-on-destination", "a destination cannot have '-' or '|'");
        if (!register_of(s, o)) return false;
        o.swizzle_letters = 0;
        if (!s.take('.')) return true;
        if (!find_mask(s)) {
            o.write_mask = 0;  // an empty mask is written as a dot with nothing after it
            return true;
        }
        return parse_mask(s, "write mask", o.write_mask);
    }
    if (s.peek() == '-') {
        o.negate = true;
        s.token_end = ++s.p;
        s.skip();
    }
    if (s.peek() == '|') {
        o.absolute = true;
        s.token_end = ++s.p;
        s.skip();
        if (s.peek() == '-')
            return s.fail(s.here(), 1, "misplaced-negation", "'-' must precede '|'",
                          "write -|…|; the absolute value of a negated register is |…|");
    }
    if (!register_of(s, o)) return false;
    o.swizzle_letters = 0;
    if (s.take('.') && !swizzle(s, o)) return false;
    if (!o.absolute) return true;
    if (!s.expect('|', "after an absolute value")) return false;
    if (s.peek() == '.')
        return s.fail(s.here(), 1, "misplaced-swizzle", "the swizzle must precede the closing '|'",
                      "write it inside: |TEMP[0].xyzw|");
    return true;
}

bool parse_predicate(Parser& s, Operand& o, bool& inverted) {
    s.token_end = ++s.p;
    inverted = s.take('!');
    s.skip();
    o.position = s.here();
    const std::string_view word = s.look_word();
    if (!file_of_word(word, s.end, o.file) || o.file != File::Predicate)
        return s.fail_expected("bad-predicate", "PRED in a predicate");
    s.word();
    s.token_end = s.p;
    if (!s.expect('[', "after PRED") || !direct_index(s, "index", o.index) || !s.expect(']', "after an index"))
        return false;
    o.swizzle_letters = 0;
    if (s.take('.') && !swizzle(s, o)) return false;
    return s.expect(')', "after a predicate");
}

}  // namespace tgsi2spv::tgsi
