// Memory opcodes in every stage, and the memory that only OpenCL compute texts name, on the devices and in the
// reference, compared with words computed by hand (semantics: Memory).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cases/devices.h"

namespace tgsi2spv::difftest {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

class MemoryStages : public OnDevices {
  protected:
    /// Runs the shader on each device that has `feature`, expects the others to name it as missing, then runs the
    /// reference.
    template <class F>
    void on_each(const std::string& shader, const std::string& json, const std::string& feature, F&& check) {
        const auto inputs = read_inputs(json);
        ASSERT_TRUE(inputs) << inputs.error();
        size_t ran = 0;
        for (auto& device : devices) {
            SCOPED_TRACE(device->report().info.name);
            const auto r = run(*device, shader, *inputs);
            if (!r && r.error().kind == Trouble::Missing) {
                EXPECT_EQ(r.error().message, std::string("the device lacks ") + feature);
                continue;
            }
            ASSERT_TRUE(r) << r.error().message << "\n" << shader;
            ran++;
            check(*r);
        }
        EXPECT_GT(ran, 0u);
        SCOPED_TRACE("the judge");
        const auto judged = reference::run(context.program, context.registers, *inputs, {});
        ASSERT_EQ(judged.error, "");
        check(judged);
    }
};

TEST_F(MemoryStages, GlobalAndInputMemoryAreBuffersOfTheirOwn) {
    const std::string head =
        R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 1
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL TEMP[0..2]
DCL BUFFER[0]
IMM[0] UINT32 {0, 4, 8, 12}
IMM[1] UINT32 {16, 100, 0, 0}
)";
    // The shader reads INPUT and changes GLOBAL: a store, two atomics, and a load past the end of its five words.
    const auto body = [](const char* global, const char* input) {
        return fmt::format(
            "LOAD TEMP[0], {1}, IMM[0].yyyy\nSTORE {0}.xy, IMM[0].yyyy, TEMP[0]\n"
            "ATOMUADD TEMP[1].x, {0}, IMM[0].xxxx, IMM[1].yyyy\nATOMXCHG TEMP[1].y, {0}, IMM[1].xxxx, TEMP[0].zzzz\n"
            "LOAD TEMP[1].zw, {0}.xyyz, IMM[0].wwww\nSTORE BUFFER[0], IMM[0].xxxx, TEMP[1]\nEND\n",
            global, input);
    };
    const std::string json =
        R"({"buffers": {"BUFFER[132]": ["0x1", "0x2", "0x3", "0x4", "0x5"], "BUFFER[133]": ["0x15", "0x16", "0x17", "0x18"],
            "BUFFER[0]": ["0x0", "0x0", "0x0", "0x0"]}})";
    const auto check = [](const reference::Result& r) {
        EXPECT_THAT(words(r.buffers.at(0)), ElementsAre(1, 5, 24, 0));
        EXPECT_THAT(words(r.buffers.at(132)), ElementsAre(101, 22, 23, 4, 24));
    };
    on_each(head + "DCL MEMORY[0], GLOBAL\nDCL MEMORY[1], INPUT\n" + body("MEMORY[0]", "MEMORY[1]"), json, "", check);
    on_each(head + body("RGLOBAL", "RINPUT"), json, "", check);
}

TEST_F(MemoryStages, PiecesOfOldComputeTextBeginAtTheirEntry) {
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

TEST_F(MemoryStages, EveryStageLoadsStoresAndCounts) {
    struct Stage {
        const char* head;  ///< LANE is replaced by the number of the lane
        const char* lane;
        const char* tail;
        const char* feature;
    };
    const Stage kStages[] = {
        {"VERT\nDCL SV[0], VERTEXID\nDCL OUT[0], POSITION\n", "SV[0]", "MOV OUT[0], TEMP[1]\n", ""},
        {R"(TESS_CTRL
PROPERTY TCS_VERTICES_OUT 1
DCL SV[0], PRIM_ID
DCL OUT[][0], GENERIC[0]
)",
         "SV[0]", "MOV OUT[0][0], TEMP[1]\n", "tessellationShader"},
        {R"(TESS_EVAL
PROPERTY TES_PRIM_MODE 4
DCL SV[0], PRIM_ID
DCL OUT[0], POSITION
)",
         "SV[0]", "MOV OUT[0], TEMP[1]\n", "tessellationShader"},
        {R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE POINTS
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 1
DCL SV[0], PRIM_ID
DCL OUT[0], GENERIC[0]
)",
         "SV[0]", "MOV OUT[0], TEMP[1]\nEMIT\n", "geometryShader"},
        {"FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\n", "IN[0]", "MOV OUT[0], TEMP[1]\n", ""},
    };
    constexpr uint32_t kLanes = 4;
    std::string json =
        R"("inputs": {"IN[0]": [["0x0", 0, 0, 0], ["0x1", 0, 0, 0], ["0x2", 0, 0, 0], ["0x3", 0, 0, 0]]}, )";
    std::string numbers;
    for (uint32_t i = 0; i < 4 * kLanes; i++) numbers += fmt::format("{}\"{:#x}\"", i == 0 ? "" : ", ", i + 1);
    std::string zeros = numbers;
    for (char& c : zeros)
        if (c != 'x' && c != '"' && c != ',' && c != ' ') c = '0';
    for (const Stage& stage : kStages) {
        SCOPED_TRACE(stage.head);
        const bool fragment = std::string_view(stage.head).starts_with("FRAG");
        // The shader stores the lane's contents of BUFFER[1] and the image into BUFFER[0]; all lanes count in
        // BUFFER[2].
        const std::string shader = stage.head + fmt::format(
                                                    R"(DCL TEMP[0..3]
DCL BUFFER[0..2]
DCL IMAGE[0], BUFFER, PIPE_FORMAT_R32_UINT, WR
IMM[0] UINT32 {{0, 16, 1, 12}}
IMM[1] UINT32 {{4, 8, 100, 15}}
UMUL TEMP[0].x, {0}.xxxx, IMM[0].yyyy
LOAD TEMP[1], BUFFER[1], TEMP[0].xxxx
LOAD TEMP[1].w, IMAGE[0].xxxx, {0}
UADD TEMP[2].x, TEMP[1].wwww, IMM[1].zzzz
STORE IMAGE[0], {0}, TEMP[2].xxxx
MEMBAR IMM[1].wwww
STORE BUFFER[0], TEMP[0].xxxx, TEMP[1]
ATOMUADD TEMP[3].x, BUFFER[2], IMM[0].xxxx, IMM[0].zzzz
ATOMUMAX TEMP[3].x, BUFFER[2], IMM[1].xxxx, TEMP[1].xxxx
SHL TEMP[2].x, IMM[0].zzzz, {0}.xxxx
ATOMOR TEMP[3].x, BUFFER[2], IMM[1].yyyy, TEMP[2].xxxx
RESQ TEMP[3].x, BUFFER[2]
STORE BUFFER[2].x, IMM[0].wwww, TEMP[3].xxxx
{1}END
)",
                                                    stage.lane, stage.tail);
        const bool control = std::string_view(stage.head).starts_with("TESS_CTRL");
        const std::string inputs = fmt::format(
            R"({{"{}": {}, {}"images": {{"IMAGE[0]": {{"target": "BUFFER", "format": "PIPE_FORMAT_R32_UINT", "width": 4,
                "data": [["0x7", "0x8", "0x9", "0xa"]]}}}}, "buffers": {{"BUFFER[0]": [{}], "BUFFER[1]": [{}],
                "BUFFER[2]": ["0x0", "0x0", "0x0", "0x0"]}}}})",
            control ? "patches" : "lanes", kLanes, fragment ? json : "", zeros, numbers);
        on_each(shader, inputs, stage.feature, [&](const reference::Result& r) {
            std::vector<uint32_t> expected;
            for (uint32_t i = 0; i < 4 * kLanes; i++) expected.push_back(i % 4 == 3 ? 7 + i / 4 : i + 1);
            EXPECT_THAT(words(r.buffers.at(0)), ElementsAreArray(expected));
            EXPECT_THAT(words(r.buffers.at(2)), ElementsAre(kLanes, 13, 15, 16));
            EXPECT_THAT(words(r.images.at(0)[0]), ElementsAre(107, 108, 109, 110));
        });
    }
}

}  // namespace
}  // namespace tgsi2spv::difftest
