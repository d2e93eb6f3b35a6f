// Clip distances and user planes that FRAG tests, where the device has no shaderClipDistance: the same pictures as on
// one that has.
#include <fmt/format.h>

#include "queries.h"

namespace tgsi2spv::host {
namespace {

constexpr uint32_t kCorners = 10, kCounter = 11, kVertexCount = 12, kPatches = 14;

/// What differs between scenes.
struct Clipping {
    std::string vert, frag;
    uint32_t enabled = 0xff;  ///< planes
    uint32_t mode = 4;
    Buffer more{};
};

/// Declares and computes `count` distances from the position: TEMP[0].
std::string distances(uint32_t count, uint32_t first_output) {
    std::string text;
    for (uint32_t k = 0; k < count; k++)
        text += fmt::format("DP4 OUT[{}].{}, TEMP[0], IMM[{}]\n", first_output + k / 4, "xyzw"[k % 4], 1 + k % 3);
    return text;
}
constexpr const char* kDirections =
    "IMM[0] FLT32 {0.25, 1.5, 0, 0}\nIMM[1] FLT32 {1, 0.37, 0, 0.71}\nIMM[2] FLT32 {-0.6, 0.9, 0, 0.83}\n"
    "IMM[3] FLT32 {0.11, -1, 0, 0.67}\n";
/// w differs from corner to corner, and the place on the target does not.
constexpr const char* kPosition =
    "MAD TEMP[1].x, IN[0].xxxx, IMM[0].xxxx, IMM[0].yyyy\nMOV TEMP[0], IN[0]\nMUL TEMP[0], TEMP[0], TEMP[1].xxxx\n";

/// VERT that writes as many distances, or none, and CLIPVERTEX in that case.
std::string vertex(uint32_t count) {
    std::string text = "VERT\n";
    if (count != 0) text += fmt::format("PROPERTY NUM_CLIPDIST_ENABLED {}\n", count);
    text += "DCL IN[0]\nDCL IN[1]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[0]\n";
    for (uint32_t k = 0; 4 * k < count; k++) text += fmt::format("DCL OUT[{}], CLIPDIST[{}]\n", 2 + k, k);
    if (count == 0) text += "DCL OUT[2], CLIPVERTEX\n";
    text += std::string("DCL TEMP[0..1]\n") + kDirections + kPosition + "MOV OUT[0], TEMP[0]\nMOV OUT[1], IN[1]\n";
    return text + (count == 0 ? "MOV OUT[2], TEMP[0].yxzw\n" : distances(count, 2)) + "END\n";
}

/// Counts its invocations, and has the colour of the varying.
constexpr const char* kCounts =
    "FRAG; DCL IN[0], GENERIC[0], CONSTANT; DCL OUT[0], COLOR; DCL BUFFER[0]; DCL TEMP[0]; IMM[0] UINT32 {0, 1, 0, 0}; "
    "ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy; MOV OUT[0], IN[0]; END";
/// Where the second distance is large is white.
constexpr const char* kReads =
    "FRAG; PROPERTY NUM_CLIPDIST_ENABLED 5; DCL IN[0], CLIPDIST[0], PERSPECTIVE; DCL IN[1], CLIPDIST[1], PERSPECTIVE; "
    "DCL OUT[0], COLOR; DCL TEMP[0]; IMM[0] FLT32 {0.51, 0.43, 0, 1}; SLT TEMP[0].x, IN[0].yyyy, IMM[0].xxxx; "
    "SLT TEMP[0].y, IN[1].xxxx, IMM[0].yyyy; MOV TEMP[0].zw, IMM[0]; MOV OUT[0], TEMP[0]; END";

class Clips : public Queries {
  protected:
    void start() override {
        Queries::start();
        Buffer corners;
        for (uint32_t i = 0; i < kVertexCount; i++) {
            const float x = static_cast<float>(i * 7 % 13) / 5 - 1.3F, y = static_cast<float>(i * 5 % 11) / 4 - 1.2F;
            for (const float f : {x, y, 0.F, 1.F, static_cast<float>(i % 3) / 2, static_cast<float>(i % 2), 0.4F, 1.F})
                corners.push_back(bits(f));
        }
        make_buffer(kCorners, kBindVertexBuffer, corners);
        make_buffer(kCounter, kBindShaderBuffer, Buffer(4, 0));
    }
    /// Pixels, fragments that stored, and samples that passed.
    Buffer draw(const Clipping& c) {
        const float root = 0.7071F;
        const Buffer planes = command(
            Id::SetClipState, {bits(1),    bits(0.21F), 0, bits(0.63F), bits(-root), bits(root), 0, bits(0.77F),
                               bits(0.1F), bits(-1),    0, bits(0.57F), bits(1),     bits(1),    0, bits(-9),
                               bits(1),    bits(1),     0, bits(-9),    bits(1),     bits(1),    0, bits(-9),
                               bits(1),    bits(1),     0, bits(-9),    bits(1),     bits(1),    0, bits(0.9F)});
        const Buffer commands =
            scene() + whole_target() +
            bind_new(O::Rasterizer, {20, kRasterizer, bits(5), 0, c.enabled << 24, bits(1), 0, 0, 0}) +
            command(Id::SetVertexBuffers, {32, 0, kCorners}) + planes + use(21, c.vert) + use(22, c.frag) + c.more +
            command(Id::SetShaderBuffers, {1, 0, 0, 16, kCounter}) + query(QueryType::OcclusionCounter) + begin() +
            command(Id::DrawVbo,
                    {0, kVertexCount, c.mode, 0, 1, 0, 0, 0, 0, 0, ~0u, 0, c.mode == kPatches ? 3U : 0U, 0}) +
            end() + get();
        run(commands);
        const auto samples = static_cast<uint32_t>(result());
        Buffer all = pixels();
        all.push_back(words_of(kCounter, 1)[0]);
        all.push_back(samples);
        return all;
    }
    void compare(const Clipping& c, const Names& missing = {}) {
        Names names = missing;
        restart_without(names);
        const auto own = draw(c);
        names.push_back("shaderClipDistance");
        restart_without(names);
        EXPECT_EQ(draw(c), own);
        EXPECT_THAT(std::span(own).first(kSize * kSize), testing::Contains(kGreen)) << "some are clipped";
        EXPECT_GT(own.back(), 9U) << "and some are not";
    }
};

const Names kNoDemote{"shaderDemoteToHelperInvocation", "VK_EXT_shader_demote_to_helper_invocation"};

TEST_F(Clips, DistancesThatVertWrites) {
    for (const uint32_t count : {1U, 3U, 4U, 5U, 8U})
        for (const auto& missing : {Names{}, kNoDemote}) {
            SCOPED_TRACE(fmt::format("{} distances, {} more features missing", count, missing.size()));
            compare({vertex(count), kCounts}, missing);
        }
}

TEST_F(Clips, OnlyEnabledDistances) {
    for (const uint32_t enabled : {1U, 2U, 4U, 0x10U, 6U}) {
        SCOPED_TRACE(enabled);
        compare({vertex(5), kCounts, enabled});
    }
}

TEST_F(Clips, UserPlanes) {
    for (const uint32_t enabled : {1U, 2U, 4U, 7U, 0x80U}) {
        SCOPED_TRACE(enabled);
        compare({vertex(0), kCounts, enabled});
        compare({vertex(0), kCounts, enabled}, kNoDemote);
    }
}

TEST_F(Clips, PointsStripsAndFans) {
    for (const uint32_t mode : {0U, 5U, 6U}) {
        SCOPED_TRACE(fmt::format("mode {}", mode));
        compare({vertex(3), kCounts, 7, mode});
        compare({vertex(0), kCounts, 7, mode});
    }
}

/// GEOM reads the distances that VERT writes, and writes its own.
std::string geometry() {
    return geometry_of_triangles(
        "PROPERTY NUM_CLIPDIST_ENABLED 2; DCL IN[][1], GENERIC[0]; DCL IN[][2], CLIPDIST[0]; DCL IN[][3], CLIPDIST[1]; "
        "DCL OUT[1], GENERIC[0]; DCL OUT[2].xy, CLIPDIST[0]; ",
        "MOV OUT[0], IN[@][0]; MOV OUT[1], IN[@][1]; MOV OUT[2].x, IN[@][2].zzzz; MOV OUT[2].y, IN[@][3].xxxx; ");
}

TEST_F(Clips, StagesPassDistancesOn) {
    const Buffer geom = use(23, geometry());
    for (const uint32_t enabled : {1U, 2U, 3U})
        for (const auto& missing : {Names{}, {"geometryShader"}})
            compare({vertex(5), kCounts, enabled, 4, geom}, missing);
}

/// TESS_CTRL passes distances on and reads back its own; TESS_EVAL adds planes.
constexpr const char* kControl =
    "TESS_CTRL; PROPERTY TCS_VERTICES_OUT 3; DCL IN[][0], POSITION; DCL IN[][1], GENERIC[0]; DCL IN[][2], CLIPDIST[0]; "
    "DCL OUT[][0], POSITION; DCL OUT[][1], GENERIC[0]; DCL OUT[][2], CLIPDIST[0]; DCL OUT[3], TESSOUTER; "
    "DCL OUT[4], TESSINNER; DCL SV[0], INVOCATIONID; DCL ADDR[0]; IMM[0] FLT32 {3, 3, 3, 3}; "
    "UARL ADDR[0].x, SV[0].xxxx; MOV OUT[ADDR[0].x][0], IN[ADDR[0].x][0]; MOV OUT[ADDR[0].x][1], IN[ADDR[0].x][1]; "
    "MOV OUT[ADDR[0].x][2].xy, IN[ADDR[0].x][2].yzzz; BARRIER; MOV OUT[ADDR[0].x][1].x, OUT[0][2].xxxx; "
    "MOV OUT[3], IMM[0]; MOV OUT[4], IMM[0]; END";
constexpr const char* kEvaluation =
    "TESS_EVAL; PROPERTY TES_PRIM_MODE 4; PROPERTY NUM_CLIPDIST_ENABLED 2; DCL IN[][0], POSITION; "
    "DCL IN[][1], GENERIC[0]; DCL IN[][2], CLIPDIST[0]; DCL SV[0], TESSCOORD; DCL OUT[0], POSITION; "
    "DCL OUT[1], GENERIC[0]; DCL OUT[2].xy, CLIPDIST[0]; DCL TEMP[0]; MUL TEMP[0], IN[0][0], SV[0].xxxx; "
    "MAD TEMP[0], IN[1][0], SV[0].yyyy, TEMP[0]; MAD OUT[0], IN[2][0], SV[0].zzzz, TEMP[0]; "
    "MUL TEMP[0], IN[0][2], SV[0].xxxx; MAD TEMP[0], IN[1][2], SV[0].yyyy, TEMP[0]; "
    "MAD OUT[2].xy, IN[2][2], SV[0].zzzz, TEMP[0]; MOV OUT[1], IN[0][1]; END";

TEST_F(Clips, PatchesPassDistancesOn) {
    const Buffer stages = use(23, kControl) + use(24, kEvaluation);
    for (const uint32_t enabled : {1U, 2U, 3U})
        for (const auto& missing : {Names{}, {"tessellationShader"}})
            compare({vertex(5), kCounts, enabled, kPatches, stages}, missing);
}

TEST_F(Clips, FragReadsTheDistances) {
    for (const uint32_t enabled : {1U, 0x12U}) compare({vertex(5), kReads, enabled});
}

}  // namespace
}  // namespace tgsi2spv::host
