// Images: coordinates of each target, conversion to formats, out-of-range accesses, atomics, sizes (semantics: Memory).
#include <gmock/gmock.h>

#include "reference/bench.h"
#include "tgsi/formats.h"

namespace tgsi2spv::reference {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr uint32_t kFree = 0xfee1fee1;
std::vector<uint32_t> known(const std::vector<Component>& words) {
    std::vector<uint32_t> all;
    for (const Component& c : words) all.push_back(is_exact(c) ? c.words[0] : kFree);
    return all;
}

Texture image(tgsi::Target target, std::string_view format, std::vector<uint32_t> data, uint32_t width,
              uint32_t height = 1, uint32_t depth = 1, uint32_t layers = 1, uint32_t samples = 1) {
    Texture t;
    t.target = target;
    t.format = *tgsi::format_from_name(format);
    t.width = width;
    t.height = height;
    t.depth = depth;
    t.layers = layers;
    t.samples = samples;
    t.data = {std::move(data)};
    return t;
}

/// Runs one invocation; BUFFER[0] has `words` words.
Result run_one(const std::string& body, const Texture& t, size_t words = 8) {
    Inputs in;
    in.images[0] = t;
    in.buffers[0] = std::vector<uint32_t>(words, 9);
    return run(
        R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 1
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR
DCL BUFFER[0]
DCL TEMP[0..3]
IMM[0] UINT32 {0, 1, 2, 3}
IMM[1] UINT32 {16, 4, 5, 32}
)" + body + "END\n",
        in);
}

struct Addressed {
    tgsi::Target target;
    const char* name;
    uint32_t width, height, depth, layers, samples;
    const char* address;  ///< coordinates in terms of IMM[0] = 0 1 2 3
    uint32_t index;
};

TEST(Images, CoordinatesByTarget) {
    using tgsi::Target;
    const Addressed places[] = {
        {Target::Buffer, "BUFFER", 8, 1, 1, 1, 1, "wwww", 3},
        {Target::T1D, "1D", 8, 1, 1, 1, 1, "zwww", 2},
        {Target::T2D, "2D", 4, 3, 1, 1, 1, "wzyy", 11},
        {Target::Rect, "RECT", 4, 3, 1, 1, 1, "yzyy", 9},
        {Target::T3D, "3D", 2, 2, 3, 1, 1, "yxzy", 9},
        {Target::T1DArray, "1D_ARRAY", 4, 1, 1, 3, 1, "zyww", 6},
        {Target::T2DArray, "2D_ARRAY", 2, 2, 1, 3, 1, "yxzy", 9},
        {Target::Cube, "CUBE", 2, 2, 1, 6, 1, "xywx", 14},
        {Target::CubeArray, "CUBEARRAY", 2, 2, 1, 12, 1, "yywx", 15},
        {Target::T2DMS, "2D_MSAA", 2, 2, 1, 1, 4, "yxww", 7},
        {Target::T2DArrayMS, "2D_ARRAY_MSAA", 2, 2, 1, 2, 4, "xyyz", 26},
    };
    for (const Addressed& p : places) {
        std::vector<uint32_t> data(p.width * p.height * p.depth * p.layers * p.samples);
        for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<uint32_t>(100 + i);
        const Result r = run_one("LOAD TEMP[0], IMAGE[0], IMM[0]." + std::string(p.address) + ", " + p.name +
                                     "\nSTORE BUFFER[0], IMM[0].xxxx, TEMP[0]\nSTORE IMAGE[0], IMM[0]." + p.address +
                                     ", IMM[1].yyyy, " + p.name + "\n",
                                 image(p.target, "R32_UINT", data, p.width, p.height, p.depth, p.layers, p.samples));
        EXPECT_THAT(known(r.buffers.at(0)), ElementsAre(100 + p.index, 0, 0, 1, 9, 9, 9, 9)) << p.name;
        data[p.index] = 4;
        EXPECT_EQ(known(r.images.at(0)[0]), data) << p.name;
    }
}

TEST(Images, OutOfRangeReadsZeroAndWritesNothing) {
    const Result r = run_one(
        "LOAD TEMP[0], IMAGE[0], IMM[0].zxxx, 2D\nSTORE BUFFER[0], IMM[0].xxxx, TEMP[0]\n"
        "STORE IMAGE[0], IMM[0].xzxx, IMM[0].wwww, 2D\nATOMUADD TEMP[1].x, IMAGE[0], IMM[0].zzzz, IMM[0].wwww, 2D\n"
        "STORE BUFFER[0].x, IMM[1].xxxx, TEMP[1]\n",
        image(tgsi::Target::T2D, "R32_UINT", {1, 2, 3, 4}, 2, 2));
    EXPECT_THAT(known(r.images.at(0)[0]), ElementsAre(1, 2, 3, 4));
    const auto& words = r.buffers.at(0);
    EXPECT_THAT(known({words.begin(), words.begin() + 3}), Each(0));
    EXPECT_TRUE(permits(words[3], 0));
    EXPECT_TRUE(permits(words[3], 1));
    EXPECT_FALSE(permits(words[3], 2));
    EXPECT_THAT(known({words.begin() + 4, words.end()}), ElementsAre(0, 9, 9, 9));
}

TEST(Images, AHandleIsANumberAndItsSwizzleDoesNotPermuteTexels) {
    const Result r = run_one(
        "MOV TEMP[1], IMM[0].xxxx\nLOAD TEMP[0], TEMP[1].xyxy, IMM[0].xxxx, 2D, PIPE_FORMAT_R32G32B32A32_UINT\n"
        "STORE BUFFER[0], IMM[0].xxxx, TEMP[0]\n",
        image(tgsi::Target::T2D, "R32G32B32A32_UINT", {5, 6, 7, 8}, 1), 4);
    EXPECT_THAT(known(r.buffers.at(0)), ElementsAre(5, 6, 7, 8));
    EXPECT_THAT(known(r.images.at(0)[0]), ElementsAre(5, 6, 7, 8));
}

TEST(Images, AHandleWithoutTargetIsOfABuffer) {
    const Result r =
        run_one("MOV TEMP[1], IMM[0].xxxx\nRESQ TEMP[0].x, TEMP[1].xyxy\nSTORE BUFFER[0].x, IMM[0].xxxx, TEMP[0]\n",
                image(tgsi::Target::Buffer, "R32_UINT", {5, 6, 7}, 3), 1);
    EXPECT_THAT(known(r.buffers.at(0)), ElementsAre(3));
}

/// Images 0 and 2 are there. A descriptor without an image guarantees nothing; beyond the last one, nothing happens.
TEST(Images, HandlesWithoutAnImageAreUnknownUpToTheLastDescriptor) {
    Inputs in;
    in.images[0] = in.images[2] = image(tgsi::Target::T2D, "R32_UINT", {5}, 1);
    in.buffers[0] = std::vector<uint32_t>(6, 9);
    const auto with_handle = [&](const char* number) {
        return run(
            R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 1
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL BUFFER[0]
DCL TEMP[0..3]
IMM[0] UINT32 {0, 1, 2, 3}
IMM[1] UINT32 {16, 4, 5, 20}
MOV TEMP[1], IMM[0].)" +
                std::string(number) +
                "\nLOAD TEMP[0], TEMP[1], IMM[0].xxxx, 2D, PIPE_FORMAT_R32_UINT\nSTORE BUFFER[0], IMM[0].xxxx, "
                "TEMP[0]\n"
                "STORE TEMP[1], IMM[0].xxxx, IMM[1].yyyy, 2D, PIPE_FORMAT_R32_UINT\n"
                "ATOMUADD TEMP[2].x, TEMP[1], IMM[0].xxxx, IMM[0].wwww, 2D, PIPE_FORMAT_R32_UINT\n"
                "STORE BUFFER[0].x, IMM[1].xxxx, TEMP[2]\nRESQ TEMP[3].x, TEMP[1], 2D, PIPE_FORMAT_R32_UINT\n"
                "STORE BUFFER[0].x, IMM[1].wwww, TEMP[3]\nEND\n",
            in);
    };
    const Result missing = with_handle("yyyy");
    EXPECT_THAT(known(missing.buffers.at(0)), Each(kFree));
    EXPECT_THAT(known(missing.images.at(0)[0]), ElementsAre(kFree));
    const Result beyond = with_handle("wwww");
    EXPECT_THAT(known(beyond.buffers.at(0)), Each(0));
    for (const uint32_t i : {0u, 2u}) EXPECT_THAT(known(beyond.images.at(i)[0]), ElementsAre(5));
}

TEST(Images, AnIndexBeyondTheDeclaredResourcesReadsZero) {
    Inputs in;
    in.images[0] = image(tgsi::Target::T2D, "R32_UINT", {5}, 1);
    in.images[1] = in.images[2] = in.images[0];
    in.buffers[3] = std::vector<uint32_t>(8, 9);
    const auto loaded = [&](const char* index) {
        return run(R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 1
DCL RES[0..1], 2D, WR
DCL RES[2], BUFFER, RAW, WR
DCL BUFFER[3]
DCL TEMP[0]
IMM[0] UINT32 {0, 1, 2, 4}
LOAD TEMP[0], RES[IMM[0].)" +
                       std::string(index) + "], IMM[0].xxxx\nSTORE BUFFER[3].x, IMM[0].xxxx, TEMP[0]\nEND\n",
                   in)
            .buffers.at(3)[0];
    };
    EXPECT_EQ(known({loaded("x"), loaded("y")}), (std::vector<uint32_t>{5, 5}));
    EXPECT_TRUE(is_unknown(loaded("z")));  // declared with another format
    EXPECT_THAT(known({loaded("w")}), ElementsAre(0));
}

TEST(Images, StoresConvert) {
    const auto f = [](float x) { return as_word(x); };
    // A store writes all components of the format, with any mask.
    const auto stored_as = [&](std::string_view format, std::array<float, 4> data, size_t components) {
        std::string imm = "IMM[2] FLT32 {";
        for (size_t c = 0; c < 4; ++c) imm += std::to_string(data[c]) + (c < 3 ? ", " : "}\n");
        return run_one(imm + "STORE IMAGE[0].x, IMM[0].xxxx, IMM[2], 2D, PIPE_FORMAT_" + std::string(format) + "\n",
                       image(tgsi::Target::T2D, format, std::vector<uint32_t>(components), 1))
            .images.at(0)[0];
    };
    const auto unorm = stored_as("R8G8B8A8_UNORM", {1.5f, -1, 0.2f, 0.5f}, 4);
    EXPECT_TRUE(is_exact(unorm[0]));
    EXPECT_EQ(unorm[0].value, kOne);
    EXPECT_EQ(unorm[1].value, 0u);
    EXPECT_NEAR(as_float(unorm[2].value), 51.0f / 255, 1e-7f);
    // Halfway between two codes, either is permitted.
    EXPECT_TRUE(permits(unorm[3], f(127.0f / 255)));
    EXPECT_TRUE(permits(unorm[3], f(128.0f / 255)));
    EXPECT_FALSE(permits(unorm[3], f(126.0f / 255)));
    EXPECT_FALSE(permits(unorm[3], f(129.0f / 255)));
    const auto snorm = stored_as("R8G8B8A8_SNORM", {-2, 1, 0, -1}, 4);
    EXPECT_THAT(known(snorm), ElementsAre(f(-1), f(1), 0, f(-1)));
    // No code of a normalised format represents -0.
    EXPECT_THAT(known(stored_as("R8G8B8A8_UNORM", {-0.0f, -0.25f, 0, 1}, 4)), ElementsAre(0, 0, 0, f(1)));
    const auto small = stored_as("R8G8B8A8_SNORM", {-0.0f, -0.001f, -0.002f, -0.0079f}, 4);
    EXPECT_THAT(known({small[0]}), ElementsAre(0));
    for (size_t c : {1, 2}) EXPECT_TRUE(permits(small[c], 0) && permits(small[c], f(-1.0f / 127)));
    EXPECT_FALSE(permits(small[3], 0));
    const auto half = stored_as("R16G16B16A16_FLOAT", {1.5f, -2, 65504, 0.25f}, 4);
    EXPECT_THAT(known(half), ElementsAre(f(1.5f), f(-2), f(65504), f(0.25f)));
    const auto full = stored_as("R32G32_FLOAT", {1.1f, -2, 3, 4}, 2);
    EXPECT_EQ(full.size(), 2u);
    EXPECT_EQ(full[1].value, f(-2));
}

TEST(Images, SmallIntegersThatDoNotFitAreUndefined) {
    const auto one = [](uint32_t w) {
        return run_one("IMM[2] UINT32 {" + std::to_string(w) +
                           ", 0, 0, 0}\nSTORE IMAGE[0], IMM[0].xxxx, IMM[2], 2D, PIPE_FORMAT_R8_UINT\n",
                       image(tgsi::Target::T2D, "R8_UINT", {7}, 1))
            .images.at(0)[0][0];
    };
    EXPECT_EQ(known({one(255)}), std::vector<uint32_t>{255});
    EXPECT_TRUE(is_unknown(one(256)));
}

TEST(Images, AtomicsOfTexels) {
    const Result r = run_one(
        "ATOMUMAX TEMP[0].x, IMAGE[0], IMM[0].yyyy, IMM[1].xxxx, 2D\n"
        "ATOMCAS TEMP[0].y, IMAGE[0], IMM[0].yxxx, IMM[0].zzzz, IMM[0].wwww, 2D\n"
        "STORE BUFFER[0].xy, IMM[0].xxxx, TEMP[0]\n",
        image(tgsi::Target::T2D, "R32_UINT", {1, 2, 3, 4}, 2, 2));
    EXPECT_THAT(known(r.images.at(0)[0]), ElementsAre(1, 3, 3, 16));
    EXPECT_THAT(known(r.buffers.at(0)), ElementsAre(4, 2, 9, 9, 9, 9, 9, 9));
    const Result add = run_one(
        R"(IMM[2] FLT32 {1.5, 2, 0, 0}
ATOMFADD TEMP[0].x, IMAGE[0], IMM[0].xxxx, IMM[2].xxxx, 2D, PIPE_FORMAT_R32_FLOAT
ATOMXCHG TEMP[1].x, IMAGE[0], IMM[0].yxxx, IMM[2].yyyy, 2D, PIPE_FORMAT_R32_FLOAT
STORE BUFFER[0].x, IMM[0].xxxx, TEMP[1]
)",
        image(tgsi::Target::T2D, "R32_FLOAT", {kOne, kOne}, 2));
    EXPECT_THAT(known(add.images.at(0)[0]), ElementsAre(as_word(2.5f), as_word(2.0f)));
    EXPECT_EQ(add.buffers.at(0)[0].value, kOne);
}

TEST(Images, Sizes) {
    const auto size = [](const Texture& t, const std::string& target) {
        const Result r =
            run_one("RESQ TEMP[0], IMAGE[0], " + target + "\nSTORE BUFFER[0], IMM[0].xxxx, TEMP[0]\n", t, 4);
        return known(r.buffers.at(0));
    };
    using tgsi::Target;
    EXPECT_THAT(size(image(Target::T2D, "R32_UINT", {}, 4, 3), "2D"), ElementsAre(4, 3, 0, 1));
    EXPECT_THAT(size(image(Target::T3D, "R32_UINT", {}, 4, 3, 2), "3D"), ElementsAre(4, 3, 2, 1));
    EXPECT_THAT(size(image(Target::T1DArray, "R32_UINT", {}, 4, 1, 1, 5), "1D_ARRAY"), ElementsAre(4, 5, 0, 1));
    EXPECT_THAT(size(image(Target::T2DArray, "R32_UINT", {}, 4, 3, 1, 5), "2D_ARRAY"), ElementsAre(4, 3, 5, 1));
    EXPECT_THAT(size(image(Target::Cube, "R32_UINT", {}, 4, 4, 1, 6), "CUBE"), ElementsAre(4, 4, 0, 1));
    EXPECT_THAT(size(image(Target::CubeArray, "R32_UINT", {}, 4, 4, 1, 12), "CUBEARRAY"), ElementsAre(4, 4, 2, 1));
    EXPECT_THAT(size(image(Target::T2DMS, "R32_UINT", {}, 4, 3, 1, 1, 4), "2D_MSAA"), ElementsAre(4, 3, 0, 4));
    EXPECT_THAT(size(image(Target::Buffer, "R32_UINT", {}, 7), "BUFFER"), ElementsAre(7, 0, 0, 1));
}

TEST(Images, ResourcesOfTheMiddleEdition) {
    Inputs in;
    in.images[0] = image(tgsi::Target::T2D, "R32_UINT", {1, 2, 3, 4}, 2, 2);
    in.images[1] = image(tgsi::Target::T2D, "R32_UINT", {1, 2, 3, 4}, 2, 2);
    in.buffers[2] = {0, 0, 0, 0, 0, 0, 0, 0};
    const Result r = run(R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 1
DCL RES[0], 2D, WR
DCL RES[1], 2D, RAW, WR
DCL BUFFER[2]
DCL TEMP[0..1]
IMM[0] UINT32 {0, 1, 4, 16}
LOAD TEMP[0], RES[0], IMM[0].xyxx
STORE BUFFER[2], IMM[0].xxxx, TEMP[0]
LOAD TEMP[1], RES[1], IMM[0].zyxx
STORE BUFFER[2], IMM[0].wwww, TEMP[1]
STORE RES[1].x, IMM[0].zxxx, IMM[0].wwww
END
)",
                         in);
    // Raw access: x is a byte offset in row y, and words past the end of the row are out of range.
    EXPECT_THAT(known(r.buffers.at(2)), ElementsAre(3, 0, 0, 1, 4, 0, 0, 0));
    EXPECT_THAT(known(r.images.at(1)[0]), ElementsAre(1, 16, 3, 4));
}

TEST(Images, RawWordsOfNarrowComponentsAreUnknown) {
    for (const bool narrow : {false, true}) {
        Inputs in;
        in.images[0] = image(tgsi::Target::T2D, narrow ? "R8G8B8A8_UINT" : "R32G32B32A32_UINT", {1, 2, 3, 4}, 1, 1);
        in.buffers[1] = {0, 0, 0, 0};
        const Result r = run(R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 1
DCL RES[0], 2D, RAW
DCL BUFFER[1]
DCL TEMP[0]
IMM[0] UINT32 {0, 1, 4, 16}
LOAD TEMP[0], RES[0], IMM[0].xxxx
STORE BUFFER[1], IMM[0].xxxx, TEMP[0]
END
)",
                             in);
        EXPECT_EQ(is_unknown(r.buffers.at(1)[0]), narrow);
    }
}

}  // namespace
}  // namespace tgsi2spv::reference
