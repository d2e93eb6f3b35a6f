// Stream outputs that a row of data/link.txt cannot have.
#include "lower/options/stream_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lower/lowered.h"
#include "lower/options/linkage.h"

namespace tgsi2spv::test {
namespace {

const std::string kText =
    "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[9]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\nEND\n";

/// The next stage may take all four components of a location, even if the varying in it has fewer.
TEST(LowerStreamOutput, ALocationWithANarrowVaryingIsNotFree) {
    const lower::StreamOutputs table{{{1, 1, 1, 0, 0, 0}}, {1, 0, 0, 0}};
    lower::Linkage linkage;
    linkage.outputs = {{tgsi::Semantic::Generic, 9, 0, 0, 2}};
    const lower::Options options{.linkage = &linkage, .stream_outputs = &table};
    EXPECT_THAT(lower_text(kText, options, {.max_output_locations = 1}).error,
                testing::HasSubstr("no location is free"));
    const Lowered l = lower_text(kText, options, {.max_output_locations = 2});
    const auto captured = std::ranges::find(l.module.variables, true, &ir::Variable::captured);
    ASSERT_NE(captured, l.module.variables.end()) << l.error;
    EXPECT_EQ(captured->location, 1u);
}

TEST(LowerStreamOutput, ATableHasAtMost128Outputs) {
    const lower::StreamOutputs table{std::vector(129, lower::StreamOutput{}), {8, 0, 0, 0}};
    EXPECT_THAT(lower_text(kText, {.stream_outputs = &table}).error, testing::HasSubstr("at most 128"));
}

}  // namespace
}  // namespace tgsi2spv::test
