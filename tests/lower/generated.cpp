// Long texts that a loop makes: budgets, limits, and what keeps modules linear in the text; also reused workspaces.
#include <gtest/gtest.h>

#include <algorithm>

#include "ir/print.h"
#include "ir/verify.h"
#include "lower/lowered.h"
#include "tgsi/parse/parse.h"
#include "tgsi/program/registers.h"
#include "tgsi/tables/opcode.h"

namespace tgsi2spv::test {
namespace {

constexpr std::string_view kHead =
    R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL CONST[0..7]
DCL TEMP[0..7]
DCL ADDR[0]
IMM[0] FLT32 {0.0, 1.0, 2.0, -1.0}
IMM[1] UINT32 {0, 1, 2, 3}
)";

std::string shader(std::string_view body) {
    return std::string(kHead) + std::string(body) + "\nEND\n";
}

std::string repeat(int n, std::string_view text) {
    std::string out;
    for (int i = 0; i < n; ++i) {
        std::string one(text);
        for (size_t at; (at = one.find('#')) != std::string::npos;) one.replace(at, 1, std::to_string(i));
        out += one;
    }
    return out;
}

TEST(LowerGeometry, ManyVerticesOfManyOutputsAreEmittedByAFunction) {
    // 4,000 EMITs of 20 outputs: storing the outputs at each EMIT would take 80,000 vectors for a text of 4,000
    // instructions.
    std::string text = "IMM[0] UINT32 {0, 1, 0, 0}\n";
    for (int i = 0; i < 20; ++i) text += "DCL OUT[" + std::to_string(i) + "], GENERIC[" + std::to_string(i) + "]\n";
    for (int i = 0; i < 20; ++i) text += "MOV OUT[" + std::to_string(i) + "], IMM[0]\n";
    for (int i = 0; i < 4000; ++i) text += i % 100 == 99 ? "EMIT IMM[0].yyyy\n" : "EMIT IMM[0].xxxx\n";
    text =
        "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\nPROPERTY "
        "GS_MAX_OUTPUT_VERTICES 1000\n" +
        text + "END\n";
    lower::Options buffers;
    buffers.io_buffers = true;
    for (const lower::Options& options : {lower::Options{}, buffers}) {
        const Lowered l = lower_text(text, options);
        ASSERT_TRUE(l.ok) << l.error;
        EXPECT_EQ(count(l.module, ir::Op::Call), 4000u);
        EXPECT_LT(count(l.module, ir::Op::Store), 400u);
        EXPECT_EQ(l.module.functions.size(), 3u);  // main and two streams
    }
}

/// Lowers without spirv-val, whose time is not linear in the nesting depth.
Lowered lower_large(std::string_view text, const lower::Options& options = {}) {
    Lowered l;
    tgsi::Program program;
    EXPECT_TRUE(tgsi::parse(text, {}, program, l.diagnostics));
    const lower::WorkspacePtr workspace = lower::make_workspace();
    l.ok = lower::lower({program, tgsi::gather(program), {}, options, {}, *workspace, l.module, l.diagnostics});
    EXPECT_TRUE(l.ok);
    if (const auto error = ir::verify(l.module)) ADD_FAILURE() << ir::describe(l.module, *error);
    return l;
}

TEST(LowerFlow, DeepNesting) {
    for (const auto& [open, close] : {std::pair{"IF IN[0]\n", "ENDIF\n"}, std::pair{"BGNLOOP\n", "BRK\nENDLOOP\n"},
                                      std::pair{"SWITCH IN[0]\nDEFAULT\n", "ENDSWITCH\n"}})
        lower_large(
            shader(repeat(256, open) + "ADD TEMP[0], TEMP[0], IN[0]\n" + repeat(256, close) + "MOV OUT[0], TEMP[0]"));
}

TEST(LowerFlow, PhiOperandsHaveABudget) {
    // 400 exits from a loop that writes 1,000 registers, all of which are read after it.
    const std::string body = "BGNLOOP\n" + repeat(1000, "ADD TEMP[#], TEMP[#], IN[0]\n") +
                             repeat(400, "IF IN[0].xxxx\nBRK\nENDIF\nADD TEMP[999], TEMP[999], IN[0]\n") + "ENDLOOP\n" +
                             repeat(1000, "ADD TEMP[999], TEMP[#], TEMP[999]\n") + "MOV OUT[0], TEMP[999]\n";
    const Lowered l = lower_text(R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0..999]
)" + body + "END\n");
    ASSERT_TRUE(l.ok);
    size_t operands = 0;
    for (const ir::Instruction& i : l.module.functions[0].instructions)
        if (i.op == ir::Op::Phi) operands += i.num_args / 2;
    EXPECT_LE(operands, 8u * 3604 + 4096);
    EXPECT_GT(operands, 400u);  // registers within the budget stay in SSA form
    const auto local = std::ranges::find(l.module.variables, ir::VariableKind::Local, &ir::Variable::kind);
    ASSERT_NE(local, l.module.variables.end());
    EXPECT_TRUE(local->zero_initialised);
}

TEST(LowerFlow, ManyExitsStoreOutputsOnce) {
    std::string head = "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0..7], COLOR\n";
    const std::string writes = repeat(8, "MOV OUT[#], IN[0]\n");
    const std::string few = head + writes + repeat(10, "IF IN[0]\nRET\nENDIF\n") + "END\n";
    EXPECT_EQ(count(lower_text(few).module, ir::Op::Store), 8u * 11);
    // Without the wrapper, 2,601 × 36 outputs would be stored, which is more than 8 × instructions + 4,096.
    const std::string body = repeat(2600, "IF IN[0]\nRET\nENDIF\n");
    const Lowered many = lower_large("FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0..35]\n" +
                                         repeat(36, "MOV OUT[#], IN[0]\n") + body + "END\n",
                                     [] {
                                         lower::Options o;
                                         o.io_buffers = true;
                                         return o;
                                     }());
    ASSERT_TRUE(many.ok) << many.error;
    EXPECT_EQ(many.module.functions.size(), 2u);
    EXPECT_LE(count(many.module, ir::Op::Store), 36u * 5 + 1);
}

TEST(LowerFlow, AReusedWorkspaceGivesTheSameModule) {
    const std::string texts[] = {
        shader("BGNLOOP\nIF IN[0]\nBRK\nENDIF\nADD TEMP[0], TEMP[0], CONST[3]\nENDLOOP\nMOV OUT[0], TEMP[0]"),
        shader("SWITCH IN[0].xxxx\nCASE CONST[1].xxxx\nARL ADDR[0].x, IN[0]\nMOV TEMP[ADDR[0].x], IN[0]\nDEFAULT\n"
               "TEX TEMP[1], IN[0], SAMP[0], 2D\nENDSWITCH\nADD OUT[0], TEMP[0], TEMP[1]"),
        R"(VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL SV[0], INSTANCEID
DCL CONST[2][0..3]
CAL :3
ADD OUT[0], IN[0], CONST[2][1]
END
BGNSUB
MOV OUT[0], SV[0]
ENDSUB
)",
        shader("BREAKC IN[0]"),
    };
    const lower::WorkspacePtr workspace = lower::make_workspace();
    ir::Module reused;
    std::vector<std::string> first;
    for (int round = 0; round < 2; ++round) {
        for (size_t k = 0; k < std::size(texts); ++k) {
            tgsi::Program program;
            std::vector<tgsi::Diagnostic> diagnostics;
            ASSERT_TRUE(tgsi::parse(texts[k], {}, program, diagnostics));
            const bool ok = lower::lower({program, tgsi::gather(program), {}, {}, {}, *workspace, reused, diagnostics});
            EXPECT_EQ(ok, k != 3);
            const std::string text = ok ? ir::print(reused) : diagnostics.at(0).message;
            if (round == 0)
                first.push_back(text);
            else
                EXPECT_EQ(text, first[k]);
        }
    }
}

TEST(LowerBranches, ManyStayLinear) {
    const auto shader_of = [](int n) {
        std::string body;
        for (int k = 0; k < n; ++k) body += "BRA :" + std::to_string((k * 7 + 3) % n) + "\n";
        return shader(body);
    };
    const size_t small = lower_text(shader_of(200)).module.functions[0].instructions.size();
    const size_t large = lower_text(shader_of(2000)).module.functions[0].instructions.size();
    EXPECT_LT(large, 11 * small);
}

TEST(LowerBranches, AnEntryInTheMiddle) {
    const std::string text =
        R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 1
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL TEMP[0]
DCL BUFFER[0]
IMM[0] UINT32 {1, 5, 0, 0}
BGNSUB
STORE BUFFER[0].x, IMM[0].zzzz, IMM[0].xxxx
ENDSUB
BGNSUB
UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].xxxx
BRA :4
ENDSUB
)";
    tgsi::Program program;
    std::vector<tgsi::Diagnostic> diagnostics;
    ASSERT_TRUE(tgsi::parse(text, {}, program, diagnostics));
    const tgsi::Registers registers = tgsi::gather(program);
    const auto lowered_from = [&](uint32_t entry) {
        program.entry = entry;
        ir::Module module;
        const auto workspace = lower::make_workspace();
        EXPECT_TRUE(lower::lower({program, registers, {}, {}, {}, *workspace, module, diagnostics}));
        return module;
    };
    EXPECT_EQ(count(lowered_from(0), ir::Op::Store), 1u);
    // The second piece never ends; the piece that starts in its middle branches back to before the entry.
    EXPECT_EQ(count(lowered_from(3), ir::Op::Return), 1u);
    EXPECT_EQ(count(lowered_from(5), ir::Op::IAdd), 1u);
}

TEST(LowerSubroutines, SizeAfterInliningIsLimited) {
    // Each subroutine calls the next one ten times, so n levels make 10^n instructions.
    auto tower = [](int levels) {
        std::string text(kHead);
        text += "CAL :2\nEND\n";
        int at = 2;
        for (int k = 0; k < levels; ++k) {
            at += 12;
            text += "BGNSUB\n";
            for (int c = 0; c < 10; ++c) text += k + 1 < levels ? "CAL :" + std::to_string(at) + "\n" : "NOP\n";
            text += "ENDSUB\n";
        }
        return lower_text(text);
    };
    EXPECT_TRUE(tower(5).ok);
    const Lowered l = tower(7);
    EXPECT_FALSE(l.ok);
    EXPECT_EQ(l.diagnostics[0].code, "inlined-size");
}

TEST(LowerSubroutines, PiecesThatAreOneAnothersEndsAreLimited) {
    // A CAL to each instruction of a piece makes a function of each suffix of the piece.
    const auto suffixes = [](int n) {
        std::string text(kHead);
        for (int k = 0; k < n; ++k) text += "CAL :" + std::to_string(n + 1 + k) + "\n";
        text += "END\n";
        for (int k = 0; k < n; ++k) text += "ADD TEMP[0], TEMP[0], IN[0]\n";
        return lower_text(text + "RET\n");
    };
    EXPECT_TRUE(suffixes(20).ok);
    const Lowered l = suffixes(400);
    EXPECT_FALSE(l.ok);
    EXPECT_EQ(l.diagnostics[0].code, "inlined-size");
}

TEST(LowerSubroutines, DepthOfCallsIsLimited) {
    auto chain = [](int depth) {
        std::string text = std::string(kHead) + "CAL :2\nEND\n";
        for (int k = 0; k < depth; ++k)
            text += "BGNSUB\n" + (k + 1 < depth ? "CAL :" + std::to_string(2 + 3 * (k + 1)) : "NOP") + "\nENDSUB\n";
        return lower_text(text);
    };
    EXPECT_TRUE(chain(256).ok);
    EXPECT_EQ(chain(257).diagnostics[0].code, "call-depth");
}

/// The components that an operation reads of an array exist (lower_text() verifies the module): each opcode of the
/// families for which the write mask narrows an array, with y alone.
TEST(LowerRegisters, NarrowArraysHaveTheComponentsThatAreRead) {
    for (const tgsi::OpcodeInfo& row : tgsi::kOpcodes) {
        const bool in_vertex = (row.stages >> static_cast<int>(tgsi::Stage::Vertex) & 1) != 0;
        if (row.family != tgsi::Family::arithmetic && row.family != tgsi::Family::compare) continue;
        if (!in_vertex || row.num_dst != 1 || row.is_wide) continue;
        std::string text =
            "FRAG\nDCL IN[0..1], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nDCL TEMP[0]\nDCL TEMP[4..7], ARRAY(1), "
            "LOCAL\n"
            "DCL ADDR[0]\nF2I TEMP[0], IN[0]\nUARL ADDR[0].x, TEMP[0].xxxx\nMOV TEMP[ADDR[0].x+4](1), IN[1]\n" +
            std::string(row.mnemonic) + " OUT[0].y";
        for (int i = 0; i < row.num_src; ++i) text += ", TEMP[ADDR[0].x+4](1)";
        const Lowered l = lower_text(text + "\nEND\n");
        EXPECT_TRUE(l.ok) << row.mnemonic << ": " << l.error;
        if (row.shape != tgsi::Shape::component) continue;
        const auto has_two = [](const ir::Variable& v) {
            return v.kind == ir::VariableKind::Local && v.element.components == 2;
        };
        EXPECT_EQ(std::ranges::count_if(l.module.variables, has_two), 1) << row.mnemonic;
    }
}

}  // namespace
}  // namespace tgsi2spv::test
