// Memory on the devices, compared with words computed by hand from the documents (semantics: Memory).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "cases/devices.h"
#include "cases/run/bind.h"

namespace tgsi2spv::difftest {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

struct MemoryOnDevices : OnDevices {
    /// Returns the words of BUFFER[index] after the shader has run; empty after a failure.
    std::vector<uint32_t> buffer(vulkan::Device& device, const std::string& shader, const std::string& json,
                                 uint32_t index = 0) {
        SCOPED_TRACE(device.report().info.name + "\n" + shader);
        const auto r = run(device, shader, json);
        if (!r) {
            ADD_FAILURE() << r.error().message;
            return {};
        }
        return words(r->buffers.at(index));
    }
};

const std::string kOne =
    R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 1
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL TEMP[0..3]
DCL BUFFER[0..1]
)";

/// Resources that the module does not access keep their words, so a translation that loses every access to a buffer
/// fails.
TEST_F(MemoryOnDevices, UnnamedMemoryIsUnchanged) {
    for (auto& device : devices) {
        const std::string shader = kOne +
                                   R"(DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR
DCL HWATOMIC[0]
IMM[0] UINT32 {0, 0, 0, 0}
STORE BUFFER[1].x, IMM[0].xxxx, IMM[0].xxxx
END
)";
        const auto r =
            run(*device, shader,
                R"({"buffers": {"BUFFER[0]": ["0x5", "0x6"], "BUFFER[1]": ["0x9"]}, "hwatomics": {"0": ["0x7"]},
            "images": {"IMAGE[0]": {"target": "2D", "format": "R32_UINT", "width": 2, "height": 1, "data": [["0x3", "0x4"]]}}})");
        ASSERT_TRUE(r) << r.error().message;
        EXPECT_THAT(words(r->buffers.at(0)), ElementsAre(5, 6));
        EXPECT_THAT(words(r->buffers.at(1)), ElementsAre(0));
        EXPECT_THAT(words(r->hwatomics.at(0)), ElementsAre(7));
        EXPECT_THAT(words(r->images.at(0).at(0)), ElementsAre(3, 4));
    }
}

TEST_F(MemoryOnDevices, GridsOfGroupsKnowTheirPlace) {
    for (auto& device : devices) {
        // 2×1×2 groups of 2×2×1 threads: each thread writes its group and its place, packed, at its own number.
        const std::string shader =
            R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 2
PROPERTY CS_FIXED_BLOCK_HEIGHT 2
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL SV[1], BLOCK_ID
DCL SV[2], GRID_SIZE
DCL SV[3], BLOCK_SIZE
DCL TEMP[0..3]
DCL BUFFER[0]
IMM[0] UINT32 {4, 16, 256, 2}
)"
            // group = z * grid.x + x; thread = y * block.x + x
            "UMAD TEMP[0].x, SV[1].zzzz, SV[2].xxxx, SV[1].xxxx\nUMAD TEMP[0].y, SV[0].yyyy, SV[3].xxxx, SV[0].xxxx\n"
            "UMAD TEMP[0].z, TEMP[0].xxxx, IMM[0].xxxx, TEMP[0].yyyy\nSHL TEMP[0].z, TEMP[0].zzzz, IMM[0].wwww\n"
            "UMAD TEMP[1].x, TEMP[0].xxxx, IMM[0].yyyy, TEMP[0].yyyy\n"
            "UMAD TEMP[1].x, SV[2].zzzz, IMM[0].zzzz, TEMP[1].xxxx\nSTORE BUFFER[0].x, TEMP[0].zzzz, TEMP[1].xxxx\n"
            "END\n";
        std::string json = R"({"grid": [2, 1, 2], "buffers": {"BUFFER[0]": [)";
        for (int i = 0; i < 16; i++) json += i == 0 ? "\"0x9\"" : ", \"0x9\"";
        std::vector<uint32_t> expected;
        for (uint32_t group = 0; group < 4; group++)
            for (uint32_t thread = 0; thread < 4; thread++) expected.push_back(2 * 256 + group * 16 + thread);
        EXPECT_THAT(buffer(*device, shader, json + "]}}"), ElementsAreArray(expected));
    }
}

TEST_F(MemoryOnDevices, TheBlockSizeMayBeTheCallers) {
    const std::string shader =
        R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 0
DCL SV[0], BLOCK_SIZE
DCL SV[1], WORK_DIM
DCL BUFFER[0]
DCL TEMP[0]
IMM[0] UINT32 {0, 12, 16, 1}
STORE BUFFER[0].xyz, IMM[0].xxxx, SV[0]
STORE BUFFER[0].x, IMM[0].yyyy, SV[1].xxxx
ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].zzzz, IMM[0].wwww
END
)";
    const std::string buffers = R"("buffers": {"BUFFER[0]": ["0x0", "0x0", "0x0", "0x0", "0x0"]}})";
    for (auto& device : devices) {
        EXPECT_THAT(buffer(*device, shader, "{" + buffers), ElementsAre(4, 1, 1, 0, 4));
        const std::string given = R"({"system_values": {"SV[0]": [["0x2", "0x3", "0x1", "0x0"]],
                                      "SV[1]": [["0x2", "0x0", "0x0", "0x0"]]}, "grid": [2, 1, 1], )";
        EXPECT_THAT(buffer(*device, shader, given + buffers), ElementsAre(2, 3, 1, 2, 12));
    }
}

TEST_F(MemoryOnDevices, SharedMemoryCrossesABarrier) {
    const std::string shader =
        R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 16
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL BUFFER[0]
DCL MEMORY[0], SHARED
DCL TEMP[0..1]
IMM[0] UINT32 {2, 15, 100, 8}
SHL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx
UADD TEMP[0].y, SV[0].xxxx, IMM[0].zzzz
STORE MEMORY[0].x, TEMP[0].xxxx, TEMP[0].yyyy
MEMBAR IMM[0].wwww
BARRIER
)"
        // the thread with the mirrored index
        "UADD TEMP[1].x, IMM[0].yyyy, -SV[0].xxxx\nSHL TEMP[1].x, TEMP[1].xxxx, IMM[0].xxxx\n"
        "LOAD TEMP[1].y, MEMORY[0].xxxx, TEMP[1].xxxx\nSTORE BUFFER[0].x, TEMP[0].xxxx, TEMP[1].yyyy\nEND\n";
    std::string json = R"({"shared_words": 16, "buffers": {"BUFFER[0]": [)";
    std::vector<uint32_t> expected;
    for (uint32_t i = 0; i < 16; i++) {
        json += i == 0 ? "\"0x0\"" : ", \"0x0\"";
        expected.push_back(115 - i);
    }
    for (auto& device : devices) EXPECT_THAT(buffer(*device, shader, json + "]}}"), ElementsAreArray(expected));
}

TEST_F(MemoryOnDevices, OnlyLanesOfTheCaseThatLiveWrite) {
    for (auto& device : devices) {
        // FRAG: lane 1 of eight is killed before both writes, lane 2 between them.
        const std::string fragment =
            R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL BUFFER[0]
DCL TEMP[0]
IMM[0] UINT32 {0, 1, 4, 0}
KILL_IF IN[0].xxxx
ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy
KILL_IF IN[0].yyyy
ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].zzzz, IMM[0].yyyy
MOV OUT[0], IN[0]
END
)";
        const std::string json = R"({"lanes": 8, "inputs": {"IN[0]": [[1, 1, 0, 0], [-1, 1, 0, 0], [1, -1, 0, 0],
            [1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0]]},
            "buffers": {"BUFFER[0]": ["0x0", "0x0"]}})";
        EXPECT_THAT(buffer(*device, fragment, json), ElementsAre(7, 6));
        // The same with subroutines that kill and write, and with a loop: there a device may keep a flag for killed
        // lanes.
        const std::string calls =
            R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL BUFFER[0]
DCL TEMP[0..1]
IMM[0] UINT32 {0, 1, 4, 0}
0: KILL_IF IN[0].xxxx
1: MOV TEMP[1].x, IMM[0].xxxx
2: CAL :11
3: CAL :14
4: MOV TEMP[1].x, IMM[0].zzzz
5: CAL :11
6: BGNLOOP
7: BRK
8: ENDLOOP
9: MOV OUT[0], IN[0]
10: END
11: BGNSUB
12: ATOMUADD TEMP[0].x, BUFFER[0], TEMP[1].xxxx, IMM[0].yyyy
13: ENDSUB
14: BGNSUB
15: KILL_IF IN[0].yyyy
16: ENDSUB
)";
        EXPECT_THAT(buffer(*device, calls, json), ElementsAre(7, 6));
        // VERT: four lanes are padded to two triangles.
        const std::string vertex =
            R"(VERT
DCL OUT[0], POSITION
DCL BUFFER[0]
DCL TEMP[0]
IMM[0] UINT32 {0, 1, 0, 0}
ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy
MOV OUT[0], IMM[0]
END
)";
        EXPECT_THAT(buffer(*device, vertex, R"({"lanes": 4, "buffers": {"BUFFER[0]": ["0x0"]}})"), ElementsAre(4));
    }
}

TEST_F(MemoryOnDevices, BuffersAndCountersByAnIndex) {
    for (auto& device : devices) {
        // Each of four threads adds to the buffer and the counter of its number; number 3 does not exist.
        const std::string shader =
            R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 4
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL BUFFER[0..2]
DCL HWATOMIC[0][0..2], ARRAY(1)
DCL ADDR[0]
DCL TEMP[0]
IMM[0] UINT32 {4, 5, 0, 0}
UARL ADDR[0].x, SV[0].xxxx
ATOMUADD TEMP[0].x, BUFFER[ADDR[0].x], IMM[0].xxxx, IMM[0].yyyy
ATOMUADD TEMP[0].x, HWATOMIC[0][ADDR[0].x](1), IMM[0].zzzz, IMM[0].yyyy
STORE BUFFER[ADDR[0].x].x, IMM[0].zzzz, SV[0].xxxx
LOAD TEMP[0].x, BUFFER[ADDR[0].x], IMM[0].xxxx
STORE BUFFER[ADDR[0].x].z, IMM[0].zzzz, TEMP[0].xxxx
END
)";
        const std::string json = R"({"hwatomics": {"0": ["0x1", "0x2", "0x3", "0x4"]}, "buffers":
            {"BUFFER[0]": ["0x7", "0x1", "0x0"], "BUFFER[1]": ["0x7", "0x2", "0x0"], "BUFFER[2]": ["0x7", "0x3", "0x0"]}})";
        const auto r = run(*device, shader, json);
        ASSERT_TRUE(r) << r.error().message;
        EXPECT_THAT(words(r->buffers.at(0)), ElementsAre(0, 6, 6));
        EXPECT_THAT(words(r->buffers.at(1)), ElementsAre(1, 7, 7));
        EXPECT_THAT(words(r->buffers.at(2)), ElementsAre(2, 8, 8));
        EXPECT_THAT(words(r->hwatomics.at(0)), ElementsAre(6, 7, 8, 4));
    }
}

TEST_F(MemoryOnDevices, ConstantBuffersByAnIndex) {
    for (auto& device : devices) {
        // Each of five threads reads a word in the buffer of its number; 0 and 4 do not exist, and 2 is declared too
        // short for the third word.
        const std::string shader =
            R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 5
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL CONSTBUF[1]
DCL CONST[2][0]
DCL CONSTBUF[3]
DCL BUFFER[0]
DCL ADDR[0]
DCL TEMP[0..1]
IMM[0] UINT32 {12, 8, 0, 0}
UARL ADDR[0].x, SV[0].xxxx
LOAD TEMP[0].xy, CONSTBUF[ADDR[0].x].yxzw, IMM[0].xxxx
UMUL TEMP[1].x, SV[0].xxxx, IMM[0].yyyy
STORE BUFFER[0].xy, TEMP[1].xxxx, TEMP[0]
END
)";
        const std::string json = R"({"buffers": {"BUFFER[0]":
            ["0x9", "0x9", "0x9", "0x9", "0x9", "0x9", "0x9", "0x9", "0x9", "0x9"]},
            "constants": {"1": ["0x1", "0x2", "0x3", "0x4", "0x5", "0x6", "0x7", "0x8"],
                          "2": ["0x11", "0x12", "0x13", "0x14", "0x15", "0x16", "0x17", "0x18"],
                          "3": ["0x21", "0x22", "0x23", "0x24", "0x25", "0x26", "0x27", "0x28"]}})";
        EXPECT_THAT(buffer(*device, shader, json), ElementsAre(0, 0, 5, 4, 0x15, 0x14, 0x25, 0x24, 0, 0));
    }
}

}  // namespace
}  // namespace tgsi2spv::difftest
