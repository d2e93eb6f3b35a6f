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
     "VERT\nDCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMOV OUT[0], IN[0]\nMOV OUT[1], "
     "IN[1]\n"},
    // Positions that no buffer is needed for: the triangles cover the target.
    {Stage::Vert,
     "VERT\nDCL IN[0]\nDCL SV[0], VERTEXID\nDCL SV[1], INSTANCEID\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\n"
     "DCL TEMP[0]\nIMM[0] UINT32 {1, 2, 0, 0}\nIMM[1] FLT32 {4, -1, 0.5, 1}\nAND TEMP[0].x, SV[0].xxxx, IMM[0].xxxx\n"
     "AND TEMP[0].y, SV[0].xxxx, IMM[0].yyyy\nU2F TEMP[0].xy, TEMP[0]\nMAD OUT[0].xy, TEMP[0], IMM[1].xxxx, "
     "IMM[1].yyyy\nMOV OUT[0].zw, IMM[1]\nU2F OUT[1], SV[1].xxxx\n"},
    {Stage::Vert,
     "VERT\nPROPERTY NUM_CLIPDIST_ENABLED 2\nDCL IN[0]\nDCL CONST[0][0..1]\nDCL CONST[1][0]\nDCL OUT[0], POSITION\n"
     "DCL OUT[1], GENERIC[0]\nDCL OUT[2], CLIPDIST\nDCL OUT[3], PSIZE\nADD OUT[0], IN[0], CONST[0][0]\n"
     "MOV OUT[1], CONST[1][0]\nMOV OUT[2], CONST[0][1]\nMOV OUT[3].x, CONST[0][1].xxxx\n"},
    {Stage::Vert,
     "VERT\nDCL IN[0]\nDCL SV[0], VERTEXID\nDCL SV[1], DRAWID\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\n"
     "DCL OUT[2], LAYER\nDCL OUT[3], VIEWPORT_INDEX\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\nMOV OUT[2].x, SV[0].xxxx\n"
     "MOV OUT[3].x, SV[1].xxxx\n"},
    {Stage::Vert,
     "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\n"
     "DCL BUFFER[0]\nDCL TEMP[0]\nIMM[0] UINT32 {0, 0, 0, 0}\nTXL TEMP[0], IN[0], SAMP[0], 2D\nMOV OUT[0], IN[0]\n"
     "LOAD OUT[1].x, BUFFER[0], IMM[0].xxxx\nMOV OUT[1].yzw, TEMP[0]\n"},

    {Stage::Frag,
     "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL CONST[0]\nADD OUT[0], IN[0], CONST[0]\n"},
    {Stage::Frag,
     "FRAG\nPROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\n"
     "MOV OUT[0], IN[0]\n"},
    {Stage::Frag,
     "FRAG\nDCL IN[0], GENERIC[0], LINEAR\nDCL OUT[0], COLOR\nDCL OUT[1], COLOR[1]\nDCL OUT[2], COLOR[2]\n"
     "DCL OUT[3], POSITION\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[0].yxzw\nMOV OUT[2], IN[0].wxyz\n"
     "MOV OUT[3].z, IN[0].xxxx\n"},
    {Stage::Frag,
     "FRAG\nDCL IN[0], POSITION, LINEAR\nDCL IN[1], FACE, CONSTANT\nDCL SV[0], SAMPLEID\nDCL SV[1], SAMPLEMASK\n"
     "DCL OUT[0], COLOR\nDCL OUT[1], SAMPLEMASK\nDCL OUT[2], STENCIL\nDCL TEMP[0]\nU2F OUT[0], SV[0].xxxx\n"
     "AND OUT[1].x, SV[1].xxxx, SV[0].xxxx\nF2U OUT[2].y, IN[0].xxxx\n"},
    {Stage::Frag,
     "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0]\nDDX TEMP[0], IN[0]\nKILL_IF TEMP[0]\n"
     "MOV OUT[0], IN[0]\n"},
    {Stage::Frag, "FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0]\nFBFETCH TEMP[0], OUT[0]\nMOV OUT[0], TEMP[0].yxzw\n"},
    // Separate views and samplers, arrays of them, and more than the slots can hold.
    {Stage::Frag,
     "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0..1]\nDCL SVIEW[0..2], 2D, FLOAT\n"
     "DCL TEMP[0]\nSAMPLE TEMP[0], IN[0], SVIEW[2], SAMP[1]\nSAMPLE OUT[0], TEMP[0], SVIEW[0], SAMP[0]\n"},
    {Stage::Frag,
     "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nDCL SAMP[0..3]\nDCL SVIEW[0..3], 2D, FLOAT\n"
     "DCL ADDR[0]\nDCL TEMP[0]\nIMM[0] UINT32 {3, 0, 0, 0}\nAND TEMP[0].x, IN[0].xxxx, IMM[0].xxxx\n"
     "UARL ADDR[0].x, TEMP[0].xxxx\nTEX_LZ OUT[0], IN[0], SAMP[ADDR[0].x], 2D\n"},
    {Stage::Frag,
     "FRAG\nDCL OUT[0], COLOR\nDCL SVIEW[0], BUFFER, FLOAT\nDCL SVIEW[1], 2D, SINT, SINT, SINT, SINT\nDCL TEMP[0]\n"
     "IMM[0] UINT32 {1, 2, 0, 0}\nSAMPLE_I TEMP[0], IMM[0], SVIEW[1]\nSAMPLE_I OUT[0], TEMP[0], SVIEW[0]\n"},
    {Stage::Frag,
     "FRAG\nDCL OUT[0], COLOR\nDCL BUFFER[0..2]\nDCL TEMP[0]\nIMM[0] UINT32 {0, 1, 4, 256}\n"
     "ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy\nLOAD TEMP[0], BUFFER[1], IMM[0].zzzz\n"
     "STORE BUFFER[2], IMM[0].wwww, TEMP[0]\nRESQ TEMP[0].x, BUFFER[2]\nMOV OUT[0], TEMP[0]\n"},

    {Stage::Geom,
     "GEOM\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES\nPROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\n"
     "PROPERTY GS_MAX_OUTPUT_VERTICES 3\nPROPERTY GS_INVOCATIONS 2\nDCL IN[][0], POSITION\nDCL SV[0], INVOCATIONID\n"
     "DCL OUT[0], POSITION\nDCL OUT[1], LAYER\nDCL OUT[2], GENERIC[0]\nIMM[0] UINT32 {0, 0, 0, 0}\n"
     "MOV OUT[0], IN[0][0]\nMOV OUT[1].x, SV[0].xxxx\nMOV OUT[2], IN[0][0]\nEMIT IMM[0].xxxx\nMOV OUT[0], IN[1][0]\n"
     "EMIT IMM[0].xxxx\nMOV OUT[0], IN[2][0]\nEMIT IMM[0].xxxx\nENDPRIM IMM[0].xxxx\n"},
    {Stage::Geom,
     "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\n"
     "PROPERTY GS_MAX_OUTPUT_VERTICES 2\nPROPERTY GS_INVOCATIONS 1\nDCL IN[][0], POSITION\n"
     "DCL OUT[0], POSITION, STREAM(0, 0, 0, 0)\nDCL OUT[1], GENERIC[0], STREAM(1, 1, 1, 1)\nIMM[0] UINT32 {0, 1, 0, "
     "0}\n"
     "MOV OUT[0], IN[0][0]\nEMIT IMM[0].xxxx\nMOV OUT[1], IN[0][0]\nEMIT IMM[0].yyyy\n"},

    {Stage::TessCtrl,
     "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 3\nDCL IN[][0], POSITION\nDCL OUT[][0], POSITION\nDCL OUT[1], TESSOUTER\n"
     "DCL OUT[2], TESSINNER\nDCL SV[0], INVOCATIONID\nDCL CONST[0][0]\nDCL ADDR[0]\nUARL ADDR[0].x, SV[0].xxxx\n"
     "MOV OUT[ADDR[0].x][0], IN[ADDR[0].x][0]\nBARRIER\nMOV OUT[1], CONST[0][0]\nMOV OUT[2].xy, CONST[0][0]\n"},
    {Stage::TessEval,
     "TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nPROPERTY TES_SPACING 2\nDCL IN[][0], POSITION\nDCL SV[0], TESSCOORD\n"
     "DCL OUT[0], POSITION\nDCL TEMP[0]\nMUL TEMP[0], IN[0][0], SV[0].xxxx\nMAD TEMP[0], IN[1][0], SV[0].yyyy, "
     "TEMP[0]\n"
     "MAD OUT[0], IN[2][0], SV[0].zzzz, TEMP[0]\n"},
    {Stage::TessEval,
     "TESS_EVAL\nPROPERTY TES_PRIM_MODE 7\nPROPERTY TES_SPACING 0\nPROPERTY TES_POINT_MODE 1\nDCL IN[][0], POSITION\n"
     "DCL SV[0], TESSCOORD\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\nMAD OUT[0], IN[0][0], SV[0].xyzx, SV[0]\n"
     "MOV OUT[1], SV[0]\n"},

    {Stage::Comp,
     "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 2\nPROPERTY CS_FIXED_BLOCK_HEIGHT 1\nPROPERTY CS_FIXED_BLOCK_DEPTH 1\n"
     "DCL SV[0], THREAD_ID\nDCL SV[1], BLOCK_ID\nDCL BUFFER[0]\nDCL TEMP[0..1]\nIMM[0] UINT32 {2, 4, 7, 0}\n"
     "UMAD TEMP[0].x, SV[1].xxxx, IMM[0].xxxx, SV[0].xxxx\nUMUL TEMP[1].x, TEMP[0].xxxx, IMM[0].yyyy\n"
     "UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].zzzz\nSTORE BUFFER[0].x, TEMP[1].xxxx, TEMP[0].xxxx\n"},
    {Stage::Comp,
     "COMP\nDCL SV[0], BLOCK_ID\nDCL SV[1], BLOCK_SIZE\nDCL MEMORY[0], SHARED\nDCL BUFFER[1]\nDCL CONST[1][0]\n"
     "DCL TEMP[0]\nIMM[0] UINT32 {0, 4, 0, 0}\nSTORE MEMORY[0].x, IMM[0].xxxx, SV[1].xxxx\nBARRIER\n"
     "LOAD TEMP[0].x, MEMORY[0], IMM[0].xxxx\nUADD TEMP[0].x, TEMP[0].xxxx, CONST[1][0].xxxx\n"
     "STORE BUFFER[1].x, IMM[0].yyyy, TEMP[0].xxxx\n"},
    {Stage::Comp,
     "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 4\nPROPERTY CS_FIXED_BLOCK_HEIGHT 4\nPROPERTY CS_FIXED_BLOCK_DEPTH 1\n"
     "DCL SV[0], THREAD_ID\nDCL IMAGE[0], 2D, PIPE_FORMAT_R8G8B8A8_UNORM\n"
     "DCL IMAGE[1], 2D, PIPE_FORMAT_R32G32B32A32_FLOAT, WR\nDCL TEMP[0]\n"
     "LOAD TEMP[0], IMAGE[0], SV[0].xyyy, RESTRICT, 2D, PIPE_FORMAT_R8G8B8A8_UNORM\n"
     "STORE IMAGE[1], SV[0].xyyy, TEMP[0], 2D, PIPE_FORMAT_R32G32B32A32_FLOAT\n"},
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
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], {0}, {1}\nDCL "
        "TEMP[0..1]\n"
        "IMM[0] UINT32 {{0, 0, 0, 0}}\n{2} TEMP[0], {3}, SAMP[0], {0}\n{4}MOV OUT[0], TEMP[0]\n",
        target, type, op, fetched ? "IMM[0]" : "IN[0]",
        fetched || target == "RECT" ? "" : fmt::format("TXQ TEMP[1], IMM[0].xxxx, SAMP[0], {}\n", target));
}

std::string image_text(std::string_view target, std::string_view format) {
    const bool loads = format != "PIPE_FORMAT_NONE";
    const std::string load = fmt::format("LOAD TEMP[0], IMAGE[0], IMM[0], {}, {}\n", target, format);
    const std::string add = fmt::format("ATOMUADD TEMP[0].x, IMAGE[0], IMM[0], IMM[0].yyyy, {}, {}\n", target, format);
    return fmt::format(
        "FRAG\nDCL OUT[0], COLOR\nDCL IMAGE[0], {0}, {1}, WR\nDCL TEMP[0]\nIMM[0] UINT32 {{0, 0, 0, 0}}\n"
        "MOV TEMP[0], IMM[0]\n{2}{3}STORE IMAGE[0], IMM[0], TEMP[0], {0}, {1}\nMOV OUT[0], TEMP[0]\n",
        target, format, loads ? load : "", format == "PIPE_FORMAT_R32_UINT" ? add : "");
}

}  // namespace

std::vector<Text> shader_texts() {
    std::vector<Text> all;
    for (const PlainText& t : kTexts) all.push_back({t.stage, std::string(t.text) + "END\n"});
    for (const char* target : kTextureTargets)
        for (const char* type : kTypes)
            if (std::string_view(target).starts_with("SHADOW") ? type == kTypes[0] : true)
                all.push_back({Stage::Frag, texture_text(target, type) + "END\n"});
    for (const char* target : kImageTargets)
        for (const char* format : kImageFormats) all.push_back({Stage::Frag, image_text(target, format) + "END\n"});
    return all;
}

}  // namespace tgsi2spv::fuzz
