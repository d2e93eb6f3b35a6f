// Depths that shaders write and polygons are offset by, which OpenGL keeps in 0..1.
#include "drawing.h"
#include "renderer/draw/dynamic_state.h"

namespace tgsi2spv::host {
namespace {

constexpr uint32_t kZ16 = 16, kZ32 = 18, kZ24S8 = 19;
constexpr uint32_t kOffsetTriangles = 1u << 20;

class Depths : public Draws {
  protected:
    void make(uint32_t handle, uint32_t format) {
        const ResourceRequest request{handle, 2, format, kBindDepthStencil, kSize, kSize, 1, 1, 0, 0};
        ASSERT_EQ(renderer_->create_resource(request, nullptr), Outcome::Done);
    }
    float depth(uint32_t handle, uint32_t format) {
        std::array<uint32_t, kSize * kSize> read{};
        const TransferRequest all{handle, 0, 0, 0, {0, 0, 0, kSize, kSize, 1}};
        EXPECT_EQ(renderer_->read(all, std::as_writable_bytes(std::span(read))), Outcome::Done);
        if (format == kZ32) return std::bit_cast<float>(read[0]);
        return format == kZ16 ? static_cast<float>(read[0] & 0xffff) / 0xffff
                              : static_cast<float>(read[0] & 0xff'ffff) / 0xff'ffff;
    }
    /// A triangle at z = 0.5 of the viewport's range, always written.
    static Buffer draw(uint32_t target, uint32_t format, uint32_t rasterizer, float units) {
        const uint32_t surface = 20 + target, offset = rasterizer != 0 ? bits(units) : 0;
        return scene() + object(O::Surface, {surface, target, format, 0, 0}) +
               command(Id::SetFramebufferState, {0, surface}) +
               object(O::DepthStencilAlpha, {40, 1 | 1 << 1 | 7 << 2, 0, 0, 0}) + bind(O::DepthStencilAlpha, 40) +
               object(O::Rasterizer, {41, kRasterizer | rasterizer, bits(1), 0, 0, bits(1), offset, 0, 0}) +
               bind(O::Rasterizer, 41);
    }
    static Buffer writes(float z) {
        return shader(42, virgl::Stage::Frag,
                      R"(FRAG
DCL OUT[0], POSITION
DCL CONST[0]
MOV OUT[0].z, CONST[0].xxxx
END
)") + command(Id::BindShader, {42, 1}) +
               command(Id::SetConstantBuffer, {1, 0, bits(z), 0, 0, 0});
    }
};

TEST_F(Depths, OfShadersAreClamped) {
    uint32_t target = 10;
    for (const uint32_t format : {kZ16, kZ24S8, kZ32}) {
        ASSERT_NO_FATAL_FAILURE(make(target, format));
        for (const auto& [written, kept] : {std::pair{7.0F, 1.0F}, {-7.0F, 0.0F}, {0.25F, 0.25F}}) {
            ASSERT_EQ(renderer_->submit(draw(target, format, 0, 0) + writes(written) + triangle()), Outcome::Done);
            EXPECT_NEAR(depth(target, format), kept, format == kZ32 ? 0 : 1e-5F) << format << ", " << written;
        }
        target++;
    }
}

TEST_F(Depths, OfPolygonsWithAnOffsetAreClamped) {
    uint32_t target = 10;
    for (const uint32_t format : {kZ16, kZ24S8, kZ32}) {
        ASSERT_NO_FATAL_FAILURE(make(target, format));
        for (const auto& [units, kept] : {std::pair{1e9F, 1.0F}, {-1e9F, 0.0F}, {0.0F, 0.5F}}) {
            ASSERT_EQ(renderer_->submit(draw(target, format, kOffsetTriangles, units) + triangle()), Outcome::Done);
            EXPECT_NEAR(depth(target, format), kept, format == kZ32 ? 0 : 1e-5F) << format << ", " << units;
        }
        target++;
    }
}

/// A triangle whose depths go from far below 0 to far above 1 in what the scissor leaves, in a row of the target.
class UnclippedDepths : public Depths {
  protected:
    static constexpr uint32_t kUnclipped = kRasterizer & ~(1u << 1);

    std::array<float, kSize / 2> row(const Buffer& more = {}, uint32_t format = kZ32,
                                     uint32_t rasterizer = kUnclipped) {
        make(10, format);
        const Buffer commands =
            draw(10, format, 0, 0) + shader(50, virgl::Stage::Vert, R"(VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL TEMP[0]
IMM[0] FLT32 {8.0, 4.0, 0.25, 1.0}
MOV TEMP[0], IN[0]
MAD TEMP[0].z, IN[0].xxxx, IMM[0].xxxx, IMM[0].yyyy
MAD TEMP[0].w, IN[0].xxxx, IMM[0].zzzz, IMM[0].wwww
MUL OUT[0].xyz, TEMP[0], TEMP[0].wwww
MOV OUT[0].w, TEMP[0].wwww
END
)") + command(Id::BindShader, {50, 0}) +
            shader(51, virgl::Stage::Frag, "FRAG\nEND\n") + command(Id::BindShader, {51, 1}) +
            object(O::Rasterizer, {52, rasterizer, bits(1), 0, 0, bits(1), bits(1e5F), bits(2), 0}) +
            bind(O::Rasterizer, 52) + more + triangle();
        EXPECT_EQ(renderer_->submit(commands), Outcome::Done);
        std::array<uint32_t, kSize * kSize> read{};
        const TransferRequest all{10, 0, 0, 0, {0, 0, 0, kSize, kSize, 1}};
        EXPECT_EQ(renderer_->read(all, std::as_writable_bytes(std::span(read))), Outcome::Done);
        std::array<float, kSize / 2> depths{};
        for (size_t x = 0; x < depths.size(); x++) {
            const uint32_t word = read[8 * kSize + x];
            depths[x] = format == kZ32 ? std::bit_cast<float>(word) : static_cast<float>(word & 0xff'ffff) / 0xff'ffff;
        }
        return depths;
    }
    /// (8 x + 5) / 2 at the centres of pixels, clamped to 0..1, then in the viewport's range.
    static std::array<float, kSize / 2> expected(float near, float far) {
        std::array<float, kSize / 2> depths{};
        for (size_t x = 0; x < depths.size(); x++) {
            const float place = (static_cast<float>(x) + 0.5F) / 8 - 1;
            depths[x] = near + (far - near) * std::clamp((8 * place + 5) / 2, 0.0F, 1.0F);
        }
        return depths;
    }
};

TEST_F(UnclippedDepths, AreClampedToTheViewport) {
    using testing::FloatNear;
    using testing::Pointwise;
    const std::vector<std::vector<std::string>> devices = {
        {}, {"VK_EXT_depth_clip_enable"}, {"VK_EXT_depth_clip_enable", "VK_EXT_extended_dynamic_state3"}};
    for (const auto& lacking : devices) {
        ASSERT_NO_FATAL_FAILURE(restart_without(lacking));
        EXPECT_THAT(row(), Pointwise(FloatNear(1e-5F), expected(0, 1))) << testing::PrintToString(lacking);
        ASSERT_NO_FATAL_FAILURE(restart_without(lacking));
        const Buffer range =
            command(Id::SetViewportState, {0, bits(8), bits(8), bits(0.25F), bits(8), bits(8), bits(0.5F)});
        EXPECT_THAT(row(range), Pointwise(FloatNear(1e-5F), expected(0.25F, 0.75F))) << testing::PrintToString(lacking);
    }
}

TEST(DepthBias, IsOfPolygons) {
    CreateRasterizer r{};
    r.offset_line = true;
    const auto lines = VK_POLYGON_MODE_LINE;
    EXPECT_TRUE(has_depth_bias(r, lines, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, false));
    EXPECT_FALSE(has_depth_bias(r, VK_POLYGON_MODE_FILL, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, false));
    EXPECT_FALSE(has_depth_bias(r, lines, VK_PRIMITIVE_TOPOLOGY_LINE_STRIP, false));
    EXPECT_FALSE(has_depth_bias(r, lines, VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY, false));
    EXPECT_FALSE(has_depth_bias(r, lines, VK_PRIMITIVE_TOPOLOGY_POINT_LIST, false));
    EXPECT_TRUE(has_depth_bias(r, lines, VK_PRIMITIVE_TOPOLOGY_LINE_STRIP, true));
    EXPECT_TRUE(has_depth_bias(r, lines, VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, true));
}

}  // namespace
}  // namespace tgsi2spv::host
