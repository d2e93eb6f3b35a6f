// Storage images on the devices: targets, formats, atomics, compared with words computed by hand (semantics: Memory).
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

const std::string kOne =
    R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 1
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL TEMP[0..3]
DCL BUFFER[0]
)";

using MemoryImages = OnDevices;

struct Shape {
    const char* target;
    const char* size;     ///< the size fields of the image's JSON
    uint32_t texels;      ///< the texels hold 1, 2, 3, …
    uint32_t place[4];    ///< the coordinates that are read and written
    uint32_t at;          ///< the index of that texel
    uint32_t outside[4];  ///< coordinates that read 0
    uint32_t query[4];
};

constexpr Shape kShapes[] = {
    {"BUFFER", R"("width": 5)", 5, {3, 9, 9, 9}, 3, {5, 0, 0, 0}, {5, 0, 0, 1}},
    {"1D", R"("width": 5)", 5, {4, 9, 9, 9}, 4, {0xffffffff, 0, 0, 0}, {5, 0, 0, 1}},
    {"2D", R"("width": 3, "height": 2)", 6, {2, 1, 9, 9}, 5, {2, 2, 0, 0}, {3, 2, 0, 1}},
    {"RECT", R"("width": 3, "height": 2)", 6, {0, 1, 9, 9}, 3, {3, 0, 0, 0}, {3, 2, 0, 1}},
    {"3D", R"("width": 2, "height": 2, "depth": 3)", 12, {1, 0, 2, 9}, 9, {1, 0, 3, 0}, {2, 2, 3, 1}},
    {"CUBE", R"("width": 2, "height": 2, "layers": 6)", 24, {1, 1, 4, 9}, 19, {0, 0, 6, 0}, {2, 2, 0, 1}},
    {"1D_ARRAY", R"("width": 2, "layers": 3)", 6, {1, 2, 9, 9}, 5, {1, 3, 0, 0}, {2, 3, 0, 1}},
    {"2D_ARRAY", R"("width": 2, "height": 1, "layers": 3)", 6, {1, 0, 1, 9}, 3, {0, 0, 3, 0}, {2, 1, 3, 1}},
    {"CUBEARRAY", R"("width": 1, "height": 1, "layers": 12)", 12, {0, 0, 10, 9}, 10, {0, 0, 12, 0}, {1, 1, 2, 1}},
};

TEST_F(MemoryImages, EveryTargetIsReadWrittenAndAsked) {
    for (auto& device : devices)
        for (const Shape& s : kShapes) {
            SCOPED_TRACE(device->report().info.name + " " + s.target);
            const auto immediate = [](const uint32_t(&w)[4]) {
                return fmt::format("UINT32 {{{}, {}, {}, {}}}\n", w[0], w[1], w[2], w[3]);
            };
            const std::string target = s.target == std::string("BUFFER") ? "" : std::string(", ") + s.target;
            const std::string shader = kOne + fmt::format("DCL IMAGE[2], {}, PIPE_FORMAT_R32_UINT, WR\n", s.target) +
                                       "IMM[0] " + immediate(s.place) + "IMM[1] " + immediate(s.outside) +
                                       "IMM[2] UINT32 {0, 16, 32, 77}\n" +
                                       fmt::format(
                                           "LOAD TEMP[0], IMAGE[2], IMM[0]{0}\nLOAD TEMP[1], IMAGE[2], IMM[1]{0}\n"
                                           "RESQ TEMP[2], IMAGE[2]{0}\nSTORE IMAGE[2].x, IMM[0], IMM[2].wwww{0}\n"
                                           "STORE IMAGE[2], IMM[1], IMM[2].wwww{0}\n",
                                           target) +
                                       "STORE BUFFER[0], IMM[2].xxxx, TEMP[0]\nSTORE BUFFER[0], IMM[2].yyyy, TEMP[1]\n"
                                       "STORE BUFFER[0], IMM[2].zzzz, TEMP[2]\nEND\n";
            std::string data;
            std::vector<uint32_t> after;
            for (uint32_t i = 0; i < s.texels; i++) {
                data += fmt::format("{}\"{:#x}\"", i == 0 ? "" : ", ", i + 1);
                after.push_back(i == s.at ? 77 : i + 1);
            }
            const std::string json =
                fmt::format(R"({{"images": {{"IMAGE[2]": {{"target": "{}", "format": "PIPE_FORMAT_R32_UINT", {},
                    "data": [[{}]]}}}}, "buffers": {{"BUFFER[0]": ["0x5","0x5","0x5","0x5","0x5","0x5","0x5","0x5",
                    "0x5","0x5","0x5","0x5"]}}}})",
                            s.target, s.size, data);
            EXPECT_TRUE(api::parse(context, shader, {}));
            const auto r = run_vulkan(*device, context, *read_inputs(json), {});
            ASSERT_TRUE(r) << r.error().message;
            EXPECT_EQ(r->error, "");
            EXPECT_THAT(words(r->buffers.at(0)),
                        ElementsAre(s.at + 1, 0, 0, 1, 0, 0, 0, 0, s.query[0], s.query[1], s.query[2], s.query[3]));
            ASSERT_EQ(r->images.at(2).size(), 1u);
            EXPECT_THAT(words(r->images.at(2)[0]), ElementsAreArray(after));
        }
}

struct Format {
    const char* name;
    std::vector<uint32_t> stored;  ///< four words
    std::vector<uint32_t> loaded;  ///< the result of a load, with defaults for components that the format lacks
};

TEST_F(MemoryImages, FormatsConvertLoadsAndStores) {
    const std::vector<uint32_t> floats = {f(0.25f), f(1.0f), f(-0.5f), f(0.0f)};
    const std::vector<uint32_t> integers = {1, 200, 0xffffffff, 7};
    const Format kFormats[] = {
        {"R32G32B32A32_FLOAT", floats, floats},
        {"R32_FLOAT", floats, {f(0.25f), 0, 0, f(1.0f)}},
        {"R16G16B16A16_FLOAT", floats, floats},
        {"R8G8B8A8_UNORM", {f(0.0f), f(1.0f), f(-0.5f), f(2.0f)}, {f(0.0f), f(1.0f), f(0.0f), f(1.0f)}},
        {"R8G8B8A8_SNORM", {f(0.0f), f(1.0f), f(-1.0f), f(-9.0f)}, {f(0.0f), f(1.0f), f(-1.0f), f(-1.0f)}},
        {"R32G32B32A32_SINT", integers, integers},
        {"R32G32B32A32_UINT", integers, integers},
        {"R32_SINT", integers, {1, 0, 0, 1}},
        {"R16G16_FLOAT", floats, {f(0.25f), f(1.0f), 0, f(1.0f)}},
        {"R8_UINT", {200, 1, 1, 1}, {200, 0, 0, 1}},
    };
    for (const Format& format : kFormats)
        for (const bool named : {true, false}) {
            size_t ran = 0;
            for (auto& device : devices) {
                SCOPED_TRACE(device->report().info.name + " " + format.name + (named ? "" : " not named"));
                const auto text = [&](const std::vector<uint32_t>& w) {
                    return fmt::format("UINT32 {{{}, {}, {}, {}}}\n", w[0], w[1], w[2], w[3]);
                };
                const std::string name = named ? format.name : "NONE";
                const std::string shader = kOne + "DCL IMAGE[0], 2D, PIPE_FORMAT_" + name + ", WR\nIMM[0] " +
                                           text(format.stored) +
                                           R"(IMM[1] UINT32 {0, 1, 0, 0}
STORE IMAGE[0], IMM[1], IMM[0], 2D
MEMBAR IMM[2].xxxx
IMM[2] UINT32 {4, 0, 0, 0}
LOAD TEMP[0], IMAGE[0], IMM[1], 2D
STORE BUFFER[0], IMM[1].xxxx, TEMP[0]
END
)";
                const std::string json = fmt::format(
                    R"({{"images": {{"IMAGE[0]": {{"target": "2D", "format": "PIPE_FORMAT_{}", "width": 2, "height": 2}}}},
                        "buffers": {{"BUFFER[0]": ["0x5","0x5","0x5","0x5"]}}}})",
                    format.name);
                const auto r = run(*device, shader, json);
                if (!r) {
                    EXPECT_EQ(r.error().kind, Trouble::Missing) << r.error().message;
                    continue;
                }
                ran++;
                EXPECT_THAT(words(r->buffers.at(0)), ElementsAreArray(format.loaded));
            }
            EXPECT_GT(ran, 0u) << format.name;
        }
}

TEST_F(MemoryImages, FloatsAreSaturated) {
    const std::string shader = kOne +
                               R"(DCL IMAGE[0], 2D, PIPE_FORMAT_R32G32B32A32_FLOAT, WR
DCL IMAGE[1], 2D, PIPE_FORMAT_R32_FLOAT, WR
IMM[0] FLT32 {2.5, -1, 0.25, -0.0}
IMM[1] UINT32 {0, 16, 4, 0}
STORE IMAGE[0], IMM[1].xxxx, IMM[0], 2D
STORE IMAGE[1], IMM[1].xxxx, IMM[0], 2D
MEMBAR IMM[1].zzzz
LOAD_SAT TEMP[0], IMAGE[0], IMM[1].xxxx, 2D
ATOMXCHG_SAT TEMP[1].x, IMAGE[1], IMM[1].xxxx, IMM[0].zzzz, 2D
STORE BUFFER[0], IMM[1].xxxx, TEMP[0]
STORE BUFFER[0].x, IMM[1].yyyy, TEMP[1]
END
)";
    const std::string json = R"({"images": {"IMAGE[0]": {"target": "2D", "format": "R32G32B32A32_FLOAT", "width": 1,
        "height": 1}, "IMAGE[1]": {"target": "2D", "format": "R32_FLOAT", "width": 1, "height": 1}},
        "buffers": {"BUFFER[0]": ["0x5","0x5","0x5","0x5","0x5"]}})";
    for (auto& device : devices) {
        SCOPED_TRACE(device->report().info.name);
        const auto r = run(*device, shader, json);
        ASSERT_TRUE(r) << r.error().message;
        EXPECT_THAT(words(r->buffers.at(0)), ElementsAre(f(1), 0, f(0.25f), 0, f(1)));
    }
}

TEST_F(MemoryImages, Atomics) {
    struct Row {
        const char* opcode;
        const char* format;
        uint32_t old, data, stored;
    };
    const Row kRows[] = {
        {"ATOMUADD", "R32_UINT", 5, 7, 12},
        {"ATOMIMIN", "R32_SINT", 5, 0xfffffff9, 0xfffffff9},
        {"ATOMUMAX", "R32_UINT", 5, 0xfffffff9, 0xfffffff9},
        {"ATOMXOR", "R32_SINT", 5, 7, 2},
        {"ATOMXCHG", "R32_FLOAT", f(5.0f), f(7.0f), f(7.0f)},
        {"ATOMFADD", "R32_FLOAT", f(5.0f), f(7.0f), f(12.0f)},
        {"ATOMINC_WRAP", "R32_UINT", 5, 5, 0},
        {"ATOMDEC_WRAP", "R32_UINT", 0, 5, 5},
    };
    for (auto& device : devices)
        for (const char* target : {"2D", "BUFFER", "3D"})
            for (const Row& row : kRows) {
                SCOPED_TRACE(device->report().info.name + " " + row.opcode + " " + row.format + " " + target);
                const std::string written = target == std::string("BUFFER") ? "" : std::string(", ") + target;
                const std::string shader =
                    kOne +
                    fmt::format(
                        R"(DCL IMAGE[0], {}, PIPE_FORMAT_{}, WR
IMM[0] UINT32 {{1, 0, 0, 0}}
IMM[1] UINT32 {{{}, 0, 4, 3}}
IMM[2] UINT32 {{9, 0, 0, 0}}
)",
                        target, row.format, row.data) +
                    fmt::format(
                        "{0} TEMP[0].x, IMAGE[0], IMM[0], IMM[1].xxxx{1}\n{0} TEMP[0].y, IMAGE[0], IMM[2], "
                        "IMM[1].xxxx{1}\nLOAD TEMP[0].zw, IMAGE[0].xyxx, IMM[0]{1}\n",
                        row.opcode, written) +
                    "STORE BUFFER[0], IMM[1].yyyy, TEMP[0]\nEND\n";
                const std::string json = fmt::format(
                    R"({{"images": {{"IMAGE[0]": {{"target": "{}", "format": "PIPE_FORMAT_{}", "width": 2,
                        "data": [["0x3", "{:#x}"]]}}}}, "buffers": {{"BUFFER[0]": ["0x5","0x5","0x5","0x5"]}}}})",
                    target, row.format, row.old);
                const auto r = run(*device, shader, json);
                ASSERT_TRUE(r) << r.error().message;
                EXPECT_THAT(words(r->buffers.at(0)), ElementsAre(row.old, 0, row.stored, row.stored));
                EXPECT_THAT(words(r->images.at(0)[0]), ElementsAre(3, row.stored));
            }
}

TEST_F(MemoryImages, ByAnIndexThatLanesDoNotShare) {
    const std::string shader =
        R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 4
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL IMAGE[1..3], 2D, PIPE_FORMAT_R32_UINT, WR
DCL ADDR[0]
DCL TEMP[0]
IMM[0] UINT32 {0, 0, 0, 0}
UARL ADDR[0].x, SV[0].xxxx
LOAD TEMP[0].x, IMAGE[ADDR[0].x+1], IMM[0], 2D
UADD TEMP[0].x, TEMP[0].xxxx, SV[0].xxxx
STORE IMAGE[ADDR[0].x+1], IMM[0], TEMP[0].xxxx, 2D
END
)";
    std::string json;
    for (int i = 1; i < 4; i++)
        json +=
            fmt::format(R"({}"IMAGE[{}]": {{"target": "2D", "format": "PIPE_FORMAT_R32_UINT", "data": [["{:#x}"]]}})",
                        i == 1 ? "" : ", ", i, 10 * i);
    for (auto& device : devices) {
        const auto r = run(*device, shader, "{\"images\": {" + json + "}}");
        ASSERT_TRUE(r) << r.error().message;
        for (uint32_t i = 1; i < 4; i++) EXPECT_THAT(words(r->images.at(i)[0]), ElementsAre(10 * i + i - 1));
    }
}

/// The declaration of a RES, which decides its kind, need not be at the constant part of the index.
TEST_F(MemoryImages, AnIndexMayStartOutsideTheDeclaredRange) {
    const std::string shader = kOne +
                               R"(DCL RES[1..2], 2D, WR
DCL ADDR[0]
IMM[0] UINT32 {0, 1, 2, 3}
IMM[1] FLT32 {5, 6, 7, 8}
UARL ADDR[0].x, IMM[0].yyyy
STORE RES[ADDR[0].x], IMM[0].xxxx, IMM[1]
RESQ TEMP[0], RES[ADDR[0].x]
STORE BUFFER[0], IMM[0].xxxx, TEMP[0]
END
)";
    const std::string image = R"({"target": "2D", "format": "PIPE_FORMAT_R32_FLOAT", "width": 2, "data": [[1, 2]]})";
    const std::string json = R"({"images": {"IMAGE[1]": )" + image + R"(, "IMAGE[2]": )" + image +
                             R"(}, "buffers": {"BUFFER[0]": [9, 9, 9, 9]}})";
    for (auto& device : devices) {
        const auto r = run(*device, shader, json);
        ASSERT_TRUE(r) << r.error().message;
        EXPECT_THAT(words(r->images.at(1)[0]), ElementsAre(f(5), f(2)));
        EXPECT_THAT(words(r->images.at(2)[0]), ElementsAre(f(1), f(2)));
        EXPECT_THAT(words(r->buffers.at(0)), ElementsAre(2, 1, 0, 1));
        const auto judged = reference::run(context.program, context.registers, *read_inputs(json), {});
        EXPECT_THAT(words(judged.images.at(1)[0]), ElementsAre(f(5), f(2)));
        EXPECT_THAT(words(judged.buffers.at(0)), ElementsAre(2, 1, 0, 1));
    }
}

TEST_F(MemoryImages, TexelBuffersBesideImagesByAnIndex) {
    const std::string shader = kOne +
                               R"(DCL IMAGE[0], BUFFER, PIPE_FORMAT_R32_UINT, WR
DCL IMAGE[1..2], 2D, PIPE_FORMAT_R32_UINT, WR
DCL ADDR[0]
IMM[0] UINT32 {0, 1, 0, 0}
UARL ADDR[0].x, IMM[0].yyyy
LOAD TEMP[0].x, IMAGE[ADDR[0].x+1], IMM[0].xxxx, 2D
LOAD TEMP[0].y, IMAGE[0].xxxx, IMM[0].yyyy
LOAD TEMP[0].z, IMAGE[1].xxxx, IMM[0].xxxx, 2D
STORE IMAGE[ADDR[0].x], IMM[0].xxxx, TEMP[0].yyyy, 2D
STORE BUFFER[0], IMM[0].xxxx, TEMP[0]
END
)";
    const std::string json =
        R"({"buffers": {"BUFFER[0]": ["0x0", "0x0", "0x0", "0x0"]}, "images": {
            "IMAGE[0]": {"target": "BUFFER", "format": "PIPE_FORMAT_R32_UINT", "width": 2, "data": [["0x5", "0x6"]]},
            "IMAGE[1]": {"target": "2D", "format": "PIPE_FORMAT_R32_UINT", "data": [["0x7"]]},
            "IMAGE[2]": {"target": "2D", "format": "PIPE_FORMAT_R32_UINT", "data": [["0x8"]]}}})";
    for (auto& device : devices) {
        SCOPED_TRACE(device->report().info.name);
        const auto r = run(*device, shader, json);
        ASSERT_TRUE(r) << r.error().message;
        EXPECT_THAT(words(r->buffers.at(0)), ElementsAre(8, 6, 7, 0));
        EXPECT_THAT(words(r->images.at(1)[0]), ElementsAre(6));
    }
}

TEST_F(MemoryImages, HandlesSelectImagesAndTextures) {
    // CONST[0].xy is a handle of image 1, .zw one of texture 2; the shader makes a handle of image 0 itself.
    const std::string shader = kOne +
                               R"(DCL CONST[0][0]
DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR
IMM[0] UINT32 {0, 0, 0, 0}
IMM[1] UINT32 {16, 32, 77, 0}
LOAD TEMP[0].x, CONST[0][0].xyxy, IMM[0], 2D, PIPE_FORMAT_R32_UINT
TXF TEMP[1], IMM[0], CONST[0][0].zwzw, 2D
IMG2HND TEMP[2].xy, IMAGE[0]
LOAD TEMP[3].x, TEMP[2].xyxy, IMM[0], 2D, PIPE_FORMAT_R32_UINT
STORE CONST[0][0], IMM[0], IMM[1].zzzz, 2D, PIPE_FORMAT_R32_UINT
STORE BUFFER[0], IMM[0].xxxx, TEMP[0]
STORE BUFFER[0], IMM[1].xxxx, TEMP[1]
STORE BUFFER[0], IMM[1].yyyy, TEMP[3]
END
)";
    const std::string json = R"({"constants": {"0": ["0x1", "0x0", "0x2", "0x0"]},
        "images": {"IMAGE[0]": {"target": "2D", "format": "PIPE_FORMAT_R32_UINT", "data": [["0x10"]]},
                   "IMAGE[1]": {"target": "2D", "format": "PIPE_FORMAT_R32_UINT", "data": [["0x11"]]}},
        "textures": {"2": {"target": "2D", "format": "PIPE_FORMAT_R32_FLOAT", "data": [[0.5]]}},
        "buffers": {"BUFFER[0]": ["0x5","0x5","0x5","0x5","0x5","0x5","0x5","0x5","0x5","0x5","0x5","0x5"]}})";
    for (auto& device : devices) {
        const auto r = run(*device, shader, json);
        ASSERT_TRUE(r) << device->report().info.name << ": " << r.error().message;
        EXPECT_THAT(words(r->buffers.at(0)), ElementsAre(0x11, 0, 0, 0, f(0.5f), 0, 0, f(1.0f), 0x10, 0, 0, 0));
        EXPECT_THAT(words(r->images.at(1)[0]), ElementsAre(77));
    }
}

/// Handles select from two descriptors. The handle of the second of the two lanes is beyond them.
TEST_F(MemoryImages, AHandleAfterTheLastDescriptorDoesNothing) {
    const std::string shader =
        R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 2
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL BUFFER[0]
DCL TEMP[0..3]
IMM[0] UINT32 {0, 1, 7, 12}
UADD TEMP[0].x, SV[0].xxxx, IMM[0].yyyy
UMUL TEMP[0].y, SV[0].xxxx, IMM[0].wwww
LOAD TEMP[1].x, TEMP[0].xxxx, IMM[0].xxxx, 2D, PIPE_FORMAT_R32_UINT
ATOMUADD TEMP[1].y, TEMP[0].xxxx, IMM[0].xxxx, IMM[0].zzzz, 2D, PIPE_FORMAT_R32_UINT
RESQ TEMP[2].x, TEMP[0].xxxx, 2D, PIPE_FORMAT_R32_UINT
MOV TEMP[1].z, TEMP[2].xxxx
STORE BUFFER[0].xyz, TEMP[0].yyyy, TEMP[1]
END
)";
    const std::string json = R"({"images": {
        "IMAGE[0]": {"target": "2D", "format": "PIPE_FORMAT_R32_UINT", "data": [["0x10"]]},
        "IMAGE[1]": {"target": "2D", "format": "PIPE_FORMAT_R32_UINT", "data": [["0x11"]]}},
        "buffers": {"BUFFER[0]": ["0x5","0x5","0x5","0x5","0x5","0x5"]}})";
    for (auto& device : devices) {
        const auto r = run(*device, shader, json);
        ASSERT_TRUE(r) << device->report().info.name << ": " << r.error().message;
        EXPECT_THAT(words(r->buffers.at(0)), ElementsAre(0x11, 0x11, 1, 0, 0, 0));
        EXPECT_THAT(words(r->images.at(0)[0]), ElementsAre(0x10));
        EXPECT_THAT(words(r->images.at(1)[0]), ElementsAre(0x18));
    }
}

/// The module uses an integer view of the float format for each image of the array: a float view made lavapipe's
/// compiler abort.
TEST_F(MemoryImages, AtomicsBehindAnIndexSeeFloatsAsWords) {
    for (auto& device : devices)
        for (const char* target : {"2D", "BUFFER"}) {
            SCOPED_TRACE(device->report().info.name + " " + target);
            const std::string written = target == std::string("BUFFER") ? "" : std::string(", ") + target;
            const std::string shader = kOne + fmt::format(
                                                  R"(DCL IMAGE[0..1], {0}, PIPE_FORMAT_R32_FLOAT, WR
DCL CONST[0]
DCL ADDR[0]
IMM[0] UINT32 {{0, 7, 0, 0}}
UARL ADDR[0].x, CONST[0].xxxx
ATOMAND TEMP[0].x, IMAGE[ADDR[0].x], IMM[0].xxxx, IMM[0].yyyy{1}
STORE BUFFER[0].x, IMM[0].xxxx, TEMP[0]
END
)",
                                                  target, written);
            const std::string json = fmt::format(
                R"({{"constants": {{"0": ["0x1", "0x0", "0x0", "0x0"]}}, "buffers": {{"BUFFER[0]": ["0x5"]}},
                    "images": {{"IMAGE[0]": {{"target": "{0}", "format": "PIPE_FORMAT_R32_FLOAT", "data": [["0xff"]]}},
                               "IMAGE[1]": {{"target": "{0}", "format": "PIPE_FORMAT_R32_FLOAT", "data": [["0xfe"]]}}}}}})",
                target);
            const auto r = run(*device, shader, json);
            ASSERT_TRUE(r) << r.error().message;
            EXPECT_THAT(words(r->buffers.at(0)), ElementsAre(0xfe));
            EXPECT_THAT(words(r->images.at(0)[0]), ElementsAre(0xff));
            EXPECT_THAT(words(r->images.at(1)[0]), ElementsAre(6));
        }
}

TEST_F(MemoryImages, ASwizzleOnAHandleDoesNotPermuteTexels) {
    const std::string shader = kOne +
                               R"(DCL CONST[0][0]
DCL IMAGE[0], 2D, PIPE_FORMAT_R32G32B32A32_UINT
IMM[0] UINT32 {0, 16, 0, 0}
LOAD TEMP[0], CONST[0][0].xyxy, IMM[0].xxxx, 2D, PIPE_FORMAT_R32G32B32A32_UINT
LOAD TEMP[1], IMAGE[0].wzyx, IMM[0].xxxx, 2D, PIPE_FORMAT_R32G32B32A32_UINT
STORE BUFFER[0], IMM[0].xxxx, TEMP[0]
STORE BUFFER[0], IMM[0].yyyy, TEMP[1]
END
)";
    const std::string json = R"({"constants": {"0": ["0x0", "0x0"]},
        "images": {"IMAGE[0]": {"target": "2D", "format": "PIPE_FORMAT_R32G32B32A32_UINT",
                                "data": [["0x5", "0x6", "0x7", "0x8"]]}},
        "buffers": {"BUFFER[0]": ["0x0","0x0","0x0","0x0","0x0","0x0","0x0","0x0"]}})";
    for (auto& device : devices) {
        const auto r = run(*device, shader, json);
        ASSERT_TRUE(r) << device->report().info.name << ": " << r.error().message;
        EXPECT_THAT(words(r->buffers.at(0)), ElementsAre(5, 6, 7, 8, 8, 7, 6, 5));
    }
}

TEST_F(MemoryImages, TheFramebufferIsFetched) {
    const std::string shader =
        R"(FRAG
DCL OUT[0], COLOR
DCL OUT[1], COLOR[2]
DCL TEMP[0]
FBFETCH TEMP[0], OUT[1]
MOV OUT[0], TEMP[0].yxzw
MOV OUT[1], TEMP[0]
END
)";
    const std::string json = R"({"lanes": 4, "framebuffer": {"width": 2, "height": 2,
        "COLOR[2]": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]}})";
    for (auto& device : devices) {
        const auto r = run(*device, shader, json);
        ASSERT_TRUE(r) << device->report().info.name << ": " << r.error().message;
        EXPECT_THAT(column(*r, 0, 0), ElementsAre(f(2), f(6), f(10), f(14)));
        EXPECT_THAT(column(*r, 1, 3), ElementsAre(f(4), f(8), f(12), f(16)));
    }
}

TEST_F(MemoryImages, RawRows) {
    // Two rows of four words; x is the byte within the row, y the row. A byte past the end of the row is out of bounds.
    const std::string shader = kOne +
                               R"(DCL RES[0], 2D, WR, RAW
IMM[0] UINT32 {5, 1, 0, 16}
IMM[1] UINT32 {8, 0, 3, 0}
IMM[2] UINT32 {100, 200, 300, 400}
LOAD TEMP[0], RES[0], IMM[0]
LOAD TEMP[1], RES[0].wzyx, IMM[1]
STORE RES[0].yw, IMM[1], IMM[2]
ATOMUADD TEMP[2].x, RES[0], IMM[0], IMM[2].xxxx
LOAD TEMP[2].y, RES[0].xxxx, IMM[0].zyyy
LOAD TEMP[2].z, RES[0].xxxx, IMM[0].wyyy
STORE BUFFER[0], IMM[0].zzzz, TEMP[0]
STORE BUFFER[0], IMM[0].wwww, TEMP[1]
IMM[3] UINT32 {32, 0, 0, 0}
STORE BUFFER[0], IMM[3].xxxx, TEMP[2]
END
)";
    std::string json = R"({"images": {"IMAGE[0]": {"target": "2D", "format": "PIPE_FORMAT_R32_UINT", "width": 4,
        "height": 2, "data": [["0x1", "0x2", "0x3", "0x4", "0x5", "0x6", "0x7", "0x8"]]}}, "buffers": {"BUFFER[0]": [)";
    for (int i = 0; i < 12; i++) json += i == 0 ? "\"0x9\"" : ", \"0x9\"";
    json += "]}}";
    for (auto& device : devices) {
        SCOPED_TRACE(device->report().info.name);
        const auto r = run(*device, shader, json);
        ASSERT_TRUE(r) << r.error().message;
        EXPECT_THAT(words(r->buffers.at(0)), ElementsAre(6, 7, 8, 0, 0, 0, 4, 3, 6, 5, 0, 0));
        EXPECT_THAT(words(r->images.at(0)[0]), ElementsAre(1, 2, 3, 200, 5, 106, 7, 8));
    }
}

}  // namespace
}  // namespace tgsi2spv::difftest
