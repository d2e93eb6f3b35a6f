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
