#include "tgsi/extract.h"

#include <gtest/gtest.h>

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

TEST(Extract, DumpsBetweenOtherLines) {
    const std::string log =
        "Mesa: starting\n"
        "FRAG\nDCL IN[0], COLOR, COLOR\nDCL OUT[0], COLOR\n\n  0: MOV OUT[0], IN[0]\n  1: END\n"
        "compiled 1 shader, stage FRAG\n"
        "frame 1 took 3 ms\n"
        "VERT\nPROPERTY NEXT_SHADER FRAG\nDCL OUT[0], POSITION\nIMM[0] FLT32 {0, 0, 0, 1}\n"
        "MOV_SAT OUT[0], IMM[0]\nCAL :3\nEND\n3: BGNSUB\n4: RET\n5: ENDSUB\nsomething else\n"
        "COMP\nBGNSUB\nRET\nENDSUB\n\nGEOM\nDCL IN[][0], POSITION\nwarning: out of memory\n";
    EXPECT_EQ(summary(extract(log)), "2:4:2 10:0:6 21:5:3 26:3!:0 ");
}

TEST(Extract, PrefixesWithTimeStampsAreTakenOff) {
    const std::string log =
        "[12:00:59.123] virgl: FRAG\r\n[12:00:59.124] virgl: DCL OUT[0], COLOR\r\n[12:00:59.130] virgl:   0: END\r\n"
        "[12:01:00.001] other: DCL TEMP[0]\r\n";
    const auto shaders = extract(log);
    ASSERT_EQ(shaders.size(), 1u);
    EXPECT_EQ(shaders[0].text, "FRAG\r\nDCL OUT[0], COLOR\r\n  0: END\r\n");
}

TEST(Extract, ArraysOverSeveralLinesAndPredicatesStay) {
    const auto shaders =
        extract("FRAG1.1\nDCL IMMX[0..1] {{ 1, 0, 0, 0 },\n  { 0, 0, 0, 0 }}\n0: (PRED[0].x) NOP\n1: END\n");
    EXPECT_EQ(summary(shaders), "1:4:2 ");
}

TEST(Extract, WrappedLinesOfQuotedMailAreJoined) {
    EXPECT_EQ(summary(extract("> FRAG\n> DCL IN[0], GENERIC[0],\n> PERSPECTIVE\n> DCL OUT[0], COLOR\n"
                              "> IMM[0] FLT32 {    0.0000,     1.0000,\n> 0.5000, 2.0000}\n>   0: ADD OUT[0], IN[0],\n"
                              "> IMM[0]\n>   1: END\n> and so on\n")),
              "1:4:2 ");
}

TEST(Extract, StringLiteralsAndHtmlAreUnwrapped) {
    EXPECT_EQ(summary(extract("static const char text[] =\n    \"FRAG\\n\"\n    \"DCL OUT[0], COLOR\\n\"\n"
                              "    \"\\t0: MOV OUT[0], OUT[0]\\n\"\n    \"  1: END\\n\";\nint i;\n")),
              "2:4:2 ");
    EXPECT_EQ(summary(extract("parse(\"VERT\\nDCL OUT[0], POSITION\\n0: END\\n\");\n")), "1:0:1 ");
    EXPECT_EQ(summary(extract("<p>It says:<pre>FRAG\nDCL OUT[0], COLOR<br/>\n0: MOV OUT[0], OUT[0]\n1: END</pre>\n")),
              "1:4:2 ");
    EXPECT_EQ(summary(extract("&gt; FRAG\n&gt; 0: END\n")), "1:4:1 ");
}

TEST(Extract, WrappedLinesMayLackTheQuotationMark) {
    EXPECT_EQ(
        summary(extract("> FRAG\n> PROPERTY FS_COORD_ORIGIN\nLOWER_LEFT\n> DCL OUT[0], COLOR\n> DCL\n> TEMP[0]\n"
                        "> IMM[0] FLT32\n> { 0, 0, 0, 0}\n>   0: MOV_SATNV\n> TEMP[0], IMM[0]\n>   1:\nMOV OUT[0],\n"
                        "TEMP[0]\n> 2: IF TEMP[0].xxxx\n> :3\n> 3: ENDIF\n>   4: END\nand so on\n")),
        "1:4:5 ");
}

TEST(Extract, LiteralsOfAllKinds) {
    const std::string lines =
        "DCL OUT[0], COLOR\\r\\n\"\n  \"MOV OUT[0], \" \"OUT[0]\"\n \"\\n\" /* \"last\" */\n \"END\\n\";\n";
    EXPECT_EQ(summary(extract("const char* a = \"FRAG\\r\\n" + lines + "int b;\n")), "1:4:2 ");
    EXPECT_EQ(summary(extract("\"FRAG\\n\\\nDCL OUT[0], COLOR\\n\\\nMOV OUT[0], OUT[0]\\n\\\nEND\\n\";\n")), "1:4:2 ");
    EXPECT_EQ(summary(extract("auto s = R\"x(FRAG\nDCL OUT[0], COLOR\nEND\n)x\";\ns = \"\"\"\nVERT\nEND\"\"\"\n")),
              "1:4:1 6:0:1 ");
    EXPECT_EQ(summary(extract("{\"stage\": \"fs\", \"text\": \"FRAG\\nEND\\n\", \"id\": 3}\n")), "1:4:1 ");
}

TEST(Extract, LiteralsWithoutEndsOfLinesTakeLinearTime) {
    std::string log = "\"FRAG\\n\"\n\"NOP\"\n";
    for (int i = 0; i < 300000; ++i) log += "\" \"\n";
    EXPECT_EQ(summary(extract(log + "\"\\nEND\\n\";\n")), "1:4:2 ");
}

TEST(Extract, HtmlOfAllKinds) {
    EXPECT_EQ(summary(extract("<pre class=\"text\"><span class=\"quote\">&#62; FRAG\n&#x3e; DCL OUT[0], <b>COLOR</b>\n"
                              "&gt;&nbsp;  1: END</span></pre>\n")),
              "1:4:1 ");
    EXPECT_EQ(summary(extract("<div>It says:<br>FRAG<br />DCL OUT[0], COLOR<br>END</div>\n")), "1:4:1 ");
    EXPECT_EQ(summary(extract("<nick> FRAG\n<nick> DCL OUT[0], COLOR\n<nick> END\n")), "1:4:1 ");
}

TEST(Extract, OtherLinesBetweenThoseOfAShaderAreLeftOut) {
    const auto found = extract(
        "[1.5] drm: FRAG\n[1.5] drm: DCL OUT[0], COLOR\n[1.6] usb: a device\nand another line\n"
        "[1.7] drm:   0: MOV OUT[0], OUT[0]\n[1.8] drm: swapped\n[1.9] drm:   1: END\n[2.0] usb: gone\n"
        "FRAG\nDCL OUT[0], COLOR\nwarning: slow\nEND\nVERT\nlate\nEND\n");
    EXPECT_EQ(summary(found), "1:4:2 9:4:1 ");
    EXPECT_EQ(found[0].text, "FRAG\nDCL OUT[0], COLOR\n  0: MOV OUT[0], OUT[0]\n  1: END\n");
}

TEST(Extract, InstructionsWithUnknownOpcodesStay) {
    const auto found = extract(
        "FRAG\nDCL OUT[0], COLOR\nFOO TEMP[0], CONST[0]\n  1: BAR_SAT OUT[0], -TEMP[0]\nerror IN[0]\n"
        "GL ERROR IN[0]\n  3: CLEAR\nEND\n");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].text, "FRAG\nDCL OUT[0], COLOR\nFOO TEMP[0], CONST[0]\n  1: BAR_SAT OUT[0], -TEMP[0]\nEND\n");
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
