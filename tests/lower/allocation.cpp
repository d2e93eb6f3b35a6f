// A workspace that has lowered a shader lowers it again without allocating per instruction, in every stage. (Each
// variable name that is too long for std::string's inline buffer costs one allocation.)
#include <gtest/gtest.h>

#include "ir/allocations.h"
#include "lower/lower.h"
#include "tgsi/parse/parse.h"
#include "tgsi/program/registers.h"

namespace tgsi2spv::lower {
namespace {

struct StageText {
    const char* head;
    const char* body;  ///< repeated
    const char* tail;
};

const StageText kTexts[] = {
    // 64-bit values, SWITCH with fall-through, a temporary array
    {R"(VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL TEMP[0..3]
DCL TEMP[4..7], ARRAY(1), LOCAL
DCL ADDR[0]
IMM[0] INT32 {0, 1, 2, 3}
MOV TEMP[0], IN[0]
MOV TEMP[2], IN[1]
)",
     "DADD TEMP[1], TEMP[0], TEMP[2]\nU2D TEMP[2].xy, TEMP[1].xxxx\nSWITCH TEMP[1].xxxx\nCASE IMM[0].xxxx\n"
     "UADD TEMP[0].x, TEMP[0].xxxx, TEMP[2].yyyy\nCASE IMM[0].yyyy\nMOV TEMP[0].y, TEMP[1].zzzz\nBRK\nDEFAULT\n"
     "MUL TEMP[0].zw, TEMP[0], TEMP[1].wwww\nENDSWITCH\nUARL ADDR[0].x, TEMP[0].xxxx\n"
     "MOV TEMP[ADDR[0].x+4](1), TEMP[1]\nMOV TEMP[3], TEMP[ADDR[0].x+5](1)\nSLT TEMP[1], TEMP[3], TEMP[0]\n",
     "MOV OUT[0], TEMP[0]\nMOV OUT[1], TEMP[1]\nEND\n"},
    // subroutines, KILL_IF, texture lookups
    {R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL TEMP[0..2]
MOV TEMP[0], IN[0]
)",
     "TXB TEMP[1], TEMP[0], SAMP[0], 2D\nTXF TEMP[2], TEMP[1], SAMP[0], 2D\nLIT TEMP[0], TEMP[1]\n"
     "POW TEMP[1].x, TEMP[0].xxxx, TEMP[1].yyyy\nKILL_IF TEMP[1]\nLRP TEMP[0], TEMP[1], TEMP[2], TEMP[0]\n"
     "SIN TEMP[2].x, TEMP[0].yyyy\nF2I TEMP[1], TEMP[0]\nIDIV TEMP[0], TEMP[1], TEMP[2]\n",
     "MOV OUT[0], TEMP[0]\nEND\n"},
    {R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 256
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[0]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL ADDR[0]
IMM[0] INT32 {0, 1, 2, 3}
)",
     "UARL ADDR[0].x, IMM[0].yyyy\nMOV OUT[0], IN[ADDR[0].x][0]\nADD OUT[1], IN[0][1], IN[2][1]\nEMIT IMM[0].xxxx\n",
     "ENDPRIM IMM[0].xxxx\nEND\n"},
    {R"(TESS_CTRL
PROPERTY TCS_VERTICES_OUT 3
DCL IN[][0], POSITION
DCL OUT[][0], POSITION
DCL OUT[1], PATCH[0]
DCL OUT[2], TESSOUTER
DCL SV[0], INVOCATIONID
DCL TEMP[0]
DCL ADDR[0]
IMM[0] FLT32 {1.0, 2.0, 3.0, 4.0}
)",
     "UARL ADDR[0].x, SV[0].xxxx\nMUL TEMP[0], IN[ADDR[0].x][0], IMM[0]\nMOV OUT[ADDR[0].x][0], TEMP[0]\nBARRIER\n"
     "MOV OUT[1].xz, TEMP[0]\nADD TEMP[0], OUT[0][0], TEMP[0]\nMOV OUT[2], IMM[0]\n",
     "END\n"},
    {R"(TESS_EVAL
PROPERTY TES_PRIM_MODE 4
DCL IN[][0], POSITION
DCL IN[1], PATCH[0]
DCL OUT[0], POSITION
DCL SV[0], TESSCOORD
DCL TEMP[0]
)",
     "MAD TEMP[0], IN[0][0], SV[0].xxxx, IN[1]\nMAD TEMP[0], IN[1][0], SV[0].yyyy, TEMP[0]\n",
     "MOV OUT[0], TEMP[0]\nEND\n"},
    {R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 8
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL BUFFER[0]
DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR
DCL MEMORY[0], SHARED
DCL TEMP[0..2]
IMM[0] UINT32 {0, 1, 2, 4}
MOV TEMP[0], SV[0]
)",
     "LOAD TEMP[1].xy, BUFFER[0], TEMP[0].xxxx\nATOMUADD TEMP[2].x, BUFFER[0], TEMP[1].xxxx, IMM[0].yyyy\n"
     "STORE MEMORY[0].x, TEMP[0].xxxx, TEMP[2].xxxx\nBARRIER\nLOAD TEMP[1].x, IMAGE[0], TEMP[0], 2D, "
     "PIPE_FORMAT_R32_UINT\nUSHR TEMP[0].y, TEMP[1].xxxx, IMM[0].zzzz\n",
     "END\n"},
};

size_t allocations_of_third(const StageText& shader, int turns) {
    std::string text = shader.head;
    for (int n = 0; n < turns; ++n) text += shader.body;
    text += shader.tail;
    tgsi::Program program;
    std::vector<tgsi::Diagnostic> diagnostics;
    EXPECT_TRUE(tgsi::parse(text, tgsi::Limits{}, program, diagnostics))
        << shader.head << (diagnostics.empty() ? "" : diagnostics[0].message);
    const tgsi::Registers registers = tgsi::gather(program);
    const WorkspacePtr workspace = make_workspace();
    ir::Module module;
    size_t allocations = 0;
    for (int n = 0; n < 3; ++n) {
        const size_t before = ir::allocations();
        EXPECT_TRUE(lower({program, registers, {}, Options{}, Capabilities{}, *workspace, module, diagnostics}))
            << shader.head << (diagnostics.empty() ? "" : diagnostics[0].message);
        allocations = ir::allocations() - before;
    }
    return allocations;
}

TEST(Allocation, ThereIsNoneAnInstructionInAReusedWorkspace) {
    for (const StageText& shader : kTexts) {
        const size_t few = allocations_of_third(shader, 10);
        EXPECT_EQ(allocations_of_third(shader, 60), few) << shader.head;
        EXPECT_LE(few, 8u) << shader.head;
    }
}

}  // namespace
}  // namespace tgsi2spv::lower
