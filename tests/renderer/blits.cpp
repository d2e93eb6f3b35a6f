// Blits that Vulkan's own leave wrong.
#include "drawing.h"

namespace tgsi2spv::host {
namespace {

constexpr uint32_t kZ24S8 = 19, kZ32S8 = 126;
constexpr uint32_t kHalf = 0x3fe0'0000, kQuarter = 0x3fd0'0000;  // the high words of doubles

using Box = std::array<uint32_t, 4>;  // x, y, width, height

Buffer blit(uint32_t what, uint32_t format, uint32_t dst, const Box& to, uint32_t src, const Box& from) {
    return command(Id::Blit, {what, 0, 0,      dst,     0,       format, to[0],   to[1],   0, to[2], to[3], 1,  //
                              src,  0, format, from[0], from[1], 0,      from[2], from[3], 1});
}

class Blits : public Draws {
  protected:
    void make(uint32_t handle, uint32_t format, uint32_t bind) {
        const ResourceRequest request{handle, 2, format, bind, kSize, kSize, 1, 1, 0, 0};
        ASSERT_EQ(renderer_->create_resource(request, nullptr), Outcome::Done);
    }
    static Buffer clear(uint32_t target, uint32_t format, uint32_t depth, uint32_t stencil) {
        const uint32_t surface = 100 + target;
        return object(O::Surface, {surface, target, format, 0, 0}) + command(Id::SetFramebufferState, {0, surface}) +
               command(Id::Clear, {kClearDepth | kClearStencil, 0, 0, 0, 0, 0, depth, stencil});
    }
    std::pair<float, uint32_t> first_texel(uint32_t handle, uint32_t format) {
        std::array<uint32_t, size_t{2} * kSize * kSize> read{};
        const TransferRequest all{handle, 0, 0, 0, {0, 0, 0, kSize, kSize, 1}};
        EXPECT_EQ(renderer_->read(all, std::as_writable_bytes(std::span(read))), Outcome::Done);
        if (format == kZ32S8) return {std::bit_cast<float>(read[0]), read[1] & 0xff};
        return {static_cast<float>(read[0] & 0xff'ffff) / 0xff'ffff, read[0] >> 24};
    }
};

/// Whole, a part, scaled and upside down.
TEST_F(Blits, OfDepthOrStencilSpareTheOther) {
    constexpr Box kAll{0, 0, 16, 16}, kPart{0, 0, 4, 4}, kFlipped{0, 16, 16, 0u - 16};
    for (const uint32_t format : {kZ24S8, kZ32S8}) {
        const uint32_t src = 2 * format, dst = src + 1;
        ASSERT_NO_FATAL_FAILURE(make(src, format, kBindDepthStencil));
        ASSERT_NO_FATAL_FAILURE(make(dst, format, kBindDepthStencil));
        for (const auto& [from, to] : {std::pair{kAll, kAll}, {kPart, kPart}, {kPart, kAll}, {kFlipped, kAll}})
            for (const uint32_t mask : {kBlitDepth, kBlitStencil, kBlitDepth | kBlitStencil}) {
                SCOPED_TRACE(testing::Message() << format << ", " << mask << ", " << from[2] << ", " << to[2]);
                ASSERT_EQ(renderer_->submit(clear(src, format, kHalf, 1) + clear(dst, format, kQuarter, 0xfe) +
                                            blit(mask, format, dst, to, src, from)),
                          Outcome::Done);
                const auto [depth, stencil] = first_texel(dst, format);
                EXPECT_NEAR(depth, (mask & kBlitDepth) != 0 ? 0.5F : 0.25F, 1e-6F);
                EXPECT_EQ(stencil, (mask & kBlitStencil) != 0 ? 1u : 0xfeu);
            }
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
    ASSERT_NO_FATAL_FAILURE(make(kCopy, kBgra, kBindRenderTarget));
    for (const uint32_t filter : {0u, kLinear})
        for (const OutsideCase& c : {OutsideCase{{0u - 2, 0u - 2, 6, 6}, {2, 2, 8, 8}, 5, 10},  // 4 shows -1/8
                                     {{0u - 4, 0u - 4, 12, 12}, {2, 2, 6, 6}, 4, 8},
                                     {{8, 8, 12, 12}, {0, 0, 12, 12}, 0, 8},
                                     {{20, 20, 0u - 12, 0u - 12}, {0, 0, 12, 12}, 4, 12},
                                     {{0, 0, 12, 12}, {10, 10, 10, 10}, 10, 16}}) {
            SCOPED_TRACE(testing::Message() << filter << ", " << c.from[0] << ", " << c.to[0]);
            const Buffer clears = object(O::Surface, {20, kCopy, kBgra, 0, 0}) +
                                  command(Id::SetFramebufferState, {1, 0, 20}) +
                                  command(Id::Clear, {kClearColor0, 0, 0, 0, 0, 0, 0, 0});
            ASSERT_EQ(
                renderer_->submit(clears + scene() + blit(kBlitColor | filter, kBgra, kCopy, c.to, kTarget, c.from)),
                Outcome::Done);
            const auto copied = pixels(kCopy);
            for (uint32_t at = 0; at < copied.size(); at++) {
                const auto drawn = [&](uint32_t place) { return place >= c.first && place < c.end; };
                const uint32_t color = drawn(at % kSize) && drawn(at / kSize) ? 0xff00ff00 : 0;
                ASSERT_EQ(copied[at], color) << at % kSize << ", " << at / kSize;
            }
        }
}

/// Of layer 1 of a 1D array, stretched over the target.
TEST_F(Blits, BetweenLinesAndPlanes) {
    constexpr uint32_t kLines = 10, kTex1dArray = 6;
    ASSERT_EQ(renderer_->create_resource({kLines, kTex1dArray, kBgra, kBindRenderTarget, 4, 1, 1, 2, 0, 0}, nullptr),
              Outcome::Done);
    const std::array<uint32_t, 4> texels{0x01010101, 0x02020202, 0x03030303, 0x04040404};
    ASSERT_EQ(renderer_->write({kLines, 0, 0, 0, {0, 0, 1, 4, 1, 1}}, std::as_bytes(std::span(texels))), Outcome::Done);
    ASSERT_EQ(renderer_->submit(scene() + command(Id::Blit, {kBlitColor, 0, 0,                                //
                                                             kTarget,    0, kBgra, 0, 0, 0, kSize, kSize, 1,  //
                                                             kLines,     0, kBgra, 0, 0, 1, 4,     1,     1})),
              Outcome::Done);
    const auto read = pixels();
    for (uint32_t at = 0; at < read.size(); at++) ASSERT_EQ(read[at], texels[at % kSize / 4]) << at;
    // To the other layer, and back from the plane's left half; with a scissor, so that both are drawn.
    constexpr uint32_t kScissor = 1u << 10, kOneRow = 4 | 1 << 16, kMinus4 = 0u - 4;
    const auto first = [&] {
        std::array<uint32_t, 4> line{};
        EXPECT_EQ(renderer_->read({kLines, 0, 0, 0, {0, 0, 0, 4, 1, 1}}, std::as_writable_bytes(std::span(line))),
                  Outcome::Done);
        return line;
    };
    ASSERT_EQ(renderer_->submit(command(Id::Blit, {kBlitColor | kScissor,
                                                   0,
                                                   kOneRow,  //
                                                   kLines,
                                                   0,
                                                   kBgra,
                                                   0,
                                                   0,
                                                   0,
                                                   4,
                                                   1,
                                                   1,  //
                                                   kLines,
                                                   0,
                                                   kBgra,
                                                   4,
                                                   0,
                                                   1,
                                                   kMinus4,
                                                   1,
                                                   1})),
              Outcome::Done);
    EXPECT_THAT(first(), testing::ElementsAre(texels[3], texels[2], texels[1], texels[0]));
    ASSERT_EQ(renderer_->submit(command(Id::Blit, {kBlitColor | kScissor,
                                                   0,
                                                   kOneRow,  //
                                                   kLines,
                                                   0,
                                                   kBgra,
                                                   0,
                                                   0,
                                                   0,
                                                   4,
                                                   1,
                                                   1,  //
                                                   kTarget,
                                                   0,
                                                   kBgra,
                                                   0,
                                                   0,
                                                   0,
                                                   8,
                                                   1,
                                                   1})),
              Outcome::Done);
    EXPECT_THAT(first(), testing::ElementsAre(texels[0], texels[0], texels[1], texels[1]));
}

/// Mirrored in x and z, with a scissor, so that it is drawn.
TEST_F(Blits, OfVolumesOfIntegers) {
    constexpr uint32_t kTex3d = 3, kR32Uint = 193, kR32Sint = 197, kScissor = 1u << 10, kMinus2 = 0u - 2;
    const std::array<uint32_t, 8> texels{1, 2, 3, 4, 0xffff'fff5, 6, 7, 0x8000'0008};
    for (const uint32_t format : {kR32Uint, kR32Sint}) {
        const uint32_t src = 2 * format, dst = src + 1;
        for (const uint32_t volume : {src, dst})
            ASSERT_EQ(renderer_->create_resource(
                          {volume, kTex3d, format, kBindSamplerView | kBindRenderTarget, 2, 2, 2, 1, 0, 0}, nullptr),
                      Outcome::Done);
        ASSERT_EQ(renderer_->write({src, 0, 0, 0, {0, 0, 0, 2, 2, 2}}, std::as_bytes(std::span(texels))),
                  Outcome::Done);
        ASSERT_EQ(renderer_->submit(command(Id::Blit, {kBlitColor | kScissor,
                                                       0,
                                                       2 | 2 << 16,  //
                                                       dst,
                                                       0,
                                                       format,
                                                       0,
                                                       0,
                                                       0,
                                                       2,
                                                       2,
                                                       2,  //
                                                       src,
                                                       0,
                                                       format,
                                                       2,
                                                       0,
                                                       2,
                                                       kMinus2,
                                                       2,
                                                       kMinus2})),
                  Outcome::Done);
        std::array<uint32_t, 8> read{};
        EXPECT_EQ(renderer_->read({dst, 0, 0, 0, {0, 0, 0, 2, 2, 2}}, std::as_writable_bytes(std::span(read))),
                  Outcome::Done);
        EXPECT_THAT(read, testing::ElementsAre(texels[5], texels[4], texels[7], texels[6], texels[1], texels[0],
                                               texels[3], texels[2]));
    }
}

}  // namespace
}  // namespace tgsi2spv::host
