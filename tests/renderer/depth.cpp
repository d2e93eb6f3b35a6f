// Depths that shaders write and polygons are offset by, which OpenGL keeps in 0..1.
#include "drawing.h"
#include "renderer/record/dynamic_state.h"

namespace tgsi2spv::host {
namespace {

constexpr uint32_t kZ16 = 16, kZ32 = 18, kZ24S8 = 19;
constexpr uint32_t kOffsetTriangles = 1u << 20;

class Depths : public Draws {
  protected:
    float depth(uint32_t handle, uint32_t format) {
        const auto read = pixels(handle);
        if (format == kZ32) return std::bit_cast<float>(read[0]);
        return format == kZ16 ? static_cast<float>(read[0] & 0xffff) / 0xffff
                              : static_cast<float>(read[0] & 0xff'ffff) / 0xff'ffff;
    }
    /// A triangle at z = 0.5 of the viewport's range, always written.
    static Buffer draw(uint32_t target, uint32_t format, uint32_t rasterizer, float units) {
        const uint32_t surface = 20 + target, offset = rasterizer != 0 ? bits(units) : 0;
        return scene() + object(O::Surface, {surface, target, format, 0, 0}) +
               command(Id::SetFramebufferState, {0, surface}) +
               bind_new(O::DepthStencilAlpha, {40, 1 | 1 << 1 | 7 << 2, 0, 0, 0}) +
               bind_new(O::Rasterizer, {41, kRasterizer | rasterizer, bits(1), 0, 0, bits(1), offset, 0, 0});
    }
    static Buffer writes(float z) {
        return use(42, "FRAG; DCL OUT[0], POSITION; DCL CONST[0]; MOV OUT[0].z, CONST[0].xxxx; END") +
               constants(z, 0, 0, 0);
    }
};

TEST_F(Depths, OfShadersAreClamped) {
    uint32_t target = 10;
    for (const uint32_t format : {kZ16, kZ24S8, kZ32}) {
        make_texture(target, format, kBindDepthStencil);
        for (const auto& [written, kept] : {std::pair{7.0F, 1.0F}, {-7.0F, 0.0F}, {0.25F, 0.25F}}) {
            run(draw(target, format, 0, 0) + writes(written) + triangle());
            EXPECT_NEAR(depth(target, format), kept, format == kZ32 ? 0 : 1e-5F) << format << ", " << written;
        }
        target++;
    }
}

TEST_F(Depths, OfPolygonsWithAnOffsetAreClamped) {
    uint32_t target = 10;
    for (const uint32_t format : {kZ16, kZ24S8, kZ32}) {
        make_texture(target, format, kBindDepthStencil);
        for (const auto& [units, kept] : {std::pair{1e9F, 1.0F}, {-1e9F, 0.0F}, {0.0F, 0.5F}}) {
            run(draw(target, format, kOffsetTriangles, units) + triangle());
            EXPECT_NEAR(depth(target, format), kept, format == kZ32 ? 0 : 1e-5F) << format << ", " << units;
        }
        target++;
    }
}

struct Offset {
    float units = 0, factor = 0, clamp = 0;
};

/// A triangle whose depths go from far below 0 to far above 1 in what the scissor leaves, in a row of the target.
class UnclippedDepths : public Depths {
  protected:
    static constexpr uint32_t kUnclipped = kRasterizer & ~(1u << 1);

    std::array<float, kSize / 2> row(const Buffer& more = {}, uint32_t format = kZ32, uint32_t rasterizer = kUnclipped,
                                     Offset offset = {}) {
        make_texture(10, format, kBindDepthStencil);
        run(draw(10, format, 0, 0) +
            use(50,
                "VERT; DCL IN[0]; DCL IN[1]; DCL OUT[0], POSITION; DCL TEMP[0]; IMM[0] FLT32 {8.0, 4.0, 0.25, 1.0}; "
                "MOV TEMP[0], IN[0]; MAD TEMP[0].z, IN[0].xxxx, IMM[0].xxxx, IMM[0].yyyy; "
                "MAD TEMP[0].w, IN[0].xxxx, IMM[0].zzzz, IMM[0].wwww; MUL OUT[0].xyz, TEMP[0], TEMP[0].wwww; "
                "MOV OUT[0].w, TEMP[0].wwww; END") +
            use(51, "FRAG\nEND\n") +
            bind_new(O::Rasterizer, {52, rasterizer, bits(1), 0, 0, bits(1), bits(offset.units), bits(offset.factor),
                                     bits(offset.clamp)}) +
            more + triangle());
        const auto read = pixels(10);
        std::array<float, kSize / 2> depths{};
        for (size_t x = 0; x < depths.size(); x++) {
            const uint32_t half = read[(8 * kSize + x) / 2] >> (x % 2 * 16) & 0xffff, word = read[8 * kSize + x];
            depths[x] = format == kZ16   ? static_cast<float>(half) / 0xffff
                        : format == kZ32 ? std::bit_cast<float>(word)
                                         : static_cast<float>(word & 0xff'ffff) / 0xff'ffff;
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
    const std::vector<Names> devices = {{},
                                        {"VK_EXT_depth_clip_enable"},
                                        {"VK_EXT_depth_clip_enable", "VK_EXT_extended_dynamic_state3"},
                                        {"depthClamp", "multiViewport"},
                                        {"depthClamp", "multiViewport", "VK_EXT_depth_clip_control"}};
    for (const auto& lacking : devices) {
        restart_without(lacking);
        EXPECT_THAT(row(), Pointwise(FloatNear(1e-5F), expected(0, 1))) << testing::PrintToString(lacking);
        restart_without(lacking);
        const Buffer range =
            command(Id::SetViewportState, {0, bits(8), bits(8), bits(0.25F), bits(8), bits(8), bits(0.5F)});
        EXPECT_THAT(row(range), Pointwise(FloatNear(1e-5F), expected(0.25F, 0.75F))) << testing::PrintToString(lacking);
    }
}

// What FRAG and the device make of the same draw: offsets, FRAG's own depths, GEOM as the last stage, depths that FRAG
// reads.
TEST_F(UnclippedDepths, AreTheSameWhereFragComputesThem) {
    const Buffer geometry = use(54, geometry_of_triangles("", "MOV OUT[0], IN[@][0]; "));
    struct Case {
        const char* name;
        uint32_t format = kZ32, rasterizer = kUnclipped;
        Offset offset{};
        Buffer more{};
        const char* lacking = "multiViewport";
    };
    const uint32_t offset = kUnclipped | kOffsetTriangles;
    const std::vector<Case> cases = {
        {.name = "16 bits", .format = kZ16},
        {.name = "offset of 24 bits", .format = kZ24S8, .rasterizer = offset, .offset = {.factor = 1.5F}},
        {.name = "offset of floats", .rasterizer = offset, .offset = {.factor = -0.5F}},
        {.name = "clamped offset", .rasterizer = offset, .offset = {.factor = 1.5F, .clamp = 0.125F}},
        {.name = "clamped negative offset", .rasterizer = offset, .offset = {.factor = -1.5F, .clamp = -0.125F}},
        {.name = "no polygons' offset", .offset = {.factor = 1.5F}},
        {.name = "z of 0..1", .rasterizer = kUnclipped | 1u << 30},
        {.name = "FRAG writes it", .more = writes(7)},
        {.name = "FRAG copies it",
         .more = use(53, "FRAG; DCL IN[0], POSITION, LINEAR; DCL OUT[0], POSITION; MOV OUT[0].z, IN[0]; END")},
        {.name = "FRAG has early tests",
         .more = use(55, "FRAG; PROPERTY FS_EARLY_DEPTH_STENCIL 1; PROPERTY FS_DEPTH_LAYOUT 4; END")},
        {.name = "GEOM", .more = geometry},
        {.name = "emulated GEOM", .more = geometry, .lacking = "geometryShader"},
    };
    for (const Case& c : cases) {
        restart_without({});
        const auto native = row(c.more, c.format, c.rasterizer, c.offset);
        EXPECT_EQ(native.back(), 1) << c.name;
        restart_without({"depthClamp", "multiViewport", c.lacking});
        EXPECT_THAT(row(c.more, c.format, c.rasterizer, c.offset),
                    testing::Pointwise(testing::FloatNear(1e-5F), native))
            << c.name;
    }
}

/// Each sample has its own depth, so that a depth test at an edge between two depths splits pixels.
TEST_F(UnclippedDepths, OfSamplesAreTheirOwn) {
    constexpr uint32_t kColors = 60, kDepths = 61;
    std::vector<Buffer> pictures;
    for (const Names& lacking : {Names{}, {"depthClamp", "multiViewport"}}) {
        restart_without(lacking);
        make_texture(kColors, kBgra, kBindRenderTarget, 4);
        make_texture(kDepths, kZ32, kBindDepthStencil, 4);
        run(scene() + object(O::Surface, {62, kColors, kBgra, 0, 0}) + object(O::Surface, {63, kDepths, kZ32, 0, 0}) +
            command(Id::SetFramebufferState, {1, 63, 62}) +
            command(Id::Clear, {kClearColor0 | kClearDepth, 0, 0, 0, 0, 0, 0x3fe80000, 0}) +
            bind_new(O::DepthStencilAlpha, {64, 1 | 1 << 1 | 1 << 2, 0, 0, 0}) +
            bind_new(O::Rasterizer, {65, kUnclipped | 1u << 25, bits(1), 0, 0, bits(1), 0, 0, 0}) +
            use(50,
                "VERT; DCL IN[0]; DCL IN[1]; DCL OUT[0], POSITION; DCL OUT[1], GENERIC[0]; "
                "IMM[0] FLT32 {8.0, 4.0, 0.25, 1.0}; MOV OUT[0].xyw, IN[0]; "
                "MAD OUT[0].z, IN[0].xxxx, IMM[0].xxxx, IMM[0].yyyy; MOV OUT[1], IN[1]; END") +
            triangle() + blit(kBlitColor, {}, {kColors, kBgra}));
        pictures.push_back(pixels());
    }
    EXPECT_EQ(pictures[0], pictures[1]);
    const auto row = std::span(pictures[0]).subspan(8 * kSize, kSize / 2);
    EXPECT_TRUE(std::ranges::any_of(row, [&](uint32_t p) { return p != row[0] && p != row[7]; })) << "a split pixel";
}

// The unit is the least difference of the format: here lavapipe's own is twice as large.
TEST_F(UnclippedDepths, AreOffsetByUnits) {
    const uint32_t offset = kUnclipped | kOffsetTriangles;
    for (const auto& [format, of_quarter] : {std::pair{kZ16, 0x1p-16F}, {kZ32, 0x1p-25F}}) {
        restart_without({"depthClamp", "multiViewport"});
        const float units = 0x1p-5F / of_quarter;
        EXPECT_NEAR(row({}, format, offset, {.units = units})[3], 0.25F + 0x1p-5F, 1e-5F) << format;
        restart_without({"depthClamp", "multiViewport"});
        EXPECT_NEAR(row({}, format, offset, {.units = units, .clamp = 0x1p-6F})[3], 0.25F + 0x1p-6F, 1e-5F) << format;
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
