// How the fixed-function stages around a fragment shader interact with it, on the devices: samples, coverage, depth
// tests.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "cases/devices.h"
#include "harness/job.h"

namespace tgsi2spv::difftest {
namespace {

constexpr uint32_t kSize = 8, kPixels = kSize * kSize;
using Corner = std::array<float, 4>;

class Fragments : public OnDevices {
  protected:
    std::vector<uint32_t> convert(std::string_view shader) {
        options.lower.convert_depth_range = false;
        EXPECT_TRUE(api::convert(context, shader, options))
            << (context.diagnostics.empty() ? "" : context.diagnostics[0].message) << "\n"
            << shader;
        return {context.words.begin(), context.words.end()};
    }

    /// Runs the fragment shader with BUFFER[0] of `words` zeros on a rectangle from the left edge to pixel `right`, at
    /// one depth. Returns the buffer and the attachments.
    vulkan::Expected<harness::Outputs> draw(harness::Device& device, std::string_view shader, harness::Job& job,
                                            size_t words, float right = kSize, float depth = 0) {
        const auto vertex = convert(R"(VERT
DCL IN[0]
DCL OUT[0], POSITION
MOV OUT[0], IN[0]
END
)");
        const auto fragment = convert(shader);
        job.vertex.words = vertex;
        job.fragment.words = fragment;
        const float x = right / (kSize / 2) - 1;
        const Corner corners[] = {{-1, -1, depth, 1}, {x, -1, depth, 1}, {-1, 1, depth, 1}, {x, 1, depth, 1}};
        harness::Attribute attribute;
        attribute.data.resize(sizeof corners);
        std::memcpy(attribute.data.data(), corners, sizeof corners);
        job.attributes = {attribute};
        job.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
        job.vertex_count = 4;
        job.width = job.height = job.viewport_width = job.viewport_height = kSize;
        job.buffers = {{std::vector<uint32_t>(words), true}};
        for (const auto& r : api::reflect(context, options).resources)
            job.descriptors.push_back({r.binding.set, r.binding.binding, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {0}, {}});
        return harness::run(device, job);
    }

    static std::vector<float> floats(const std::vector<uint8_t>& bytes) {
        std::vector<float> all(bytes.size() / sizeof(float));
        std::memcpy(all.data(), bytes.data(), bytes.size());
        return all;
    }

    api::Options options;
};

/// Computes the pixel's number into TEMP[0].x.
const std::string kPixelNumber = "F2U TEMP[0].xy, IN[0]\nUMAD TEMP[0].x, TEMP[0].yyyy, IMM[0].yyyy, TEMP[0].xxxx\n";

TEST_F(Fragments, EverySampleIsShaded) {
    const std::string shader =
        R"(FRAG
DCL IN[0], POSITION, LINEAR
DCL SV[0], SAMPLEID
DCL SV[1], SAMPLEPOS
DCL SV[2], SAMPLEMASK
DCL BUFFER[0]
DCL TEMP[0..1]
IMM[0] UINT32 {1, 8, 4, 0}
)" + kPixelNumber +
        "UMAD TEMP[0].x, TEMP[0].xxxx, IMM[0].zzzz, SV[0].xxxx\nIMM[1] UINT32 {16, 4, 8, 12}\n"
        "UMUL TEMP[0].x, TEMP[0].xxxx, IMM[1].xxxx\nATOMUADD TEMP[1].x, BUFFER[0], TEMP[0].xxxx, IMM[0].xxxx\n"
        "UADD TEMP[0].yzw, TEMP[0].xxxx, IMM[1].xyzw\nSTORE BUFFER[0].x, TEMP[0].yyyy, SV[2].xxxx\n"
        "STORE BUFFER[0].xy, TEMP[0].zzzz, SV[1]\nEND\n";
    // From Vulkan's "Standard sample locations".
    constexpr float kPositions[4][2] = {{0.375f, 0.125f}, {0.875f, 0.375f}, {0.125f, 0.625f}, {0.625f, 0.875f}};
    for (auto& device : devices) {
        SCOPED_TRACE(device->report().info.name);
        harness::Job job;
        job.samples = 4;
        const auto out = draw(*device, shader, job, size_t{kPixels} * 16);
        ASSERT_TRUE(out) << out.error().message;
        for (uint32_t i = 0; i < kPixels * 4; i++) {
            const uint32_t* w = &out->buffers[0][size_t{i} * 4];
            EXPECT_EQ(w[0], 1u) << i;
            EXPECT_EQ(w[1], 1u << i % 4) << i;
            EXPECT_EQ(std::bit_cast<float>(w[2]), kPositions[i % 4][0]) << i;
            EXPECT_EQ(std::bit_cast<float>(w[3]), kPositions[i % 4][1]) << i;
        }
    }
}

TEST_F(Fragments, TheMaskSaysWhichSamplesAreCovered) {
    const std::string shader =
        R"(FRAG
DCL IN[0], POSITION, LINEAR
DCL SV[0], SAMPLEMASK
DCL BUFFER[0]
DCL TEMP[0..1]
IMM[0] UINT32 {4, 8, 0, 0}
)" + kPixelNumber +
        "UMUL TEMP[0].x, TEMP[0].xxxx, IMM[0].xxxx\nATOMOR TEMP[1].x, BUFFER[0], TEMP[0].xxxx, SV[0].xxxx\nEND\n";
    for (auto& device : devices)
        for (const uint32_t samples : {1u, 4u}) {
            SCOPED_TRACE(device->report().info.name + " " + std::to_string(samples));
            harness::Job job;
            job.samples = samples;
            const auto out = draw(*device, shader, job, kPixels, 2.5f);
            ASSERT_TRUE(out) << out.error().message;
            for (uint32_t i = 0; i < kPixels; i++) {
                const uint32_t x = i % kSize, all = (1u << samples) - 1;
                // The edge crosses the middle of pixel 2: a single sample lies exactly on it; of four samples, two lie
                // left of it.
                if (x == 2 && samples == 1) continue;
                EXPECT_EQ(out->buffers[0][i], x < 2 ? all : x == 2 ? 5u : 0u) << i;
            }
        }
}

TEST_F(Fragments, TheShaderSaysWhichSamplesAreWritten) {
    // Pixel x writes the samples that its bits select; a resolved colour is the mean of its samples.
    const std::string shader =
        R"(FRAG
DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
DCL OUT[1], SAMPLEMASK
IMM[0] FLT32 {1.0, 0, 0, 0}
F2U OUT[1].x, IN[0].xxxx
MOV OUT[0], IMM[0].xxxx
END
)";
    for (auto& device : devices) {
        SCOPED_TRACE(device->report().info.name);
        harness::Job job;
        job.samples = 4;
        job.attachments.resize(1);
        const auto out = draw(*device, shader, job, 1);
        ASSERT_TRUE(out) << out.error().message;
        const auto all = floats(out->attachments[0]);
        for (uint32_t i = 0; i < kPixels; i++)
            EXPECT_EQ(all[size_t{i} * 4], static_cast<float>(std::popcount(i % kSize & 15)) / 4) << i;
    }
}

TEST_F(Fragments, EarlyTestsComeBeforeTheShader) {
    const auto shader = [](bool early, bool kills) {
        return fmt::format(
            R"(FRAG
PROPERTY FS_EARLY_DEPTH_STENCIL {}
DCL OUT[0], COLOR
DCL BUFFER[0]
DCL TEMP[0]
IMM[0] UINT32 {{0, 1, 0, 0}}
IMM[1] FLT32 {{1.0, 1.0, 1.0, 1.0}}
ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy
MOV OUT[0], IMM[1]
{}END
)",
            early ? 1 : 0, kills ? "KILL\n" : "");
    };
    for (auto& device : devices)
        for (const bool early : {false, true})
            for (const bool kills : {false, true})
                for (const float depth : {0.25f, 0.75f}) {
                    SCOPED_TRACE(
                        fmt::format("{} early {} kills {} depth {}", device->report().info.name, early, kills, depth));
                    harness::Job job;
                    job.attachments.resize(1);
                    job.depth = harness::DepthAttachment{0.5f, VK_COMPARE_OP_LESS, true};
                    const auto out = draw(*device, shader(early, kills), job, 1, kSize, depth);
                    ASSERT_TRUE(out) << out.error().message;
                    const bool passes = depth < 0.5f;
                    // A fragment that fails an early test never runs the shader; a late test does not suppress stores.
                    EXPECT_EQ(out->buffers[0][0], early && !passes ? 0u : kPixels);
                    EXPECT_THAT(floats(out->attachments[0]), testing::Each(passes && !kills ? 1.0f : 0.0f));
                    // Early tests write depth before the shader can kill.
                    EXPECT_THAT(floats(out->attachments[1]), testing::Each(passes && (early || !kills) ? depth : 0.5f));
                }
}

TEST_F(Fragments, DepthIsWrittenInEveryLayout) {
    struct Layout {
        uint32_t number;
        const char* bound;  ///< keeps the depth on the side of 0.5 that the layout promises
    };
    const Layout kLayouts[] = {{0, ""},
                               {1, ""},
                               {2, "MAX TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\n"},
                               {3, "MIN TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\n"},
                               {4, "MOV TEMP[0].x, IN[0].zzzz\n"}};
    for (const Layout& layout : kLayouts) {
        const std::string shader = fmt::format(
            R"(FRAG
PROPERTY FS_DEPTH_LAYOUT {}
DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
DCL OUT[1], POSITION
DCL TEMP[0]
IMM[0] FLT32 {{0.125, 0.5, 1.0, 0.0}}
MUL TEMP[0].x, IN[0].xxxx, IMM[0].xxxx
{}MOV OUT[1].z, TEMP[0].xxxx
MOV OUT[0], IMM[0].zzzz
END
)",
            layout.number, layout.bound);
        for (auto& device : devices) {
            SCOPED_TRACE(device->report().info.name + " " + std::to_string(layout.number));
            harness::Job job;
            job.attachments.resize(1);
            job.depth = harness::DepthAttachment{0.7f, VK_COMPARE_OP_LESS, true};
            const auto out = draw(*device, shader, job, 1, kSize, 0.5f);
            ASSERT_TRUE(out) << out.error().message;
            const auto colours = floats(out->attachments[0]), depths = floats(out->attachments[1]);
            for (uint32_t i = 0; i < kPixels; i++) {
                const float own = (static_cast<float>(i % kSize) + 0.5f) / kSize;
                const float written = layout.number == 2   ? std::max(own, 0.5f)
                                      : layout.number == 3 ? std::min(own, 0.5f)
                                      : layout.number == 4 ? 0.5f
                                                           : own;
                EXPECT_EQ(colours[size_t{i} * 4], written < 0.7f ? 1.0f : 0.0f) << i;
                EXPECT_EQ(depths[i], written < 0.7f ? written : 0.7f) << i;
            }
        }
    }
}

}  // namespace
}  // namespace tgsi2spv::difftest
