// lower::State in buffers, and the names of its constants. data/state.txt has what it brings.
#include <gtest/gtest.h>

#include <set>

#include "ir/print.h"
#include "lower/lowered.h"
#include "lower/state/spec_constants.h"

namespace tgsi2spv::test {
namespace {

using lower::NumericType;
using lower::State;

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
