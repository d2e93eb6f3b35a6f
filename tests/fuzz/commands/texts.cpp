#include "texts.h"

#include <fmt/format.h>

namespace tgsi2spv::fuzz {
namespace {

using virgl::Stage;

struct PlainText {
    Stage stage;
    const char* text;
};

constexpr PlainText kTexts[] = {
    {Stage::Vert,
     R"(VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
)"},
    // Positions that no buffer is needed for: the triangles cover the target.
    {Stage::Vert,
     R"(VERT
DCL IN[0]
DCL SV[0], VERTEXID
DCL SV[1], INSTANCEID
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL TEMP[0]
IMM[0] UINT32 {1, 2, 0, 0}
IMM[1] FLT32 {4, -1, 0.5, 1}
AND TEMP[0].x, SV[0].xxxx, IMM[0].xxxx
AND TEMP[0].y, SV[0].xxxx, IMM[0].yyyy
U2F TEMP[0].xy, TEMP[0]
MAD OUT[0].xy, TEMP[0], IMM[1].xxxx, IMM[1].yyyy
MOV OUT[0].zw, IMM[1]
U2F OUT[1], SV[1].xxxx
)"},
    {Stage::Vert,
     R"(VERT
PROPERTY NUM_CLIPDIST_ENABLED 2
DCL IN[0]
DCL CONST[0][0..1]
DCL CONST[1][0]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL OUT[2], CLIPDIST
DCL OUT[3], PSIZE
ADD OUT[0], IN[0], CONST[0][0]
MOV OUT[1], CONST[1][0]
MOV OUT[2], CONST[0][1]
MOV OUT[3].x, CONST[0][1].xxxx
)"},
    {Stage::Vert,
     R"(VERT
DCL IN[0]
DCL SV[0], VERTEXID
DCL SV[1], DRAWID
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL OUT[2], LAYER
DCL OUT[3], VIEWPORT_INDEX
MOV OUT[0], IN[0]
MOV OUT[1], IN[0]
MOV OUT[2].x, SV[0].xxxx
MOV OUT[3].x, SV[1].xxxx
)"},
    {Stage::Vert,
     R"(VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL BUFFER[0]
DCL TEMP[0]
IMM[0] UINT32 {0, 0, 0, 0}
TXL TEMP[0], IN[0], SAMP[0], 2D
MOV OUT[0], IN[0]
LOAD OUT[1].x, BUFFER[0], IMM[0].xxxx
MOV OUT[1].yzw, TEMP[0]
)"},

    {Stage::Frag,
     R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL CONST[0]
ADD OUT[0], IN[0], CONST[0]
)"},
    {Stage::Frag,
     R"(FRAG
PROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
)"},
    {Stage::Frag,
     R"(FRAG
DCL IN[0], GENERIC[0], LINEAR
DCL OUT[0], COLOR
DCL OUT[1], COLOR[1]
DCL OUT[2], COLOR[2]
DCL OUT[3], POSITION
MOV OUT[0], IN[0]
MOV OUT[1], IN[0].yxzw
MOV OUT[2], IN[0].wxyz
MOV OUT[3].z, IN[0].xxxx
)"},
    {Stage::Frag,
     R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL OUT[1], COLOR[1]
MOV OUT[0], IN[0]
MOV OUT[1], IN[0].wzyx
)"},
    {Stage::Frag,
     R"(FRAG
DCL IN[0], POSITION, LINEAR
DCL IN[1], FACE, CONSTANT
DCL SV[0], SAMPLEID
DCL SV[1], SAMPLEMASK
DCL OUT[0], COLOR
DCL OUT[1], SAMPLEMASK
DCL OUT[2], STENCIL
DCL TEMP[0]
U2F OUT[0], SV[0].xxxx
AND OUT[1].x, SV[1].xxxx, SV[0].xxxx
F2U OUT[2].y, IN[0].xxxx
)"},
    {Stage::Frag,
     R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0]
DDX TEMP[0], IN[0]
KILL_IF TEMP[0]
MOV OUT[0], IN[0]
)"},
    {Stage::Frag, R"(FRAG
DCL OUT[0], COLOR
DCL TEMP[0]
FBFETCH TEMP[0], OUT[0]
MOV OUT[0], TEMP[0].yxzw
)"},
    // A view with the number of the host's copy of COLOR[1].
    {Stage::Frag, R"(FRAG
DCL OUT[0], COLOR
DCL OUT[1], COLOR[1]
DCL SAMP[0]
DCL SVIEW[417], 2D, FLOAT
DCL TEMP[0..1]
FBFETCH TEMP[0], OUT[0]
FBFETCH TEMP[1], OUT[1]
SAMPLE OUT[0], TEMP[0], SVIEW[417], SAMP[0]
MOV OUT[1], TEMP[1]
)"},
    // Separate views and samplers, arrays of them, and more than the slots can hold.
    {Stage::Frag,
     R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0..1]
DCL SVIEW[0..2], 2D, FLOAT
DCL TEMP[0]
SAMPLE TEMP[0], IN[0], SVIEW[2], SAMP[1]
SAMPLE OUT[0], TEMP[0], SVIEW[0], SAMP[0]
)"},
    {Stage::Frag,
     R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL SAMP[0..3]
DCL SVIEW[0..3], 2D, FLOAT
DCL ADDR[0]
DCL TEMP[0]
IMM[0] UINT32 {3, 0, 0, 0}
AND TEMP[0].x, IN[0].xxxx, IMM[0].xxxx
UARL ADDR[0].x, TEMP[0].xxxx
TEX_LZ OUT[0], IN[0], SAMP[ADDR[0].x], 2D
)"},
    // Many, and the last ones.
    {Stage::Frag,
     R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL SAMP[0..31]
DCL SVIEW[0..31], 2D, FLOAT
DCL ADDR[0]
DCL TEMP[0]
IMM[0] UINT32 {31, 0, 0, 0}
AND TEMP[0].x, IN[0].xxxx, IMM[0].xxxx
UARL ADDR[0].x, TEMP[0].xxxx
TEX_LZ TEMP[0], IN[0], SAMP[31], 2D
TEX_LZ OUT[0], TEMP[0], SAMP[ADDR[0].x], 2D
)"},
    {Stage::Frag,
     R"(FRAG
DCL OUT[0], COLOR
DCL SAMP[31]
DCL SVIEW[127], 2D, FLOAT
DCL SVIEW[100], CUBE, FLOAT
DCL TEMP[0]
IMM[0] FLT32 {0.5, 0, 0, 0}
SAMPLE TEMP[0], IMM[0], SVIEW[127], SAMP[31]
SAMPLE OUT[0], TEMP[0], SVIEW[100], SAMP[31]
)"},
    {Stage::Frag,
     R"(FRAG
DCL OUT[0], COLOR
DCL SVIEW[0], BUFFER, FLOAT
DCL SVIEW[1], 2D, SINT, SINT, SINT, SINT
DCL TEMP[0]
IMM[0] UINT32 {1, 2, 0, 0}
SAMPLE_I TEMP[0], IMM[0], SVIEW[1]
SAMPLE_I OUT[0], TEMP[0], SVIEW[0]
)"},
    {Stage::Frag,
     R"(FRAG
DCL OUT[0], COLOR
DCL BUFFER[0..2]
DCL TEMP[0]
IMM[0] UINT32 {0, 1, 4, 256}
ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy
LOAD TEMP[0], BUFFER[1], IMM[0].zzzz
STORE BUFFER[2], IMM[0].wwww, TEMP[0]
RESQ TEMP[0].x, BUFFER[2]
MOV OUT[0], TEMP[0]
)"},

    {Stage::Frag,
     R"(FRAG
DCL IN[0], PRIMID, CONSTANT
DCL IN[1], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0]
U2F TEMP[0], IN[0].xxxx
ADD OUT[0], IN[1], TEMP[0]
)"},

    {Stage::Geom,
     R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 5
DCL IN[][0], POSITION
DCL IN[1], PRIMID
DCL OUT[0], POSITION
DCL OUT[1], PRIMID
DCL OUT[2], GENERIC[0], STREAM(1, 1, 1, 1)
IMM[0] UINT32 {0, 1, 0, 0}
MOV OUT[0], IN[2][0]
UADD OUT[1].x, IN[1].xxxx, IMM[0].yyyy
EMIT IMM[0].xxxx
MOV OUT[2], IN[1][0]
EMIT IMM[0].yyyy
EMIT IMM[0].yyyy
)"},
    // Properties that come twice: the last one counts, for the library and for the host.
    {Stage::Geom,
     R"(GEOM
PROPERTY GS_OUTPUT_PRIMITIVE PATCHES
PROPERTY GS_MAX_OUTPUT_VERTICES 1
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 3
PROPERTY GS_INVOCATIONS 2
DCL IN[][0], POSITION
DCL SV[0], INVOCATIONID
DCL OUT[0], POSITION
DCL OUT[1], LAYER
DCL OUT[2], GENERIC[0]
IMM[0] UINT32 {0, 0, 0, 0}
MOV OUT[0], IN[0][0]
MOV OUT[1].x, SV[0].xxxx
MOV OUT[2], IN[0][0]
EMIT IMM[0].xxxx
MOV OUT[0], IN[1][0]
EMIT IMM[0].xxxx
MOV OUT[0], IN[2][0]
EMIT IMM[0].xxxx
ENDPRIM IMM[0].xxxx
)"},
    {Stage::Geom,
     R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE POINTS
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 2
PROPERTY GS_INVOCATIONS 1
DCL IN[][0], POSITION
DCL OUT[0], POSITION, STREAM(0, 0, 0, 0)
DCL OUT[1], GENERIC[0], STREAM(1, 1, 1, 1)
IMM[0] UINT32 {0, 1, 0, 0}
MOV OUT[0], IN[0][0]
EMIT IMM[0].xxxx
MOV OUT[1], IN[0][0]
EMIT IMM[0].yyyy
)"},

    {Stage::TessCtrl,
     R"(TESS_CTRL
PROPERTY TCS_VERTICES_OUT 1
PROPERTY TCS_VERTICES_OUT 3
DCL IN[][0], POSITION
DCL OUT[][0], POSITION
DCL OUT[1], TESSOUTER
DCL OUT[2], TESSINNER
DCL SV[0], INVOCATIONID
DCL CONST[0][0]
DCL ADDR[0]
UARL ADDR[0].x, SV[0].xxxx
MOV OUT[ADDR[0].x][0], IN[ADDR[0].x][0]
BARRIER
MOV OUT[1], CONST[0][0]
MOV OUT[2].xy, CONST[0][0]
)"},
    {Stage::TessEval,
     R"(TESS_EVAL
PROPERTY TES_PRIM_MODE 4
PROPERTY TES_SPACING 2
DCL IN[][0], POSITION
DCL SV[0], TESSCOORD
DCL OUT[0], POSITION
DCL TEMP[0]
MUL TEMP[0], IN[0][0], SV[0].xxxx
MAD TEMP[0], IN[1][0], SV[0].yyyy, TEMP[0]
MAD OUT[0], IN[2][0], SV[0].zzzz, TEMP[0]
)"},
    {Stage::TessEval,
     R"(TESS_EVAL
PROPERTY TES_PRIM_MODE 7
PROPERTY TES_SPACING 0
PROPERTY TES_POINT_MODE 1
DCL IN[][0], POSITION
DCL SV[0], TESSCOORD
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
MAD OUT[0], IN[0][0], SV[0].xyzx, SV[0]
MOV OUT[1], SV[0]
)"},

    {Stage::Comp,
     R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 2
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL SV[1], BLOCK_ID
DCL BUFFER[0]
DCL TEMP[0..1]
IMM[0] UINT32 {2, 4, 7, 0}
UMAD TEMP[0].x, SV[1].xxxx, IMM[0].xxxx, SV[0].xxxx
UMUL TEMP[1].x, TEMP[0].xxxx, IMM[0].yyyy
UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].zzzz
STORE BUFFER[0].x, TEMP[1].xxxx, TEMP[0].xxxx
)"},
    {Stage::Comp,
     R"(COMP
DCL SV[0], BLOCK_ID
DCL SV[1], BLOCK_SIZE
DCL MEMORY[0], SHARED
DCL BUFFER[1]
DCL CONST[1][0]
DCL TEMP[0]
IMM[0] UINT32 {0, 4, 0, 0}
STORE MEMORY[0].x, IMM[0].xxxx, SV[1].xxxx
BARRIER
LOAD TEMP[0].xy, MEMORY[0], IMM[0].xxxx
UADD TEMP[0].x, TEMP[0].xxxx, CONST[1][0].xxxx
UADD TEMP[0].x, TEMP[0].xxxx, TEMP[0].yyyy
STORE BUFFER[1].x, IMM[0].yyyy, TEMP[0].xxxx
)"},
    {Stage::Comp,
     R"(COMP
DCL SV[0], THREAD_ID
DCL MEMORY[0], SHARED
DCL BUFFER[0]
DCL TEMP[0..1]
IMM[0] UINT32 {256, 1, 0, 0}
UMUL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx
ATOMUADD TEMP[1].x, MEMORY[0], TEMP[0].xxxx, IMM[0].yyyy
BARRIER
LOAD TEMP[1], MEMORY[0], TEMP[0].xxxx
STORE BUFFER[0], TEMP[0].xxxx, TEMP[1]
)"},
    {Stage::Comp,
     R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 4
PROPERTY CS_FIXED_BLOCK_HEIGHT 4
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL IMAGE[0], 2D, PIPE_FORMAT_R8G8B8A8_UNORM
DCL IMAGE[1], 2D, PIPE_FORMAT_R32G32B32A32_FLOAT, WR
DCL TEMP[0]
LOAD TEMP[0], IMAGE[0], SV[0].xyyy, RESTRICT, 2D, PIPE_FORMAT_R8G8B8A8_UNORM
STORE IMAGE[1], SV[0].xyyy, TEMP[0], 2D, PIPE_FORMAT_R32G32B32A32_FLOAT
)"},
};

constexpr const char* kTextureTargets[] = {
    "1D",         "2D",     "3D",      "CUBE",     "RECT",       "1D_ARRAY",      "2D_ARRAY",
    "CUBE_ARRAY", "BUFFER", "2D_MSAA", "SHADOW2D", "SHADOWCUBE", "2D_ARRAY_MSAA", "SHADOW2D_ARRAY"};
constexpr const char* kTypes[] = {"FLOAT", "SINT", "UINT"};
constexpr const char* kImageTargets[] = {"1D", "2D", "3D", "CUBE", "2D_ARRAY", "CUBE_ARRAY", "BUFFER", "2D_MSAA"};
constexpr const char* kImageFormats[] = {"PIPE_FORMAT_R32_UINT", "PIPE_FORMAT_R32G32B32A32_FLOAT",
                                         "PIPE_FORMAT_R8G8B8A8_UNORM", "PIPE_FORMAT_NONE"};

/// A fetch, or a sample where the target has them, and a size.
std::string texture_text(std::string_view target, std::string_view type) {
    const bool fetched = target == "BUFFER" || target.ends_with("MSAA");
    const char* const op = fetched ? "TXF" : "TEX";
    return fmt::format(
        R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], {0}, {1}
DCL TEMP[0..1]
IMM[0] UINT32 {{0, 0, 0, 0}}
{2} TEMP[0], {3}, SAMP[0], {0}
{4}MOV OUT[0], TEMP[0]
)",
        target, type, op, fetched ? "IMM[0]" : "IN[0]",
        fetched || target == "RECT" ? "" : fmt::format("TXQ TEMP[1], IMM[0].xxxx, SAMP[0], {}\n", target));
}

std::string image_text(std::string_view target, std::string_view format) {
    const bool loads = format != "PIPE_FORMAT_NONE";
    const std::string load = fmt::format("LOAD TEMP[0], IMAGE[0], IMM[0], {}, {}\n", target, format);
    const std::string add = fmt::format("ATOMUADD TEMP[0].x, IMAGE[0], IMM[0], IMM[0].yyyy, {}, {}\n", target, format);
    return fmt::format(
        R"(FRAG
DCL OUT[0], COLOR
DCL IMAGE[0], {0}, {1}, WR
DCL TEMP[0]
IMM[0] UINT32 {{0, 0, 0, 0}}
MOV TEMP[0], IMM[0]
{2}{3}STORE IMAGE[0], IMM[0], TEMP[0], {0}, {1}
MOV OUT[0], TEMP[0]
)",
        target, format, loads ? load : "", format == "PIPE_FORMAT_R32_UINT" ? add : "");
}

/// The text with its first property before it, of another value: the last one counts, for the library and for the host.
std::string repeat_property(std::string text) {
    const size_t line = text.find("PROPERTY "), end = text.find('\n', line);
    const std::string name = text.substr(line, text.rfind(' ', end) + 1 - line);
    return text.insert(line, name + "1\n");
}

}  // namespace

std::vector<Text> shader_texts() {
    std::vector<Text> all;
    for (const PlainText& t : kTexts) {
        all.push_back({t.stage, std::string(t.text) + "END\n"});
        const std::string text = all.back().text;
        if (text.find("PROPERTY ") != std::string::npos) all.push_back({t.stage, repeat_property(text)});
    }
    for (const char* target : kTextureTargets)
        for (const char* type : kTypes)
            if (std::string_view(target).starts_with("SHADOW") ? type == kTypes[0] : true)
                all.push_back({Stage::Frag, texture_text(target, type) + "END\n"});
    for (const char* target : kImageTargets)
        for (const char* format : kImageFormats) all.push_back({Stage::Frag, image_text(target, format) + "END\n"});
    return all;
}

}  // namespace tgsi2spv::fuzz
