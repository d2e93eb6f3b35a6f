#include "tgsi/text/diagnostic.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tgsi2spv::tgsi {
namespace {

TEST(Diagnostic, CodesAreDistinct) {
    for (size_t i = 0; i < std::size(kCodes); ++i) EXPECT_EQ(code_row(kCodes[i].name), i) << kCodes[i].name;
    EXPECT_EQ(Code::named("no-such-code"), "internal-error");
}

TEST(Diagnostic, PlacesCountLinesAndBytesFromOne) {
    const std::string_view text = "ab\ncd\r\n\nx";
    const auto at = [&](uint32_t offset) {
        const LineColumn p = line_column_of(text, offset);
        return std::to_string(p.line) + ':' + std::to_string(p.column);
    };
    EXPECT_EQ(at(0), "1:1");
    EXPECT_EQ(at(2), "1:3");
    EXPECT_EQ(at(3), "2:1");
    EXPECT_EQ(at(7), "3:1");
    EXPECT_EQ(at(8), "4:1");
    EXPECT_EQ(at(9), "4:2");
    EXPECT_EQ(at(1000), "4:2");
    EXPECT_EQ(line_column_of("", 0).line, 1u);
}

TEST(Diagnostic, RendersTheLineACaretAndTheHint) {
    const Diagnostic d{Severity::Error, "unknown-opcode", 8, 4, "unknown opcode 'ADDD'", "did you mean 'DADD'?"};
    EXPECT_EQ(render(d, "a.tgsi", "FRAG\r\n\t ADDD TEMP[0]\r\nEND"),
              "a.tgsi:2:3: error: unknown opcode 'ADDD'\n"
              "      ADDD TEMP[0]\n"
              "      ^~~~\n"
              "hint: did you mean 'DADD'?\n");
}

TEST(Diagnostic, RendersAtTheEndOfALineAndOfTheText) {
    EXPECT_EQ(render({Severity::Warning, "note", 3, 0, "m", ""}, "f", "ab\n"), "f:2:1: warning: m\n    \n    ^\n");
    EXPECT_EQ(render({Severity::Note, "note", 2, 9, "m", ""}, "f", "ab\ncd"), "f:1:3: note: m\n    ab\n      ^\n");
    EXPECT_EQ(render({Severity::Error, "note", 0, 0, "m", ""}, "f", ""), "f:1:1: error: m\n    \n    ^\n");
}

TEST(Diagnostic, MarksTheWordAtItsPlaceWithItsIndices) {
    const std::string_view text = "BARRIER, CONST[1][ADDR[0].x].xy TEMP[0\n]IMM[2]x\r\n[3] OUT[]";
    const auto marked = [&](std::string_view from, uint32_t length = 0) {
        Diagnostic d;
        d.offset = static_cast<uint32_t>(text.find(from));
        d.length = length;
        return text.substr(d.offset, marked_bytes(d, text));
    };
    EXPECT_EQ(marked("BARRIER"), "BARRIER");
    EXPECT_EQ(marked("RIER"), "RIER");
    EXPECT_EQ(marked("BARRIER", 3), "BAR");
    EXPECT_EQ(marked(","), ",");
    EXPECT_EQ(marked("CONST"), "CONST[1][ADDR[0].x]");
    EXPECT_EQ(marked("ADDR"), "ADDR[0]");
    EXPECT_EQ(marked("TEMP"), "TEMP");
    EXPECT_EQ(marked("]IMM"), "]");
    EXPECT_EQ(marked("IMM"), "IMM[2]");
    EXPECT_EQ(marked("\r"), "\r");
    EXPECT_EQ(marked("[3]"), "[");
    EXPECT_EQ(marked("OUT"), "OUT[]");
    const Diagnostic beyond{Severity::Error, "note", 1000, 0, "m", ""};
    EXPECT_EQ(marked_bytes(beyond, text), 1u);
}

TEST(Diagnostic, ShowsControlBytesAndOthersEscaped) {
    EXPECT_EQ(render({Severity::Error, "note", 3, 2, "m", ""}, "\x1b[2J", "a\x1b\xe9xy"),
              "\\x1b[2J:1:4: error: m\n    a\\x1b\\xe9xy\n             ^~\n");
}

TEST(Diagnostic, Utf8StaysAndTheCaretStandsBelow) {
    const std::string text = "a\tü€x y";
    EXPECT_EQ(render({Severity::Error, "note", 7, 1, "m", ""}, "é.tgsi", text),
              "é.tgsi:1:8: error: m\n    a ü€x y\n        ^\n");
    EXPECT_EQ(printable("üअ\x1b[0m\xc2\x9b\xff\n"), "üअ\\x1b[0m\\xc2\\x9b\\xff\n");
    EXPECT_EQ(nlohmann::json::parse(render_json({Severity::Error, "note", 0, 1, "m", ""}, "é\xe9", "a"))["file"], "éé");
}

TEST(Diagnostic, CutsLongLinesAroundTheCaret) {
    std::string text(100'000, 'a');
    text[60'000] = 'B';
    const std::string shown = render({Severity::Error, "note", 60'000, 1, "m", ""}, "f", text);
    EXPECT_LT(shown.size(), 500u);
    const size_t line = shown.find('\n') + 1, caret = shown.find('\n', line) + 1;
    EXPECT_EQ(shown.find('B', line) - line, shown.find('^') - caret);
}

TEST(Diagnostic, JsonIsOneLineThatReadsBack) {
    const Diagnostic d{Severity::Error, "bad-number", 7, 0, "bad \"number\" \\ '1'", "…"};
    const std::string line = render_json(d, "a\n\xe9.tgsi", "FRAG\nNOP 1\n");
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const auto json = nlohmann::json::parse(line);
    EXPECT_EQ(json["file"], "a\n\u00e9.tgsi");
    EXPECT_EQ(json["line"], 2);
    EXPECT_EQ(json["column"], 3);
    EXPECT_EQ(json["length"], 1);
    EXPECT_EQ(json["severity"], "error");
    EXPECT_EQ(json["code"], "bad-number");
    EXPECT_EQ(json["message"], "bad \"number\" \\ '1'");
    EXPECT_EQ(json["hint"], "…");
}

}  // namespace
}  // namespace tgsi2spv::tgsi
