// Layers and viewports that GEOM selects, where no stage of the device can: the same pictures as on a device that has
// geometry shaders, or VK_EXT_shader_viewport_index_layer.
#include <fmt/format.h>

#include "queries.h"

namespace tgsi2spv::host {
namespace {

constexpr uint32_t kArray = 10, kDepthArray = 12, kLayers = 4, kVertexCount = 14, kCorners = 13;
constexpr uint32_t k2DArray = 7, k3D = 3, kZ32 = 18;

/// A primitive goes to the layer and the viewport of its number; the colour is what FRAG reads.
std::string geometry(const char* outputs) {
    const std::string declared(outputs);
    const bool layer = declared.find("LAYER") != std::string::npos;
    std::string each = "MOV OUT[0], IN[@][0]; MOV OUT[1], IN[@][1]; ";
    if (layer) each += "AND OUT[2].x, SV[0].xxxx, IMM[1].yyyy; ";
    if (declared.find("VIEWPORT") != std::string::npos)
        each += fmt::format("UMOD OUT[{}].x, SV[0].xxxx, IMM[1].yyyy; ", layer ? 3 : 2);
    return geometry_of_triangles("DCL IN[][1], GENERIC[0]; DCL SV[0], PRIMID; DCL OUT[1], GENERIC[0]; " + declared +
                                     "IMM[1] UINT32 {0, 3, 5, 4}; ",
                                 each);
}
constexpr const char* kLayer = "DCL OUT[2], LAYER\n";
constexpr const char* kViewport = "DCL OUT[2], VIEWPORT_INDEX\n";
constexpr const char* kBoth = "DCL OUT[2], LAYER\nDCL OUT[3], VIEWPORT_INDEX\n";

/// Counts in red what it reads of the built-in values.
constexpr const char* kReads =
    "FRAG; DCL IN[0], GENERIC[0], PERSPECTIVE; DCL IN[1], LAYER, CONSTANT; DCL IN[2], VIEWPORT_INDEX, CONSTANT; "
    "DCL OUT[0], COLOR; DCL TEMP[0]; IMM[0] FLT32 {0.2, 0.3, 0, 1}; U2F TEMP[0].x, IN[1].xxxx; "
    "U2F TEMP[0].y, IN[2].xxxx; MUL TEMP[0].xy, TEMP[0], IMM[0]; MOV TEMP[0].zw, IN[0]; MOV OUT[0], TEMP[0]; END";

const Names kNoGeometry{"geometryShader", "tessellationShader", "VK_EXT_transform_feedback"};
const Names kNoLayers{"shaderOutputLayer", "shaderOutputViewportIndex", "VK_EXT_shader_viewport_index_layer"};
Names no_layers() {
    Names all = kNoGeometry;
    all.insert(all.end(), kNoLayers.begin(), kNoLayers.end());
    return all;
}

class Layers : public Queries {
  protected:
    uint32_t kind_ = k2DArray;
    void start() override {
        Queries::start();
        const uint32_t depth = kind_ == k3D ? kLayers : 1, layers = kind_ == k3D ? 1 : kLayers;
        create({kArray, kind_, kBgra, kBindRenderTarget, kSize, kSize, depth, layers, 0, 0});
        create({kDepthArray, k2DArray, kZ32, kBindDepthStencil, kSize, kSize, 1, kLayers, 0, 0});
        Buffer corners;
        for (uint32_t i = 0; i < kVertexCount; i++) {
            const float x = static_cast<float>((i * i * 7 + i * 3) % 17) / 9 - 0.9F;
            const float y = static_cast<float>((i * i * i * 5 + 2) % 19) / 10 - 0.9F;
            for (const float f :
                 {x, y, static_cast<float>(i % 5) / 5, 1.F, 0.25F, 0.5F, static_cast<float>(i) / 14, 1.F})
                corners.push_back(bits(f));
        }
        make_buffer(kCorners, kBindVertexBuffer, corners);
    }
    /// All layers, and the samples that passed.
    Buffer draw(const Buffer& state) {
        const uint32_t layers = (kLayers - 1) << 16;
        // Side by side: primitives keep their order only within a viewport. The second one is upside down.
        const Buffer viewports =
            command(Id::SetViewportState, {0, bits(4), bits(8), bits(0.5F), bits(4), bits(8), bits(0.5F),  //
                                           bits(2), bits(-8), bits(0.5F), bits(10), bits(8), bits(0.5F),   //
                                           bits(2), bits(4), bits(0.5F), bits(14), bits(11), bits(0.5F)});
        const Buffer scissors =
            command(Id::SetScissorState, {0, 0, 8 | 16 << 16, 8 | 2 << 16, 12 | 16 << 16, 12, 16 | 15 << 16});
        const Buffer commands =
            scene() + object(O::Surface, {30, kArray, kBgra, 0, layers}) +
            object(O::Surface, {31, kDepthArray, kZ32, 0, layers}) +
            object(O::DepthStencilAlpha, {32, 1 | 1 << 1 | 1 << 2, 0, 0, 0}) +
            command(Id::SetFramebufferState, {1, kind_ == k3D ? 0U : 31U, 30}) + bind(O::DepthStencilAlpha, 32) +
            viewports + scissors + command(Id::SetVertexBuffers, {32, 0, kCorners}) +
            command(Id::Clear, {kClearColor0 | kClearDepth, 0, bits(1), 0, bits(1), 0, 0x3ff00000, 0}) + state +
            query(QueryType::OcclusionCounter) + begin() +
            command(Id::DrawVbo, {0, kVertexCount, 5, 0, 2, 0, 0, 0, 0, 0, ~0u, 0}) + end() + get();
        run(commands);
        Buffer all(kSize * kSize * kLayers);
        EXPECT_EQ(renderer_->read({kArray, 0, 0, 0, {0, 0, 0, kSize, kSize, kLayers}},
                                  std::as_writable_bytes(std::span(all))),
                  Outcome::Done);
        all.push_back(static_cast<uint32_t>(result()));
        return all;
    }
    void compare(const Buffer& state) {
        restart_without({});
        const auto own = draw(state);
        restart_without(kNoGeometry);
        EXPECT_EQ(draw(state), own) << "VERT selects";
        restart_without(kNoLayers);
        EXPECT_EQ(draw(state), own) << "GEOM alone selects";
        restart_without(no_layers());
        EXPECT_EQ(draw(state), own) << "nothing selects";
        restart_without({"multiViewport"});
        EXPECT_EQ(draw(state), own) << "one viewport";
        EXPECT_GT(own.back(), 30U);
    }
};

Buffer geom(const std::string& text) {
    return use(33, text);
}
Buffer reading() {
    return use(34, kReads);
}

TEST_F(Layers, OfArrays) {
    for (const char* outputs : {kLayer, kViewport, kBoth}) {
        SCOPED_TRACE(outputs);
        compare(geom(geometry(outputs)));
        if (HasFailure()) return;
    }
}

TEST_F(Layers, FragKnowsItsLayerAndViewport) {
    compare(geom(geometry(kBoth)) + reading());
    compare(geom(geometry("")) + reading());
}

TEST_F(Layers, SlicesOfThreeDimensions) {
    kind_ = k3D;
    compare(geom(geometry(kBoth)) + reading());
}

/// OpenGL ignores the layer of a framebuffer without layers.
TEST_F(Layers, OneLayerTakesAll) {
    restart_without(no_layers());
    const Buffer single = framebuffer(35, kArray, kBgra, 1 | 1 << 16) + bind(O::DepthStencilAlpha, 3);
    const auto ignored = draw(single + geom(geometry(kLayer)));
    restart_without(no_layers());
    EXPECT_EQ(draw(single + geom(geometry(""))), ignored);
    EXPECT_GT(ignored.back(), 30U);
}

}  // namespace
}  // namespace tgsi2spv::host
