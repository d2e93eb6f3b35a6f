// Votes, ballots and reads of other lanes: their lowered forms, and refusals if the device lacks them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/print.h"
#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

using lower::Capabilities;

std::string shader(std::string_view stage, std::string_view body, std::string_view head = {}) {
    std::string text(stage);
    text += stage == "FRAG" ? "\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\n"
                            : "\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\n";
    text += head;
    text += body;
    text += "\nEND\n";
    return text;
}
std::string made(std::string_view body, const Capabilities& c = {}, std::string_view stage = "FRAG") {
    const Lowered lowered = lower_text(shader(stage, body), {}, c);
    return lowered.ok ? operations(lowered.module) : lowered.error;
}

TEST(LowerSubgroup, VotesTestAnyBitOfX) {
    EXPECT_EQ(made("VOTE_ALL OUT[0], IN[0].yyyy"), "INe GroupAll Select");
    EXPECT_EQ(made("VOTE_ANY OUT[0].x, IN[0]"), "INe GroupAny Select");
    EXPECT_EQ(made("VOTE_EQ OUT[0], IN[0]"), "GroupAllEqual Select");
    EXPECT_EQ(made("VOTE_EQ OUT[0], IN[0]", {}, "VERT"), "GroupAllEqual Select");
}

TEST(LowerSubgroup, BallotsAreXY) {
    EXPECT_EQ(made("BALLOT OUT[0].xy, IN[0]"), "INe GroupBallot");
    const Lowered whole = lower_text(shader("FRAG", "MOV OUT[0], IN[0]\nBALLOT OUT[0], IN[0]"));
    ASSERT_TRUE(whole.ok) << whole.error;
    // z and w keep their values.
    EXPECT_THAT(ir::print(whole.module), testing::HasSubstr("%7 = Compose u32x2 %4.x, %4.y\n"
                                                            "  %8 = Bitcast f32x2 %7\n"
                                                            "  %9 = Compose f32x4 %8.x, %8.y, %0.z, %0.w\n"
                                                            "  Store $1, %9\n"));
    EXPECT_EQ(made("BALLOT OUT[0].zw, IN[0]"), "INe GroupBallot");
}

TEST(LowerSubgroup, OtherLanesAreReadForAllComponents) {
    EXPECT_EQ(made("READ_FIRST OUT[0], IN[0]"), "GroupFirst");
    EXPECT_EQ(made("READ_INVOC OUT[0], IN[0], IN[0].xxxx"), "GroupShuffle");
    // A broadcast needs a uniform lane index, which the shader does not guarantee.
    EXPECT_EQ(made("READ_INVOC OUT[0], IN[0], IN[0].xxxx", {.subgroup_shuffle = false}), "GroupFirst GroupBroadcast");
}

TEST(LowerSubgroup, MissingDeviceFeaturesAreRefused) {
    EXPECT_EQ(made("VOTE_ALL OUT[0], IN[0]", {.subgroup_vote = false}),
              "VOTE_ALL: the device lacks VK_SUBGROUP_FEATURE_VOTE_BIT");
    EXPECT_EQ(made("BALLOT OUT[0].xy, IN[0]", {.subgroup_ballot = false}),
              "BALLOT: the device lacks VK_SUBGROUP_FEATURE_BALLOT_BIT");
    EXPECT_EQ(made("READ_FIRST OUT[0], IN[0]", {.subgroup_ballot = false}),
              "READ_FIRST: the device lacks VK_SUBGROUP_FEATURE_BALLOT_BIT");
    EXPECT_EQ(made("READ_INVOC OUT[0], IN[0], IN[0]", {.subgroup_ballot = false}), "GroupShuffle");
    EXPECT_EQ(made("READ_INVOC OUT[0], IN[0], IN[0]", {.subgroup_shuffle = false, .subgroup_dynamic_broadcast = false}),
              "READ_INVOC: the device lacks VK_SUBGROUP_FEATURE_SHUFFLE_BIT");
    EXPECT_EQ(made("VOTE_ANY OUT[0], IN[0]", {.subgroup_stages = 0x20}),
              "VOTE_ANY: in FRAG: the device lacks subgroupSupportedStages");
    const auto text = shader("VERT", "MOV OUT[0], SV[0]", "DCL SV[0], SUBGROUP_SIZE\n");
    EXPECT_EQ(lower_text(text).error, "");
    EXPECT_EQ(lower_text(text, {}, {.subgroup_stages = 0x30}).error,
              "SUBGROUP_SIZE in VERT: the device lacks subgroupSupportedStages");
}

TEST(LowerSubgroup, SystemValues) {
    const std::pair<const char*, ir::BuiltIn> rows[] = {{"SUBGROUP_SIZE", ir::BuiltIn::SubgroupSize},
                                                        {"SUBGROUP_INVOCATION", ir::BuiltIn::SubgroupLocalInvocationId},
                                                        {"SUBGROUP_EQ_MASK", ir::BuiltIn::SubgroupEqMask},
                                                        {"SUBGROUP_GE_MASK", ir::BuiltIn::SubgroupGeMask},
                                                        {"SUBGROUP_GT_MASK", ir::BuiltIn::SubgroupGtMask},
                                                        {"SUBGROUP_LE_MASK", ir::BuiltIn::SubgroupLeMask},
                                                        {"SUBGROUP_LT_MASK", ir::BuiltIn::SubgroupLtMask}};
    for (const auto& [name, builtin] : rows)
        for (const char* stage : {"FRAG", "VERT"}) {
            SCOPED_TRACE(std::string(stage) + " " + name);
            const Lowered lowered =
                lower_text(shader(stage, "MOV OUT[0], SV[0]", std::string("DCL SV[0], ") + name + "\n"));
            ASSERT_TRUE(lowered.ok) << lowered.error;
            std::vector<ir::BuiltIn> read;
            for (const ir::Variable& v : lowered.module.variables)
                if (v.kind == ir::VariableKind::Input && v.builtin != ir::BuiltIn::None) read.push_back(v.builtin);
            EXPECT_EQ(read, std::vector{builtin});
        }
}

TEST(LowerSubgroup, TheHelperStateFollowsDemotions) {
    EXPECT_EQ(made("READ_HELPER OUT[0]"), "IsHelper Select");
    EXPECT_EQ(made("KILL\nREAD_HELPER OUT[0]"), "Demote IsHelper Select");
    // Without demotion, READ_HELPER reads the flag that KILL sets.
    const std::string flagged = made("KILL\nREAD_HELPER OUT[0]", {.demote = false});
    EXPECT_NE(flagged.find("IsHelper INe LOr Select"), std::string::npos) << flagged;
}

}  // namespace
}  // namespace tgsi2spv::test
