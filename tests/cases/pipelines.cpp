// The unmodified interface: stages that are converted separately, linked by their locations, and drawn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "api/passthrough.h"
#include "cases/devices.h"
#include "harness/job.h"

namespace tgsi2spv::difftest {
namespace {

constexpr uint32_t kSize = 8;
using Pixel = std::array<float, 4>;

class Pipelines : public OnDevices {
  protected:
    std::vector<uint32_t> convert(std::string_view shader, bool last_before_rasterization = false) {
        api::Options options;
        options.lower.convert_depth_range = last_before_rasterization;
        EXPECT_TRUE(api::convert(context, shader, options))
            << (context.diagnostics.empty() ? "" : context.diagnostics[0].message) << "\n"
            << shader;
        return {context.words.begin(), context.words.end()};
    }

    static harness::Attribute attribute(uint32_t location, const std::vector<Pixel>& values) {
        harness::Attribute a;
        a.location = location;
        a.data.resize(values.size() * sizeof(Pixel));
        std::memcpy(a.data.data(), values.data(), a.data.size());
        return a;
    }

    static std::vector<Pixel> pixels(const std::vector<uint8_t>& bytes) {
        std::vector<Pixel> all(bytes.size() / sizeof(Pixel));
        std::memcpy(all.data(), bytes.data(), all.size() * sizeof(Pixel));
        return all;
    }
};

// Vulkan promises only 16 locations for the inputs of GEOM, so there is no COLOR here.
constexpr const char* kVertex =
    R"(VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[9]
DCL OUT[2], GENERIC[10]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
ADD OUT[2], IN[1], IN[1]
END
)";
constexpr const char* kEvaluation =
    R"(TESS_EVAL
PROPERTY TES_PRIM_MODE 4
PROPERTY TES_SPACING 2
PROPERTY TES_VERTEX_ORDER_CW 1
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[9]
DCL IN[][2], GENERIC[10]
DCL SV[0], TESSCOORD
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[9]
DCL OUT[2], GENERIC[10]
DCL TEMP[0]
MUL TEMP[0], SV[0].xxxx, IN[0][0]
MAD TEMP[0], SV[0].yyyy, IN[1][0], TEMP[0]
MAD OUT[0], SV[0].zzzz, IN[2][0], TEMP[0]
MOV OUT[1], IN[2][1]
MOV OUT[2], IN[1][2]
END
)";
constexpr const char* kGeometry =
    R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE TRIANGLES
PROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP
PROPERTY GS_MAX_OUTPUT_VERTICES 3
DCL IN[][0], POSITION
DCL IN[][1], GENERIC[9]
DCL IN[][2], GENERIC[10]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[9]
DCL OUT[2], GENERIC[10]
DCL TEMP[0]
IMM[0] UINT32 {0, 1, 3, 0}
MOV OUT[1], IN[2][1]
MOV OUT[2], IN[1][2]
BGNLOOP
USGE TEMP[0].y, TEMP[0].xxxx, IMM[0].zzzz
UIF TEMP[0].yyyy
BRK
ENDIF
MOV OUT[0], IN[TEMP[0].x][0]
EMIT IMM[0].xxxx
UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
ENDLOOP
END
)";
constexpr const char* kFragment =
    R"(FRAG
DCL IN[0], GENERIC[9], CONSTANT
DCL IN[1], GENERIC[10], CONSTANT
DCL OUT[0], COLOR
DCL OUT[1], COLOR[1]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
END
)";

TEST_F(Pipelines, ChainsOfStagesDrawTheSame) {
    const std::vector<Pixel> corners{{-1, -1, -1, 1}, {1, -1, -1, 1}, {-1, 1, 1, 1}};
    const Pixel value{1, 2, 3, 4};
    for (const bool tessellated : {false, true})
        for (const bool through_geometry : {false, true}) {
            const auto vertex = convert(kVertex, !tessellated && !through_geometry);
            const auto evaluation = convert(kEvaluation, !through_geometry);
            const auto control_text = api::passthrough_tess_ctrl(context.program, context.registers, 3);
            ASSERT_TRUE(control_text);
            const auto control = convert(*control_text), geometry = convert(kGeometry, true),
                       fragment = convert(kFragment);
            size_t drawn = 0;
            for (auto& device : devices) {
                SCOPED_TRACE(device->report().info.name + (tessellated ? ", tessellated" : "") +
                             (through_geometry ? ", geometry" : ""));
                harness::Job job;
                job.vertex.words = vertex;
                if (tessellated) {
                    job.tess_control.words = control;
                    job.tess_eval.words = evaluation;
                    job.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
                    job.patch_control_points = 3;
                }
                if (through_geometry) job.geometry.words = geometry;
                job.fragment.words = fragment;
                job.attributes = {attribute(0, corners), attribute(1, {value, value, value})};
                job.width = job.height = job.viewport_width = job.viewport_height = kSize;
                job.attachments.resize(2);
                const auto out = harness::run(*device, job);
                if (!out && out.error().failure == vulkan::Failure::Missing) {
                    EXPECT_TRUE(tessellated || through_geometry) << out.error().message;
                    continue;
                }
                ASSERT_TRUE(out) << out.error().message;
                drawn++;
                const auto first = pixels(out->attachments[0]), second = pixels(out->attachments[1]);
                for (uint32_t y = 0; y < kSize; y++)
                    for (uint32_t x = 0; x < kSize; x++) {
                        if (x + y == kSize - 1) continue;  // the edge of the triangle
                        const bool inside = x + y < kSize - 1;
                        EXPECT_EQ(first[y * kSize + x], inside ? value : Pixel{}) << x << ", " << y;
                        EXPECT_EQ(second[y * kSize + x], inside ? (Pixel{2, 4, 6, 8}) : Pixel{}) << x << ", " << y;
                    }
            }
            EXPECT_GT(drawn, 0u);
        }
}

TEST_F(Pipelines, WindowPositionsHaveFourConventions) {
    for (const bool lower_left : {false, true})
        for (const bool integer : {false, true}) {
            const auto fragment =
                convert("FRAG\nPROPERTY FS_COORD_ORIGIN " + std::string(lower_left ? "LOWER_LEFT" : "UPPER_LEFT") +
                        "\nPROPERTY FS_COORD_PIXEL_CENTER " + (integer ? "INTEGER" : "HALF_INTEGER") +
                        "\nDCL IN[0], POSITION, LINEAR\nDCL OUT[0], COLOR\nMOV OUT[0], IN[0]\nEND\n");
            for (auto& device : devices) {
                SCOPED_TRACE(device->report().info.name + (lower_left ? ", lower left" : "") +
                             (integer ? ", integer" : ""));
                harness::Job job;
                job.vertex.words = harness::quad_vertex_shader();
                job.fragment.words = fragment;
                if (lower_left) job.fragment.constants = {{0, std::bit_cast<uint32_t>(static_cast<float>(kSize))}};
                job.width = job.height = kSize;
                job.viewport_width = job.viewport_height = 2 * kSize;
                job.attachments.resize(1);
                const auto out = harness::run(*device, job);
                ASSERT_TRUE(out) << out.error().message;
                const auto all = pixels(out->attachments[0]);
                for (uint32_t y = 0; y < kSize; y++)
                    for (uint32_t x = 0; x < kSize; x++) {
                        const float half = integer ? 0 : 0.5f;
                        const float row = static_cast<float>(lower_left ? kSize - 1 - y : y);
                        EXPECT_EQ(all[y * kSize + x][0], static_cast<float>(x) + half);
                        EXPECT_EQ(all[y * kSize + x][1], row + half);
                    }
            }
        }
}

TEST_F(Pipelines, VaryingsAreInterpolatedAtOffsets) {
    const auto vertex = convert(
        R"(VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1]
END
)",
        true);
    const auto fragment = convert(
        R"(FRAG
DCL IN[0], GENERIC[0], LINEAR
DCL OUT[0], COLOR
IMM[0] FLT32 {0.25, -0.25, 0, 0}
INTERP_OFFSET OUT[0].xy, IN[0], IMM[0]
INTERP_CENTROID OUT[0].z, IN[0].xxxx
INTERP_SAMPLE OUT[0].w, IN[0].yyyy, IMM[0].zzzz
END
)");
    size_t drawn = 0;
    for (auto& device : devices) {
        SCOPED_TRACE(device->report().info.name);
        harness::Job job;
        job.vertex.words = vertex;
        job.fragment.words = fragment;
        // The varying is the position in pixels.
        constexpr float kFar = 4 * kSize;
        job.attributes = {attribute(0, {{-1, -1, 0, 1}, {7, -1, 0, 1}, {-1, 7, 0, 1}}),
                          attribute(1, {{0, 0, 0, 0}, {kFar, 0, 0, 0}, {0, kFar, 0, 0}})};
        job.width = job.height = job.viewport_width = job.viewport_height = kSize;
        job.attachments.resize(1);
        const auto out = harness::run(*device, job);
        if (!out && out.error().failure == vulkan::Failure::Missing) continue;
        ASSERT_TRUE(out) << out.error().message;
        drawn++;
        const auto all = pixels(out->attachments[0]);
        for (uint32_t y = 0; y < kSize; y++)
            for (uint32_t x = 0; x < kSize; x++) {
                // Vulkan does not bound the error of interpolation; an eighth of a pixel is enough to tell the
                // positions apart.
                const auto [right, up, centre_x, centre_y] = all[y * kSize + x];
                EXPECT_LT(std::abs(right - (static_cast<float>(x) + 0.75f)), 0.125f);
                EXPECT_LT(std::abs(up - (static_cast<float>(y) + 0.25f)), 0.125f);
                EXPECT_LT(std::abs(centre_x - (static_cast<float>(x) + 0.5f)), 0.125f);
                EXPECT_LT(std::abs(centre_y - (static_cast<float>(y) + 0.5f)), 0.125f);
            }
    }
    EXPECT_GT(drawn, 0u);
}

TEST_F(Pipelines, SampleMasksAndPointsOfOnePixel) {
    api::Options points;
    points.lower.draws_points = true;
    ASSERT_TRUE(api::convert(context, R"(VERT
DCL IN[0]
DCL OUT[0], POSITION
MOV OUT[0], IN[0]
END
)",
                             points));
    const auto vertex = context.words;
    const auto fragment = convert(
        R"(FRAG
DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
DCL OUT[1], SAMPLEMASK
DCL TEMP[0]
IMM[0] FLT32 {4.0, 1.0, 0, 0}
FSLT OUT[1].x, IN[0].xxxx, IMM[0].xxxx
MOV OUT[0], IMM[0].yyyy
END
)");
    for (auto& device : devices) {
        SCOPED_TRACE(device->report().info.name);
        harness::Job job;
        job.vertex.words = vertex;
        job.fragment.words = fragment;
        job.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
        std::vector<Pixel> centres;
        for (uint32_t x = 0; x < kSize; x++)
            centres.push_back({(static_cast<float>(x) + 0.5f) / (kSize / 2) - 1, 1.0f / kSize - 1, 0, 1});
        job.vertex_count = kSize;
        job.attributes = {attribute(0, centres)};
        job.width = job.height = job.viewport_width = job.viewport_height = kSize;
        job.attachments.resize(1);
        const auto out = harness::run(*device, job);
        ASSERT_TRUE(out) << out.error().message;
        const auto all = pixels(out->attachments[0]);
        for (uint32_t i = 0; i < kSize * kSize; i++)
            EXPECT_EQ(all[i][0], i < 4 ? 1.0f : 0.0f) << i;  // the first row; the sample mask passes its left half
    }
}

}  // namespace
}  // namespace tgsi2spv::difftest
