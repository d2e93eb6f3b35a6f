// The devices that tests run on, with the validation layer, and helpers to run shader text on them.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cases/run/run_vulkan.h"
#include "harness/devices.h"
#include "inputs/case.h"
#include "texts/cases.h"

namespace tgsi2spv::difftest {

constexpr uint32_t f(float v) {
    return std::bit_cast<uint32_t>(v);
}

inline std::vector<uint32_t> words(const std::vector<reference::Component>& all) {
    std::vector<uint32_t> out;
    for (const auto& c : all) out.push_back(c.value);
    return out;
}

class OnDevices : public testing::Test, protected test::Devices {
  protected:
    void SetUp() override { ASSERT_FALSE(devices.empty()); }

    tl::expected<reference::Result, VulkanTrouble> run(harness::Device& device, std::string_view shader,
                                                       const reference::Inputs& inputs) {
        EXPECT_TRUE(api::parse(context, shader, {}));
        return run_vulkan(device, context, inputs, {});
    }
    tl::expected<reference::Result, VulkanTrouble> run(harness::Device& device, std::string_view shader,
                                                       std::string_view json) {
        const auto inputs = read_inputs(json);
        EXPECT_TRUE(inputs) << inputs.error();
        return run(device, shader, *inputs);
    }

    api::Context context;
};

/// The cases of a folder, which share their devices.
class CasesOnDevices : public testing::TestWithParam<test::CaseId> {
  protected:
    static void SetUpTestSuite() { shared = std::make_unique<test::Devices>(); }
    static void TearDownTestSuite() { shared.reset(); }
    void SetUp() override { ASSERT_FALSE(devices.empty()); }
    void TearDown() override {
        if (shared->instance == nullptr) return;
        for (const auto& m : shared->instance->take_messages()) ADD_FAILURE() << "validation: " << m;
    }

    inline static std::unique_ptr<test::Devices> shared;
    std::vector<std::unique_ptr<harness::Device>>& devices = shared->devices;
    api::Context context;
};

/// Returns one component of a register for all lanes.
inline std::vector<uint32_t> column(const reference::Result& r, int32_t reg, size_t component) {
    std::vector<uint32_t> words;
    for (const auto& lane : r.outputs.at(reg)) words.push_back(lane[component].value);
    return words;
}

}  // namespace tgsi2spv::difftest
