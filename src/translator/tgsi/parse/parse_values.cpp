// `IMM[3] FLT32 { 1.0, -2.5e-08, inf, 0x3f800000 }` and `PROPERTY NAME value`.
#include <fast_float/fast_float.h>

#include <bit>
#include <charconv>

#include "tgsi/parse/parser.h"
#include "tgsi/parse/property_values.h"
#include "tgsi/tables/names.h"
#include "tgsi/text/nearest.h"
#include "tgsi/text/words.h"

namespace tgsi2spv::tgsi {
namespace {

/// White space and the bytes between numbers, including the `#` of comments.
constexpr auto kEndsNumber = [] {
    std::array<bool, 256> table{};
    for (size_t c = 0; c <= ' '; ++c) table[c] = true;
    for (const char c : {',', '{', '}', '/', '#'}) table[static_cast<size_t>(c)] = true;
    return table;
}();

/// Takes the bytes that may belong to one number: it ends at a blank, a comma or a brace.
std::string_view number_text(Parser& parser) {
    parser.skip();
    const char* first = parser.p;
    const auto goes_on = [&parser, first] { return *parser.p == '#' && parser.p > first && parser.p[-1] == '.'; };
    while (parser.p < parser.end && (!kEndsNumber[static_cast<uint8_t>(*parser.p)] || goes_on())) ++parser.p;
    return {first, static_cast<size_t>(parser.p - first)};
}

bool is_word(std::string_view text, std::string_view word) {
    return text.size() == word.size() && fold<2>(text) == fold<2>(word);
}

/// inf, nan, nan(...), 1.#INF00, 1.#QNAN: the words that C libraries print. Bits without the sign; 0 if none.
template <class Bits>
Bits special_float(std::string_view text, Bits infinity, Bits nan) {
    if (is_word(text, "inf") || is_word(text, "infinity")) return infinity;
    if (text.substr(0, 3) == "1.#") return is_word(text.substr(3, 3), "inf") ? infinity : nan;
    if (text.size() >= 3 && is_word(text.substr(0, 3), "nan") &&
        (text.size() == 3 || (text[3] == '(' && text.back() == ')')))
        return nan;
    return 0;
}

/// The value of a digit of base 16, else 0xff.
constexpr auto kDigitValue = [] {
    std::array<uint8_t, 256> table{};
    for (uint8_t& value : table) value = 0xff;
    for (uint8_t d = 0; d < 16; ++d)
        for (const char digit : {"0123456789abcdef"[d], "0123456789ABCDEF"[d]}) table[static_cast<uint8_t>(digit)] = d;
    return table;
}();

/// The digits of one number, if it is followed by one of the usual delimiters.
struct ShortNumber {
    uint64_t whole = 0;
    uint8_t after_point = 0;
    bool negative = false, hex = false;
};

/// Reads `12.5`, `-0.0000`, `7`, `0x3f800000`: a sign, few digits and perhaps a point, then `,`, `}` or a blank: nearly
/// all numbers of real text. Returns the number's end; nullptr if it is something else. `point`: there may be one.
inline const char* short_number(const char* p, const char* end, bool point, ShortNumber& number) {
    constexpr ptrdiff_t kMaxFraction = 9, kMaxWhole = 10, kMaxHex = 8, kLongest = kMaxWhole + 4;
    p = after_spaces(p, end);
    if (end - p < kLongest) return nullptr;
    const ptrdiff_t most = point ? kMaxFraction : kMaxWhole;
    const auto digit = [&p] { return kDigitValue[static_cast<uint8_t>(*p)]; };
    number.negative = *p == '-';
    p += number.negative;
    number.hex = p[0] == '0' && (p[1] | 0x20) == 'x' && !number.negative;
    const char* first = p;
    uint64_t whole = 0;
    if (number.hex) {
        first = p += 2;
        for (; digit() < 16 && p - first < kMaxHex; ++p) whole = whole << 4 | digit();
    } else {
        for (; digit() < 10 && p - first < most; ++p) whole = whole * 10 + digit();
        if (*p == '.' && point) {
            const char* const after = ++p;
            for (; digit() < 10 && p - first <= most; ++p) whole = whole * 10 + digit();
            number.after_point = static_cast<uint8_t>(p - after);
            if (after - first == 1) first = after;  // a point alone is not a number
        }
    }
    number.whole = whole;
    return p != first && (*p == ',' || *p == '}' || *p == ' ') ? p : nullptr;
}

/// The bits of a short number as a float: its digits form a whole number below 2^24 over a power of ten up to 10^9.
/// Both are floats, so their quotient, which IEEE 754 rounds correctly, is the float nearest to the number. False:
/// there are more digits.
inline bool short_float(const ShortNumber& number, uint32_t& bits) {
    constexpr float kPowers[] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f, 1e8f, 1e9f};
    // semantics: Text. Hexadecimal is a bit pattern.
    if (number.hex) {
        bits = static_cast<uint32_t>(number.whole);
        return true;
    }
    const auto whole = static_cast<int32_t>(number.whole);
    const float value = static_cast<float>(whole) / kPowers[number.after_point];
    bits = std::bit_cast<uint32_t>(value) | uint32_t{number.negative} << 31;
    return number.whole < 1u << 24;
}

/// The bits of a short number as an integer. False: it may not fit.
template <class Bits>
inline bool short_integer(const ShortNumber& number, bool is_signed, Bits& bits) {
    bits = static_cast<Bits>(number.negative ? 0 - number.whole : number.whole);
    const bool half = !number.hex && (is_signed || number.negative);
    return sizeof(Bits) == 8 || number.whole <= (half ? 0x7fff'ffffu : 0xffff'ffffu);
}

/// Takes a short number that `convert` accepts.
template <class Convert>
bool take_short(Parser& parser, bool point, Convert&& convert) {
    ShortNumber number;
    const char* const end = short_number(parser.p, parser.end, point, number);
    if (end == nullptr || !convert(number)) return false;
    parser.token_end = parser.p = end;
    return true;
}

template <class Float, class Bits>
bool parse_float(Parser& parser, Bits& bits) {
    constexpr int kMantissa = sizeof(Float) == 4 ? 23 : 52;
    constexpr Bits kInfinity = (sizeof(Float) == 4 ? Bits{0xff} : Bits{0x7ff}) << kMantissa;
    constexpr Bits kNan = kInfinity | Bits{1} << (kMantissa - 1);
    if constexpr (sizeof(Float) == 4)
        if (take_short(parser, true, [&](const ShortNumber& number) { return short_float(number, bits); })) return true;
    const std::string_view whole = number_text(parser);
    std::string_view text = whole;
    const auto bad = [&] {
        parser.p = whole.data();
        if (whole.empty()) return parser.fail_expected("bad-number", "a number");
        return parser.fail(parser.offset(whole.data()), whole.size(), "bad-number", "bad number " + quoted(whole));
    };
    const bool negative = !text.empty() && text[0] == '-';
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
    if (text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == 'x') {
        // semantics: Text. Hexadecimal is a bit pattern.
        const auto result = std::from_chars(text.begin() + 2, text.end(), bits, 16);
        if (result.ptr != text.end() || negative) return bad();
        if (result.ec != std::errc{})
            return parser.fail(parser.offset(whole.data()), whole.size(), "number-overflow",
                               quoted(whole) + " does not fit in " + std::to_string(8 * sizeof(Bits)) + " bits");
        parser.token_end = parser.p;
        return true;
    }
    Float value = 0;
    const auto result = fast_float::from_chars(text.begin(), text.end(), value);
    if (text.empty() || result.ptr != text.end() || (text[0] | 0x20) == 'i' || (text[0] | 0x20) == 'n') {
        bits = special_float(text, kInfinity, kNan);
        if (bits == 0) return bad();
    } else if (result.ec == std::errc::invalid_argument || text[0] == '-') {
        return bad();
    } else {
        bits = std::bit_cast<Bits>(value);
        const std::string_view digits = text.substr(0, text.find_first_of("eE"));
        if ((bits == kInfinity || (bits == 0 && digits.find_first_of("123456789") != digits.npos)) && parser.warns())
            parser.warn(parser.offset(whole.data()), whole.size(), "float-range",
                        quoted(whole) + (bits ? " rounds to infinity" : " rounds to zero"));
    }
    bits |= Bits{negative} << (8 * sizeof(Bits) - 1);
    parser.token_end = parser.p;
    return true;
}

/// Parses a signed decimal or a hexadecimal number; two's complement in the same number of bits.
template <class Bits>
bool parse_integer(Parser& parser, bool is_signed, Bits& bits) {
    constexpr int kBits = 8 * sizeof(Bits);
    if (take_short(parser, false, [&](const ShortNumber& number) { return short_integer(number, is_signed, bits); }))
        return true;
    const std::string_view whole = number_text(parser);
    std::string_view text = whole;
    const bool negative = !text.empty() && text[0] == '-';
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
    const bool hex = text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == 'x';
    if (hex) text.remove_prefix(2);
    uint64_t value = 0;
    const auto result = std::from_chars(text.begin(), text.end(), value, hex ? 16 : 10);
    if (text.empty() || result.ptr != text.end() || result.ec == std::errc::invalid_argument) {
        parser.p = whole.data();
        if (whole.empty()) return parser.fail_expected("bad-number", "a number");
        return parser.fail(parser.offset(whole.data()), whole.size(), "bad-number", "bad number " + quoted(whole));
    }
    const uint64_t largest = ~uint64_t{0} >> (64 - kBits);
    const uint64_t least = uint64_t{1} << (kBits - 1);
    const uint64_t most = negative ? least : is_signed && !hex ? least - 1 : largest;
    if (result.ec != std::errc{} || value > most)
        return parser.fail(parser.offset(whole.data()), whole.size(), "number-overflow",
                           quoted(whole) + " does not fit in " + (is_signed ? "INT" : "UINT") + std::to_string(kBits));
    bits = static_cast<Bits>(negative ? 0 - value : value);
    parser.token_end = parser.p;
    return true;
}

bool parse_value(Parser& parser, ImmediateType type, uint32_t* words) {
    uint64_t wide = 0;
    bool done = false;
    switch (type) {
        case ImmediateType::Float32:
            return parse_float<float>(parser, words[0]);
        case ImmediateType::Uint32:
            return parse_integer(parser, false, words[0]);
        case ImmediateType::Int32:
            return parse_integer(parser, true, words[0]);
        case ImmediateType::Float64:
            done = parse_float<double>(parser, wide);
            break;
        case ImmediateType::Uint64:
            done = parse_integer(parser, false, wide);
            break;
        case ImmediateType::Int64:
            done = parse_integer(parser, true, wide);
            break;
    }
    words[0] = static_cast<uint32_t>(wide);
    words[1] = static_cast<uint32_t>(wide >> 32);
    return done;
}

/// Dumps are printed with the locale's decimal point: `{    1,0000,     0,5000, …}`.
std::string hint_of_commas(std::string_view values) {
    bool between_digits = false, before_space = false;
    for (size_t i = 0; i + 1 < values.size(); ++i) {
        if (values[i] != ',') continue;
        between_digits |= (kCharClass[static_cast<uint8_t>(values[i + 1])] & kDigit) != 0;
        before_space |= (kCharClass[static_cast<uint8_t>(values[i + 1])] & kSpace) != 0;
    }
    return between_digits && before_space ? "the numbers have decimal commas: print them with LC_NUMERIC=C" : "";
}

}  // namespace

bool parse_values(Parser& parser, ImmediateType type, uint32_t (&words)[4]) {
    if (!parser.expect('{', "before the values of an immediate")) return false;
    const char* const first = parser.p;
    const bool wide = type >= ImmediateType::Float64;
    const int values = wide ? 2 : 4;
    for (int i = 0; i < values; ++i) {
        if (i > 0) {
            parser.skip();
            if (parser.peek() == '}')
                return parser.fail(parser.here(), 1, "value-count",
                                   std::string(name(type)) + " takes " + std::to_string(values) + " values, found " +
                                       std::to_string(i));
            if (!parser.expect(',', "between values")) return false;
        }
        if (!parse_value(parser, type, words + (wide ? 2 * i : i))) return false;
    }
    parser.skip();
    if (parser.peek() == ',')
        return parser.fail(parser.here(), 1, "value-count",
                           std::string(name(type)) + " takes " + std::to_string(values) + " values, found more",
                           hint_of_commas({first, parser.p + 1}));
    return parser.expect('}', "after the values of an immediate");
}

bool parse_immediate(Parser& parser, uint32_t position) {
    Program& program = parser.program;
    auto index = static_cast<uint32_t>(program.immediates.size());
    uint32_t at = position;
    size_t length = 3;
    if (parser.take('[')) {
        parser.skip();
        at = parser.here();
        int32_t written = 0;
        if (parser.peek() == '-') return parser.fail(at, 2, "negative-index", "the index of an immediate is negative");
        if (!parse_number(parser, "index", written)) return false;
        index = static_cast<uint32_t>(written);
        length = parser.here() - at;
        if (!parser.expect(']', "after an index")) return false;
    }
    if (index >= parser.most_registers())
        return parser.fail(at, length, "register-limit",
                           "IMM[" + std::to_string(index) + "] is beyond the limit of " +
                               std::to_string(parser.most_registers()) + " registers");
    parser.skip();
    const std::string_view word = parser.look_word();
    const auto type = immediate_type_from_word(word, parser.end);
    if (!type) {
        if (word.empty()) return parser.fail_expected("missing-type", "the type of an immediate");
        Nearest nearest(word);
        for (int t = 0; t < 6; ++t) nearest.offer(name(static_cast<ImmediateType>(t)));
        return parser.fail(parser.here(), word.size(), "unknown-type", "unknown immediate type " + quoted(word),
                           nearest.word.empty() ? "expected FLT32, UINT32, INT32, FLT64, UINT64 or INT64"
                                                : did_you_mean(nearest.word));
    }
    parser.word();
    parser.token_end = parser.p;
    Immediate value{*type, {}, position};
    if (!parse_values(parser, *type, value.words)) return false;
    if (index >= program.immediates.size()) {
        program.immediates.resize(index + 1);
    } else if (program.immediates[index].position != 0) {
        return parser.fail(at, length, "repeated-immediate", "duplicate IMM[" + std::to_string(index) + "]");
    }
    program.immediates[index] = value;
    return true;
}

bool parse_property(Parser& parser, uint32_t position) {
    parser.skip();
    std::string_view word = parser.look_word();
    const auto property = property_from_word(word, parser.end);
    if (word.empty() || (!property && parser.line_ended()))
        return parser.fail_expected("missing-property", "the name of a property");
    if (!property) {
        // As Mesa's parser does: the producer may be newer than this table.
        if (parser.warns()) {
            Nearest nearest(word);
            for (int i = 0; i < kPropertyCount; ++i) nearest.offer(name(static_cast<Property>(i)));
            parser.warn(parser.here(), word.size(), "unknown-property",
                        "unknown property " + quoted(word) + ": the line is ignored", did_you_mean(nearest.word));
        }
        while (parser.p < parser.end && *parser.p != '\n') ++parser.p;
        parser.token_end = parser.p;
        return true;
    }
    parser.word();
    parser.token_end = parser.p;
    parser.skip();
    word = parser.look_word();
    const uint32_t at = parser.here();
    const auto name_of = [&] { return std::string(name(*property)); };
    uint32_t value = 0;
    if (!word.empty() && kCharClass[static_cast<uint8_t>(word[0])] & kDigit) {
        parser.word();
        const auto result = std::from_chars(word.begin(), word.end(), value);
        if (result.ptr != word.end() || result.ec == std::errc::invalid_argument)
            return parser.fail(at, word.size(), "bad-number", "bad number " + quoted(word));
        if (result.ec != std::errc{})
            return parser.fail(at, word.size(), "number-overflow", quoted(word) + " does not fit in 32 bits");
        if (value > largest_value(*property)) {
            // radeonsi gives a property that its VERT would not use another meaning: FS_COORD_ORIGIN 7.
            if (name(*property).starts_with("FS_") && parser.program.stage != Stage::Fragment) {
                if (parser.warns())
                    parser.warn(at, word.size(), "property-value",
                                name_of() + " is ignored: it means something in FRAG only");
                return true;
            }
            return parser.fail(at, word.size(), "property-value",
                               name_of() + " takes a number from 0 to " + std::to_string(largest_value(*property)) +
                                   ", found " + std::to_string(value),
                               values_of(*property));
        }
    } else if (!value_from_word(*property, word, value)) {
        if (word.empty() || parser.line_ended())
            return parser.fail_expected("property-value", "a value of " + name_of(), values_of(*property));
        return parser.fail(at, word.size(), "property-value", quoted(word) + " is not a value of " + name_of(),
                           value_hint(*property, word));
    } else {
        parser.word();
    }
    parser.token_end = parser.p;
    // The registers of such a blit hold no attributes.
    if (*property == Property::VsBlitSgprsAmd && value != 0) return fail_driver_value(parser, position, name_of());
    parser.program.properties.push_back({*property, value, position});
    return true;
}

}  // namespace tgsi2spv::tgsi
