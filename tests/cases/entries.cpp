// Old compute texts, whose pieces begin at the entry that a launch names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cases/devices.h"
#include "reference/run.h"

namespace tgsi2spv::difftest {
namespace {

using testing::ElementsAreArray;

TEST_F(OnDevices, PiecesOfOldComputeTextBeginAtTheirEntry) {
    // Piece 0 stores 1 and calls the last piece; piece 3 stores 2 to one word per group.
    const std::string text =
        R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 1
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], BLOCK_ID
DCL TEMP[0]
IMM[0] UINT32 {0, 1, 2, 4}
BGNSUB
STORE RGLOBAL.x, IMM[0].xxxx, IMM[0].yyyy
CAL :7
ENDSUB
UMAD TEMP[0].x, SV[0].xxxx, IMM[0].wwww, IMM[0].wwww
STORE RGLOBAL.x, TEMP[0].xxxx, IMM[0].zzzz
RET
BGNSUB
STORE RGLOBAL.y, IMM[0].xxxx, IMM[0].wwww
ENDSUB
)";
    const auto inputs = read_inputs(R"({"grid": [2, 1, 1], "buffers": {"BUFFER[132]": ["0x9", "0x9", "0x9", "0x9"]}})");
    ASSERT_TRUE(inputs) << inputs.error();
    for (const auto& [entry, expected] :
         {std::pair(0u, std::vector<uint32_t>{1, 4, 9, 9}), std::pair(4u, std::vector<uint32_t>{9, 2, 2, 9})}) {
        api::Options options;
        options.entry = entry;
        ASSERT_TRUE(api::parse(context, text, options));
        for (auto& device : devices) {
            const auto r = run_vulkan(*device, context, *inputs, {});
            ASSERT_TRUE(r) << r.error().message;
            EXPECT_THAT(words(r->buffers.at(132)), ElementsAreArray(expected)) << entry;
        }
        const auto judged = reference::run(context.program, context.registers, *inputs, {});
        ASSERT_EQ(judged.error, "");
        EXPECT_THAT(words(judged.buffers.at(132)), ElementsAreArray(expected)) << entry;
    }
}

}  // namespace
}  // namespace tgsi2spv::difftest
