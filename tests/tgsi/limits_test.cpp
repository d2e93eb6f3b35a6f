// Every limit has its own message: a text at the limit is accepted, a text above it is not.
#include <gtest/gtest.h>

#include "tgsi/check/check.h"
#include "tgsi/parse/parse.h"

namespace tgsi2spv::tgsi {
namespace {

/// Returns the code of the first error, or "" if the text is accepted.
std::string refusal(const std::string& text, const Limits& limits) {
    Program p;
    std::vector<Diagnostic> diagnostics;
    if (parse(text, limits, p, diagnostics)) check(p, limits, diagnostics);
    for (const Diagnostic& d : diagnostics)
        if (d.severity == Severity::Error) return std::string(d.code.name());
    return {};
}

std::string repeated(const std::string& text, int count) {
    std::string out;
    for (int i = 0; i < count; ++i) out += text;
    return out;
}

TEST(Limits, TextBytes) {
    Limits limits;
    const std::string text = "FRAG\nEND\n";
    limits.text_bytes = static_cast<uint32_t>(text.size());
    EXPECT_EQ(refusal(text, limits), "");
    limits.text_bytes -= 1;
    EXPECT_EQ(refusal(text, limits), "text-limit");
    limits.text_bytes = 0;
    EXPECT_EQ(refusal(text, limits), "text-limit");
    EXPECT_EQ(refusal("FRAG\nEND" + std::string(Limits{}.text_bytes - 8, ' '), {}), "");
    EXPECT_EQ(refusal("FRAG\nEND" + std::string(Limits{}.text_bytes - 7, ' '), {}), "text-limit");
}

TEST(Limits, Instructions) {
    Limits limits;
    limits.instructions = 10;
    EXPECT_EQ(refusal("FRAG\n" + repeated("NOP\n", 9) + "END\n", limits), "");
    EXPECT_EQ(refusal("FRAG\n" + repeated("NOP\n", 10) + "END\n", limits), "instruction-limit");
    EXPECT_EQ(refusal("FRAG\n" + repeated("NOP\n", 999'999) + "END\n", {}), "");
    EXPECT_EQ(refusal("FRAG\n" + repeated("NOP\n", 1'000'000) + "END\n", {}), "instruction-limit");
}

TEST(Limits, WarningsAreAsManyAsErrors) {
    const auto warnings = [](const std::string& text, uint32_t most) {
        Limits limits;
        limits.errors = most;
        Program p;
        std::vector<Diagnostic> diagnostics;
        EXPECT_TRUE(parse(text, limits, p, diagnostics)) << diagnostics[0].message;
        const size_t of_parser = diagnostics.size();
        EXPECT_TRUE(check(p, limits, diagnostics)) << diagnostics[0].message;
        for (const Diagnostic& d : diagnostics) EXPECT_EQ(d.severity, Severity::Warning);
        return std::pair(of_parser, diagnostics.size() - of_parser);
    };
    const std::string text = "FRAG\n" + repeated("DCL IN[0], GENERIC[0], PERSPECTIVE, CYLWRAP_XY\n", 30) +
                             repeated("CAL :31\n", 30) + "END\n";
    EXPECT_EQ(warnings(text, 30), std::pair(size_t{30}, size_t{30}));
    EXPECT_EQ(warnings(text, 29), std::pair(size_t{29}, size_t{29}));
    EXPECT_EQ(warnings(text, 0), std::pair(size_t{0}, size_t{0}));
}

TEST(Limits, Nesting) {
    const auto nested = [](int depth, const std::string& open, const std::string& close) {
        return "FRAG\nDCL TEMP[0]\n" + repeated(open, depth) + repeated(close, depth) + "END\n";
    };
    for (const auto& [open, close] : {std::pair<std::string, std::string>{"IF TEMP[0]\n", "ENDIF\n"},
                                      {"BGNLOOP\n", "ENDLOOP\n"},
                                      {"SWITCH TEMP[0]\nDEFAULT\n", "ENDSWITCH\n"}}) {
        EXPECT_EQ(refusal(nested(256, open, close), {}), "");
        EXPECT_EQ(refusal(nested(257, open, close), {}), "nesting-limit");
        EXPECT_EQ(refusal(nested(300'000, open, close), {}), "nesting-limit");
    }
    Limits limits;
    limits.nesting = 0;
    EXPECT_EQ(refusal(nested(0, "", ""), limits), "");
    EXPECT_EQ(refusal(nested(1, "BGNLOOP\n", "ENDLOOP\n"), limits), "nesting-limit");
}

TEST(Limits, Registers) {
    EXPECT_EQ(refusal("FRAG\nDCL TEMP[0..65535]\nMOV TEMP[0], TEMP[65535]\nEND\n", {}), "");
    EXPECT_EQ(refusal("FRAG\nDCL TEMP[0..65536]\nEND\n", {}), "register-limit");
    EXPECT_EQ(refusal("FRAG\nDCL CONST[65535][0]\nEND\n", {}), "");
    EXPECT_EQ(refusal("FRAG\nDCL CONST[65536][0]\nEND\n", {}), "register-limit");
    EXPECT_EQ(refusal("FRAG\nIMM[65535] FLT32 {0, 0, 0, 0}\nEND\n", {}), "");
    EXPECT_EQ(refusal("FRAG\nIMM[65536] FLT32 {0, 0, 0, 0}\nEND\n", {}), "register-limit");
    // Files that need no declaration are limited where they are used.
    EXPECT_EQ(refusal("COMP\nDCL TEMP[0]\nLOAD TEMP[0], BUFFER[65535], TEMP[0]\nEND\n", {}), "");
    EXPECT_EQ(refusal("COMP\nDCL TEMP[0]\nLOAD TEMP[0], BUFFER[65536], TEMP[0]\nEND\n", {}), "register-limit");
    Limits limits;
    limits.registers = 4;
    EXPECT_EQ(refusal("FRAG\nDCL TEMP[0..3]\nEND\n", limits), "");
    EXPECT_EQ(refusal("FRAG\nDCL TEMP[4]\nEND\n", limits), "register-limit");
}

TEST(Limits, Errors) {
    const auto codes = [](int broken, uint32_t errors) {
        Limits limits;
        limits.errors = errors;
        Program p;
        std::vector<Diagnostic> diagnostics;
        EXPECT_FALSE(parse("FRAG\n" + repeated("FOO BAR\n", broken) + "END\n", limits, p, diagnostics));
        std::string out;
        for (const Diagnostic& d : diagnostics)
            out += d.code == "unknown-opcode" ? "u" : d.code == "too-many-errors" ? "T" : "?";
        return out;
    };
    EXPECT_EQ(codes(3, 3), "uuu");
    EXPECT_EQ(codes(4, 3), "uuuT");
    EXPECT_EQ(codes(1000, 3), "uuuT");
    EXPECT_EQ(codes(1, 0), "T");
    EXPECT_EQ(codes(100, Limits{}.errors), "uuuuuuuuuuuuuuuuuuuuT");
    // The checker counts in the same way.
    Limits limits;
    limits.errors = 2;
    Program p;
    std::vector<Diagnostic> diagnostics;
    ASSERT_TRUE(
        parse("FRAG\nDCL SAMP[0]\nDCL TEMP[0]\n" + repeated("TEX TEMP[0], TEMP[0], SAMP[0], BUFFER\n", 5) + "END\n",
              limits, p, diagnostics));
    EXPECT_FALSE(check(p, limits, diagnostics));
    ASSERT_EQ(diagnostics.size(), 3u);
    EXPECT_EQ(diagnostics[2].code, "too-many-errors");
}

}  // namespace
}  // namespace tgsi2spv::tgsi
