// Converts shader text with the library, draws it on every software device, and compares the pictures pixel by pixel.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "api/convert.h"
#include "harness/devices.h"
#include "harness/job.h"

namespace tgsi2spv::test {

constexpr uint32_t kSize = 8;  ///< width and height of the target
using Pixel = std::array<float, 4>;
using Pixels = std::vector<Pixel>;

constexpr uint32_t word(float x) {
    return std::bit_cast<uint32_t>(x);
}

/// A triangle that covers the whole target.
inline const Pixels kWhole{{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};

class Drawing : public testing::Test {
  protected:
    std::vector<uint32_t> convert(std::string_view shader, const api::Options& options) {
        EXPECT_TRUE(api::convert(context, shader, options))
            << (context.diagnostics.empty() ? "" : context.diagnostics[0].message) << "\n"
            << shader;
        return {context.words.begin(), context.words.end()};
    }

    static vulkan::Attribute attribute(uint32_t location, const Pixels& values) {
        vulkan::Attribute a;
        a.location = location;
        a.data.resize(values.size() * sizeof(Pixel));
        std::memcpy(a.data.data(), values.data(), a.data.size());
        return a;
    }

    /// Draws triangles at the positions of attribute 0, with the values of attribute 1.
    static vulkan::Job job_of(std::span<const uint32_t> vertex, std::span<const uint32_t> fragment,
                              const Pixels& positions, const Pixels& values) {
        vulkan::Job job;
        job.vertex.words = vertex;
        job.fragment.words = fragment;
        job.attributes = {attribute(0, positions), attribute(1, values)};
        job.vertex_count = static_cast<uint32_t>(positions.size());
        job.width = job.height = job.viewport_width = job.viewport_height = kSize;
        job.attachments.resize(1);
        return job;
    }

    static Pixels pixels(const std::vector<uint8_t>& bytes) {
        Pixels all(bytes.size() / sizeof(Pixel));
        std::memcpy(all.data(), bytes.data(), all.size() * sizeof(Pixel));
        return all;
    }

    /// Calls `check` with the outputs of each device that supports the job; expects at least one such device.
    void run(const vulkan::Job& job, const std::function<void(const vulkan::Outputs&)>& check) {
        size_t drawn = 0;
        for (auto& device : vulkans.devices) {
            SCOPED_TRACE(device->report().info.name);
            const auto out = vulkan::run(*device, job);
            if (!out && out.error().failure == vulkan::Failure::Missing) continue;
            ASSERT_TRUE(out) << out.error().message;
            drawn++;
            check(*out);
        }
        if (drawn == 0 && !named_devices().empty()) GTEST_SKIP() << "the device lacks what this draws with";
        EXPECT_GT(drawn, 0u);
    }
    /// Calls `check` with the pixels of the first target.
    void draw(const vulkan::Job& job, const std::function<void(const Pixels&)>& check) {
        run(job, [&](const vulkan::Outputs& out) { check(pixels(out.attachments[0])); });
    }

    /// Expects every pixel to equal the result of `expected`.
    static void expect(const Pixels& all, const std::function<Pixel(uint32_t x, uint32_t y)>& expected) {
        for (uint32_t y = 0; y < kSize; y++)
            for (uint32_t x = 0; x < kSize; x++) EXPECT_EQ(all[y * kSize + x], expected(x, y)) << x << ", " << y;
    }

    Devices vulkans;
    api::Context context;
};

}  // namespace tgsi2spv::test
