// Converts shader text with the library, and draws it on every software device.
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

class Drawing : public testing::Test {
  protected:
    std::vector<uint32_t> convert(std::string_view shader, const api::Options& options) {
        EXPECT_TRUE(api::convert(context, shader, options))
            << (context.diagnostics.empty() ? "" : context.diagnostics[0].message) << "\n"
            << shader;
        return {context.words.begin(), context.words.end()};
    }

    static harness::Attribute attribute(uint32_t location, const Pixels& values) {
        harness::Attribute a;
        a.location = location;
        a.data.resize(values.size() * sizeof(Pixel));
        std::memcpy(a.data.data(), values.data(), a.data.size());
        return a;
    }

    /// Calls `check` with the outputs of each device that supports the job; expects at least one such device.
    void run(const harness::Job& job, const std::function<void(const harness::Outputs&)>& check) {
        size_t drawn = 0;
        for (auto& device : vulkans.devices) {
            SCOPED_TRACE(device->report().info.name);
            const auto out = harness::run(*device, job);
            if (!out && out.error().failure == vulkan::Failure::Missing) continue;
            ASSERT_TRUE(out) << out.error().message;
            drawn++;
            check(*out);
        }
        if (drawn == 0 && !named_devices().empty()) GTEST_SKIP() << "the device lacks what this draws with";
        EXPECT_GT(drawn, 0u);
    }

    Devices vulkans;
    api::Context context;
};

}  // namespace tgsi2spv::test
