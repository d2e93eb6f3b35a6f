// Blits that Vulkan's own leave wrong.
#include "drawing.h"

#include <numeric>

namespace tgsi2spv::host {
namespace {

constexpr uint32_t kZ24S8 = 19, kZ32S8 = 126;
constexpr uint32_t kHalf = 0x3fe0'0000, kQuarter = 0x3fd0'0000;  // the high words of doubles

/// Of 16 x 16 texels: x, y, width, height.
constexpr Box part(uint32_t x, uint32_t y, uint32_t width, uint32_t height) {
    return {x, y, 0, width, height, 1};
}

class Blits : public Draws {
  protected:
    static Buffer clear_both(uint32_t target, uint32_t format, uint32_t depth, uint32_t stencil) {
        const uint32_t surface = 100 + target;
        return object(O::Surface, {surface, target, format, 0, 0}) + command(Id::SetFramebufferState, {0, surface}) +
               command(Id::Clear, {kClearDepth | kClearStencil, 0, 0, 0, 0, 0, depth, stencil});
    }
    std::pair<float, uint32_t> first_texel(uint32_t handle, uint32_t format) {
        const auto read =
            format == kZ32S8 ? texels<std::array<uint32_t, 2>>(handle)[0] : std::array{pixels(handle)[0], 0U};
        if (format == kZ32S8) return {std::bit_cast<float>(read[0]), read[1] & 0xff};
        return {static_cast<float>(read[0] & 0xff'ffff) / 0xff'ffff, read[0] >> 24};
    }
};

class StencilBlits : public Blits, public testing::WithParamInterface<Names> {
  protected:
    void start() override {
        options_.without = GetParam();
        Blits::start();
    }
};

/// Without the extension, stencils are drawn bit by bit.
INSTANTIATE_TEST_SUITE_P(Devices, StencilBlits, testing::Values(Names{}, Names{"VK_EXT_shader_stencil_export"}),
                         [](const auto& row) { return row.param.empty() ? "Whole" : "WithoutStencilExport"; });

/// Whole, a part, scaled and upside down.
TEST_P(StencilBlits, OfDepthOrStencilSpareTheOther) {
    constexpr Box kPart = part(0, 0, 4, 4), kFlipped = part(0, 16, 16, 0u - 16);
    for (const uint32_t format : {kZ24S8, kZ32S8}) {
        const uint32_t src = 2 * format, dst = src + 1;
        make_texture(src, format, kBindDepthStencil);
        make_texture(dst, format, kBindDepthStencil);
        for (const auto& [from, to] : {std::pair{kWhole, kWhole}, {kPart, kPart}, {kPart, kWhole}, {kFlipped, kWhole}})
            for (const uint32_t mask : {kBlitDepth, kBlitStencil, kBlitDepth | kBlitStencil}) {
                SCOPED_TRACE(testing::Message() << format << ", " << mask << ", " << from.width << ", " << to.width);
                run(clear_both(src, format, kHalf, 1) + clear_both(dst, format, kQuarter, 0xfe) +
                    blit(mask, {dst, format, to}, {src, format, from}));
                const auto [depth, stencil] = first_texel(dst, format);
                EXPECT_NEAR(depth, (mask & kBlitDepth) != 0 ? 0.5F : 0.25F, 1e-6F);
                EXPECT_EQ(stencil, (mask & kBlitStencil) != 0 ? 1u : 0xfeu);
            }
    }
}

/// A multisampled stencil keeps its samples, gives the first one to a target without, and is cleared as a texture.
TEST_P(StencilBlits, OfSamples) {
    constexpr uint32_t kMany = 10, kOthers = 11, kOne = 12, kClearedWord = 0x3cff'ffff;
    for (const uint32_t handle : {kMany, kOthers}) make_texture(handle, kZ24S8, kBindDepthStencil, 4);
    make_texture(kOne, kZ24S8, kBindDepthStencil);
    run(clear_both(kMany, kZ24S8, kHalf, 0xa5) + clear_both(kOthers, kZ24S8, kQuarter, 0x5a) +
        clear_both(kOne, kZ24S8, kQuarter, 0xff) + blit(kBlitStencil, {kOthers, kZ24S8}, {kMany, kZ24S8}) +
        blit(kBlitDepth | kBlitStencil, {kOne, kZ24S8}, {kOthers, kZ24S8}));
    const auto [depth, stencil] = first_texel(kOne, kZ24S8);
    EXPECT_NEAR(depth, 0.25F, 1e-6F);
    EXPECT_EQ(stencil, 0xa5U);
    run(command(Id::ClearTexture, {kMany, 0, 0, 0, 0, kSize, kSize, 1, kClearedWord, 0, 0, 0}) +
        blit(kBlitDepth | kBlitStencil, {kOne, kZ24S8}, {kMany, kZ24S8}));
    EXPECT_EQ(pixels(kOne)[0], kClearedWord);
}

TEST_P(StencilBlits, EndAtTheScissor) {
    constexpr uint32_t kFrom = 10, kTo = 11, kScissor = 1u << 10;
    for (const uint32_t handle : {kFrom, kTo}) make_texture(handle, kZ24S8, kBindDepthStencil);
    run(clear_both(kFrom, kZ24S8, kHalf, 0xc3) + clear_both(kTo, kZ24S8, kHalf, 0x3c) +
        blit(kBlitStencil | kScissor, {kTo, kZ24S8}, {kFrom, kZ24S8}, 8 | 16 << 16));
    const auto read = pixels(kTo);
    EXPECT_EQ(read[7] >> 24, 0xc3U);
    EXPECT_EQ(read[8] >> 24, 0x3cU);
}

/// Mipmaps of 1D textures, and their copies to planes and back.
TEST_F(Blits, OfLinesOfDepth) {
    constexpr uint32_t kLine = 10, kMip = 11, kPlane = 12, kTex1d = 1, kLinear = 1u << 8;
    constexpr Box kFour = part(0, 0, 4, 1), kTwo = part(0, 0, 2, 1);
    create({kLine, kTex1d, kZ24S8, kBindDepthStencil, 4, 1, 1, 1, 0, 0});
    create({kMip, kTex1d, kZ24S8, kBindDepthStencil, 2, 1, 1, 1, 0, 0});
    make_texture(kPlane, kZ24S8, kBindDepthStencil);
    constexpr uint32_t kFar = 0x01ff'ffff, kNear = 0x0200'0000;
    write(kLine, kFour, std::array{kFar, kFar, kNear, kNear});
    run(blit(kBlitDepth | kBlitStencil | kLinear, {kMip, kZ24S8, kTwo}, {kLine, kZ24S8, kFour}));
    EXPECT_THAT(texels(kMip, kTwo), testing::ElementsAre(kFar, kNear));
    run(command(Id::ResourceCopyRegion, {kPlane, 0, 0, 1, 0, kLine, 0, 0, 0, 0, 4, 1, 1}));
    EXPECT_THAT(texels(kPlane, part(0, 1, 4, 1)), testing::ElementsAre(kFar, kFar, kNear, kNear));
    run(command(Id::ResourceCopyRegion, {kLine, 0, 0, 0, 0, kPlane, 0, 2, 1, 0, 2, 1, 1}));
    EXPECT_THAT(texels(kLine, kFour), testing::ElementsAre(kNear, kNear, kNear, kNear));
}

/// glCopyImageSubData: Mesa blits between formats of RGBA8 and BGRA8, of which the texels have the words.
TEST_F(Blits, BetweenViewsMoveWords) {
    constexpr uint32_t kFrom = 10, kShared = 11, kRgba = 67, kRgb9e5 = 125;
    constexpr Box kPair = part(2, 3, 2, 1);
    make_texture(kFrom, kBgra);
    make_texture(kShared, kRgb9e5, kBindSamplerView);
    write(kShared, kPair, std::array{0x0123'4567U, 0x89ab'cdefU});
    write(kFrom, part(0, 0, 2, 1), std::array{0x1122'3344U, 0xffee'ddccU});
    run(blit(kBlitColor, {kShared, kRgba, kPair}, {kFrom, kRgba, part(0, 0, 2, 1)}));
    EXPECT_THAT(texels(kShared, kPair), testing::ElementsAre(0x1122'3344U, 0xffee'ddccU));
    run(blit(kBlitColor, {kShared, kRgba, part(3, 3, 1, 1)}, {kFrom, kBgra, part(0, 0, 1, 1)}));
    EXPECT_THAT(texels(kShared, kPair), testing::ElementsAre(0x1122'3344U, 0x1144'3322U))
        << "red and blue change places";
}

/// glCopyTexImage of OpenGL, not of OpenGL ES: as llvmpipe, which draws them so.
TEST_F(Blits, BetweenSignedAndUnsignedAreClamped) {
    constexpr uint32_t kSigned = 10, kUnsigned = 12, kR32Uint = 193, kR32Sint = 197;
    constexpr uint32_t kTex2d = 2, kTex3d = 3, kMinus1 = 0U - 1, kMost = 0x7fffffff;
    constexpr Box kPair = part(0, 0, 2, 1);
    for (const uint32_t target : {kTex2d, kTex3d}) {
        const uint32_t to = kSigned + target, from = kUnsigned + target;
        create({to, target, kR32Sint, kBindRenderTarget | kBindSamplerView, 2, 1, 1, 1, 0, 0});
        create({from, target, kR32Uint, kBindRenderTarget | kBindSamplerView, 2, 1, 1, 1, 0, 0});
        write(from, kPair, std::array{7U, kMinus1});
        run(blit(kBlitColor, {to, kR32Sint, kPair}, {from, kR32Uint, kPair}));
        EXPECT_THAT(texels(to, kPair), testing::ElementsAre(7U, kMost));
        write(to, kPair, std::array{kMinus1, 9U});
        run(blit(kBlitColor, {from, kR32Uint, kPair}, {to, kR32Sint, kPair}));
        EXPECT_THAT(texels(from, kPair), testing::ElementsAre(0U, 9U));
        refuse(blit(kBlitColor, {to, kR32Sint, kPair}, {kTarget, kBgra, kPair}));
        restart_without({});
    }
}

struct OutsideCase {
    Box from, to;
    uint32_t first, end;  ///< columns and rows that are drawn
};

/// OpenGL does not define a blit at the borders of the source; WebGL 2 says that pixels whose centres are at a point
/// outside it stay as they are.
TEST_F(Blits, FromOutsideTheSourceGoByCentres) {
    constexpr uint32_t kCopy = 10, kLinear = 1u << 8;
    make_texture(kCopy, kBgra);
    for (const uint32_t filter : {0u, kLinear})
        for (const OutsideCase& c : {OutsideCase{part(0u - 2, 0u - 2, 6, 6), part(2, 2, 8, 8), 5, 10},  // 4 shows -1/8
                                     {part(0u - 4, 0u - 4, 12, 12), part(2, 2, 6, 6), 4, 8},
                                     {part(8, 8, 12, 12), part(0, 0, 12, 12), 0, 8},
                                     {part(20, 20, 0u - 12, 0u - 12), part(0, 0, 12, 12), 4, 12},
                                     {part(0, 0, 12, 12), part(10, 10, 10, 10), 10, 16}}) {
            SCOPED_TRACE(testing::Message() << filter << ", " << c.from.x << ", " << c.to.x);
            const Buffer clears = framebuffer(20, kCopy, kBgra) + clear(0, 0, 0, 0);
            run(clears + scene() + blit(kBlitColor | filter, {kCopy, kBgra, c.to}, {kTarget, kBgra, c.from}));
            const auto copied = pixels(kCopy);
            for (uint32_t at = 0; at < copied.size(); at++) {
                const auto drawn = [&](uint32_t place) { return place >= c.first && place < c.end; };
                const uint32_t color = drawn(at % kSize) && drawn(at / kSize) ? 0xff00ff00 : 0;
                ASSERT_EQ(copied[at], color) << at % kSize << ", " << at / kSize;
            }
        }
}

/// OpenGL's boxes end anywhere within 32 bits, which no viewport does.
TEST_F(Blits, OfBoxesLargerThanViewports) {
    constexpr uint32_t kSource = 10, kMost = 0x7fff'ffff;
    constexpr Box kLarge = part(0, 0, kMost, kMost), kTurned = part(kSize, kSize, 0u - kMost, 0u - kMost);
    std::vector<uint32_t> counted(kSize * kSize);
    std::iota(counted.begin(), counted.end(), 1u);
    make_texture(kSource, kBgra);
    write(kSource, kWhole, counted);
    const auto blitted = [&](const Box& from, const Box& to) {
        return pixels_after(scene() + blit(kBlitColor, {kTarget, kBgra, to}, {kSource, kBgra, from}));
    };
    EXPECT_EQ(blitted(kLarge, kLarge), counted);
    EXPECT_THAT(blitted(kWhole, kLarge), testing::Each(counted[0])) << "each texel has millions of pixels";
    const auto drawn = pixels_after(scene());
    EXPECT_EQ(blitted(kLarge, kWhole), drawn) << "each pixel's centre is millions of texels outside";
    EXPECT_EQ(blitted(part(0u - 65536, 0, 1, kSize), part(0, 0, 65536, kSize)), drawn) << "beyond 32 bits";
    std::reverse(counted.begin(), counted.end());
    EXPECT_EQ(blitted(kTurned, kLarge), counted);
    EXPECT_EQ(blitted(kLarge, kTurned), counted);
    // Pixel 14 shows the middle of texel 5: -65799 + (14.5 + 35) * 1149925 / 865 is 5.96.
    const auto scaled = blitted(part(0u - 65799, 0, 1149925, kSize), part(0u - 35, 0, 865, kSize));
    EXPECT_EQ(scaled[14], 6u) << "texel 5";
    refuse(blit(kBlitColor, {kTarget, kBgra, part(1, 0, kMost, 1)}, {kSource, kBgra, kWhole}));
}

/// Of layer 1 of a 1D array, stretched over the target.
TEST_F(Blits, BetweenLinesAndPlanes) {
    constexpr uint32_t kLines = 10, kTex1dArray = 6;
    create({kLines, kTex1dArray, kBgra, kBindRenderTarget, 4, 1, 1, 2, 0, 0});
    const std::array<uint32_t, 4> line{0x01010101, 0x02020202, 0x03030303, 0x04040404};
    write(kLines, {0, 0, 1, 4, 1, 1}, line);
    run(scene() + blit(kBlitColor, {}, {kLines, kBgra, {0, 0, 1, 4, 1, 1}}));
    const auto read = pixels();
    for (uint32_t at = 0; at < read.size(); at++) ASSERT_EQ(read[at], line[at % kSize / 4]) << at;
    // To the other layer, and back from the plane's left half; with a scissor, so that both are drawn.
    constexpr uint32_t kScissor = 1u << 10, kOneRow = 4 | 1 << 16, kMinus4 = 0u - 4;
    constexpr Box kFirst = part(0, 0, 4, 1);
    run(blit(kBlitColor | kScissor, {kLines, kBgra, kFirst}, {kLines, kBgra, {4, 0, 1, kMinus4, 1, 1}}, kOneRow));
    EXPECT_THAT(texels(kLines, kFirst), testing::ElementsAre(line[3], line[2], line[1], line[0]));
    run(blit(kBlitColor | kScissor, {kLines, kBgra, kFirst}, {kTarget, kBgra, {0, 0, 0, 8, 1, 1}}, kOneRow));
    EXPECT_THAT(texels(kLines, kFirst), testing::ElementsAre(line[0], line[0], line[1], line[1]));
}

/// Mirrored in x and z, with a scissor, so that it is drawn.
TEST_F(Blits, OfVolumesOfIntegers) {
    constexpr uint32_t kTex3d = 3, kR32Uint = 193, kR32Sint = 197, kScissor = 1u << 10, kMinus2 = 0u - 2;
    constexpr Box kCube{0, 0, 0, 2, 2, 2};
    const std::array<uint32_t, 8> cube{1, 2, 3, 4, 0xffff'fff5, 6, 7, 0x8000'0008};
    for (const uint32_t format : {kR32Uint, kR32Sint}) {
        const uint32_t src = 2 * format, dst = src + 1;
        for (const uint32_t volume : {src, dst})
            create({volume, kTex3d, format, kBindSamplerView | kBindRenderTarget, 2, 2, 2, 1, 0, 0});
        write(src, kCube, cube);
        run(blit(kBlitColor | kScissor, {dst, format, kCube}, {src, format, {2, 0, 2, kMinus2, 2, kMinus2}},
                 2 | 2 << 16));
        EXPECT_THAT(texels(dst, kCube),
                    testing::ElementsAre(cube[5], cube[4], cube[7], cube[6], cube[1], cube[0], cube[3], cube[2]));
    }
}

}  // namespace
}  // namespace tgsi2spv::host
