// What the parts of the parser share: the place in the text, what is being filled, and how an error is reported.
// parse.cpp reads statements, parse_declaration.cpp DCL, parse_values.cpp IMM and PROPERTY, parse_instruction.cpp
// instructions, parse_operand.cpp registers; parse_usual.cpp takes most instructions before those see them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tgsi/bytes.h"
#include "tgsi/parse.h"

namespace tgsi2spv::tgsi {

/// What a byte of text may be.
enum : uint8_t { kSpace = 1, kWordChar = 2, kDigit = 4 };
inline constexpr std::array<uint8_t, 256> kCharClass = [] {
    std::array<uint8_t, 256> of{};
    for (int c = 'a'; c <= 'z'; ++c) of[c] = of[c - 'a' + 'A'] = kWordChar;
    for (int c = '0'; c <= '9'; ++c) of[c] = kDigit;
    of['_'] = kWordChar;
    for (uint8_t c : {' ', '\t', '\r', '\n', '\f', '\v'}) of[c] = kSpace;
    return of;
}();
/// 0..3 for xyzw and rgba in either case, else 0xff.
inline constexpr std::array<uint8_t, 256> kComponentOf = [] {
    std::array<uint8_t, 256> of{};
    for (uint8_t& c : of) c = 0xff;
    for (uint8_t i = 0; i < 4; ++i)
        for (char letter : {"xyzw"[i], "XYZW"[i], "rgba"[i], "RGBA"[i]}) of[static_cast<uint8_t>(letter)] = i;
    return of;
}();

/// A parse in progress. Functions that read a construct return false after they reported an error; the place is then
/// inside the broken statement.
struct Parser {
    const char* begin;
    const char* p;  ///< next byte
    const char* end;
    const char* readable;  ///< up to here bytes may be looked at: `end`, or some zeros behind it
    uint32_t before = 0;   ///< bytes of the text that stand before `begin`
    const Limits& limits;
    Program& program;
    Survey& survey;
    std::vector<Diagnostic>& diagnostics;
    uint32_t errors = 0, warnings = 0;
    bool stop = false;      ///< an error after which nothing is worth reading
    const char* token_end;  ///< end of the last token: where something that is missing should have been

    uint32_t most_registers() const { return std::min(limits.registers, kMostRegisters); }

    char peek() const { return p < end ? *p : '\0'; }
    uint8_t klass() const { return p < end ? kCharClass[static_cast<uint8_t>(*p)] : uint8_t{0}; }
    uint32_t offset(const char* at) const { return before + static_cast<uint32_t>(at - begin); }
    uint32_t here() const { return offset(p); }

    /// To the next byte that is neither white space nor comment.
    void skip() {
        if (p < end) p += *p == ' ' || *p == '\n';  // mostly one
        if (p<end&& static_cast<uint8_t>(*p)> ' ' && *p != '#' && *p != '/') return;
        skip_blanks();
    }
    void skip_blanks();

    /// The letters, digits and '_' from here on; may be empty.
    std::string_view word() {
        const std::string_view here = look_word();
        p += here.size();
        return here;
    }
    /// The word here without taking it.
    std::string_view look_word() const {
        const char* q = p;
        while (kFirstByteIsLowest && readable - q >= 8) {
            if (const uint64_t others = find_no_word(eight_bytes(q)); others != 0)
                return {p, static_cast<size_t>(q - p) + static_cast<size_t>(std::countr_zero(others)) / 8};
            q += 8;
        }
        while (q < end && kCharClass[static_cast<uint8_t>(*q)] & (kWordChar | kDigit)) ++q;
        return {p, static_cast<size_t>(q - p)};
    }

    /// Whether a line ends between the last token and here.
    bool line_ended() const {
        for (const char* q = token_end; q < p; ++q)
            if (*q == '\n') return true;
        return false;
    }

    /// Skips blanks and takes `c` if it stands next.
    bool take(char c) {
        skip();
        if (peek() != c) return false;
        ++p;
        token_end = p;
        return true;
    }
    /// As take(), or reports what was expected.
    bool expect(char c, const char* where) { return take(c) || fail_missing(c, where); }
    // What reports is cold: so the compiler keeps messages out of the way of text that is right.
    [[gnu::cold]] bool fail_missing(char c, const char* where);

    [[gnu::cold]] bool fail(uint32_t at, size_t length, const char* code, std::string message, std::string hint = {});
    /// At the byte here; says what was found instead.
    [[gnu::cold]] bool fail_expected(const char* code, const std::string& what);
    [[gnu::cold]] void warn(uint32_t at, size_t length, const char* code, std::string message, std::string hint = {});
};

/// `'word'`, shortened and with unprintable bytes escaped.
[[gnu::cold]] std::string quoted(std::string_view word);
/// `did you mean 'X'?`, or nothing.
[[gnu::cold]] std::string did_you_mean(std::string_view nearest);

/// A decimal number that fits an int32; `what` names it in messages (`index`).
bool parse_number(Parser& s, const char* what, int32_t& value);
/// Whether a register operand begins here (blanks skipped), known file or not.
bool starts_register(Parser& s);
/// The same where a statement may begin instead: `IMM[0] FLT32 {` is no operand.
bool starts_optional_register(Parser& s);
/// Whether the word names a register file that needs no brackets (NULL, RINPUT, …).
bool is_bare(File file);
bool file_of_word(std::string_view word, const char* text_end, File& file);
/// Where an operand should stand and the word here is no register with brackets: says what is wrong with it.
[[gnu::cold]] bool fail_no_register(Parser& s);
/// A register with brackets, array ids and, for destinations, the write mask; for sources modifiers and swizzle.
bool parse_operand(Parser& s, bool is_destination, Operand& operand);
/// Letters after '.', in the order xyzw.
bool parse_mask(Parser& s, const char* what, uint8_t& mask);
/// `(PRED[0].x)` or `(!PRED[0].x)`.
bool parse_predicate(Parser& s, Operand& operand, bool& inverted);

/// Label, opcode and operands of nearly all instructions of real text, as many as stand here in a row. False: something
/// else stands here, and nothing was taken.
bool parse_usual_instructions(Parser& s);
bool parse_instruction(Parser& s, std::string_view word, const Operand* predicate, bool inverted);
bool parse_declaration(Parser& s, uint32_t position);
bool parse_immediate(Parser& s, uint32_t position);
bool parse_property(Parser& s, uint32_t position);
/// `{ a, b, … }` of a type into words.
bool parse_values(Parser& s, ImmediateType type, uint32_t (&words)[4]);
bool parse_format(Parser& s, std::string_view word, uint16_t& format);

}  // namespace tgsi2spv::tgsi
