#include "tgsi/extract.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cases.h"
#include "tgsi/parse.h"

namespace tgsi2spv::tgsi {
namespace {

std::string summary(const std::vector<Extracted>& shaders) {
    std::string out;
    for (const Extracted& e : shaders) {
        Program p;
        std::vector<Diagnostic> diagnostics;
        out +=
            std::to_string(e.line) + ":" + std::to_string(static_cast<int>(e.stage)) + (e.complete ? "" : "!") + ":" +
            (parse(e.text, {}, p, diagnostics) ? std::to_string(p.instructions.size()) : diagnostics[0].message) + " ";
    }
    return out;
}

TEST(Extract, ShadersOfLogs) {
    for (const Case& c : read_cases("logs.txt")) {
        const auto shaders = extract(c.text);
        std::string found = summary(shaders);
        ASSERT_NE(found, "") << c.name;
        found.back() = '\n';
        if (std::ranges::count(c.printed, '\n') > 1) found += shaders[0].text;
        EXPECT_EQ(found, c.printed) << c.name;
    }
}

TEST(Extract, PrefixesWithTimeStampsAreTakenOff) {
    const std::string log =
        "[12:00:59.123] virgl: FRAG\r\n[12:00:59.124] virgl: DCL OUT[0], COLOR\r\n[12:00:59.130] virgl:   0: END\r\n"
        "[12:01:00.001] other: DCL TEMP[0]\r\n";
    const auto shaders = extract(log);
    ASSERT_EQ(shaders.size(), 1u);
    EXPECT_EQ(shaders[0].text, "FRAG\r\nDCL OUT[0], COLOR\r\n  0: END\r\n");
}

TEST(Extract, LiteralsWithoutEndsOfLinesTakeLinearTime) {
    std::string log = "\"FRAG\\n\"\n\"NOP\"\n";
    for (int i = 0; i < 300000; ++i) log += "\" \"\n";
    EXPECT_EQ(summary(extract(log + "\"\\nEND\\n\";\n")), "1:4:2 ");
}

TEST(Extract, LostInstructionsAreNoticed) {
    const std::string begin = "FRAG\nDCL OUT[0], COLOR\n", move = "MOV OUT[0], OUT[0]\n", end = "END\n";
    const auto missing = [&](const std::string& text) { return extract(begin + text).at(0).missing; };
    EXPECT_EQ(missing("0: " + move + "1: " + move + "DCL TEMP[0]\n2: " + end), std::nullopt);
    EXPECT_EQ(missing("0: " + move + "2: " + end), 1u);
    EXPECT_EQ(missing("5: " + move + "8: " + end), 0u);
    EXPECT_EQ(missing("0: " + move + "FLUSH\n2: " + end), 1u);
    EXPECT_EQ(missing("0: " + move + move + "1: " + end), 1u);
    EXPECT_EQ(missing(move + "7: " + move + "8: " + end), std::nullopt) << "only labels";
    EXPECT_EQ(missing("7: " + move + move + "9: " + move + end), 0u);
}

TEST(Extract, HeadersWithoutAShaderAreReported) {
    const auto headers = [](std::string_view log) {
        std::vector<uint32_t> lines;
        extract(log, &lines);
        return lines;
    };
    EXPECT_EQ(headers("FRAG\nand nothing\n> VERT\n"), (std::vector<uint32_t>{1, 3}));
    EXPECT_EQ(headers("it says VERT\nFRAG\nFRAG\nEND\n"), std::vector<uint32_t>{}) << "prose, and a heading";
}

TEST(Extract, PiecesThatAreNotJoinedAreReported) {
    const std::string begin = "FRAG\nDCL OUT[0], COLOR\nDCL CONST[0..12]\nMOV OUT[0], CONST[1]\n", end = "END\n";
    const auto left_out = [&](const std::string& line) { return extract(begin + line + end).at(0).left_out; };
    EXPECT_EQ(left_out(".yyyy\n"), std::nullopt) << "joined";
    EXPECT_EQ(left_out("[\n"), 5u);
    EXPECT_EQ(left_out("done\n"), std::nullopt) << "a word of the log";
    // Another line is longer: no terminal has cut this one.
    const std::string width = "PROPERTY CS_FIXED_BLOCK_WIDTH 1\n2\n";
    EXPECT_EQ(extract("COMP\nPROPERTY CS_FIXED_BLOCK_HEIGHT 1\n" + width + "END\n").at(0).left_out, 4u);
    EXPECT_EQ(extract("COMP\n" + width + "END\n").at(0).text, "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 12\nEND\n");
}

TEST(Extract, ProseAboutStagesIsNotAShader) {
    EXPECT_TRUE(extract("").empty());
    EXPECT_TRUE(extract("FRAG").empty());
    EXPECT_TRUE(extract("this is a vert\nEND\nFRAG\nis what it was\nvert\nframe\n").empty());
}

}  // namespace
}  // namespace tgsi2spv::tgsi
