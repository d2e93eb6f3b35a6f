// Parses the usual instruction, `  12: MUL_SAT TEMP[0].xy, IN[0], -IMM[0].xxxx` up to the end of its line, in one step:
// nearly all of real text. Everything else is left for parse_instruction.cpp and parse_operand.cpp to take or to
// refuse. They would take everything that is taken here in the same way.
#include <bit>
#include <cstring>

#include "tgsi/keywords.h"
#include "tgsi/names.h"
#include "tgsi/parser.h"
#include "tgsi/usual_file.h"

namespace tgsi2spv::tgsi {
namespace {

/// The longest operand, with the bytes that must follow it: a sign, '|', eight letters, twice six digits in brackets, a
/// dot, four letters, '|', ',' and a blank. If that many bytes may be read, no test for the end of the text is needed.
constexpr ptrdiff_t kLongestOperand = 40;
/// A label: a number, a colon; a mnemonic with a suffix.
constexpr ptrdiff_t kLongestLabel = 16, kLongestMnemonic = 24;

bool is_digit(char c) {
    return static_cast<uint8_t>(c - '0') <= 9;
}

/// Parses four letters of xyzw, as in nearly every swizzle: two bits each.
inline bool four_letters(const char* p, uint32_t& swizzle) {
    uint32_t four = 0;
    std::memcpy(&four, p, sizeof four);
    constexpr uint32_t kLeast = 0x7777'7777;  // w; then x, y, z: the two lowest bits are the component
    if (((four - kLeast) & 0xfcfc'fcfc) != 0) return false;
    // The product collects the four pairs of bits, side by side, in its top byte.
    swizzle = (four & 0x0303'0303) * (1u << 24 | 1u << 18 | 1u << 12 | 1u << 6) >> 24;
    return true;
}

inline bool usual_swizzle(const char*& p, Operand& o) {
    uint32_t bits = 0;
    uint8_t letters = 0, c = 0;
    if (four_letters(p, bits)) {
        letters = 4;
    } else {
        for (uint8_t next; letters < 4 && (next = kComponentOf[static_cast<uint8_t>(p[letters])]) <= 3; ++letters)
            bits |= uint32_t{c = next} << (2 * letters);
        if (letters == 0) return false;
        // semantics: Machine. A shorter swizzle repeats its last letter.
        for (int i = letters; i < 4; ++i) bits |= uint32_t{c} << (2 * i);
    }
    p += letters;
    o.swizzle = static_cast<uint8_t>(bits);
    o.swizzle_letters = letters;
    return true;
}

/// The write masks by their letters, `x` to `xyzw`: a number of four bytes, with a hash without collisions.
struct MaskTable {
    static constexpr int kBits = 5;
    uint32_t multiplier = 1;
    std::array<uint32_t, 1 << kBits> letters{};
    std::array<uint8_t, 1 << kBits> mask{};

    constexpr size_t place(uint32_t word) const { return word * multiplier >> (32 - kBits); }
    constexpr bool fill() {
        letters = {};
        for (uint8_t m = 1; m < 16; ++m) {
            uint32_t word = 0;
            for (int c = 0, shift = 0; c < 4; ++c)
                if (m >> c & 1) word |= static_cast<uint32_t>("xyzw"[c]) << shift, shift += 8;
            if (letters[place(word)] != 0) return false;
            letters[place(word)] = word;
            mask[place(word)] = m;
        }
        return true;
    }
};
constexpr MaskTable kMasks = [] {
    MaskTable table;
    while (!table.fill()) table.multiplier = table.multiplier * 0x915f'77f5 + 2;
    return table;
}();

/// Parses letters of xyzw in their order, each at most once. Their number is unpredictable, so there is no loop.
inline bool usual_mask(const char*& p, Operand& o) {
    uint32_t four = 0;
    std::memcpy(&four, p, sizeof four);
    constexpr uint32_t kLeast = 0x7777'7777;  // w
    const uint64_t others = ((four - kLeast) & 0xfcfc'fcfc) | uint64_t{1} << 32;
    const int letters = std::countr_zero(others) / 8;
    const uint32_t word = four & static_cast<uint32_t>((uint64_t{1} << 8 * letters) - 1);
    const size_t place = kMasks.place(word);
    p += letters;
    o.write_mask = kMasks.mask[place];
    // parse_operand.cpp handles another order or alphabet.
    return word != 0 && kMasks.letters[place] == word && kComponentOf[static_cast<uint8_t>(*p)] > 3;
}

/// Parses `ADDR[0].x+3](2)` after the opening bracket: an index register, and perhaps an array id.
[[gnu::noinline]] bool usual_relative(Parser& s, const char*& at, Operand& o) {
    const char* p = at;
    if (s.readable - p < 2 * kLongestOperand) return false;
    Relative r;
    if (!usual_file(p, r.file) || !usual_index(p, r.index) || *p++ != '.') return false;
    r.component = kComponentOf[static_cast<uint8_t>(*p++)];
    if (r.component > 3) return false;
    o.index = 0;
    if (*p != '+') {
        if (*p++ != ']') return false;
    } else if (!usual_index(++p, o.index)) {
        return false;
    }
    if (*p == '(') {
        int32_t id = 0;
        const char* const digits = ++p;
        while (is_digit(*p) && p - digits < kMostDigits) id = id * 10 + (*p++ - '0');
        if (*p++ != ')' || id > 0xffff) return false;
        o.array_id = static_cast<uint16_t>(id);
    }
    if (!o.dim_is_relative) o.relative = static_cast<uint32_t>(s.program.relatives.size());
    o.index_is_relative = true;
    s.program.relatives.push_back(r);
    at = p;
    return true;
}

/// Parses `3]` or `ADDR[0].x+3](2)`: the contents of a bracket.
[[gnu::always_inline]] inline bool usual_bracket(Parser& s, const char*& p, Operand& o) {
    return is_digit(*p) ? usual_index(p, o.index) : usual_relative(s, p, o);
}

/// Parses `FILE[3][12].xyzw` up to its last byte; sources may have a sign and bars.
template <bool kDestination>
[[gnu::always_inline]] inline bool usual_operand(Parser& s, const char*& at, Operand& o) {
    const char* p = at;
    if (!kDestination && (*p == '-' || *p == '|')) {
        o.negate = *p == '-';
        p += o.negate;
        o.absolute = *p == '|';
        p += o.absolute;
    }
    if (!usual_file(p, o.file) || !usual_bracket(s, p, o)) return false;
    if (*p == '[') {
        o.has_dim = true;
        o.dim = o.index;
        o.dim_is_relative = o.index_is_relative;
        o.dim_array_id = o.array_id;
        o.index_is_relative = false;
        o.array_id = 0;
        if (!usual_bracket(s, ++p, o)) return false;
    }
    o.swizzle_letters = 0;
    if (*p == '.' && !(kDestination ? usual_mask(++p, o) : usual_swizzle(++p, o))) return false;
    if (!kDestination && o.absolute && *p++ != '|') return false;
    at = p;
    return true;
}

/// Parses a mnemonic of up to seven capitals, and a blank or the end of the line.
inline bool short_mnemonic(const char*& p, OpcodeHead& o) {
    const uint64_t bytes = eight_bytes(p);
    const uint64_t end = find_below(bytes, ' ' + 1);
    const uint64_t word = bytes & (((end & -end) - 1) >> 7);  // the bytes before it
    const OpcodeHead* const found = kShortMnemonics.find(word);
    if (end == 0 || found == nullptr) return false;
    o = *found;
    p += std::countr_zero(end) / 8;
    return true;
}

/// Parses the mnemonic with or without _SAT.
bool usual_mnemonic(const char*& p, const char* text_end, OpcodeHead& o, bool& saturate) {
    if (short_mnemonic(p, o)) return true;
    const auto known = [&o](uint16_t op) {
        if (op == kMnemonics.kNone) return false;
        o = head_of(static_cast<Opcode>(op), info(static_cast<Opcode>(op)));
        return true;
    };
    const char* const first = p;
    while (p - first < kLongestMnemonic && kCharClass[static_cast<uint8_t>(*p)] & (kWordChar | kDigit)) ++p;
    std::string_view word(first, static_cast<size_t>(p - first));
    if (known(kMnemonics.find(word, text_end))) return true;
    constexpr std::string_view kSaturate = "_SAT";
    if (word.size() <= kSaturate.size() || word.substr(word.size() - kSaturate.size()) != kSaturate) return false;
    word.remove_suffix(kSaturate.size());
    saturate = true;
    return known(kMnemonics.find(word, text_end));
}

/// Records the register that the operand names; false if the operand is not usual.
inline bool note(Survey& survey, uint32_t most_registers, const Operand& o, FileSet files) {
    if (o.index_is_relative || o.dim_is_relative || !contains(files, o.file)) return false;
    auto space = static_cast<int>(o.file);
    if (o.has_dim) {
        space = Survey::space_of(o);
        if (space < 0 || static_cast<uint32_t>(o.dim) >= most_registers) return false;
    }
    survey.used[static_cast<size_t>(space)].add(o.index);
    return true;
}

/// Parses as many operands as the opcode takes, separated by ','. `is_usual` is for the Survey.
bool usual_operands(Parser& s, const char*& at, const OpcodeHead& o, bool& is_usual) {
    constexpr FileSet kNull = file_set({File::Null});
    std::pmr::vector<Operand>& operands = s.program.operands;
    Survey& survey = s.survey;
    const char* const readable = s.readable;
    const uint32_t most_registers = s.most_registers();
    const char* p = at;
    bool usual = true;
    for (int n = 0, destinations = o.num_dst, count = destinations + o.num_src; n < count; ++n) {
        if (readable - p < kLongestOperand) return false;
        if (n > 0 && *p++ != ',') return false;
        if (*p++ != ' ') return false;
        Operand& operand = operands.emplace_back();
        operand.position = s.offset(p);
        if (n < destinations) {
            if (!usual_operand<true>(s, p, operand)) return false;
            usual &= note(survey, most_registers, operand, kWritable & ~kNull);
        } else {
            if (!usual_operand<false>(s, p, operand)) return false;
            usual &= note(survey, most_registers, operand, kReadable & ~kNull);
        }
    }
    is_usual &= usual;
    at = p;
    return true;
}

/// Parses `, 2D` of a texture operation, and perhaps of one on memory; ` :12` of flow.
bool usual_attribute(Parser& s, const char*& at, Instruction& i, const OpcodeHead& o) {
    const char* p = at;
    if (s.readable - p < kLongestMnemonic) return false;
    if (o.form == Form::tex || (o.form == Form::memory && *p == ',')) {
        if (p[0] != ',' || p[1] != ' ') return false;
        const char* const first = p += 2;
        while (p < s.end && kCharClass[static_cast<uint8_t>(*p)] & (kWordChar | kDigit)) ++p;
        const auto target = target_from_word({first, static_cast<size_t>(p - first)}, s.readable);
        if (!target) return false;
        i.target = *target;
    } else if (o.family == Family::flow && p[0] == ' ' && p[1] == ':' && is_digit(p[2])) {
        p += 2;
        for (int digits = 0; is_digit(*p) && digits < kMostDigits; ++digits)
            i.label = i.label * 10 + static_cast<uint32_t>(*p++ - '0');
        i.has_label = true;
    }
    at = p;
    return true;
}

/// Accepts the end of the text, or the end of the line if a word or a number follows: the next statement, which cannot
/// continue this one. `at` moves there.
bool usual_end(const char*& at, const char* end, const char* readable) {
    const char* p = at;
    if (p < end && *p == '\r') ++p;
    if (p == end) return true;
    if (*p != '\n') return false;
    p = behind_spaces(p + 1, readable);
    while (p < end && kCharClass[static_cast<uint8_t>(*p)] & kSpace) ++p;
    at = p;
    return p < end && kCharClass[static_cast<uint8_t>(*p)] & (kWordChar | kDigit);
}

bool parse_usual_instruction(Parser& s) {
    Program& program = s.program;
    const char* p = s.p;
    if (s.readable - p < kLongestLabel) return false;
    if (is_digit(*p)) {
        const uint64_t bytes = eight_bytes(p), colon = find_byte(bytes, ':');
        const uint64_t before = ((colon & -colon) - 1) >> 7;  // all bits of the bytes before it
        if (colon == 0 || (find_no_digit(bytes) & before) != 0) return false;
        p += std::countr_zero(colon) / 8 + 1;
        if (p[0] == ' ' && p[1] > ' ')
            ++p;  // mostly one
        else
            p = behind_spaces(p, s.readable);
    }
    if (s.readable - p < kLongestMnemonic) return false;
    const char* const word = p;
    const auto n = static_cast<uint32_t>(program.instructions.size());
    if (n >= s.limits.instructions) return false;
    const size_t relatives = program.relatives.size();
    Instruction& i = program.instructions.emplace_back();
    i.first_operand = static_cast<uint32_t>(program.operands.size());
    const auto drop = [&] {
        program.operands.resize(i.first_operand);
        program.relatives.resize(relatives);
        program.instructions.pop_back();
        return false;
    };
    OpcodeHead o;
    if (!usual_mnemonic(p, s.readable, o, i.saturate)) return drop();
    if (!o.is_fixed) return drop();  // optional operands need a look at the text after them
    i.op = o.op;
    i.num_dst = o.num_dst;
    i.num_src = o.num_src;
    i.position = s.offset(word);
    // See Survey.
    bool is_usual = o.family != Family::texture && o.family != Family::memory && o.family != Family::io &&
                    (o.stages >> static_cast<int>(program.stage) & 1) != 0 && (!i.saturate || o.can_saturate);
    if (!usual_operands(s, p, o, is_usual) || !usual_attribute(s, p, i, o) || !usual_end(p, s.end, s.readable))
        return drop();
    if (!is_usual) s.survey.unusual.push_back(n);
    if (o.family == Family::flow) s.survey.flow.push_back(n);
    s.p = p;
    return true;
}

}  // namespace

bool parse_usual_instructions(Parser& s) {
    if (!kFirstByteIsLowest) return false;
    const char* const first = s.p;
    while (parse_usual_instruction(s)) {
    }
    return s.p != first;
}

}  // namespace tgsi2spv::tgsi
