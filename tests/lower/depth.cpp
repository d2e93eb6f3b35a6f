// State::clamp_depth: z as a varying, and FRAG's depth. Pictures are in tests/renderer.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "lower/interface/link.h"
#include "lower/lowered.h"
#include "tgsi/parse.h"

namespace tgsi2spv::test {
namespace {

using lower::LinkedVarying;
using tgsi::Semantic;

std::array<lower::Linkage, 2> linkages(const std::string& vertex, const std::string& fragment,
                                       const lower::Options& options) {
    std::array<lower::Linkage, 2> made;
    std::array<tgsi::Program, 2> programs;
    std::array<tgsi::Registers, 2> registers;
    std::array<lower::LinkStage, 2> stages;
    std::vector<tgsi::Diagnostic> diagnostics;
    for (size_t i = 0; i < 2; ++i) {
        EXPECT_TRUE(tgsi::parse(i == 0 ? vertex : fragment, {}, programs[i], diagnostics));
        registers[i] = tgsi::gather(programs[i]);
        stages[i] = {&programs[i], &registers[i], &options};
    }
    EXPECT_TRUE(lower::link(stages, {}, {}, made, diagnostics));
    return made;
}

TEST(LowerDepth, IsAVaryingOfBothStages) {
    const std::string vertex = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n";
    const std::string fragment = R"(FRAG
PROPERTY FS_EARLY_DEPTH_STENCIL 1
PROPERTY FS_DEPTH_LAYOUT 4
DCL OUT[0], COLOR
IMM[0] FLT32 {1.0, 1.0, 1.0, 1.0}
MOV OUT[0], IMM[0]
END
)";
    lower::Options options;
    EXPECT_TRUE(linkages(vertex, fragment, options)[1].inputs.empty());
    options.state.clamp_depth = true;
    const auto both = linkages(vertex, fragment, options);
    const std::pmr::vector<LinkedVarying> expected{{Semantic::Position, 0, 0, 0, 4}};
    EXPECT_EQ(both[0].outputs, expected);
    EXPECT_EQ(both[1].inputs, expected);
    options.linkage = &both[1];
    const Lowered l = lower_text(fragment, options);
    ASSERT_TRUE(l.ok) << l.error;
    EXPECT_TRUE(l.module.entry.depth_replacing);
    EXPECT_FALSE(l.module.entry.early_fragment_tests) << "its depth would not count";
    EXPECT_EQ(l.module.entry.depth_layout, ir::DepthLayout::None);
    const auto is_depth = [](const ir::Variable& v) { return v.builtin == ir::BuiltIn::FragDepth; };
    EXPECT_EQ(std::ranges::count_if(l.module.variables, is_depth), 1);
    // A vertex without a position has none.
    const std::string generic = "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nMOV OUT[0], IN[0]\nEND\n";
    EXPECT_TRUE(linkages(generic, fragment, options)[1].inputs.empty());
}

}  // namespace
}  // namespace tgsi2spv::test
