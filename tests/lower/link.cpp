// link() and stream outputs: the locations that they assign, the outputs that they drop, and refusals. Pictures are in
// tests/draw.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "ir/print.h"
#include "lower/linked.h"
#include "lower/lowered.h"
#include "lower/options/stream_output.h"

namespace tgsi2spv::test {
namespace {

using lower::LinkedVarying;
using testing::HasSubstr;
using tgsi::Semantic;

const std::string kFragment =
    "FRAG\nDCL IN[0], GENERIC[40], PERSPECTIVE\nDCL IN[1], COLOR, COLOR\nDCL IN[2], FOG, PERSPECTIVE\nDCL OUT[0], "
    "COLOR\nADD OUT[0], IN[0], IN[1]\nADD OUT[0].x, OUT[0], IN[2]\nEND\n";
const std::string kVertex =
    R"(VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[8]
DCL OUT[2], GENERIC[40]
DCL OUT[3], COLOR
MOV OUT[0], IN[0]
MOV OUT[1], IN[0]
MOV OUT[2], IN[0]
MOV OUT[3], IN[0]
END
)";

TEST(LowerLink, CommonVaryingsAreInOrderOfTheirSemantics) {
    std::string fragment = kFragment;
    fragment.replace(fragment.find("ADD OUT[0].x, OUT[0], IN[2]\n"), 28, "ADD OUT[0].x, IN[1], IN[2]\n");
    const Pipeline p = linked({kVertex, fragment});
    ASSERT_TRUE(p.ok) << p.error;
    const std::pmr::vector<LinkedVarying> expected{{Semantic::Color, 0, 0, 0, 4}, {Semantic::Generic, 40, 1, 0, 4}};
    EXPECT_EQ(p.linkages[0].outputs, expected);
    EXPECT_EQ(p.linkages[1].inputs, expected);
    lower::Options options;
    options.linkage = &p.linkages[0];
    const Lowered vertex = lower_text(kVertex, options);
    ASSERT_TRUE(vertex.ok) << vertex.error;
    size_t varyings = 0;
    for (const ir::Variable& v : vertex.module.variables)
        varyings += v.kind == ir::VariableKind::Output && v.builtin == ir::BuiltIn::None;
    EXPECT_EQ(varyings, 2u);  // the linker drops GENERIC[8]
    options.linkage = &p.linkages[1];
    const Lowered linked_fragment = lower_text(fragment, options);
    ASSERT_TRUE(linked_fragment.ok) << linked_fragment.error;
    for (const ir::Variable& v : linked_fragment.module.variables)
        EXPECT_NE(v.semantic, static_cast<uint16_t>(Semantic::Fog));  // no stage writes FOG
}

TEST(LowerLink, BackColorsAreReadWithTwoSides) {
    const std::string vertex =
        "VERT\nDCL IN[0]\nDCL OUT[0], COLOR\nDCL OUT[1], BCOLOR\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\nEND\n";
    const std::string fragment = "FRAG\nDCL IN[0], COLOR, COLOR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n";
    lower::Options options;
    EXPECT_EQ(linked({vertex, fragment}, {}, options).linkages[0].outputs.size(), 1u);
    options.state.two_sided = true;
    EXPECT_EQ(linked({vertex, fragment}, {}, options).linkages[0].outputs.size(), 2u);
    // If no stage writes BCOLOR, both sides use the front colour.
    const std::string plain = "VERT\nDCL IN[0]\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n";
    const Pipeline p = linked({plain, fragment}, {}, options);
    options.linkage = &p.linkages[1];
    EXPECT_TRUE(lower_text(fragment, options).ok);
}

TEST(LowerLink, PacksByTheComponentsThatAreRead) {
    std::string vertex = "VERT\nDCL IN[0]\nDCL OUT[0..4], GENERIC[0]\n";
    for (int i = 0; i < 5; ++i) vertex += "MOV OUT[" + std::to_string(i) + "], IN[0]\n";
    vertex += "END\n";
    const std::string fragment =
        R"(FRAG
DCL IN[0..3], GENERIC[0], PERSPECTIVE
DCL IN[4], GENERIC[4], LINEAR
DCL OUT[0], COLOR
DCL TEMP[0]
ADD TEMP[0], IN[0].xyzx, IN[1].xxxx
ADD TEMP[0], TEMP[0], IN[2].yxyx
ADD TEMP[0], TEMP[0], IN[3].xyxy
ADD OUT[0], TEMP[0], IN[4].xxxx
END
)";
    lower::LinkLimits limits;
    limits.vertex_output = 12;
    const Pipeline p = linked({vertex, fragment}, limits);
    ASSERT_TRUE(p.ok) << p.error;
    EXPECT_EQ(p.code, "built-in-locations");  // a warning: nothing is left for POSITION
    // The LINEAR varying needs a location of its own.
    EXPECT_EQ(p.linkages[0].outputs, (std::pmr::vector<LinkedVarying>{{Semantic::Generic, 0, 0, 0, 3},
                                                                      {Semantic::Generic, 2, 1, 0, 2},
                                                                      {Semantic::Generic, 3, 1, 2, 2},
                                                                      {Semantic::Generic, 1, 0, 3, 1},
                                                                      {Semantic::Generic, 4, 2, 0, 1}}));
    for (size_t i = 0; i < 2; ++i) {
        lower::Options options;
        options.linkage = &p.linkages[i];
        EXPECT_TRUE(lower_text(i == 0 ? vertex : fragment, options).ok);
    }
    // The linker also packs if the varyings would fit only without room for Position and the other builtins.
    limits.vertex_output = 4 * 8;
    EXPECT_EQ(linked({vertex, fragment}, limits).linkages[0].outputs, p.linkages[0].outputs);
    limits.vertex_output = 4 * 9;
    EXPECT_EQ(linked({vertex, fragment}, limits).code, "");
    EXPECT_EQ(linked({vertex, fragment}, limits).linkages[0].outputs.back().location, 4);
    limits.vertex_output = 8;
    const Pipeline refused = linked({vertex, fragment}, limits);
    EXPECT_FALSE(refused.ok);
    EXPECT_EQ(refused.code, "too-many-varyings");
    EXPECT_EQ(refused.error, "VERT passes more varyings to FRAG than the device has locations: 3 of 2");
}

// All vertices of GEOM together have a limit, too (Vulkan, maxGeometryTotalOutputComponents).
TEST(LowerLink, PacksWhatGeomHasNoComponentsFor) {
    const std::string geometry =
        R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE POINTS
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 64
DCL IN[][0], GENERIC[0]
DCL OUT[0], POSITION
DCL OUT[1..3], GENERIC[0]
IMM[0] UINT32 {0, 0, 0, 0}
MOV OUT[0], IN[0][0]
MOV OUT[1], IN[0][0]
MOV OUT[2], IN[0][0]
MOV OUT[3], IN[0][0]
EMIT IMM[0].xxxx
END
)";
    const std::string vertex = "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nMOV OUT[0], IN[0]\nEND\n";
    const std::string fragment =
        "FRAG\nDCL IN[0..2], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0]\nADD TEMP[0], IN[0].xxxx, "
        "IN[1].xyxy\nADD OUT[0], TEMP[0], IN[2].xxxx\nEND\n";
    lower::LinkLimits limits;
    limits.geometry_total = 64 * (4 + 3 * 4);
    EXPECT_EQ(linked({vertex, geometry, fragment}, limits).linkages[1].outputs.back().location, 2);
    limits.geometry_total--;
    const Pipeline p = linked({vertex, geometry, fragment}, limits);
    ASSERT_TRUE(p.ok) << p.error;
    EXPECT_EQ(p.linkages[1].outputs,
              (std::pmr::vector<LinkedVarying>{
                  {Semantic::Generic, 1, 0, 0, 2}, {Semantic::Generic, 0, 0, 2, 1}, {Semantic::Generic, 2, 0, 3, 1}}));
    EXPECT_EQ(p.linkages[2].inputs, p.linkages[1].outputs);
    EXPECT_EQ(p.linkages[0].outputs.back().components, 4u);  // of VERT's vertices there is one
}

/// Two components of one location are interpolated in the same way and at the same place: devices take both from the
/// location.
TEST(LowerLink, PacksOnlyVaryingsOfOneInterpolation) {
    const std::string vertex =
        "VERT\nDCL IN[0]\nDCL OUT[0..1], GENERIC[0]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\nEND\n";
    lower::LinkLimits limits;
    limits.vertex_output = 8;
    const auto locations = [&](const std::string& first, const std::string& second) {
        const Pipeline p =
            linked({vertex, "FRAG\nDCL IN[0], GENERIC[0], " + first + "\nDCL IN[1], GENERIC[1], " + second +
                                "\nDCL OUT[0], COLOR\nADD OUT[0], IN[0].xxxx, IN[1].xxxx\nEND\n"},
                   limits);
        EXPECT_TRUE(p.ok) << p.error;
        std::array<int, 2> found{-1, -1};
        for (const LinkedVarying& v : p.linkages[0].outputs) found.at(v.index) = v.location;
        return found;
    };
    for (const char* kind : {"CONSTANT", "LINEAR", "PERSPECTIVE", "PERSPECTIVE, CENTROID", "PERSPECTIVE, SAMPLE"})
        EXPECT_EQ(locations(kind, kind), (std::array{0, 0})) << kind;
    for (const auto& [first, second] : {std::array{"CONSTANT", "PERSPECTIVE"},
                                        {"PERSPECTIVE", "CONSTANT"},
                                        {"PERSPECTIVE", "LINEAR"},
                                        {"CONSTANT", "LINEAR"},
                                        {"PERSPECTIVE", "PERSPECTIVE, CENTROID"},
                                        {"PERSPECTIVE", "PERSPECTIVE, SAMPLE"},
                                        {"LINEAR, CENTROID", "LINEAR, SAMPLE"}})
        EXPECT_EQ(locations(first, second), (std::array{0, 1})) << first << " and " << second;
}

// On devices where VERT selects no layer, FRAG still reads the one that VERT has written.
TEST(LowerLink, LayersAreFlatVaryingsOfOneLayer) {
    const std::string vertex =
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], LAYER\nDCL OUT[2], VIEWPORT_INDEX\nMOV OUT[0], IN[0]\n"
        "MOV OUT[1].x, IN[0]\nMOV OUT[2].x, IN[0]\nEND\n";
    const std::string fragment =
        "FRAG\nDCL IN[0], LAYER, CONSTANT\nDCL SV[0], VIEWPORT_INDEX\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nMOV "
        "OUT[0].y, SV[0].xxxx\nEND\n";
    lower::Capabilities capabilities;
    capabilities.shader_layer = false;
    lower::Options options;
    options.state.one_layer = true;
    const auto builtins = [](const Lowered& l) {
        return std::ranges::count_if(l.module.variables, [](const ir::Variable& v) {
            return v.builtin == ir::BuiltIn::Layer || v.builtin == ir::BuiltIn::ViewportIndex;
        });
    };
    const Pipeline p = linked({vertex, fragment}, {}, options, capabilities);
    ASSERT_TRUE(p.ok) << p.error;
    ASSERT_EQ(p.linkages[1].inputs.size(), 2u);
    EXPECT_EQ(p.linkages[0].outputs, p.linkages[1].inputs);
    for (const size_t stage : {0U, 1U}) {
        options.linkage = &p.linkages[stage];
        const Lowered l = lower_text(stage == 0 ? vertex : fragment, options, capabilities);
        ASSERT_TRUE(l.ok) << l.error;
        EXPECT_EQ(builtins(l), 0);
    }
    // FRAG of a VERT that writes none reads (0, 0, 0, 1).
    const Pipeline without = linked({kVertex, fragment}, {}, options, capabilities);
    options.linkage = &without.linkages[1];
    EXPECT_EQ(builtins(lower_text(fragment, options, capabilities)), 0);
    EXPECT_FALSE(lower_text(vertex, {}, capabilities).ok);
}

TEST(LowerLink, OnlyPipelinesAreLinked) {
    const std::string geometry =
        "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\nPROPERTY "
        "GS_MAX_OUTPUT_VERTICES 1\nDCL IN[][0], POSITION\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0][0]\nEND\n";
    const std::string control = "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 1\nEND\n";
    const std::vector<std::string> rows[] = {{},
                                             {kFragment},
                                             {kFragment, kVertex},
                                             {kVertex, kVertex},
                                             {kVertex, control, kFragment},
                                             {geometry, kFragment},
                                             {kVertex, kFragment, geometry}};
    for (const auto& texts : rows) EXPECT_EQ(linked(texts).code, "not-a-pipeline") << texts.size();
    EXPECT_TRUE(linked({kVertex}).ok);
    EXPECT_TRUE(linked({kVertex, geometry}).ok);
    EXPECT_TRUE(linked({kVertex, geometry, kFragment}).ok);
}

TEST(LowerLink, FragReadsStreamZeroOnly) {
    const std::string geometry =
        R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE POINTS
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 2
DCL IN[][0], POSITION
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[40], STREAM(1, 1, 1, 1)
DCL OUT[2], COLOR
DCL OUT[3], FOG, STREAM(0, 0, 1, 1)
IMM[0] UINT32 {0, 1, 0, 0}
MOV OUT[0], IN[0][0]
MOV OUT[1], IN[0][0]
MOV OUT[2], IN[0][0]
MOV OUT[3], IN[0][0]
EMIT IMM[0].xxxx
EMIT IMM[0].yyyy
END
)";
    const Pipeline p = linked({kVertex, geometry, kFragment});
    ASSERT_TRUE(p.ok) << p.error;
    EXPECT_EQ(p.linkages[2].inputs,
              (std::pmr::vector<LinkedVarying>{{Semantic::Color, 0, 0, 0, 4}, {Semantic::Fog, 0, 1, 0, 4}}));
    EXPECT_EQ(p.linkages[1].outputs, p.linkages[2].inputs);
}

/// CLIPVERTEX and EDGEFLAG go through TESS_CTRL, for itself and for TESS_EVAL.
TEST(LowerLink, TessControlPassesOnSemanticsThatOnlyGeomUses) {
    const std::string vertex =
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], CLIPVERTEX\nDCL OUT[2], EDGEFLAG\nMOV OUT[0], IN[0]\nMOV "
        "OUT[1], IN[0]\nMOV OUT[2], IN[0]\nEND\n";
    const std::string control =
        R"(TESS_CTRL
PROPERTY TCS_VERTICES_OUT 2
DCL IN[][0], CLIPVERTEX
DCL IN[][1], EDGEFLAG
DCL OUT[][0], CLIPVERTEX
DCL OUT[][1], EDGEFLAG
DCL OUT[2], PATCH[0]
DCL SV[0], INVOCATIONID
DCL ADDR[0]
UARL ADDR[0].x, SV[0].xxxx
MOV OUT[ADDR[0].x][0], IN[0][0]
MOV OUT[ADDR[0].x][1], IN[0][1]
BARRIER
MOV OUT[2], OUT[1][1]
END
)";
    const std::string evaluation =
        "TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nDCL IN[][0], CLIPVERTEX\nDCL IN[1], PATCH[0]\nDCL OUT[0], POSITION\nADD "
        "OUT[0], IN[0][0], IN[1]\nEND\n";
    const Pipeline p = linked({vertex, control, evaluation});
    ASSERT_TRUE(p.ok) << p.error;
    lower::Options options;
    options.linkage = &p.linkages[1];
    const Lowered l = lower_text(control, options);
    ASSERT_TRUE(l.ok) << l.error;
    const std::string ir = ir::print(l.module);
    EXPECT_THAT(ir, HasSubstr("$2 = Output f32x4 array0=2 location=1 semantic=15"));
    EXPECT_THAT(ir, HasSubstr("$3 = Output f32x4 array0=2 semantic=9"));
    EXPECT_TRUE(l.diagnostics.empty());
}

/// Without linkage nothing passes these outputs on, and no variable holds the rest of a builtin.
TEST(LowerLink, TessControlReadsBackOnlyOutputsWithVariables) {
    const auto read_back = [](std::string_view semantic, std::string_view mask, std::string_view swizzle) {
        std::string text = "TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 2\nPROPERTY NUM_CLIPDIST_ENABLED 2\nDCL OUT[][0], ";
        text.append(semantic).append(
            "\nDCL OUT[][1], GENERIC[0]\nDCL SV[0], INVOCATIONID\nDCL ADDR[0]\nIMM[0] FLT32 {1, 2, 3, 4}\nUARL "
            "ADDR[0].x, SV[0].xxxx\nMOV OUT[ADDR[0].x][0].");
        text.append(mask).append(", IMM[0]\nBARRIER\nMOV OUT[ADDR[0].x][1], OUT[1][0].").append(swizzle);
        const Lowered l = lower_text(text + "\nEND\n");
        return l.ok ? std::string() : l.error;
    };
    for (const auto& [semantic, mask, swizzle] : {std::array{"EDGEFLAG", "x", "xxxx"}, {"CLIPDIST", "xyz", "xyzz"}})
        EXPECT_THAT(read_back(semantic, mask, swizzle), HasSubstr("is written and read again")) << semantic;
    for (const auto& [semantic, mask, swizzle] :
         {std::array{"PSIZE", "xy", "xyyy"}, {"CLIPVERTEX", "xyzw", "xyzw"}, {"CLIPDIST", "xy", "xyzw"}})
        EXPECT_EQ(read_back(semantic, mask, swizzle), "") << semantic;
}

/// An index may reach them, but is not meant for them.
TEST(LowerLink, TessControlReadsZeroWhereAnIndexFindsNoVariable) {
    EXPECT_EQ(lower_text(R"(TESS_CTRL
PROPERTY TCS_VERTICES_OUT 3
DCL SV[0], INVOCATIONID
DCL OUT[1], TESSOUTER
DCL OUT[2].xy, TESSINNER
DCL OUT[3].xyz, PATCH
DCL OUT[4].xyz, PATCH[1]
DCL TEMP[0]
DCL OUT[][5], EDGEFLAG
DCL OUT[][6], PSIZE
DCL ADDR[0]
UARL ADDR[0].x, SV[0].xxxx
MOV OUT[ADDR[0].x+3], SV[0].xxxx
MOV OUT[0][ADDR[0].x+5], SV[0].xxxx
BARRIER
ADD TEMP[0], OUT[ADDR[0].x+3], OUT[0][ADDR[0].x+5]
MOV OUT[1], TEMP[0]
END
)")
                  .error,
              "");
}

TEST(LowerLink, TessControlKeepsOutputsThatItReads) {
    const std::string vertex = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n";
    const std::string control =
        R"(TESS_CTRL
PROPERTY TCS_VERTICES_OUT 2
DCL IN[][0], POSITION
DCL OUT[][0], GENERIC[0]
DCL OUT[][1], GENERIC[1]
DCL OUT[2], PATCH[9]
DCL OUT[3], PATCH[2]
DCL SV[0], INVOCATIONID
DCL ADDR[0]
DCL TEMP[0]
UARL ADDR[0].x, SV[0].xxxx
MOV OUT[ADDR[0].x][0], IN[0][0]
MOV OUT[ADDR[0].x][1], IN[0][0]
BARRIER
MOV TEMP[0], OUT[1][1]
MOV OUT[2], TEMP[0]
MOV OUT[3], TEMP[0]
END
)";
    const std::string evaluation =
        "TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nDCL IN[0], PATCH[9]\nDCL IN[][1], GENERIC[7]\nDCL OUT[0], "
        "POSITION\nADD OUT[0], IN[0], IN[0][1]\nEND\n";
    const Pipeline p = linked({vertex, control, evaluation});
    ASSERT_TRUE(p.ok) << p.error;
    EXPECT_EQ(p.linkages[1].outputs, (std::pmr::vector<LinkedVarying>{{Semantic::Generic, 1, 0, 0, 4}}));
    EXPECT_TRUE(p.linkages[2].inputs.empty());
    // Patch data is located after the other varyings.
    EXPECT_EQ(p.linkages[1].patch_outputs, (std::pmr::vector<LinkedVarying>{{Semantic::Patch, 9, 1, 0, 4}}));
    EXPECT_EQ(p.linkages[2].patch_inputs, p.linkages[1].patch_outputs);
    const std::string texts[] = {vertex, control, evaluation};
    for (size_t i = 0; i < 3; ++i) {
        lower::Options options;
        options.linkage = &p.linkages[i];
        const Lowered l = lower_text(texts[i], options);
        EXPECT_TRUE(l.ok) << l.error;
    }
}

// ---- stream outputs

/// Like kVertex, but no two varyings want the same location: GENERIC[9] is OUT[1], GENERIC[40] is OUT[2].
const std::string kApart =
    R"(VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[9]
DCL OUT[2], GENERIC[40]
DCL OUT[3], COLOR
MOV OUT[0], IN[0]
MOV OUT[1], IN[0]
MOV OUT[2], IN[0]
MOV OUT[3], IN[0]
END
)";

Lowered captured(const lower::StreamOutputs& table, const std::string& text, const lower::Options& base = {},
                 const lower::Capabilities& capabilities = {}) {
    lower::Options options = base;
    options.stream_outputs = &table;
    return lower_text(text, options, capabilities);
}

std::vector<ir::Variable> captures(const ir::Module& m) {
    std::vector<ir::Variable> all;
    std::copy_if(m.variables.begin(), m.variables.end(), std::back_inserter(all),
                 [](const ir::Variable& v) { return v.captured; });
    return all;
}

TEST(LowerStreamOutput, AWholeVaryingIsCapturedWhereItStands) {
    lower::StreamOutputs table;
    table.strides = {0, 6, 0, 0};
    table.outputs = {{2, 0, 4, 1, 2, 0}};
    const Lowered l = captured(table, kApart);
    ASSERT_TRUE(l.ok) << l.error;
    EXPECT_TRUE(l.module.entry.transform_feedback);
    const auto all = captures(l.module);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].semantic_index, 40u);
    EXPECT_EQ(all[0].location, 8u);
    EXPECT_EQ(all[0].xfb_buffer, 1u);
    EXPECT_EQ(all[0].xfb_offset, 8u);
    EXPECT_EQ(all[0].xfb_stride, 24u);
}

TEST(LowerStreamOutput, CapturedRegistersWithoutAVariableGetOne) {
    lower::StreamOutputs table;
    table.strides = {16, 0, 0, 0};
    // A converted POSITION, part of a varying, and the same varying twice.
    table.outputs = {{0, 0, 4, 0, 0, 0}, {1, 2, 2, 0, 4, 0}, {2, 0, 4, 0, 6, 0}, {2, 3, 1, 0, 10, 0}};
    const Lowered l = captured(table, kApart);
    ASSERT_TRUE(l.ok) << l.error;
    std::vector<std::array<uint32_t, 4>> added;  // location, component, components, offset
    for (const ir::Variable& v : captures(l.module))
        if (v.semantic == 0) added.push_back({v.location, v.component, v.element.components, v.xfb_offset});
    EXPECT_EQ(added, (std::vector<std::array<uint32_t, 4>>{{26, 0, 4, 0}, {25, 0, 2, 16}, {25, 2, 1, 40}}));
    EXPECT_EQ(captures(l.module).size(), 4u);
}

/// Whether a stream output is captured in place: then no variable is added for it.
bool stands(const lower::StreamOutput& output, const lower::Options& options) {
    lower::StreamOutputs table;
    table.strides = {4, 0, 0, 0};
    table.outputs = {output};
    const Lowered l = captured(table,
                               R"(VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL OUT[2], BCOLOR
DCL OUT[3], PSIZE
DCL OUT[4], GENERIC[9]
MOV OUT[0], IN[0]
MOV OUT[1], IN[0]
MOV OUT[2], IN[0]
MOV OUT[3].x, IN[0]
MOV OUT[4], IN[0]
END
)",
                               options);
    EXPECT_TRUE(l.ok) << l.error;
    const auto all = captures(l.module);
    EXPECT_EQ(all.size(), 1u);
    const bool added = all.empty() || std::string_view(all[0].name.view()).starts_with("captured ");
    return !added;
}

/// The device captures the variable's value, which is not the text's value if the state changes it.
TEST(LowerStreamOutput, CapturesTheWrittenValueBeforeStateChangesIt) {
    constexpr lower::StreamOutput kPosition{0, 0, 4, 0, 0, 0}, kColor{1, 0, 4, 0, 0, 0}, kBack{2, 0, 4, 0, 0, 0},
        kSize{3, 0, 1, 0, 0, 0}, kGeneric{4, 0, 4, 0, 0, 0};
    lower::Options plain;
    plain.convert_depth_range = false;
    for (const lower::StreamOutput& o : {kPosition, kColor, kBack, kSize, kGeneric})
        EXPECT_TRUE(stands(o, plain)) << o.reg;
    const auto with = [&](auto&& change) {
        lower::Options options = plain;
        change(options);
        std::vector<uint32_t> added;
        for (const lower::StreamOutput& o : {kPosition, kColor, kBack, kSize, kGeneric})
            if (!stands(o, options)) added.push_back(o.reg);
        return added;
    };
    using testing::ElementsAre;
    EXPECT_THAT(with([](lower::Options& o) { o.convert_depth_range = true; }), ElementsAre(0u));
    EXPECT_THAT(with([](lower::Options& o) { o.flip_y = true; }), ElementsAre(0u));
    EXPECT_THAT(with([](lower::Options& o) { o.state.depth_range = true; }), ElementsAre(0u));
    EXPECT_THAT(with([](lower::Options& o) { o.state.flip_y = true; }), ElementsAre(0u));
    EXPECT_THAT(with([](lower::Options& o) { o.state.clamp_vertex_color = true; }), ElementsAre(1u, 2u));
    EXPECT_THAT(with([](lower::Options& o) { o.state.point_size = true; }), ElementsAre(3u));
}

/// The next stage may take all four components of a location, even if the varying in it has fewer.
TEST(LowerStreamOutput, ALocationWithANarrowVaryingIsNotFree) {
    lower::StreamOutputs table;
    table.strides = {1, 0, 0, 0};
    table.outputs = {{1, 1, 1, 0, 0, 0}};
    lower::Linkage linkage;
    linkage.outputs = {{Semantic::Generic, 9, 0, 0, 2}};
    lower::Options options;
    options.linkage = &linkage;
    lower::Capabilities device;
    device.max_output_locations = 1;
    EXPECT_THAT(captured(table, kApart, options, device).error, HasSubstr("no location is free"));
    device.max_output_locations = 2;
    const Lowered l = captured(table, kApart, options, device);
    ASSERT_TRUE(l.ok) << l.error;
    const auto all = captures(l.module);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].location, 1u);
}

TEST(LowerStreamOutput, RefusesInvalidOutputs) {
    struct Row {
        lower::StreamOutput output;
        const char* reason;
    };
    const Row rows[] = {
        {{9, 0, 4, 0, 0, 0}, "OUT[9] is not declared"},
        {{1, 2, 3, 0, 0, 0}, "the components do not exist"},
        {{1, 0, 0, 0, 0, 0}, "the components do not exist"},
        {{1, 0, 4, 4, 0, 0}, "expected buffer 0 to 3"},
        {{1, 0, 4, 0, 0, 1}, "in GEOM, stream 0 to 3"},
        {{1, 0, 4, 0, 5, 0}, "does not fit in the stride of the buffer"},
        {{1, 0, 4, 1, 0, 0}, "does not fit in the stride of the buffer"},
        {{1, 0, 4, 0, 0xffff'ffff, 0}, "does not fit"},
        {{2, 0, 1, 0, 3, 0}, "overlaps stream output 0"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.reason);
        lower::StreamOutputs table;
        table.strides = {8, 0, 0, 0};
        table.outputs = {{0, 0, 4, 0, 0, 0}, row.output};
        const Lowered l = captured(table, kApart);
        EXPECT_FALSE(l.ok);
        EXPECT_EQ(l.diagnostics[0].code, "bad-stream-output");
        EXPECT_THAT(l.error, HasSubstr(row.reason));
    }
    lower::StreamOutputs table;
    table.strides = {8, 0, 0, 0};
    table.outputs.assign(129, {0, 0, 4, 0, 0, 0});
    EXPECT_THAT(captured(table, kApart).error, HasSubstr("at most 128"));
    table.outputs.resize(1);
    lower::Capabilities none;
    none.transform_feedback = false;
    EXPECT_THAT(captured(table, kApart, {}, none).error, HasSubstr("lacks transformFeedback"));
    none.transform_feedback = true;
    none.max_output_locations = 0;
    EXPECT_THAT(captured(table, kApart, {}, none).error, HasSubstr("no location is free"));
}

}  // namespace
}  // namespace tgsi2spv::test
