// The shared part of the parser: the place in the text, the Program under construction, and error reporting. parse.cpp
// reads statements, parse_declaration.cpp DCL, parse_values.cpp IMM and PROPERTY, parse_instruction.cpp instructions,
// parse_operand.cpp registers.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tgsi/program/limits.h"
#include "tgsi/program/program.h"
#include "tgsi/program/survey.h"
#include "tgsi/text/bytes.h"
#include "tgsi/text/diagnostic.h"

namespace tgsi2spv::tgsi {

/// The class of a byte of text.
enum : uint8_t { kSpace = 1, kWordChar = 2, kDigit = 4 };
inline constexpr std::array<uint8_t, 256> kCharClass = [] {
    std::array<uint8_t, 256> of{};
    for (int c = 'a'; c <= 'z'; ++c) of[c] = of[c - 'a' + 'A'] = kWordChar;
    for (int c = '0'; c <= '9'; ++c) of[c] = kDigit;
    of['_'] = kWordChar;
    for (uint8_t c : {' ', '\t', '\r', '\n', '\f', '\v'}) of[c] = kSpace;
    return of;
}();
/// The first byte at or after `p` that is not white space, or `end`.
inline const char* after_blanks(const char* p, const char* end) {
    while (p < end && kCharClass[static_cast<uint8_t>(*p)] & kSpace) ++p;
    return p;
}
/// 0..3 for xyzw and rgba in either case, else 0xff.
inline constexpr std::array<uint8_t, 256> kComponentOf = [] {
    std::array<uint8_t, 256> of{};
    for (uint8_t& c : of) c = 0xff;
    for (uint8_t i = 0; i < 4; ++i)
        for (char letter : {"xyzw"[i], "XYZW"[i], "rgba"[i], "RGBA"[i]}) of[static_cast<uint8_t>(letter)] = i;
    return of;
}();

/// A parse in progress. A function that reads a construct returns false after it reported an error; the place is then
/// inside the broken statement.
struct Parser {
    const char* begin;
    const char* p;  ///< next byte
    const char* end;
    const Limits& limits;
    Program& program;
    Survey& survey;
    std::vector<Diagnostic>& diagnostics;
    uint32_t errors = 0, warnings = 0;
    bool stop = false;      ///< set after an error that makes further reading pointless
    const char* token_end;  ///< end of the last token: the place of anything missing

    uint32_t most_registers() const { return std::min(limits.registers, kMaxRegisters); }

    char peek() const { return p < end ? *p : '\0'; }
    uint8_t klass() const { return p < end ? kCharClass[static_cast<uint8_t>(*p)] : uint8_t{0}; }
    uint32_t offset(const char* at) const { return static_cast<uint32_t>(at - begin); }
    uint32_t here() const { return offset(p); }

    /// Moves to the next byte that is neither white space nor comment.
    void skip() {
        if (p < end) p += *p == ' ' || *p == '\n';  // mostly one
        if (p<end&& static_cast<uint8_t>(*p)> ' ' && *p != '#' && *p != '/') return;
        skip_blanks();
    }
    void skip_blanks();

    /// Takes the letters, digits and '_' here; may be empty.
    std::string_view word() {
        const std::string_view here = look_word();
        p += here.size();
        return here;
    }
    /// Returns the word here without taking it.
    std::string_view look_word() const { return word_at(p); }
    std::string_view word_at(const char* first) const {
        const char* q = first;
        while (kFirstByteIsLowest && end - q >= 8) {
            if (const uint64_t others = find_no_word(eight_bytes(q)); others != 0)
                return {first, static_cast<size_t>(q - first) + static_cast<size_t>(std::countr_zero(others)) / 8};
            q += 8;
        }
        while (q < end && kCharClass[static_cast<uint8_t>(*q)] & (kWordChar | kDigit)) ++q;
        return {first, static_cast<size_t>(q - first)};
    }

    /// Whether a line ends between the last token and here.
    bool line_ended() const {
        for (const char* q = token_end; q < p; ++q)
            if (*q == '\n') return true;
        return false;
    }

    /// Skips blanks and takes `c` if it comes next.
    bool take(char c) {
        skip();
        if (peek() != c) return false;
        ++p;
        token_end = p;
        return true;
    }
    /// Like take(), but reports the expected character.
    bool expect(char c, const char* where) { return take(c) || fail_missing(c, where); }
    // Reporting functions are cold, so that the compiler keeps messages out of the path of correct text.
    [[gnu::cold]] bool fail_missing(char c, const char* where);

    [[gnu::cold]] bool fail(uint32_t at, size_t length, Code code, std::string message, std::string hint = {});
    /// Reports an error at the current byte, with the text found instead.
    [[gnu::cold]] bool fail_expected(Code code, const std::string& what, std::string hint = {});
    /// Whether a warning would be kept: if not, its message need not be made.
    bool warns() const { return warnings < limits.errors; }
    [[gnu::cold]] void warn(uint32_t at, size_t length, Code code, std::string message, std::string hint = {});
};

/// `'word'`, shortened and with unprintable bytes escaped.
[[gnu::cold]] std::string quoted(std::string_view word);
/// `did you mean 'X'?`, or nothing.
[[gnu::cold]] std::string did_you_mean(std::string_view nearest);

/// Refuses a name whose values no other party can know.
[[gnu::cold]] bool fail_driver_value(Parser& parser, uint32_t at, std::string_view name);

/// Parses a decimal number that fits an int32; `what` names it in messages (`index`).
bool parse_number(Parser& parser, const char* what, int32_t& value);
/// Whether a register operand begins here (after blanks), known file or not.
bool starts_register(Parser& parser);
/// The same where a statement may begin instead: `IMM[0] FLT32 {` is not an operand.
bool starts_optional_register(Parser& parser);
/// Whether the word names a register file that needs no brackets (NULL, RINPUT, …).
bool is_bare(File file);
bool file_of_word(std::string_view word, const char* text_end, File& file);
/// Call it where an operand is missing and the word here is not a register with brackets: reports the error in
/// the word.
[[gnu::cold]] bool fail_no_register(Parser& parser);
/// Parses the register that begins here, with brackets and array ids; for destinations also the write mask, for sources
/// also modifiers and swizzle.
bool parse_operand(Parser& parser, bool is_destination, Operand& operand);
/// Parses letters after '.', in the order xyzw.
bool parse_mask(Parser& parser, const char* what, uint8_t& mask);
/// Parses `(PRED[0].x)` or `(!PRED[0].x)`.
bool parse_predicate(Parser& parser, Operand& operand, bool& inverted);

/// Two forms of LOAD that others write in another way. nir-to-tgsi reads a constant buffer at an offset in bytes by
/// `LOAD TEMP[0], CONST[2][0], …`: this becomes CONSTBUF[2]. `LOAD TEMP[0], coordinate, RES[n]` of 2011 is SAMPLE_I,
/// and of a SVIEW too. A register with the handle of an image (bindless) has a target and a format after it.
void name_load(Program& program, Instruction& instruction);

bool parse_instruction(Parser& parser, std::string_view word, const Operand* predicate, bool inverted);
bool parse_declaration(Parser& parser, uint32_t position);
bool parse_immediate(Parser& parser, uint32_t position);
bool parse_property(Parser& parser, uint32_t position);
/// Converts `{ a, b, … }` of a type to words.
bool parse_values(Parser& parser, ImmediateType type, uint32_t (&words)[4]);
bool parse_format(Parser& parser, std::string_view word, uint16_t& format);

}  // namespace tgsi2spv::tgsi
