// The reflection of a program before any conversion, and the conversion of positions between stages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "api/library_texts.h"
#include "shader_files.h"

namespace tgsi2spv {
namespace {

using testing::StrEq;

constexpr tgsi2spv_parse_info kWithResources = {sizeof kWithResources, 0, TGSI2SPV_PARSE_RESOURCES};

/// The resource to bind there.
auto shape_of(const tgsi2spv_resource& r) {
    return std::tuple(r.kind, r.index, r.count, r.bytes, r.image_dim, r.image_component, r.image_array, r.image_depth,
                      r.image_multisampled, r.image_format);
}

/// Whether the program has a resource of this shape that may do all that this one does.
bool has(const Program& program, const tgsi2spv_resource& wanted) {
    for (uint32_t i = 0; i < program.info().resource_count; i++) {
        const tgsi2spv_resource r = program.resource(i);
        if (shape_of(r) == shape_of(wanted) && (wanted.access & ~r.access) == 0) return true;
    }
    return false;
}

TEST(ProgramReflection, ModulesHaveResourcesOfTheProgram) {
    Context context;
    uint32_t compared = 0;
    for (const test::ShaderFile& file : test::all_shaders()) {
        const Program program = context.parse(file.text, kWithResources);
        const Module module = program ? context.convert(program, everything) : Module();
        if (!module) continue;
        for (uint32_t i = 0; i < module.info().resource_count; i++, compared++)
            EXPECT_TRUE(has(program, module.resource(i))) << file.path << ": " << module.resource(i).name;
    }
    EXPECT_GT(compared, 50u);
}

TEST(ProgramReflection, HasNoElementBeyondTheLast) {
    Context context;
    const Program program = context.parse(kFragment);
    EXPECT_EQ(program.info().resource_count, 0u);  // nobody asked for them
    auto other = make<tgsi2spv_register>();
    EXPECT_EQ(tgsi2spv_program_get_input(program.get(), 1, &other), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(tgsi2spv_program_get_input(nullptr, 0, &other), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    EXPECT_THAT(tgsi2spv_semantic_name(TGSI2SPV_SEMANTIC_NONE), StrEq(""));
    EXPECT_THAT(tgsi2spv_semantic_name(1000), StrEq(""));
}

/// Only a conversion finds out that Vulkan has no image whose components have different types.
TEST(ProgramReflection, WhatNoDeviceCanRunIsRefusedAtOnce) {
    Context context;
    const std::string_view text =
        R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT, FLOAT, UINT, FLOAT
TEX OUT[0], IN[0], SAMP[0], 2D
END
)";
    EXPECT_TRUE(context.parse(text));
    EXPECT_FALSE(context.parse(text, kWithResources));
    EXPECT_EQ(context.status(), TGSI2SPV_ERROR_UNSUPPORTED);
    EXPECT_GT(context.diagnostic_count(), 0u);
    auto info = kWithResources;
    info.flags = TGSI2SPV_PARSE_FLAGS + 1;
    EXPECT_FALSE(context.parse(kVertex, info));
    EXPECT_EQ(context.status(), TGSI2SPV_ERROR_INVALID_ARGUMENT);
}

// ---- positions

constexpr std::string_view kPoints =
    R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE POINTS
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 1
DCL IN[][0], POSITION
DCL OUT[0], POSITION
IMM[0] UINT32 {0, 0, 0, 0}
MOV OUT[0], IN[0][0]
EMIT IMM[0].xxxx
END
)";

class Positions : public testing::Test {
  protected:
    Positions() {
        kept_.depth_range = TGSI2SPV_DEPTH_RANGE_KEEP;
        flipped_.flip_y = TGSI2SPV_FLIP_Y_ALWAYS;
        planes_.clip_planes = 2;
        planes_.flags = TGSI2SPV_STATE_POINT_SIZE | TGSI2SPV_STATE_CLAMP_VERTEX_COLOR;
    }
    std::vector<uint32_t> words(const Program& program, const tgsi2spv_state& state, uint32_t next_stage,
                                const Linkage* linkage = nullptr) {
        auto options = everything;
        options.state = &state;
        options.next_stage = next_stage;
        if (linkage != nullptr) options.linkage = linkage->get();
        const Module m = context.convert(program, options);
        EXPECT_TRUE(m);
        return copy(m);
    }

    Context context;
    tgsi2spv_state plain_ = make<tgsi2spv_state>(), kept_ = plain_, flipped_ = plain_, planes_ = plain_;
};

/// Otherwise y would be flipped twice, and depth converted twice.
TEST_F(Positions, AreConvertedByTheLastStageAlone) {
    const Program vertex = context.parse(kVertex), geometry = context.parse(kPoints);
    std::array<Linkage, 2> linkages;
    ASSERT_TRUE(context.link(std::array{&vertex, &geometry}, linkages, everything));
    for (const tgsi2spv_state* state : {&plain_, &flipped_, &planes_}) {
        EXPECT_EQ(words(vertex, *state, 0, &linkages[0]), words(vertex, kept_, 0, &linkages[0]));
        EXPECT_NE(words(geometry, *state, 0, &linkages[1]), words(geometry, kept_, 0, &linkages[1]));
    }
}

TEST_F(Positions, NeedTheNextStageWithoutALinkage) {
    const Program vertex = context.parse(kVertex);
    for (const tgsi2spv_state* state : {&plain_, &flipped_, &planes_}) {
        EXPECT_NE(words(vertex, *state, 0), words(vertex, kept_, 0));
        for (const uint32_t next : {TGSI2SPV_STAGE_TESS_CTRL, TGSI2SPV_STAGE_GEOMETRY})
            EXPECT_EQ(words(vertex, *state, next), words(vertex, kept_, 0));
    }
}

TEST(Refusals, NameTheFeatureThatTheDeviceLacks) {
    Context context;
    const auto caps = make<tgsi2spv_device_caps>();
    auto options = default_options;
    options.device = &caps;
    EXPECT_FALSE(
        context.translate("VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nU64ADD OUT[0], IN[0], IN[0]\nEND\n", options));
    EXPECT_THAT(context.diagnostic(0).feature, StrEq("shaderInt64"));
    EXPECT_FALSE(context.translate("FRAG\nMOVE\nEND\n", options));
    EXPECT_THAT(context.diagnostic(0).feature, StrEq(""));
}

}  // namespace
}  // namespace tgsi2spv
