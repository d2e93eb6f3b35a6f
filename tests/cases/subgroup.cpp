// Votes, ballots and masks on the devices: properties that hold however lanes are grouped into subgroups.
#include <bit>

#include "cases/devices.h"

namespace tgsi2spv::difftest {
namespace {

constexpr const char* kText = R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL OUT[1], COLOR[1]
DCL OUT[2], COLOR[2]
DCL OUT[3], COLOR[3]
DCL SV[0], SUBGROUP_INVOCATION
DCL SV[1], SUBGROUP_SIZE
DCL SV[2], SUBGROUP_EQ_MASK
DCL SV[3], SUBGROUP_GE_MASK
DCL SV[4], SUBGROUP_GT_MASK
DCL SV[5], SUBGROUP_LE_MASK
DCL SV[6], SUBGROUP_LT_MASK
DCL TEMP[0..1]
IMM[0] UINT32 {0, 1, 2, 3}
  0: MOV OUT[0].x, SV[0].xxxx
  1: MOV OUT[0].y, SV[1].xxxx
  2: MOV OUT[0].z, SV[2].xxxx
  3: MOV OUT[0].w, SV[3].xxxx
  4: MOV OUT[1].x, SV[4].xxxx
  5: MOV OUT[1].y, SV[5].xxxx
  6: MOV OUT[1].z, SV[6].xxxx
  7: BALLOT TEMP[0].xy, IN[0].xxxx
  8: MOV OUT[1].w, TEMP[0].xxxx
  9: VOTE_ALL OUT[2].x, IN[0].xxxx
 10: VOTE_ANY OUT[2].y, IN[0].xxxx
 11: VOTE_EQ OUT[2].z, IN[0].xxxx
 12: BALLOT TEMP[1].xy, IMM[0].yyyy
 13: MOV OUT[2].w, TEMP[1].xxxx
 14: READ_INVOC OUT[3].x, SV[0].xxxx, IMM[0].yyyy
 15: READ_FIRST OUT[3].y, SV[0].xyyy
 16: READ_HELPER OUT[3].z
 17: END
)";

using SubgroupsOnDevices = OnDevices;

TEST_F(SubgroupsOnDevices, AgreeWithThemselves) {
    reference::Inputs inputs;
    inputs.lanes = 64;
    for (uint32_t lane = 0; lane < inputs.lanes; lane++) {
        const uint32_t word = lane < 16 ? 5 : lane % 3;  // uniform in the first sixteen lanes, then not
        inputs.inputs[{0, 0}].push_back({word, 0, 0, 0});
    }
    for (auto& device : devices) {
        const auto r = run(*device, kText, inputs);
        ASSERT_TRUE(r) << device->report().info.name << ": " << r.error().message;
        for (uint32_t lane = 0; lane < inputs.lanes; lane++) {
            SCOPED_TRACE(testing::Message() << device->report().info.name << " lane " << lane);
            const auto word = [&](int32_t reg, size_t c) { return r->outputs.at(reg)[lane][c].value; };
            const uint32_t self = word(0, 0), size = word(0, 1), active = word(2, 3), ballot = word(1, 3);
            ASSERT_TRUE(size >= 1 && size <= 32 && self < size);
            const uint32_t all_lanes = size == 32 ? ~0u : (1u << size) - 1, eq = 1u << self;
            EXPECT_EQ(word(0, 2), eq);
            EXPECT_EQ(word(0, 3), all_lanes & ~(eq - 1));
            EXPECT_EQ(word(1, 0), all_lanes & ~(eq - 1) & ~eq);
            EXPECT_EQ(word(1, 1), (eq - 1) | eq);
            EXPECT_EQ(word(1, 2), eq - 1);
            EXPECT_NE(active & eq, 0u);
            EXPECT_EQ(active & ~all_lanes, 0u);
            EXPECT_EQ((ballot & eq) != 0, inputs.inputs.at({0, 0})[lane][0] != 0);
            EXPECT_EQ(word(2, 0), ballot == active ? ~0u : 0u);
            EXPECT_EQ(word(2, 1), ballot != 0 ? ~0u : 0u);
            if (lane < 16 && size <= 16) {
                EXPECT_EQ(word(2, 2), ~0u);
            }
            if (active & 2) {
                EXPECT_EQ(word(3, 0), 1u);
            }
            EXPECT_EQ(word(3, 1), static_cast<uint32_t>(std::countr_zero(active)));
            EXPECT_EQ(word(3, 2), 0u);
        }
    }
}

}  // namespace
}  // namespace tgsi2spv::difftest
