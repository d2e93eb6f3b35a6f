// Expected words of single opcodes, computed by hand from the documents, in a form that any engine can run.
//
// A table is an instruction and rows. A row has one register per source and, for each component of the result, the
// answers that Vulkan permits. The shader of a table (shader_text) is `OP OUT[0], IN[0], IN[1], …` with one lane per
// row, so an engine needs only the rows.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace tgsi2spv::tables {

struct Expect {
    enum class Kind : uint8_t {
        Words,    ///< one of `words`
        Nan,      ///< any NaN
        Near,     ///< within `ulps` of the float words[0]
        Between,  ///< a float from words[0] to words[1]
        Free,     ///< the documents leave it open
        Double,   ///< with the next component within `ulps` of the double words[0], words[1]
        Upper,    ///< that next component, which is judged together with the one before
    };
    Kind kind = Kind::Words;
    std::vector<uint32_t> words;
    float ulps = 0;
};

using Register = std::array<uint32_t, 4>;

struct Row {
    std::vector<Register> in;
    std::array<Expect, 4> out;
};

struct Table {
    std::string instruction;  ///< mnemonic with its suffixes
    std::vector<Row> rows;
    std::string header = {};  ///< lines before the declarations, such as properties
};

// Words.
constexpr uint32_t f(float x) {
    return std::bit_cast<uint32_t>(x);
}
constexpr uint32_t i(int32_t x) {
    return static_cast<uint32_t>(x);
}
inline constexpr uint32_t kZero = 0, kMinusZero = 0x80000000, kOneF = 0x3f800000, kInfinity = 0x7f800000,
                          kMinusInfinity = 0xff800000, kQuietNan = 0x7fc00000, kLeastDenormal = 0x00000001,
                          kMinusDenormal = 0x80000001, kMostDenormal = 0x007fffff, kLeastNormal = 0x00800000,
                          kBelowOne = 0x3f7fffff, kMaxFloat = 0x7f7fffff, kTrue = ~0u, kIntMin = 0x80000000,
                          kIntMax = 0x7fffffff;

// Expectations.
inline Expect word(uint32_t w) {
    return {Expect::Kind::Words, {w}};
}
inline Expect either(std::initializer_list<uint32_t> words) {
    return {Expect::Kind::Words, words};
}
/// A zero of either sign.
inline Expect zero() {
    return either({kZero, kMinusZero});
}
inline Expect any_nan() {
    return {Expect::Kind::Nan, {}};
}
inline Expect near(float x, float ulps) {
    return {Expect::Kind::Near, {f(x)}, ulps};
}
inline Expect between(float lo, float hi) {
    return {Expect::Kind::Between, {f(lo), f(hi)}};
}
inline Expect free() {
    return {Expect::Kind::Free, {}};
}

/// A row with the same word in all components of each source, and one expectation for all components of the result.
inline Row row(std::initializer_list<uint32_t> sources, const Expect& out) {
    Row r;
    for (uint32_t s : sources) r.in.push_back({s, s, s, s});
    r.out = {out, out, out, out};
    return r;
}
inline Row row(std::initializer_list<uint32_t> sources, uint32_t out) {
    return row(sources, word(out));
}
/// A row of whole registers.
inline Row vectors(std::initializer_list<Register> sources, const std::array<Expect, 4>& out) {
    return {sources, out};
}
inline Register floats(float x, float y, float z, float w) {
    return {f(x), f(y), f(z), f(w)};
}
inline std::array<Expect, 4> all(const Expect& e) {
    return {e, e, e, e};
}

inline std::string shader_text(const Table& t) {
    std::string sources;
    const size_t n = t.rows.front().in.size();
    std::string text = "VERT\n" + t.header;
    if (n > 0) text += "DCL IN[0.." + std::to_string(n - 1) + "]\n";
    text += "DCL OUT[0], GENERIC[0]\n  0: " + t.instruction + " OUT[0]";
    for (size_t s = 0; s < n; ++s) text += ", IN[" + std::to_string(s) + "]";
    return text + "\n  1: END\n";
}

/// The same on immediates: `OP OUT[0], IMM[0], IMM[1], …`, then the next row to OUT[1]. If `by_call`, a subroutine
/// moves them to TEMPs first: then only code that inlines subroutines sees them.
inline std::string literal_text(const Table& t, size_t first, size_t count, const std::string& mask = "",
                                bool by_call = false) {
    std::string immediates, code, moves;
    size_t literals = 0;
    for (size_t k = 0; k < count; ++k) {
        code += t.instruction + " OUT[" + std::to_string(k) + "]" + (mask.empty() ? "" : "." + mask);
        for (const Register& r : t.rows[first + k].in) {
            const std::string number = "[" + std::to_string(literals++) + "]";
            code += (by_call ? ", TEMP" : ", IMM") + number;
            moves += "MOV TEMP" + number + ", IMM" + number + "\n";
            immediates += "IMM" + number + " UINT32 {";
            for (size_t c = 0; c < 4; ++c) immediates += (c == 0 ? "" : ", ") + std::to_string(r[c]);
            immediates += "}\n";
        }
        code += "\n";
    }
    const std::string head = "VERT\n" + t.header + "DCL OUT[0.." + std::to_string(count - 1) + "], GENERIC[0]\n";
    if (!by_call) return head + immediates + code + "END\n";
    return head + "DCL TEMP[0.." + std::to_string(literals) + "]\n" + immediates + "CAL :" + std::to_string(count + 2) +
           "\n" + code + "END\nBGNSUB\n" + moves + "ENDSUB\n";
}

}  // namespace tgsi2spv::tables
