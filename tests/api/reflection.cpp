// The whole reflection of modules that have something of everything, in the caller's form.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "api/library_texts.h"

namespace tgsi2spv {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// SPIR-V, "Image Format".
constexpr uint32_t kRgba8 = 4, kR32ui = 33;

tgsi2spv_resource resource_named(const Module& m, const std::string& name) {
    for (uint32_t i = 0; i < m.info().resource_count; ++i)
        if (m.resource(i).name == name) return m.resource(i);
    ADD_FAILURE() << "no " << name;
    return make<tgsi2spv_resource>();
}

/// By semantic and its index.
tgsi2spv_variable variable_named(const Module& m, bool output, tgsi2spv_semantic semantic, uint32_t index) {
    const uint32_t count = output ? m.info().output_count : m.info().input_count;
    for (uint32_t i = 0; i < count; ++i) {
        const auto v = output ? m.output(i) : m.input(i);
        if (v.semantic == semantic && v.semantic_index == index) return v;
    }
    ADD_FAILURE() << "no " << tgsi2spv_semantic_name(semantic) << '[' << index << ']';
    return make<tgsi2spv_variable>();
}

TEST(ApiReflection, SaysHowInputsAreInterpolatedAndWhatOutputIsTheSecondSource) {
    Context context;
    auto options = everything;
    auto state = make<tgsi2spv_state>();
    state.flags = TGSI2SPV_STATE_DUAL_SOURCE;
    options.state = &state;
    const Module m = context.translate(
        R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL IN[1], GENERIC[1], LINEAR, CENTROID
DCL IN[2], GENERIC[2], CONSTANT
DCL IN[3], GENERIC[3], PERSPECTIVE, SAMPLE
DCL OUT[0], COLOR
DCL OUT[1], COLOR[1]
ADD OUT[0], IN[0], IN[1]
ADD OUT[1], IN[2], IN[3]
END
)",
        options);
    ASSERT_TRUE(m) << context.diagnostic(0).message;
    const auto input = [&](uint32_t index) { return variable_named(m, false, TGSI2SPV_SEMANTIC_GENERIC, index); };
    EXPECT_EQ(input(0).interpolation, TGSI2SPV_INTERPOLATION_SMOOTH);
    EXPECT_EQ(input(0).sample_location, 0u);
    EXPECT_EQ(input(1).interpolation, TGSI2SPV_INTERPOLATION_LINEAR);
    EXPECT_EQ(input(1).sample_location, 1u);
    EXPECT_EQ(input(2).interpolation, TGSI2SPV_INTERPOLATION_FLAT);
    EXPECT_EQ(input(3).sample_location, 2u);
    ASSERT_EQ(m.info().output_count, 2u);
    for (uint32_t i = 0; i < 2; ++i) {
        EXPECT_EQ(m.output(i).location, 0u);
        EXPECT_EQ(m.output(i).dual_source, i);
        EXPECT_EQ(m.output(i).semantic_index, i);
    }
    for (const char* part :
         {"\"interpolation\": \"Linear\"", "\"sample_location\": \"Centroid\"", "\"dual_source\": 1"})
        EXPECT_THAT(context.json(m), HasSubstr(part));
    EXPECT_THAT(m.features(), testing::Contains(testing::StrEq("dualSrcBlend")));
}

TEST(ApiReflection, NamesFormatsAndSizesOfImagesAndBuffers) {
    Context context;
    const Module m = context.translate(
        R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0..1]
DCL CONST[0][0..4095]
DCL CONST[1][0..4096]
DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR
DCL IMAGE[1], 2D_ARRAY, PIPE_FORMAT_R8G8B8A8_UNORM, WR
DCL TEMP[0..2]
IMM[0] UINT32 {1, 0, 0, 0}
TXF TEMP[0], IMM[0], SAMP[0], 2D_MSAA
TEX TEMP[1], IN[0], SAMP[1], SHADOW2D
LOAD TEMP[2], IMAGE[0], IMM[0], 2D, PIPE_FORMAT_R32_UINT
ADD OUT[0], TEMP[0], TEMP[1]
ADD OUT[0], OUT[0], CONST[0][4095]
ADD OUT[0], OUT[0], CONST[1][4096]
STORE IMAGE[1], IMM[0], TEMP[2], 2D_ARRAY, PIPE_FORMAT_R8G8B8A8_UNORM
END
)",
        everything);
    ASSERT_TRUE(m) << context.diagnostic(0).message;
    ASSERT_EQ(m.info().resource_count, 6u);
    // Without a device, uniform buffers have 64 KiB at most; longer ones are storage buffers.
    const auto small = resource_named(m, "CONST[0]"), large = resource_named(m, "CONST[1]");
    EXPECT_EQ(small.storage, 0u);
    EXPECT_EQ(small.bytes, 65536u);
    EXPECT_EQ(large.storage, 1u);
    EXPECT_EQ(large.bytes, 65552u);
    EXPECT_EQ(large.kind, TGSI2SPV_RESOURCE_CONSTANT_BUFFER);
    const auto samples = resource_named(m, "SAMP[0]"), shadow = resource_named(m, "SAMP[1]");
    EXPECT_EQ(samples.image_multisampled, 1u);
    EXPECT_EQ(samples.image_depth, 0u);
    EXPECT_EQ(shadow.image_multisampled, 0u);
    EXPECT_EQ(shadow.image_depth, 1u);
    const auto words = resource_named(m, "IMAGE[0]"), layers = resource_named(m, "IMAGE[1]");
    EXPECT_EQ(words.kind, TGSI2SPV_RESOURCE_STORAGE_IMAGE);
    EXPECT_EQ(words.image_format, kR32ui);
    EXPECT_EQ(words.image_component, TGSI2SPV_COMPONENT_UINT);
    EXPECT_EQ(words.image_array, 0u);
    EXPECT_EQ(words.access, static_cast<uint32_t>(TGSI2SPV_ACCESS_READ));
    EXPECT_EQ(layers.image_format, kRgba8);
    EXPECT_EQ(layers.image_component, TGSI2SPV_COMPONENT_FLOAT);
    EXPECT_EQ(layers.image_array, 1u);
    EXPECT_EQ(layers.access, static_cast<uint32_t>(TGSI2SPV_ACCESS_WRITE));
}

TEST(ApiReflection, ListsRequirementsOfTheModule) {
    Context context;
    const Module m = context.translate(
        R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
DEMOTE
END
)",
        everything);
    ASSERT_TRUE(m) << context.diagnostic(0).message;
    using testing::StrEq;
    EXPECT_THAT(m.capabilities(), ElementsAre(StrEq("Shader"), StrEq("DemoteToHelperInvocation")));
    EXPECT_THAT(m.extensions(), ElementsAre(StrEq("SPV_EXT_demote_to_helper_invocation")));
    EXPECT_THAT(m.features(), ElementsAre(StrEq("shaderDemoteToHelperInvocation")));
}

TEST(ApiReflection, DescribesPatches) {
    Context context;
    const Module control = context.translate(
        R"(TESS_CTRL
PROPERTY TCS_VERTICES_OUT 7
DCL IN[][0], GENERIC[0]
DCL OUT[][0], GENERIC[1]
DCL OUT[1], PATCH[2]
DCL SV[0], INVOCATIONID
MOV OUT[SV[0].x][0], IN[0][0]
MOV OUT[1], IN[0][0]
END
)",
        everything);
    ASSERT_TRUE(control) << context.diagnostic(0).message;
    EXPECT_EQ(control.info().patch_vertices, 7u);
    EXPECT_EQ(variable_named(control, true, TGSI2SPV_SEMANTIC_PATCH, 2).patch, 1u);
    EXPECT_EQ(variable_named(control, true, TGSI2SPV_SEMANTIC_PATCH, 2).array_size, 0u);
    EXPECT_EQ(variable_named(control, true, TGSI2SPV_SEMANTIC_GENERIC, 1).patch, 0u);
    EXPECT_EQ(variable_named(control, true, TGSI2SPV_SEMANTIC_GENERIC, 1).array_size, 7u);
    const Module evaluation = context.translate(
        R"(TESS_EVAL
PROPERTY TES_PRIM_MODE 4
DCL IN[][0], GENERIC[1]
DCL IN[1], PATCH[2]
DCL OUT[0], POSITION
ADD OUT[0], IN[0][0], IN[1]
END
)",
        everything);
    ASSERT_TRUE(evaluation) << context.diagnostic(0).message;
    EXPECT_EQ(evaluation.info().patch_vertices, 0u);  // TESS_CTRL alone decides
    EXPECT_EQ(variable_named(evaluation, false, TGSI2SPV_SEMANTIC_PATCH, 2).patch, 1u);
    EXPECT_EQ(variable_named(evaluation, false, TGSI2SPV_SEMANTIC_GENERIC, 1).patch, 0u);
}

TEST(ApiReflection, SaysWhichStreamAnOutputBelongsTo) {
    Context context;
    const Module m = context.translate(
        R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE POINTS
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 2
DCL IN[][0], GENERIC[0]
DCL OUT[0], GENERIC[0]
DCL OUT[1], STREAM(3, 3, 3, 3), GENERIC[1]
IMM[0] UINT32 {0, 3, 0, 0}
MOV OUT[0], IN[0][0]
EMIT IMM[0].xxxx
MOV OUT[1], IN[0][0]
EMIT IMM[0].yyyy
END
)",
        everything);
    ASSERT_TRUE(m) << context.diagnostic(0).message;
    EXPECT_EQ(variable_named(m, true, TGSI2SPV_SEMANTIC_GENERIC, 0).stream, 0u);
    EXPECT_EQ(variable_named(m, true, TGSI2SPV_SEMANTIC_GENERIC, 1).stream, 3u);
}

/// More varyings than locations: those of which one component is read share the last one.
TEST(ApiReflection, SaysInWhichComponentAVariableStarts) {
    std::string vertex = "VERT\nDCL IN[0]\nDCL OUT[0..32], GENERIC[0]\n";
    std::string fragment =
        R"(FRAG
DCL IN[0..32], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0]
MOV TEMP[0], IN[0]
)";
    for (int i = 0; i < 33; ++i) {
        const std::string n = std::to_string(i);
        vertex += "MOV OUT[" + n + "], IN[0]\n";
        fragment += "ADD TEMP[0], TEMP[0], IN[" + n + (i < 30 ? "]\n" : "].xxxx\n");
    }
    Context context;
    const Program v = context.parse(vertex + "END\n"), f = context.parse(fragment + "MOV OUT[0], TEMP[0]\nEND\n");
    ASSERT_TRUE(v && f);
    std::array<Linkage, 2> linkages;
    ASSERT_TRUE(context.link({&v, &f}, linkages, everything)) << context.diagnostic(0).message;
    for (const bool output : {true, false}) {
        auto options = everything;
        options.linkage = linkages[output ? 0 : 1].get();
        const Module m = context.convert(output ? v : f, options);
        ASSERT_TRUE(m);
        const auto wide = variable_named(m, output, TGSI2SPV_SEMANTIC_GENERIC, 29);
        EXPECT_EQ(wide.component, 0u);
        EXPECT_EQ(wide.components, 4u);
        for (uint32_t i = 0; i < 3; ++i) {
            const auto narrow = variable_named(m, output, TGSI2SPV_SEMANTIC_GENERIC, 30 + i);
            EXPECT_EQ(narrow.location, 30u);
            EXPECT_EQ(narrow.component, i);
            EXPECT_EQ(narrow.components, 1u);
        }
    }
}

TEST(ApiReflection, NamesTheVariableSizesOfAWorkGroup) {
    Context context;
    const std::string body = R"(DCL SV[0], THREAD_ID
DCL MEMORY[0], SHARED
STORE MEMORY[0].x, SV[0].xxxx, SV[0]
END
)";
    Module m = context.translate("COMP\n" + body);
    ASSERT_TRUE(m) << context.diagnostic(0).message;
    EXPECT_THAT(m.info().local_size, ElementsAre(0u, 0u, 0u));
    ASSERT_EQ(m.info().spec_constant_count, 3u);
    for (uint32_t c = 0; c < 3; ++c) EXPECT_EQ(m.spec_constant(c).id, TGSI2SPV_SPEC_BLOCK_SIZE + c);
    EXPECT_EQ(m.info().shared_bytes, 16384u);
    m = context.translate(
        R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 8
PROPERTY CS_FIXED_BLOCK_HEIGHT 4
PROPERTY CS_FIXED_BLOCK_DEPTH 2
)" + body);
    ASSERT_TRUE(m) << context.diagnostic(0).message;
    EXPECT_THAT(m.info().local_size, ElementsAre(8u, 4u, 2u));
    EXPECT_EQ(m.info().spec_constant_count, 0u);
}

}  // namespace
}  // namespace tgsi2spv
