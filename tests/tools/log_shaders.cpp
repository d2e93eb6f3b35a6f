// Shaders in logs: their lines are found, and a note names each place that the log cut or lost.
#include "tgsi2spv/log_shaders.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <vector>

#include "shader_files.h"
#include "tgsi/parse/parse.h"
#include "tgsi/print.h"

namespace tools {
namespace {

using namespace tgsi2spv;

/// `LINE STAGE` of each shader, and `LINE CODE` of each of its notes.
std::string found_in(std::string_view log) {
    std::string out;
    for (const LogShader& shader : shaders_of_log(log).shaders) {
        out += std::to_string(shader.line) + " " + shader.text.substr(0, shader.text.find_first_of("1\n")) + "\n";
        for (const LogNote& note : shader.notes) out += std::to_string(note.line) + " " + note.code + "\n";
    }
    return out;
}

std::string first_text(std::string_view log) {
    const LogShaders found = shaders_of_log(log);
    return found.shaders.empty() ? std::string() : found.shaders[0].text;
}

TEST(LogShaders, DumpsAreFoundBetweenOtherLines) {
    EXPECT_EQ(found_in(R"(Mesa: starting
FRAG
DCL IN[0], COLOR, COLOR
DCL OUT[0], COLOR

  0: MOV OUT[0], IN[0]
  1: END
compiled 1 shader, stage FRAG
frame 1 took 3 ms
VERT
PROPERTY NEXT_SHADER FRAG
DCL OUT[0], POSITION
IMM[0] FLT32 {0, 0, 0, 1}
MOV_SAT OUT[0], IMM[0]
END
something else
)"),
              "2 FRAG\n10 VERT\n");
}

TEST(LogShaders, SubroutinesFollowTheEnd) {
    EXPECT_EQ(first_text(R"(VERT
DCL OUT[0], POSITION
CAL :2
END
2: BGNSUB
3: RET
4: ENDSUB
NOP
)"),
              R"(VERT
DCL OUT[0], POSITION
CAL :2
END
2: BGNSUB
3: RET
4: ENDSUB
)");
}

TEST(LogShaders, OldComputeTextHasNoEnd) {
    EXPECT_EQ(found_in(R"(COMP
BGNSUB
RET
ENDSUB

GEOM
DCL IN[][0], POSITION
warning: out of memory
)"),
              "1 COMP\n6 GEOM\n6 cut-off\n");
}

TEST(LogShaders, ArraysOverSeveralLinesAndPredicatesStay) {
    EXPECT_EQ(found_in(R"(FRAG1.1
DCL IMMX[0..1] {{ 1, 0, 0, 0 },
  { 0, 0, 0, 0 }}
0: (PRED[0].x) NOP
1: END
)"),
              "1 FRAG\n");
}

TEST(LogShaders, PrefixesAreTakenOffAlsoIfTheirNumbersChange) {
    const std::string log =
        "[ 9.123] virgl: FRAG\r\n[10.124] virgl: DCL OUT[0], COLOR\r\n[10.130] virgl:   0: END\r\n"
        "[11.001] other: DCL TEMP[0]\r\n";
    EXPECT_EQ(first_text(log), "FRAG\nDCL OUT[0], COLOR\n  0: END\n");
    EXPECT_EQ(found_in(log), "1 FRAG\n");
}

TEST(LogShaders, ATextWithoutThePrefixOfItsStageHasNone) {
    EXPECT_EQ(first_text(R"(const text = `FRAG
DCL OUT[0], COLOR
END`;
)"),
              "FRAG\nDCL OUT[0], COLOR\nEND\n");
}

TEST(LogShaders, AStatementThatMailHasCutIsNamedAndNotJoined) {
    const std::string log = R"(> FRAG
> DCL IN[0], GENERIC[0],
> PERSPECTIVE
> DCL OUT[0], COLOR
> 0: END
)";
    EXPECT_EQ(found_in(log), "1 FRAG\n3 left-out\n4 not-a-statement\n");
    EXPECT_EQ(first_text(log), "FRAG\nDCL IN[0], GENERIC[0],\nDCL OUT[0], COLOR\n0: END\n");
}

/// The beginning of the second statement is a statement, too: without a note, the shader would be another one.
TEST(LogShaders, AStatementThatATerminalHasCutIsNamedAlsoIfItsBeginningParses) {
    EXPECT_EQ(found_in(R"([1] FRAG
[1] DCL OUT[0], COLOR
[1] MOV OUT[0], OUT[0].x
yzw
[1] END
)"),
              "1 FRAG\n4 left-out\n");
}

TEST(LogShaders, LinesBetweenThoseOfAShaderAreLeftOutWithANote) {
    const std::string log = R"([1.5] drm: FRAG
[1.5] drm: DCL OUT[0], COLOR
[1.6] usb: a device
and another line
[1.7] drm:   0: MOV OUT[0], OUT[0]
[1.8] drm: swapped
[1.9] drm:   1: END
[2.0] usb: gone
)";
    EXPECT_EQ(first_text(log), "FRAG\nDCL OUT[0], COLOR\n  0: MOV OUT[0], OUT[0]\n  1: END\n");
    EXPECT_EQ(found_in(log), "1 FRAG\n3 left-out\n");
}

TEST(LogShaders, ALineAfterTheStageIsLeftOut) {
    EXPECT_EQ(found_in(R"(FRAG
libGL: OpenDriver: trying r600_dri.so
DCL OUT[0], COLOR
END
)"),
              "1 FRAG\n");
}

TEST(LogShaders, InstructionsWithUnknownOpcodesStayAndAreNamed) {
    const std::string log = R"(FRAG
DCL OUT[0], COLOR
FOO TEMP[0], CONST[0]
BAR_SAT OUT[0], -TEMP[0]
END
)";
    EXPECT_EQ(first_text(log), log);
    const LogShader shader = shaders_of_log(log).shaders.at(0);
    ASSERT_EQ(shader.notes.size(), 1u);
    EXPECT_EQ(shader.notes[0].line, 3u);
    EXPECT_EQ(shader.notes[0].message, "unknown opcode 'FOO'; the log may have cut this line or the one before");
    EXPECT_EQ(first_text("FRAG\n0: NOP\n1: CLEAR\n2: END\n"), "FRAG\n0: NOP\n1: CLEAR\n2: END\n");
}

TEST(LogShaders, ADeclarationAfterEndIsOfAnotherProgram) {
    EXPECT_EQ(first_text("FRAG\nDCL OUT[0], COLOR\n0: END\nDCL TEMP[0]\n"), "FRAG\nDCL OUT[0], COLOR\n0: END\n");
}

TEST(LogShaders, LostInstructionsAreNoticed) {
    const std::string begin = "FRAG\nDCL OUT[0], COLOR\n", move = "MOV OUT[0], OUT[0]\n", end = "END\n";
    const auto notes = [&](const std::string& text) { return found_in(begin + text).substr(7); };
    EXPECT_EQ(notes("0: " + move + "1: " + move + "2: " + end), "");
    EXPECT_EQ(notes("0: " + move + "2: " + end), "4 gap\n");
    EXPECT_EQ(notes("5: " + move + "8: " + end), "3 gap\n");
    EXPECT_EQ(notes("0: " + move + move + "1: " + end), "4 gap\n");
    EXPECT_EQ(notes(move + "7: " + move + "8: " + end), "") << "only labels";
}

TEST(LogShaders, ThreadsThatWriteAtOnceAreReported) {
    EXPECT_EQ(shaders_of_log(R"([tid 1] FRAG
[tid 2] VERT
[tid 1] DCL OUT[0], COLOR
[tid 2] DCL OUT[0], POSITION
[tid 1] 0: END
[tid 2] 0: END
)")
                  .headers,
              std::vector<uint32_t>{1});
    EXPECT_EQ(found_in(R"([tid 1] FRAG
[tid 1] DCL OUT[0], COLOR
[tid 2] VERT
[tid 1] 0: MOV OUT[0], OUT[0]
[tid 2] 0: MOV OUT[0], OUT[0]
[tid 1] 1: END
)"),
              "1 FRAG\n1 cut-off\n3 VERT\n5 mixed\n");
}

TEST(LogShaders, StagesWithoutAShaderAreReported) {
    const auto headers = [](std::string_view log) { return shaders_of_log(log).headers; };
    EXPECT_EQ(headers("FRAG\nand nothing\n> VERT\n"), (std::vector<uint32_t>{1, 3}));
    EXPECT_EQ(headers("it says VERT\nFRAG\nFRAG\nEND\n"), std::vector<uint32_t>{}) << "prose, and a heading";
}

TEST(LogShaders, ProseAboutStagesIsNotAShader) {
    EXPECT_EQ(found_in(""), "");
    EXPECT_EQ(found_in("FRAG"), "");
    EXPECT_EQ(found_in("this is a vert\nEND\nFRAG\nis what it was\nvert\nframe\n"), "");
}

/// The canonical text; empty if it is none.
std::string canonical(const std::string& text) {
    tgsi::Program program;
    std::vector<tgsi::Diagnostic> diagnostics;
    return tgsi::parse(text, {}, program, diagnostics) ? tgsi::print(program) : std::string();
}

std::string each_line(std::string_view text, const std::function<std::string(size_t, std::string_view)>& dress) {
    std::string out;
    for (size_t number = 0; !text.empty(); number++) {
        const size_t end = text.find('\n');
        out += dress(number, text.substr(0, end));
        text.remove_prefix(std::min(end, text.size() - 1) + 1);
    }
    return out;
}

std::string cut(std::string_view line, size_t width) {
    std::string out;
    for (size_t at = 0; at == 0 || at < line.size(); at += width) out += std::string(line.substr(at, width)) + '\n';
    return out;
}

struct Dress {
    const char* name;
    bool cuts;  ///< the shader may be reported instead
    std::string (*line)(size_t number, std::string_view line);
};

const Dress kDresses[] = {
    {"nothing", false, [](size_t, std::string_view l) { return std::string(l) + '\n'; }},
    {"60 columns", true, [](size_t, std::string_view l) { return cut(l, 60); }},
    {"80 columns after a prefix", true,
     [](size_t, std::string_view l) { return cut("[   12.345678] virgl: " + std::string(l), 80); }},
    {"time stamps", false,
     [](size_t n, std::string_view l) {
         return "[" + std::string(n < 7 ? " " : "") + std::to_string(n + 3) + ".25] drm: " + std::string(l) + '\n';
     }},
    {"grep -n", false,
     [](size_t n, std::string_view l) { return std::to_string(n + 8) + ':' + std::string(l) + '\n'; }},
    {"carriage returns", false, [](size_t, std::string_view l) { return std::string(l) + '\r'; }},
};

TEST(LogShaders, DressedShadersComeOutEqualOrAreReported) {
    size_t number = 0;
    for (const test::ShaderFile& file : test::all_shaders()) {
        if (number++ % 20 != 0) continue;
        // Comments may hold anything, and a stage does not begin each file's first line.
        const std::string text = canonical(file.text);
        ASSERT_NE(text, "") << file.path;
        for (const Dress& dress : kDresses) {
            const LogShaders found = shaders_of_log(each_line(text, dress.line));
            bool reported = !found.headers.empty() || found.shaders.empty();
            for (const LogShader& shader : found.shaders) reported |= !shader.notes.empty();
            const bool equal = found.shaders.size() == 1 && canonical(found.shaders[0].text) == text;
            EXPECT_TRUE(dress.cuts ? equal || reported : equal && !reported) << file.path << ", " << dress.name;
        }
    }
}

TEST(LogShaders, ALongLogTakesLinearTime) {
    std::string log = "> > FRAG\n";
    for (int i = 0; i < 300000; ++i) log += "> > NOP\n> noise\n";
    EXPECT_EQ(found_in(log + "> > END\n"), "1 FRAG\n3 left-out\n");
}

/// Each line is compared with it.
TEST(LogShaders, APrefixEnds) {
    EXPECT_EQ(found_in(std::string(1000000, ' ') + "x FRAG\n" + std::string(1000000, '\n')), "");
}

TEST(LogShaders, APropertyIsNoHeader) {
    EXPECT_EQ(found_in("vertex shader 3:\nPROPERTY NEXT_SHADER FRAG\nEND\n"), "");
}

}  // namespace
}  // namespace tools
