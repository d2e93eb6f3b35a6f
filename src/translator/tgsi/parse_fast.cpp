// The fast path for instructions as printers write them, `  12: MUL_SAT TEMP[0].xy, IN[0], -IMM[0].xxxx` up to the end
// of the line: nine of ten in real text. It saves a third of the time of a whole translation. Everything else is left
// to parse_instruction.cpp and parse_operand.cpp, which would parse everything accepted here in the same way.
#include <cstring>

#include "tgsi/bytes.h"
#include "tgsi/keywords.h"
#include "tgsi/names.h"
#include "tgsi/parser.h"
#include "tgsi/types.h"

namespace tgsi2spv::tgsi {
namespace {

/// The longest operand, with the bytes that must follow it: a sign, '|', eight letters, twice six digits in brackets, a
/// dot, four letters, '|', ',' and a blank. If that many bytes may be read, no test for the end of the text is needed.
constexpr ptrdiff_t kLongestOperand = 40;
/// A label: a number, a colon; a mnemonic with a suffix.
constexpr ptrdiff_t kLongestLabel = 16, kLongestMnemonic = 24;

/// Register files by their names in capitals.
constexpr auto kFileWords = [] {
    using Files = DistinctWords<File, kFileCount, 6>;
    std::array<Files::Entry, kFileCount> all{};
    for (size_t i = 0; i < kFileCount; ++i) all[i] = {bytes_of(kFileNames[i]), static_cast<File>(i)};
    return Files(all);
}();

/// Takes the name of a file in capitals, up to seven, and '[': returns the place after, or null. Eight bytes may be
/// read from `p` on.
[[gnu::always_inline]] inline const char* fast_file(const char* p, File& file) {
    const uint64_t bytes = eight_bytes(p), bracket = find_byte(bytes, '[');
    const bool known = kFileWords.find(bytes & (bracket ^ (bracket - 1)) >> 8, file);
    p += bytes_before(bracket) + 1;
    return bracket != 0 && known && p[-2] != '\0' ? p : nullptr;  // a zero after a word does not change its number
}

/// An index with more digits is left to parse_operand.cpp.
constexpr int kMaxDigits = 6;

/// Parses digits up to ']', which is taken. Mostly one or two digits: these need no loop.
inline bool fast_index(const char*& p, int32_t& index) {
    const auto digit = [](char c) { return static_cast<uint8_t>(c - '0'); };
    if (digit(*p) > 9) return false;
    index = digit(*p++);
    if (*p != ']') {
        if (digit(*p) > 9) return false;
        index = index * 10 + digit(*p++);
        for (int digits = 2; digit(*p) <= 9 && digits < kMaxDigits; ++digits) index = index * 10 + digit(*p++);
    }
    return *p++ == ']';
}

bool is_digit(char c) {
    return static_cast<uint8_t>(c - '0') <= 9;
}

/// Write masks by their letters, `x` to `xyzw`.
constexpr auto kMasks = [] {
    using Masks = DistinctWords<uint8_t, 15, 5>;
    std::array<Masks::Entry, 15> all{};
    for (uint8_t m = 1; m < 16; ++m) {
        uint64_t word = 0;
        for (int c = 0, shift = 0; c < 4; ++c)
            if (m >> c & 1) word |= static_cast<uint64_t>("xyzw"[c]) << shift, shift += 8;
        all[m - 1] = {word, m};
    }
    return Masks(all);
}();

/// Four bytes of text, the first one lowest.
inline uint32_t four_bytes(const char* p) {
    uint32_t bytes = 0;
    std::memcpy(&bytes, p, sizeof bytes);
    return bytes;
}

/// 0 in each byte that is one of xyzw: the two lowest bits of these letters, w first, are in their order.
inline uint32_t find_no_component(uint32_t bytes) {
    return (bytes - 0x7777'7777) & 0xfcfc'fcfc;
}

/// Takes four letters of xyzw, as nearly all swizzles are written.
inline const char* fast_swizzle(const char* p, Operand& operand) {
    const uint32_t four = four_bytes(p);
    // The product collects the four pairs of bits, side by side, in its top byte.
    operand.swizzle = static_cast<uint8_t>((four & 0x0303'0303) * (1u << 24 | 1u << 18 | 1u << 12 | 1u << 6) >> 24);
    operand.swizzle_letters = 4;
    return find_no_component(four) == 0 ? p + 4 : nullptr;
}

/// Takes letters of xyzw in their order, each at most once. Their number is unpredictable, so there is no loop.
inline const char* fast_mask(const char* p, Operand& operand) {
    const uint32_t four = four_bytes(p);
    const size_t letters = bytes_before(find_no_component(four) | uint64_t{1} << 32);
    return kMasks.find(first_bytes(four, letters), operand.write_mask) ? p + letters : nullptr;
}

/// Takes `ADDR[0].x+3](2)`, after the opening bracket: an index register, and perhaps an array id.
[[gnu::noinline]] const char* fast_relative(Parser& parser, const char* p, Operand& operand) {
    if (parser.readable - p < 2 * kLongestOperand) return nullptr;
    Relative r;
    if ((p = fast_file(p, r.file)) == nullptr || !fast_index(p, r.index) || *p++ != '.') return nullptr;
    r.component = kComponentOf[static_cast<uint8_t>(*p++)];
    if (r.component > 3) return nullptr;
    operand.index = 0;
    if (*p != '+') {
        if (*p++ != ']') return nullptr;
    } else if (!fast_index(++p, operand.index)) {
        return nullptr;
    }
    if (*p == '(') {
        int32_t id = 0;
        const char* const digits = ++p;
        while (is_digit(*p) && p - digits < kMaxDigits) id = id * 10 + (*p++ - '0');
        if (*p++ != ')' || id > 0xffff) return nullptr;
        operand.array_id = static_cast<uint16_t>(id);
    }
    if (!operand.dim_is_relative) operand.relative = static_cast<uint32_t>(parser.program.relatives.size());
    operand.index_is_relative = true;
    parser.program.relatives.push_back(r);
    return p;
}

/// Takes `3]` or `ADDR[0].x+3](2)`: the contents of a bracket.
[[gnu::always_inline]] inline const char* fast_bracket(Parser& parser, const char* p, Operand& operand) {
    if (!is_digit(*p)) return fast_relative(parser, p, operand);
    return fast_index(p, operand.index) ? p : nullptr;
}

/// Takes `FILE[3][12].xyzw` up to its last byte; sources may have a sign and bars.
template <bool kDestination>
[[gnu::always_inline]] inline const char* fast_operand(Parser& parser, const char* p, Operand& operand) {
    if (!kDestination && (*p == '-' || *p == '|')) {
        operand.negate = *p == '-';
        p += operand.negate;
        operand.absolute = *p == '|';
        p += operand.absolute;
    }
    if ((p = fast_file(p, operand.file)) == nullptr) return nullptr;
    if ((p = fast_bracket(parser, p, operand)) == nullptr) return nullptr;
    if (*p == '[') {
        operand.has_dim = true;
        operand.dim = operand.index;
        operand.dim_is_relative = operand.index_is_relative;
        operand.dim_array_id = operand.array_id;
        operand.index_is_relative = false;
        operand.array_id = 0;
        if ((p = fast_bracket(parser, p + 1, operand)) == nullptr) return nullptr;
    }
    operand.swizzle_letters = 0;
    if (*p == '.') p = kDestination ? fast_mask(p + 1, operand) : fast_swizzle(p + 1, operand);
    if (!kDestination && operand.absolute && p != nullptr && *p++ != '|') return nullptr;
    return p;
}

/// Parses a mnemonic of up to seven capitals, and a blank or the end of the line; null if it is something else.
inline const OpcodeHead* short_mnemonic(const char*& p) {
    const uint64_t bytes = eight_bytes(p);
    const uint64_t end = find_below(bytes, ' ' + 1);
    const uint64_t word = bytes & (((end & -end) - 1) >> 7);  // the bytes before it
    const OpcodeHead* const found = kShortMnemonics.find(word);
    if (end == 0 || found == nullptr) return nullptr;
    p += bytes_before(end);
    return found;
}

/// Parses any other mnemonic, with or without _SAT.
[[gnu::noinline]] bool long_mnemonic(const char*& p, const char* text_end, OpcodeHead& head, bool& saturate) {
    const auto known = [&head](uint16_t op) {
        if (op == kMnemonics.kNone) return false;
        head = head_of(static_cast<Opcode>(op), info(static_cast<Opcode>(op)));
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

/// Records the register that the operand names; false if a simple instruction cannot have it.
inline bool note(Survey& survey, uint32_t most_registers, const Operand& operand, FileSet files) {
    if (operand.index_is_relative || operand.dim_is_relative || !contains(files, operand.file)) return false;
    auto space = static_cast<int>(operand.file);
    if (operand.has_dim) {
        space = Survey::space_of(operand);
        if (space < 0 || static_cast<uint32_t>(operand.dim) >= most_registers) return false;
        survey.beyond_files |= space >= kFileCount;
    }
    survey.used[static_cast<size_t>(space)].add(operand.index);
    return true;
}

/// Takes as many operands as the opcode has, separated by ','. `is_simple` is for the Survey.
const char* fast_operands(Parser& parser, const char* p, const OpcodeHead& head, bool& is_simple) {
    constexpr FileSet kNull = file_set({File::Null});
    std::pmr::vector<Operand>& operands = parser.program.operands;
    const uint32_t most_registers = parser.most_registers();
    bool simple = true;
    const auto next = [&](bool is_first) -> Operand* {
        if (parser.readable - p < kLongestOperand || (!is_first && *p++ != ',') || *p++ != ' ') return nullptr;
        Operand& operand = operands.emplace_back();
        operand.position = parser.offset(p);
        return &operand;
    };
    for (int n = 0; n < head.num_dst; ++n) {
        Operand* const operand = next(n == 0);
        if (operand == nullptr || (p = fast_operand<true>(parser, p, *operand)) == nullptr) return nullptr;
        simple &= note(parser.survey, most_registers, *operand, kWritable & ~kNull);
    }
    for (int n = 0; n < head.num_src; ++n) {
        Operand* const operand = next(n + head.num_dst == 0);
        if (operand == nullptr || (p = fast_operand<false>(parser, p, *operand)) == nullptr) return nullptr;
        simple &= note(parser.survey, most_registers, *operand, kReadable & ~kNull);
    }
    is_simple &= simple;
    return p;
}

/// Parses `, 2D` of a texture operation, and perhaps of one on memory; ` :12` of flow.
bool fast_attribute(Parser& parser, const char*& at, Instruction& instruction, const OpcodeHead& head) {
    const char* p = at;
    if (parser.readable - p < kLongestMnemonic) return false;
    if (head.form == Form::tex || (head.form == Form::memory && *p == ',')) {
        if (p[0] != ',' || p[1] != ' ') return false;
        const char* const first = p += 2;
        while (p < parser.end && kCharClass[static_cast<uint8_t>(*p)] & (kWordChar | kDigit)) ++p;
        const auto target = target_from_word({first, static_cast<size_t>(p - first)}, parser.readable);
        if (!target) return false;
        instruction.target = *target;
    } else if (head.family == Family::flow && p[0] == ' ' && p[1] == ':' && is_digit(p[2])) {
        p += 2;
        for (int digits = 0; is_digit(*p) && digits < kMaxDigits; ++digits)
            instruction.label = instruction.label * 10 + static_cast<uint32_t>(*p++ - '0');
        instruction.has_label = true;
    }
    at = p;
    return true;
}

/// Accepts the end of the text, or the end of the line if a word or a number follows: the next statement, which cannot
/// continue this one. `at` moves there.
bool fast_end(const char*& at, const char* end, const char* readable) {
    const char* p = at;
    if (p < end && *p == '\r') ++p;
    if (p == end) return true;
    if (*p != '\n') return false;
    p = after_blanks(after_spaces(p + 1, readable), end);
    at = p;
    return p < end && kCharClass[static_cast<uint8_t>(*p)] & (kWordChar | kDigit);
}

bool parse_fast_instruction(Parser& parser) {
    Program& program = parser.program;
    const char* p = parser.p;
    if (parser.readable - p < kLongestLabel) return false;
    if (is_digit(*p)) {
        const uint64_t others = find_no_digit(eight_bytes(p));
        if (others == 0) return false;
        p += bytes_before(others);
        if (*p++ != ':') return false;
        if (p[0] == ' ' && p[1] > ' ')
            ++p;  // mostly one
        else
            p = after_spaces(p, parser.readable);
    }
    if (parser.readable - p < kLongestMnemonic) return false;
    const char* const word = p;
    const auto n = static_cast<uint32_t>(program.instructions.size());
    if (n >= parser.limits.instructions) return false;
    const size_t relatives = program.relatives.size();
    Instruction& i = program.instructions.emplace_back();
    i.first_operand = static_cast<uint32_t>(program.operands.size());
    const auto drop = [&] {
        program.operands.resize(i.first_operand);
        program.relatives.resize(relatives);
        program.instructions.pop_back();
        return false;
    };
    OpcodeHead other;
    const OpcodeHead* found = short_mnemonic(p);
    if (found == nullptr && long_mnemonic(p, parser.readable, other, i.saturate)) found = &other;
    // Optional operands need a look at the text after them.
    if (found == nullptr || !found->is_fixed) return drop();
    const OpcodeHead& o = *found;
    i.op = o.op;
    i.num_dst = o.num_dst;
    i.num_src = o.num_src;
    i.position = parser.offset(word);
    // See Survey.
    bool is_simple = o.family != Family::texture && o.family != Family::memory && o.family != Family::io &&
                     (o.stages >> static_cast<int>(program.stage) & 1) != 0 && (!i.saturate || o.can_saturate);
    p = fast_operands(parser, p, o, is_simple);
    if (p == nullptr || !fast_attribute(parser, p, i, o) || !fast_end(p, parser.end, parser.readable)) return drop();
    if (!is_simple) {
        name_load(program, i);
        parser.survey.others.push_back(n);
    }
    if (o.family == Family::flow) parser.survey.flow.push_back(n);
    parser.p = p;
    return true;
}

}  // namespace

bool parse_fast_instructions(Parser& parser) {
    if (!kFirstByteIsLowest) return false;
    const char* const first = parser.p;
    while (parse_fast_instruction(parser)) {
    }
    return parser.p != first;
}

}  // namespace tgsi2spv::tgsi
