// Clip and cull distances of linked stages. Pictures are in tests/draw and tests/renderer.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "lower/linked.h"
#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

using lower::LinkedVarying;
using tgsi::Semantic;

const std::string kRed = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1, 0, 0, 1}\nMOV OUT[0], IMM[0]\nEND\n";

/// The lengths of ClipDistance and CullDistance in a stage after its linkage.
std::array<uint32_t, 2> distances(const std::string& text, const lower::Linkage& linkage) {
    const Lowered l = lower_text(text, {.linkage = &linkage});
    EXPECT_TRUE(l.ok) << l.error;
    std::array<uint32_t, 2> lengths{};
    for (const ir::Variable& v : l.module.variables)
        if (v.builtin == ir::BuiltIn::ClipDistance || v.builtin == ir::BuiltIn::CullDistance)
            lengths[v.builtin == ir::BuiltIn::CullDistance] = v.array[0];
    return lengths;
}

TEST(LowerDistances, CullDistancesInClipdistAreTheOnesOfTheStageBefore) {
    const std::string vertex =
        "VERT\nPROPERTY NUM_CLIPDIST_ENABLED 2\nPROPERTY NUM_CULLDIST_ENABLED 2\nDCL IN[0]\nDCL OUT[0], POSITION\n"
        "DCL OUT[1], CLIPDIST\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\nEND\n";
    const std::string fragment = "FRAG\nDCL IN[0], CLIPDIST, PERSPECTIVE\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n";
    const Pipeline p = linked({vertex, fragment});
    ASSERT_TRUE(p.ok) << p.error;
    EXPECT_EQ(distances(fragment, p.linkages[1]), (std::array<uint32_t, 2>{2, 2}));
}

// Drivers that keep all distances in one array find the cull distances after as many clip distances as the stage has.
TEST(LowerDistances, BothStagesHaveAsManyDistancesAsAreWritten) {
    const std::string vertex =
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], CLIPDIST\nDCL OUT[2], CULLDIST\nMOV OUT[0], IN[0]\n"
        "MOV OUT[1].xyz, IN[0]\nMOV OUT[2].x, IN[0]\nEND\n";
    const std::string fragment =
        "FRAG\nDCL IN[0], CLIPDIST, PERSPECTIVE\nDCL IN[1], CULLDIST, PERSPECTIVE\nDCL OUT[0], COLOR\n"
        "MOV OUT[0], IN[0].xxxx\nADD OUT[0].x, IN[1].xxxx, IN[1].yyyy\nEND\n";
    const Pipeline p = linked({vertex, fragment});
    ASSERT_TRUE(p.ok) << p.error;
    EXPECT_EQ(distances(vertex, p.linkages[0]), (std::array<uint32_t, 2>{3, 1}));
    EXPECT_EQ(distances(fragment, p.linkages[1]), (std::array<uint32_t, 2>{3, 1}));
}

std::vector<LinkedVarying> of_distances(const std::pmr::vector<LinkedVarying>& all) {
    std::vector<LinkedVarying> found;
    std::ranges::copy_if(all, std::back_inserter(found),
                         [](const LinkedVarying& v) { return v.semantic == Semantic::ClipDist; });
    return found;
}

// Without shaderClipDistance, FRAG gets the distances as varyings, and ends at its start where one is below 0.
TEST(LowerDistances, FragClipsWhereTheDeviceDoesNot) {
    lower::Capabilities capabilities;
    capabilities.clip_distance = false;
    const std::string written =
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], CLIPDIST[0]\nDCL OUT[2], CLIPDIST[1]\nMOV OUT[0], IN[0]\n"
        "MOV OUT[1], IN[0]\nMOV OUT[2].x, IN[0]\nEND\n";
    const std::string planes = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n";
    for (const bool demote : {true, false})
        for (const auto& [vertex, number] : {std::pair(written, 5), {planes, 6}}) {
            capabilities.demote = demote;
            lower::Options options;
            options.state.clip_planes = 6;
            const Pipeline p = linked({vertex, kRed}, {}, options, capabilities);
            ASSERT_TRUE(p.ok) << p.error;
            const auto passed = of_distances(p.linkages[0].outputs);
            ASSERT_EQ(passed.size(), 2u);
            EXPECT_EQ(passed, of_distances(p.linkages[1].inputs));
            EXPECT_EQ(p.linkages[1].num_clip, static_cast<uint32_t>(number));
            for (const size_t stage : {0U, 1U}) {
                options.linkage = &p.linkages[stage];
                const Lowered l = lower_text(stage == 0 ? vertex : kRed, options, capabilities);
                ASSERT_TRUE(l.ok) << l.error;
                for (const ir::Variable& v : l.module.variables) EXPECT_NE(v.builtin, ir::BuiltIn::ClipDistance);
                EXPECT_EQ(count(l.module, ir::Op::Demote), stage == 1 && demote ? 1u : 0u);
                EXPECT_EQ(count(l.module, ir::Op::Kill), stage == 1 && !demote ? 1u : 0u);
            }
        }
    // Nobody would clip.
    EXPECT_TRUE(of_distances(linked({written}, {}, {}, capabilities).linkages[0].outputs).empty());
    const Pipeline alone = linked({written}, {}, {}, capabilities);
    EXPECT_FALSE(lower_text(written, {.linkage = &alone.linkages[0]}, capabilities).ok);
}

}  // namespace
}  // namespace tgsi2spv::test
