// Draws as a guest asks for them, on lavapipe: commands in, texels out.
#include <bit>

#include "drawing.h"

namespace tgsi2spv::host {
namespace {

TEST_F(Draws, NewTargetsAreBlack) {
    EXPECT_THAT(pixels(), testing::Each(0u));
}

TEST_F(Draws, ATriangleInsideItsScissor) {
    run(scene() + triangle());
    const auto read = pixels();
    for (uint32_t i = 0; i < kSize * kSize; i++) EXPECT_EQ(read[i], i % kSize < 8 ? kDrawn : kGreen) << i;
}

TEST_F(Draws, ConstantsChangeBetweenDraws) {
    EXPECT_EQ(first_pixel(scene() + triangle() + constants(1, 1, 0, 1) + triangle()), 0xffff0000u);
}

/// lavapipe gives more sets than a pool has, and keeps them until the pool is reset.
TEST_F(Draws, SetsOfConstantsGoWithTheirBatch) {
    static uint32_t resets = 0;
    static const PFN_vkResetDescriptorPool reset = vkResetDescriptorPool;
    vkResetDescriptorPool = [](VkDevice device, VkDescriptorPool pool, VkDescriptorPoolResetFlags flags) {
        resets++;
        return reset(device, pool, flags);
    };
    Buffer draws;
    for (int i = 0; i < 1200; i++) draws = draws + constants(i % 2 ? 0.5F : 0.25F, 0, 0, 1) + triangle();
    run(scene() + draws);
    pixels();
    run(triangle());
    pixels();
    vkResetDescriptorPool = reset;
    EXPECT_GE(resets, 2U);
}

TEST_F(Draws, StateChangesAndComesBackBetweenDraws) {
    constexpr uint32_t kOnlyRed = 1u << 27, kNoScissor = kRasterizer & ~(1u << 14);
    const auto paint = [](float red, float blue) { return constants(red, 0, blue, 1) + triangle(); };
    run(scene() + object(O::Blend, {11, 0, 0, kOnlyRed, 0, 0, 0, 0, 0, 0, 0}) +
        object(O::Rasterizer, {12, kNoScissor, bits(1), 0, 0, bits(1), 0, 0, 0}) + paint(1, 1) + bind(O::Blend, 11) +
        bind(O::Rasterizer, 12) + paint(1, 1) +  //
        bind(O::Blend, 1) + bind(O::Rasterizer, 2) + paint(1, 0));
    const auto read = pixels();
    EXPECT_EQ(read[0], 0xffff0000u);
    EXPECT_EQ(read[8], 0xffffff00u);
}

TEST_F(Draws, ConstantsReplaceABufferThoughTheyWereThereBefore) {
    const Buffer blue{bits(0), bits(0), bits(1), bits(1)};
    make_buffer(9, kBindConstantBuffer, blue);
    const auto first = constants(0.5F, 1, 1, 1);
    EXPECT_EQ(first_pixel(scene() + triangle() + command(Id::SetUniformBuffer, {1, 0, 0, 16, 9}) + triangle()),
              0xff0000ffu);
    EXPECT_EQ(first_pixel(first + triangle()), kDrawn);
}

/// Mesa's guest unbinds slots of uniform buffers with the command of inline constants.
TEST_F(Draws, ConstantsStayWhenOtherSlotsAreUnbound) {
    EXPECT_EQ(first_pixel(scene() + command(Id::SetConstantBuffer, {1, 1}) + command(Id::SetConstantBuffer, {1, 3}) +
                          triangle()),
              kDrawn);
    refuse(command(Id::SetConstantBuffer, {1, 1, 0, 0, 0, 0}));
}

TEST_F(Draws, ARefusedShaderSkipsItsDrawsOnly) {
    const Buffer wrong = use(8, "FRAG\nNONSENSE\nEND\n");
    EXPECT_THAT(pixels_after(scene() + wrong + triangle()), testing::Each(kGreen));
    EXPECT_EQ(first_pixel(command(Id::BindShader, {6, 1}) + triangle()), kDrawn);
}

TEST_F(Draws, AWrongCommandEndsDrawingButNotReading) {
    refuse(scene() + command(Id::BindShader, {99, 1}) + triangle());
    refuse(triangle());
    EXPECT_EQ(pixels()[0], kGreen);
    EXPECT_FALSE(renderer_->busy(kTarget, true));
}

TEST_F(Draws, VerticesWithoutABufferReadNull) {
    EXPECT_THAT(pixels_after(scene() + command(Id::SetVertexBuffers, {32, 0, 0}) + triangle()), testing::Each(kGreen));
}

TEST_F(Draws, ResourcesOutliveTheirHandlesWhileBound) {
    run(scene());
    ASSERT_EQ(renderer_->destroy_resource(kVertices), Outcome::Done);
    EXPECT_EQ(first_pixel(triangle()), kDrawn);
}

TEST_F(Draws, BlitsMirror) {
    run(scene() + triangle());
    constexpr uint32_t kCopy = 3;
    make_texture(kCopy, kBgra);
    const auto wide = static_cast<uint32_t>(-static_cast<int32_t>(kSize));
    // By the device, then by drawing, as a scissor needs it: both show the source from right to left.
    for (const uint32_t scissor : {0u, 1u << 10}) {
        run(blit(0xf | scissor, {kCopy, kBgra}, {kTarget, kBgra, {kSize, 0, 0, wide, kSize, 1}}, kSize | kSize << 16));
        const auto read = pixels(kCopy);
        for (uint32_t i = 0; i < kSize * kSize; i++)
            EXPECT_EQ(read[i], i % kSize < 8 ? kGreen : kDrawn) << i << " scissor " << scissor;
    }
}

// OpenGL clips a blit to both images; guests send the whole boxes.
TEST_F(Draws, BlitsAreClipped) {
    const auto shift = [](uint32_t dst_x, uint32_t src_x, uint32_t width) {
        return blit(0xf, {3, kBgra, {dst_x, 0, 0, width, kSize, 1}}, {kTarget, kBgra, {src_x, 0, 0, width, kSize, 1}});
    };
    constexpr uint32_t kMinus4 = 0u - 4;
    for (const auto& [dst_x, src_x] : {std::pair{0u, kMinus4}, std::pair{kMinus4, 0u}, std::pair{4u, 0u}}) {
        start();
        make_texture(3, kBgra);
        run(scene() + triangle() + shift(dst_x, src_x, kSize));
        const auto read = pixels(3);
        for (uint32_t x = 0; x < kSize; x++) {
            const uint32_t from = x - dst_x + src_x;
            EXPECT_EQ(read[x], from >= kSize ? 0 : from < 8 ? kDrawn : kGreen) << x << " of " << dst_x;
        }
    }
}

/// Lines for one face, and the other one filled. The pixel (4, 4) is inside.
TEST_F(Draws, EachFaceHasItsPolygonMode) {
    constexpr uint32_t kLine = 1, kFront = 1u << 10, kBack = 1u << 12, kFrontCcw = 1u << 15;
    const auto inside = [&](uint32_t modes) {
        run(scene() + bind_new(O::Rasterizer, {8, kRasterizer | modes, bits(1), 0, 0, bits(1), 0, 0, 0}) + triangle());
        return pixels()[4 * kSize + 4];
    };
    const uint32_t as_front = inside(kLine * kFront) == kGreen ? 0 : kFrontCcw, as_back = as_front ^ kFrontCcw;
    EXPECT_EQ(inside(as_front | kLine * kFront), kGreen);
    EXPECT_EQ(inside(as_back | kLine * kFront), kDrawn);
    EXPECT_EQ(inside(as_front | kLine * kBack), kDrawn);
    EXPECT_EQ(inside(as_back | kLine * kBack), kGreen);
}

/// The fill mode "point" draws the corners of polygons, which have the size of points. The corner at (-1, -1) is in the
/// first pixel.
TEST_F(Draws, CornersOfPolygonsHaveTheSizeOfPoints) {
    const uint32_t points = kRasterizer | 2u << 10 | 2u << 12;  // with fill_front, fill_back
    run(scene() + bind_new(O::Rasterizer, {20, points, bits(8), 0, 0, bits(1), 0, 0, 0}) + triangle());
    const auto drawn = pixels();
    EXPECT_EQ(drawn[2 * kSize + 2], drawn[0]);
    EXPECT_NE(drawn[2 * kSize + 2], drawn[2 * kSize + 6]);
    EXPECT_EQ(drawn[2 * kSize + 6], drawn[6 * kSize + 6]);
}

/// The colour of a triangle whose vertices have all the same attribute.
struct AttributeCase {
    uint32_t format;
    Buffer words;
    uint32_t color;
};

// Doubles have two locations each, and later attributes move; w is 1 where the buffer has none, in every format.
TEST_F(Draws, AttributesThatVulkanDoesNotConvert) {
    constexpr uint32_t kPlaces = 10, kHalf = 0x3fe0'0000, kOneAsDouble = 0x3ff0'0000;
    Buffer places;
    for (const auto& [x, y] : {std::pair{-1.0, -1.0}, {3.0, -1.0}, {-1.0, 3.0}})
        for (const double coordinate : {x, y, 0.0}) {
            const auto word = std::bit_cast<uint64_t>(coordinate);
            places.insert(places.end(), {static_cast<uint32_t>(word), static_cast<uint32_t>(word >> 32)});
        }
    make_buffer(kPlaces, kBindVertexBuffer, places);
    const AttributeCase cases[] = {
        {24, {0, kOneAsDouble}, 0xffff0000},
        {25, {0, kOneAsDouble, 0, kHalf}, 0xffff8000},
        {26, {0, 0, 0, kHalf, 0, kOneAsDouble}, 0xff0080ff},
        {27, {0, 0, 0, kOneAsDouble, 0, kHalf, 0, kHalf}, 0x8000ff80},
        {34, {~0u, 0, 0x8000'0000}, 0xffff0080},       // R32G32B32_UNORM
        {41, {0x7fff'ffff, 0x4000'0000}, 0xffff8000},  // R32G32_SNORM
        {87, {0x0001'0000}, 0xffff0000},               // R32_FIXED
        {90, {0, 0x8000, 0x1'0000, 0x8000}, 0x800080ff},
    };
    uint32_t handle = 20;
    for (const AttributeCase& c : cases) {
        const uint32_t buffer = handle++, elements = handle++;
        make_buffer(buffer, kBindVertexBuffer, c.words);
        EXPECT_EQ(first_pixel(scene() + constants(1, 1, 1, 1) +
                              bind_new(O::VertexElements, {elements, 0, 0, 0, 26, 0, 0, 1, c.format}) +
                              command(Id::SetVertexBuffers, {24, 0, kPlaces, 0, 0, buffer}) + triangle()),
                  c.color)
            << c.format;
    }
}

/// Three components of 8 or 16 bits, the last ones of their buffer, and scaled integers, as they are and with other
/// formats.
TEST_F(Draws, AttributesThatTheDeviceLacks) {
    const AttributeCase cases[] = {
        {66, {0xff80'00}, 0xff0080ff},            // R8G8B8_UNORM
        {76, {0x7f00'40}, 0xff8100ff},            // R8G8B8_SNORM
        {71, {0x0100'01}, 0xffff00ff},            // R8G8B8_USCALED
        {84, {0x0100'ff}, 0xff0000ff},            // R8G8B8_SSCALED
        {85, {0x0101'00ff}, 0xff0000ff},          // R8G8B8A8_SSCALED
        {50, {0x8000'ffff, 0}, 0xffff8000},       // R16G16B16_UNORM
        {62, {0x0001'ffff, 1}, 0xff00ffff},       // R16G16B16_SSCALED
        {93, {0x3800'3c00, 0x0000}, 0xffff8000},  // R16G16B16_FLOAT
    };
    for (const Names& lacking :
         {Names{},
          {"VK_FORMAT_R8G8B8_UNORM", "VK_FORMAT_R8G8B8_SNORM", "VK_FORMAT_R8G8B8_USCALED", "VK_FORMAT_R8G8B8_SSCALED",
           "VK_FORMAT_R8G8B8A8_USCALED", "VK_FORMAT_R8G8B8A8_SSCALED", "VK_FORMAT_R16G16B16_UNORM",
           "VK_FORMAT_R16G16B16_SSCALED", "VK_FORMAT_R16G16B16A16_SSCALED", "VK_FORMAT_R16G16B16_SFLOAT"}}) {
        restart_without(lacking);
        uint32_t handle = 20;
        for (const AttributeCase& c : cases) {
            const uint32_t buffer = handle++, elements = handle++,
                           bytes = c.words.size() == 2 ? 6
                                   : c.format == 85    ? 4
                                                       : 3;
            create({buffer, 0, 64, kBindVertexBuffer, bytes, 1, 1, 1, 0, 0});
            write(buffer, {0, 0, 0, bytes, 1, 1}, std::as_bytes(std::span(c.words)).first(bytes));
            EXPECT_EQ(first_pixel(scene() + constants(1, 1, 1, 1) +
                                  bind_new(O::VertexElements, {elements, 0, 0, 0, kFloats, 0, 0, 1, c.format}) +
                                  command(Id::SetVertexBuffers, {32, 0, kVertices, 0, 0, buffer}) + triangle()),
                      c.color)
                << c.format << ", " << lacking.size();
        }
    }
}

struct TargetCase {
    uint32_t format;
    uint8_t cleared, blended, masked, blitted;
};

/// Red of luminance and intensity, alpha of alpha: cleared to (3/4, 0, 0, 1/4), then 1/2 times the target's alpha,
/// which is 1, red, and itself. Then with a write mask without alpha; last, blitted from BGRA with 3/4 of red and 1/2
/// of alpha.
TEST_F(Draws, TargetsOfAlphaLuminanceAndIntensity) {
    const uint32_t times_alpha = 1 | 4u << 4 | 17u << 9 | 4u << 17 | 17u << 22, rgb = 7u << 27, all = 15u << 27;
    const auto blend = [](uint32_t handle, uint32_t target) {
        return bind_new(O::Blend, {handle, 0, 0, target, 0, 0, 0, 0, 0, 0, 0});
    };
    uint32_t handle = 20;
    for (const TargetCase& c : {TargetCase{9, 191, 128, 128, 191}, {10, 64, 32, 64, 128}, {11, 191, 96, 96, 191}}) {
        const uint32_t target = handle++, surface = handle++, blending = handle++;
        create({target, 2, c.format, kBindRenderTarget, kSize, kSize, 1, 1, 0, 0});
        const auto seen = [&](size_t at) { return texels<uint8_t>(target)[at]; };
        const Buffer start =
            scene() + framebuffer(surface, target, c.format) + constants(0.5F, 1, 1, 0.5F) + clear(0.75F, 0, 0, 0.25F);
        run(start + blend(blending, times_alpha | all) + triangle());
        EXPECT_EQ(seen(0), c.blended) << c.format;
        EXPECT_EQ(seen(kSize - 1), c.cleared) << c.format;
        const uint32_t masked = handle++;
        run(start + blend(masked, times_alpha | rgb) + triangle());
        EXPECT_EQ(seen(0), c.masked) << c.format;
        run(scene() + clear(0.75F, 0, 0, 0.5F) + blit(kBlitColor, {target, c.format}, {}));
        EXPECT_EQ(seen(0), c.blitted) << c.format;
    }
}

/// Luminance blended by the equation of colours, with the target's alpha, and alpha by its own, which keeps it; blits
/// from and to BGRA; uploads.
TEST_F(Draws, TargetsOfLuminanceWithAlpha) {
    constexpr uint32_t kPair = 20, kLA8 = 12, kDstAlpha = 4, kZero = 17, kOne = 1;
    constexpr uint32_t kEquation = 1 | kDstAlpha << 4 | kZero << 9 | kZero << 17 | kOne << 22 | 15u << 27;
    create({kPair, 2, kLA8, kBindRenderTarget, kSize, kSize, 1, 1, 0, 0});
    run(scene() + framebuffer(21, kPair, kLA8) + clear(0.75F, 0, 0, 0.25F) +
        bind_new(O::Blend, {22, 0, 0, kEquation, 0, 0, 0, 0, 0, 0, 0}) + triangle());
    EXPECT_EQ(texels<uint16_t>(kPair)[0], 0x4020);
    EXPECT_EQ(texels<uint16_t>(kPair)[kSize - 1], 0x40bf) << "cleared";
    run(scene() + clear(0.75F, 0, 0, 0.5F) + blit(kBlitColor, {kPair, kLA8}, {}));
    EXPECT_EQ(texels<uint16_t>(kPair)[0], 0x80bf);
    std::vector<uint16_t> all(kSize * kSize);
    for (uint32_t i = 0; i < all.size(); i++) all[i] = static_cast<uint16_t>(i << 8 | (255 - i));
    write(kPair, kWhole, all);
    EXPECT_EQ(texels<uint16_t>(kPair), all);
    run(blit(kBlitColor, {}, {kPair, kLA8}));
    const auto shown = pixels();
    for (uint32_t i = 0; i < shown.size(); i++) EXPECT_EQ(shown[i], i << 24 | (255 - i) * 0x10101u) << i;
    // No other format of two bytes is a view of it.
    refuse(object(O::Surface, {23, kPair, 7, 0, 0}));
}

/// Vulkan does not swizzle texel buffers: the library does.
TEST_F(Draws, TexelBuffersOfAlphaAndLuminance) {
    constexpr uint32_t kTexels = 10;
    const Buffer fetch =
        use(20,
            "FRAG; DCL OUT[0], COLOR; DCL SAMP[0]; DCL SVIEW[0], BUFFER, FLOAT; IMM[0] UINT32 {1, 0, 0, 0}; "
            "TXF OUT[0], IMM[0].xxxx, SAMP[0], BUFFER; END");
    uint32_t handle = 30;
    // The second texel; of RGBA, there is one.
    for (const char* lacking : {"samplerAnisotropy", "VK_FORMAT_R16_UNORM"}) {
        restart_without({lacking});
        make_buffer(kTexels, kBindSamplerView, {0x80402010u});
        for (const auto& [format, last, color] : {std::tuple{9u, 3u, 0xff202020u},
                                                  {10u, 3u, 0x20000000u},
                                                  {11u, 3u, 0x20202020u},
                                                  {12u, 1u, 0x80404040u},
                                                  {13u, 1u, 0xff808080u},
                                                  {48u, 1u, 0xff800000u},
                                                  {141u, 1u, 0x80000000u},
                                                  {67u, 0u, 0x00000000u}}) {
            const uint32_t view = handle++;
            EXPECT_EQ(first_pixel(scene() + fetch + object(O::SamplerView, {view, kTexels, format, 0, last, kXyzw}) +
                                  command(Id::SetSamplerViews, {1, 0, view}) + triangle()),
                      color)
                << format << " without " << lacking;
        }
    }
}

/// Some devices store only to images whose format the module names.
TEST_F(Draws, ImagesWithoutAFormatHaveThatOfTheirBinding) {
    constexpr uint32_t kImage = 3, kRgba8 = 67, kR32Float = 28, kR32Uint = 193;
    const Buffer stores =
        use(21,
            "FRAG; DCL IN[0], POSITION, LINEAR; DCL OUT[0], COLOR; DCL IMAGE[0], 2D, PIPE_FORMAT_NONE, WR; "
            "DCL TEMP[0]; IMM[0] FLT32 {1.0, 0.2, 0.0, 1.0}; F2I TEMP[0], IN[0]; "
            "STORE IMAGE[0], TEMP[0], IMM[0], 2D, PIPE_FORMAT_NONE; MOV OUT[0], IMM[0]; END");
    for (const Names& lacking : {Names{}, {"shaderStorageImageWriteWithoutFormat"}}) {
        restart_without(lacking);
        run(scene() + stores);
        for (const auto& [format, value] :
             {std::pair{kRgba8, 0xff0033ffu}, {kR32Float, bits(1)}, {kR32Uint, bits(1)}}) {
            const uint32_t image = kImage + format;
            create({image, 2, format, kBindShaderBuffer | kBindSamplerView, kSize, kSize, 1, 1, 0, 0});
            run(command(Id::SetShaderImages, {1, 0, format, 2, 0, 0, image}) + triangle());
            EXPECT_EQ(pixels(image)[0], value) << format;
            EXPECT_EQ(pixels(image)[kSize - 1], 0u) << "outside of the scissor";
        }
    }
}

/// Some devices know border colours only together with the format of what is sampled.
TEST_F(Draws, BordersHaveAnyColor) {
    constexpr uint32_t kTexture = 10, kToBorder = 3 | 3 << 3 | 3 << 6;
    for (const char* lacking : {"", "customBorderColorWithoutFormat"}) {
        ASSERT_NO_FATAL_FAILURE(restart_without(*lacking != 0 ? Names{lacking} : Names{}));
        create({kTexture, 2, kBgra, kBindSamplerView, kSize, kSize, 1, 1, 0, 0});
        EXPECT_EQ(first_pixel(scene() +
                              use(20,
                                  "FRAG; DCL OUT[0], COLOR; DCL SAMP[0]; DCL SVIEW[0], 2D, FLOAT; "
                                  "IMM[0] FLT32 {2.0, 2.0, 0.0, 0.0}; TEX OUT[0], IMM[0], SAMP[0], 2D; END") +
                              sample(21, kTexture, kBgra | 2u << 24) +
                              object(O::SamplerState, {22, kToBorder, 0, 0, 0, bits(1), bits(0.2F), 0, bits(0.8F)}) +
                              command(Id::BindSamplerStates, {1, 0, 22}) + triangle()),
                  0xccff3300u)
            << lacking;
        // Alpha alone is red in Vulkan.
        create({kTexture + 1, 2, 10, kBindSamplerView, kSize, kSize, 1, 1, 0, 0});
        EXPECT_EQ(first_pixel(sample(23, kTexture + 1, 10 | 2u << 24) + triangle()), 0xcc000000u) << lacking;
    }
}

/// The origin of PCOORD is state of the rasterizer, also while no other input is a sprite coordinate.
TEST_F(Draws, PointCoordinatesHaveAnOrigin) {
    const uint32_t points = kRasterizer | 1u << 7;  // with sprites
    const Buffer shows = use(20,
                             "FRAG; DCL IN[0].xy, PCOORD, PERSPECTIVE; DCL OUT[0], COLOR; IMM[0] FLT32 {0, 0, 0, 1}; "
                             "MOV OUT[0], IMM[0]; MOV OUT[0].y, IN[0].yyyy; END");
    for (const uint32_t lower_left : {0u, 1u << 6}) {
        const uint32_t rasterizer = 30 + lower_left;
        run(scene() + shows +
            bind_new(O::Rasterizer, {rasterizer, points | lower_left, bits(32), 0, 0, bits(1), 0, 0, 0}) +
            command(Id::DrawVbo, {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, ~0u, 0}));
        // The point's centre is the corner at row 0: half of it is seen.
        const auto rows = pixels();
        const uint32_t first = rows[0] >> 8 & 0xff, last = rows[15 * kSize] >> 8 & 0xff;
        EXPECT_NEAR(first, lower_left != 0 ? 124 : 131, 2);
        EXPECT_NEAR(last, lower_left != 0 ? 4 : 251, 2);
    }
}

}  // namespace
}  // namespace tgsi2spv::host
