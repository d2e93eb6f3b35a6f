// Flat values of last vertices, where the device takes those of the first ones: the same pictures as on one that has
// VK_EXT_provoking_vertex.
#include <fmt/format.h>

#include <set>

#include "queries.h"

namespace tgsi2spv::host {
namespace {

constexpr uint32_t kCorners = 10, kIndices = 11, kArguments = 12, kVertexCount = 14, kPatches = 14;
constexpr const char* kFlat = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n";

class FlatValues : public Queries {
  protected:
    void start() override {
        Queries::start();
        Buffer corners;
        for (uint32_t i = 0; i < kVertexCount; i++) {
            const float x = static_cast<float>((i * i * 7 + i * 3) % 17) / 9 - 0.9F;
            const float y = static_cast<float>((i * i * i * 5 + 2) % 19) / 10 - 0.9F;
            const float color = static_cast<float>(i) / kVertexCount;
            for (const float f : {x, y, 0.F, 1.F, color, 1 - color, 0.5F, 1.F}) corners.push_back(bits(f));
        }
        make_buffer(kCorners, kBindVertexBuffer, corners);
        make_buffer(kIndices, kBindIndexBuffer, Buffer{3, 1, 4, 9, 5, 2, 6, ~0U, 8, 7, 13, 10, 0, 12, 11, 3});
        // Two draws: without indices, and the same arguments with.
        make_buffer(kArguments, kBindCommandArgs, {7, 1, 3, 0, 0, 6, 2, 1, 0, 0});
        make_buffer(kCaptured, kBindStreamOutput, Buffer(1024, 9));
    }
    /// Pixels, and what is captured.
    Buffer draw(const Buffer& state, const Buffer& drawing) {
        run(scene() + whole_target() + use(20, kFlat) + command(Id::SetVertexBuffers, {32, 0, kCorners}) +
            command(Id::SetIndexBuffer, {kIndices, 4, 0}) + state + drawing);
        Buffer all = pixels();
        const auto captured = words_of(kCaptured, 1024);
        all.insert(all.end(), captured.begin(), captured.end());
        return all;
    }
    void compare(const Buffer& state, const Buffer& drawing, Names missing = {}) {
        restart_without({});
        const auto own = draw(state, drawing);
        missing.push_back("VK_EXT_provoking_vertex");
        restart_without(std::move(missing));
        EXPECT_EQ(draw(state, drawing), own);
        restart_without({});
        EXPECT_NE(draw(state + rasterizer(kRasterizer | kFirst), drawing), own) << "the first vertex has another value";
    }
    static constexpr uint32_t kFlatShade = 1, kFirst = 1U << 4;
    static Buffer rasterizer(uint32_t flags) {
        return bind_new(O::Rasterizer, {21, flags, bits(1), 0, 0, bits(1), 0, 0, 0});
    }
};

Buffer draw_vertices(uint32_t mode, uint32_t instances = 1) {
    return command(Id::DrawVbo,
                   {1, kVertexCount - 1, mode, 0, instances, 0, 0, 0, 0, 0, ~0u, 0, mode == kPatches ? 3U : 0U, 0});
}
Buffer draw_indices(uint32_t mode) {
    return command(Id::DrawVbo, {0, 16, mode, 1, 1, 0, 0, 1, ~0u, 0, ~0u, 0});
}

constexpr uint32_t kTriangleModes[] = {4, 5, 6};

TEST_F(FlatValues, TrianglesWithAndWithoutIndices) {
    for (const uint32_t mode : kTriangleModes) {
        SCOPED_TRACE(fmt::format("mode {}", mode));
        compare({}, draw_vertices(mode));
        compare({}, draw_indices(mode));
        if (HasFailure()) return;
    }
}

/// Lines turn round, so that the first pixel is drawn in place of the last one.
TEST_F(FlatValues, Lines) {
    const auto values = [](std::span<const uint32_t> pixels) {
        std::set<uint32_t> all(pixels.begin(), pixels.end());
        all.erase(kGreen);
        return all;
    };
    for (const uint32_t mode : {1U, 3U}) {
        SCOPED_TRACE(fmt::format("mode {}", mode));
        const Buffer line = command(Id::DrawVbo, {2, 2, mode, 0, 1, 0, 0, 0, 0, 0, ~0u, 0});
        restart_without({});
        const auto own = draw({}, line);
        restart_without({"VK_EXT_provoking_vertex"});
        const auto other = draw({}, line);
        EXPECT_EQ(values(std::span(own).first(kSize * kSize)), values(std::span(other).first(kSize * kSize)));
        EXPECT_GT(std::ranges::count(other, kGreen), 200);
        uint32_t differ = 0;
        for (size_t i = 0; i < own.size(); i++) differ += own[i] != other[i] ? 1 : 0;
        EXPECT_LE(differ, 2U);
    }
}

TEST_F(FlatValues, ColorsWithFlatShading) {
    std::string vert = kVert, frag = kFlat;
    vert.replace(vert.find("GENERIC[0]"), 10, "COLOR[0]");
    frag.replace(frag.find("GENERIC[0], CONSTANT"), 20, "COLOR[0], COLOR");
    const Buffer shaders = use(22, vert) + use(23, frag);
    restart_without({});
    const auto own = draw(shaders + rasterizer(kRasterizer | kFlatShade), draw_vertices(5));
    const auto smooth = draw(shaders, draw_vertices(5));
    EXPECT_NE(own, smooth);
    restart_without({"VK_EXT_provoking_vertex"});
    EXPECT_EQ(draw(shaders + rasterizer(kRasterizer | kFlatShade), draw_vertices(5)), own);
    EXPECT_EQ(draw(shaders, draw_vertices(5)), smooth);
}

TEST_F(FlatValues, IndirectDraws) {
    const auto indirect = [](bool indexed, uint32_t offset) {
        return command(Id::DrawVbo, {0, 0,          5,      indexed ? 1U : 0U,   1, 0, 0, 0, 0, 0, ~0u, 0, 0,
                                     0, kArguments, offset, indexed ? 20U : 16U, 1, 0, 0});
    };
    compare({}, indirect(false, 0));
    compare({}, indirect(true, 20));
}

/// Devices without GEOM have no corners that are only adjacent: lists without them have the same values.
TEST_F(FlatValues, CornersThatAreOnlyAdjacent) {
    for (uint32_t mode = 10; mode <= 13; mode++)
        for (const Buffer& drawing : {draw_vertices(mode, 2), draw_indices(mode)}) {
            SCOPED_TRACE(fmt::format("mode {}", mode));
            restart_without({});
            const auto own = draw({}, drawing);
            restart_without({"geometryShader", "extendedDynamicState", "extendedDynamicState2"});
            EXPECT_EQ(draw({}, drawing), own);
        }
}

/// VERT knows its vertex, the first one and the instance as ever.
TEST_F(FlatValues, NumbersOfVertices) {
    const std::string vert =
        "VERT; DCL IN[0]; DCL SV[0], VERTEXID; DCL SV[1], BASEVERTEX; DCL SV[2], INSTANCEID; DCL OUT[0], POSITION; "
        "DCL OUT[1], GENERIC[0]; DCL TEMP[0]; IMM[0] FLT32 {0.06, 0.3, 0.2, 1}; MOV OUT[0], IN[0]; "
        "U2F TEMP[0].x, SV[0].xxxx; U2F TEMP[0].y, SV[1].xxxx; U2F TEMP[0].z, SV[2].xxxx; "
        "MUL TEMP[0].xyz, TEMP[0], IMM[0]; MOV TEMP[0].w, IMM[0].wwww; MOV OUT[1], TEMP[0]; END";
    const Buffer shaders = use(22, vert);
    compare(shaders, draw_vertices(5, 3));
    compare(shaders, command(Id::DrawVbo, {0, 7, 5, 1, 2, 2, 0, 0, 0, 0, ~0u, 0}));
}

constexpr const char* kGeometry =
    "GEOM; PROPERTY GS_INPUT_PRIMITIVE TRIANGLES; PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP; "
    "PROPERTY GS_MAX_OUTPUT_VERTICES 5; DCL IN[][0], POSITION; DCL IN[][1], GENERIC[0]; DCL OUT[0], POSITION; "
    "DCL OUT[1], GENERIC[0]; DCL TEMP[0]; IMM[0] UINT32 {0, 0, 0, 0}; IMM[1] FLT32 {0.4, -0.3, 0.1, 0}; ";

/// GEOM, whose strips have more than one triangle, and which may be captured as well.
TEST_F(FlatValues, GeometryShaders) {
    std::string text = kGeometry;
    for (uint32_t k = 0; k < 5; k++)
        text += fmt::format(
            "ADD OUT[0].xy, IN[{0}][0], IMM[1].{1}\nMOV OUT[0].zw, IN[{0}][0]\nMOV TEMP[0], IN[{0}][1]\n"
            "ADD TEMP[0].z, TEMP[0], IMM[1].{2}\nMOV OUT[1], TEMP[0]\nEMIT IMM[0].xxxx\n",
            k % 3, k < 3 ? "wwww" : "xyyy", "wzxyw"[k]);
    text += "END\n";
    const Buffer captured = use(24, text, {1, 4, 0, 0, 0, 4 << 10, 0}) + capture_to(kTargetObject, kCaptured, 0, 4096);
    const Buffer drawn = use(25, text);
    for (const auto& missing :
         {Names{}, {"geometryShader"}, {"geometryShader", "tessellationShader", "VK_EXT_transform_feedback"}}) {
        compare(drawn, draw_vertices(5), missing);
        compare(captured, draw_vertices(5), missing);
    }
}

/// The device captures them in their order, and lists are drawn.
TEST_F(FlatValues, OfTrianglesThatVertCaptures) {
    const Buffer captured = use(24, kVert, {1, 4, 0, 0, 0, 4 << 10, 0}) + capture_to(kTargetObject, kCaptured, 0, 4096);
    for (const auto& missing : {Names{}, {"VK_EXT_transform_feedback"}}) compare(captured, draw_vertices(4), missing);
}

constexpr const char* kEvaluation =
    "TESS_EVAL; PROPERTY TES_PRIM_MODE 4; DCL IN[][0], POSITION; DCL SV[0], TESSCOORD; DCL OUT[0], POSITION; "
    "DCL OUT[1], GENERIC[0]; DCL TEMP[0]; MUL TEMP[0], IN[0][0], SV[0].xxxx; "
    "MAD TEMP[0], IN[1][0], SV[0].yyyy, TEMP[0]; MAD OUT[0], IN[2][0], SV[0].zzzz, TEMP[0]; MOV OUT[1], SV[0]; END";

TEST_F(FlatValues, Tessellation) {
    const Buffer shaders =
        use(22, kEvaluation) + command(Id::SetTessState, {bits(3), bits(2), bits(4), bits(1), bits(3), bits(1)});
    restart_without({"tessellationShader"});
    const auto own = draw(shaders, draw_vertices(kPatches));
    for (const auto& missing : {Names{"VK_EXT_provoking_vertex"}, {"VK_EXT_provoking_vertex", "tessellationShader"}}) {
        restart_without(missing);
        EXPECT_EQ(draw(shaders, draw_vertices(kPatches)), own);
    }
}

}  // namespace
}  // namespace tgsi2spv::host
