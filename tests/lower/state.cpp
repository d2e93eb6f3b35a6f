// lower::State: state that is on adds its specialization constants, state that is off adds nothing, and every module
// validates (lower_text checks it). The effects on pictures are tested in tests/draw.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "ir/print.h"
#include "lower/lowered.h"
#include "lower/state/spec_constants.h"
#include "lower/variables/locations.h"

namespace tgsi2spv::test {
namespace {

using lower::NumericType;
using lower::State;

/// Returns the ids of the module's specialization constants.
std::set<uint32_t> spec_ids(const ir::Module& m) {
    std::set<uint32_t> ids;
    for (const ir::Constant& c : m.constants)
        if (c.spec_id >= 0) ids.insert(static_cast<uint32_t>(c.spec_id));
    return ids;
}

std::set<uint32_t> ids_of(std::string_view text, const State& state) {
    lower::Options options;
    options.state = state;
    const Lowered l = lower_text(text, options);
    EXPECT_TRUE(l.ok) << l.error << "\n" << text;
    return spec_ids(l.module);
}

constexpr std::string_view kVertex =
    R"(VERT
DCL IN[0..1]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL OUT[2], PSIZE
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
MOV OUT[2].x, IN[1]
END
)";
constexpr std::string_view kFragment =
    R"(FRAG
DCL IN[0], POSITION, LINEAR
DCL IN[1], COLOR, COLOR
DCL IN[2], TEXCOORD[3], PERSPECTIVE
DCL IN[3], GENERIC[5], PERSPECTIVE
DCL OUT[0], COLOR
DCL OUT[1], SAMPLEMASK
ADD OUT[0], IN[0], IN[1]
ADD OUT[1].x, IN[2], IN[3]
END
)";

struct Switch {
    const char* name;
    void (*set)(State&);
    std::set<uint32_t> ids;
};

TEST(LowerState, EachSwitchBringsItsConstants) {
    namespace spec = lower::spec;
    const Switch vertex[] = {
        {"nothing", [](State&) {}, {}},
        {"depth_range", [](State& s) { s.depth_range = true; }, {spec::kDepthRange}},
        {"flip_y", [](State& s) { s.flip_y = true; }, {spec::kFlipY}},
        {"clip_planes", [](State& s) { s.clip_planes = 8; }, {spec::kClipEnable}},
        {"clip_enable", [](State& s) { s.clip_enable = true; }, {}},
        {"clamp_vertex_color", [](State& s) { s.clamp_vertex_color = true; }, {spec::kClampVertexColor}},
        {"point_size", [](State& s) { s.point_size = true; }, {spec::kPointSize, spec::kPointSizePerVertex}},
        {"bgra_attributes", [](State& s) { s.bgra_attributes = true; }, {spec::kBgraAttributes}},
        {"attributes", [](State& s) { s.attributes.fill(NumericType::Fixed); }, {}},
        {"alpha_test", [](State& s) { s.alpha_test = s.two_sided = s.sample_mask = true; }, {}},
    };
    for (const Switch& s : vertex) {
        SCOPED_TRACE(s.name);
        State state;
        s.set(state);
        EXPECT_EQ(ids_of(kVertex, state), s.ids);
    }
    const Switch fragment[] = {
        {"nothing", [](State&) {}, {}},
        {"alpha_test", [](State& s) { s.alpha_test = true; }, {spec::kAlphaFunc, spec::kAlphaReference}},
        {"two_sided", [](State& s) { s.two_sided = true; }, {spec::kTwoSided}},
        {"flat_shade", [](State& s) { s.flat_shade = true; }, {}},
        {"clamp_fragment_color", [](State& s) { s.clamp_fragment_color = true; }, {spec::kClampFragmentColor}},
        {"alpha_to_one", [](State& s) { s.alpha_to_one = true; }, {spec::kAlphaToOne}},
        {"sample_mask", [](State& s) { s.sample_mask = true; }, {spec::kSampleMask, spec::kSampleMaskIgnored}},
        {"coord_origin", [](State& s) { s.coord_origin = true; }, {spec::kInvertOrigin, spec::kFramebufferHeight}},
        {"pixel_center", [](State& s) { s.pixel_center = true; }, {spec::kOtherPixelCenter}},
        {"polygon_stipple", [](State& s) { s.polygon_stipple = true; }, {spec::kPolygonStipple}},
        {"bgra_targets", [](State& s) { s.bgra_targets = true; }, {spec::kBgraTargets}},
        {"sprites",
         [](State& s) { s.sprites = lower::Sprites::TexCoord; },
         {spec::kSpriteMask, spec::kSpriteLowerLeft}},
        {"targets", [](State& s) { s.targets.fill(NumericType::SInt); }, {}},
        {"depth_range", [](State& s) { s.depth_range = s.flip_y = s.point_size = true; }, {}},
    };
    for (const Switch& s : fragment) {
        SCOPED_TRACE(s.name);
        State state;
        s.set(state);
        EXPECT_EQ(ids_of(kFragment, state), s.ids);
    }
}

/// With State::data, values come from the buffer; those of single textures stay constants.
TEST(LowerState, DataReplacesConstants) {
    State all;
    all.data = ~uint64_t{0};
    all.depth_range = all.flip_y = all.clamp_vertex_color = all.point_size = all.bgra_attributes = true;
    all.alpha_test = all.two_sided = all.clamp_fragment_color = all.alpha_to_one = all.sample_mask = true;
    all.coord_origin = all.pixel_center = all.polygon_stipple = all.bgra_targets = true;
    all.clip_planes = 8;
    all.sprites = lower::Sprites::TexCoord;
    for (const std::string_view text : {kVertex, kFragment}) {
        EXPECT_EQ(ids_of(text, all), std::set<uint32_t>());
        lower::Options options;
        options.state = all;
        const Lowered l = lower_text(text, options);
        const auto& variables = l.module.variables;
        const auto is_state = [](const ir::Variable& v) { return v.name.view() == "STATE"; };
        const auto buffer = std::ranges::find_if(variables, is_state);
        ASSERT_NE(buffer, variables.end());
        EXPECT_EQ(buffer->array[1], lower::state_buffer::kElementsWithValues);
    }
    State one;
    one.alpha_test = true;
    one.data = 1u << lower::spec::kAlphaReference;
    EXPECT_EQ(ids_of(kFragment, one), std::set<uint32_t>{lower::spec::kAlphaFunc});
}

TEST(LowerState, EveryConstantHasAName) {
    std::set<std::string_view> names;
    for (uint32_t id = 0; id <= lower::spec::kUnnormalized; ++id) names.insert(lower::spec::name_of(id));
    EXPECT_EQ(names.size(), lower::spec::kUnnormalized + 1u);
    EXPECT_EQ(names.count({}), 0u);
    EXPECT_EQ(lower::spec::name_of(lower::spec::kAlphaFunc), "alpha test function");
    EXPECT_EQ(lower::spec::name_of(lower::spec::kPolygonStipple), "polygon stipple");
    EXPECT_EQ(lower::spec::name_of(lower::spec::kCompareFunction + 31), "comparison function");
    EXPECT_EQ(lower::spec::name_of(lower::spec::kViewSwizzle + 31), "view swizzle");
    EXPECT_EQ(lower::spec::name_of(lower::spec::kViewSwizzle + 32), "");
}

TEST(LowerState, TheBufferIsNotTheTexts) {
    constexpr std::string_view kText =
        R"(VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL CONST[31][0]
ADD OUT[0], IN[0], CONST[31][0]
END
)";
    lower::Options options;
    options.state.clip_planes = 1;
    const Lowered taken = lower_text(kText, options);
    EXPECT_FALSE(taken.ok);
    EXPECT_EQ(taken.diagnostics[0].code, "state-buffer-taken");
    EXPECT_EQ(taken.diagnostics[0].offset, kText.find("DCL CONST"));
    options.state_buffer = 30;
    EXPECT_TRUE(lower_text(kText, options).ok);
}

TEST(LowerState, PlanesAreClipDistancesUnlessForbidden) {
    lower::Options options;
    options.state.clip_planes = 6;
    auto distances = [&](const char* head, const char* tail) {
        const std::string text = std::string("VERT\n") + head + "DCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], " + tail +
                                 "\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\nEND\n";
        const Lowered l = lower_text(text, options);
        EXPECT_TRUE(l.ok) << l.error;
        for (const ir::Variable& v : l.module.variables)
            if (v.builtin == ir::BuiltIn::ClipDistance) return v.array[0];
        return 0u;
    };
    EXPECT_EQ(distances("", "GENERIC[0]"), 6u);
    EXPECT_EQ(distances("", "CLIPVERTEX"), 6u);
    EXPECT_EQ(distances("", "CLIPDIST"), 4u);
    EXPECT_EQ(distances("PROPERTY VS_PROHIBIT_UCPS 1\n", "GENERIC[0]"), 0u);
    const std::string cull =
        R"(VERT
PROPERTY NUM_CULLDIST_ENABLED 3
DCL IN[0]
DCL OUT[0], POSITION
DCL OUT[1], CLIPDIST
MOV OUT[0], IN[0]
MOV OUT[1], IN[0]
END
)";
    const Lowered l = lower_text(cull, options);
    EXPECT_FALSE(l.ok);
    EXPECT_THAT(l.error, testing::HasSubstr("more than 8 user planes and cull distances"));
    lower::Capabilities none;
    none.clip_distance = false;
    EXPECT_FALSE(lower_text(kVertex, options, none).ok);
}

TEST(LowerState, StagesBeforeTheLastKeepTheirOutputs) {
    // GEOM has the same epilogue before each EMIT to stream 0.
    lower::Options options;
    options.state.clip_planes = 2;
    options.state.flip_y = options.state.depth_range = options.state.clamp_vertex_color = true;
    options.state.point_size = true;
    const Lowered l = lower_text(
        R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE POINTS
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 2
DCL IN[][0], POSITION
DCL OUT[0], POSITION
DCL OUT[1], COLOR
IMM[0] UINT32 {0, 0, 0, 0}
MOV OUT[0], IN[0][0]
MOV OUT[1], IN[0][0]
EMIT IMM[0].xxxx
MOV OUT[0], IN[0][0].yxzw
EMIT IMM[0].xxxx
END
)",
        options);
    ASSERT_TRUE(l.ok) << l.error;
    namespace spec = lower::spec;
    EXPECT_EQ(spec_ids(l.module), (std::set<uint32_t>{spec::kDepthRange, spec::kFlipY, spec::kClipEnable,
                                                      spec::kClampVertexColor, spec::kPointSize}));
}

TEST(LowerState, InterpolationFunctionsAreTwoSidedToo) {
    lower::Options options;
    options.state.two_sided = true;
    const Lowered l = lower_text(R"(FRAG
DCL IN[0], COLOR, COLOR
DCL OUT[0], COLOR
INTERP_CENTROID OUT[0], IN[0]
END
)",
                                 options);
    ASSERT_TRUE(l.ok) << l.error;
    const std::string text = ir::print(l.module);
    size_t found = 0;
    for (size_t at = text.find("InterpCentroid"); at != std::string::npos; at = text.find("InterpCentroid", at + 1))
        ++found;
    EXPECT_EQ(found, 2u);
}

TEST(LowerState, IoBuffersKnowNoState) {
    lower::Options options;
    options.io_buffers = true;
    const Lowered plain_vertex = lower_text(kVertex, options), plain_fragment = lower_text(kFragment, options);
    State& s = options.state;
    s.depth_range = s.flip_y = s.clip_enable = s.clamp_vertex_color = s.point_size = s.bgra_attributes = true;
    s.clip_planes = 8;
    s.alpha_test = s.two_sided = s.flat_shade = s.clamp_fragment_color = s.alpha_to_one = s.sample_mask = true;
    s.coord_origin = s.pixel_center = s.polygon_stipple = s.bgra_targets = true;
    s.attributes.fill(NumericType::Fixed);
    s.targets.fill(NumericType::SInt);
    s.sprites = lower::Sprites::Generic;
    ASSERT_TRUE(plain_vertex.ok && plain_fragment.ok);
    EXPECT_EQ(ir::print(lower_text(kVertex, options).module), ir::print(plain_vertex.module));
    EXPECT_EQ(ir::print(lower_text(kFragment, options).module), ir::print(plain_fragment.module));
}

}  // namespace
}  // namespace tgsi2spv::test
