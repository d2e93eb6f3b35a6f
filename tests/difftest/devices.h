// The devices that tests run on, with the validation layer, and helpers to run shader text on them.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device_names.h"
#include "difftest/case.h"
#include "difftest/run_vulkan.h"
#include "vulkan/instance.h"

namespace tgsi2spv::difftest {

constexpr uint32_t f(float v) {
    return std::bit_cast<uint32_t>(v);
}

inline std::vector<uint32_t> words(const std::vector<reference::Component>& all) {
    std::vector<uint32_t> out;
    for (const auto& c : all) out.push_back(c.value);
    return out;
}

/// Returns those of the tests' devices that are installed, of which there must be at least one. The SoftwareDevices
/// tests report a missing one.
inline std::vector<std::string> installed_devices() {
    std::vector<std::string> names;
    const auto instance = vulkan::Instance::create({});
    EXPECT_TRUE(instance) << instance.error().message;
    for (const auto& name : test::device_names())
        if (instance && (*instance)->find(name)) names.push_back(name);
    EXPECT_FALSE(names.empty()) << test::kNoDevice;
    return names;
}

class OnDevices : public testing::Test {
  protected:
    void SetUp() override {
        auto made = vulkan::Instance::create({.validation = true});
        ASSERT_TRUE(made) << made.error().message;
        instance = std::move(*made);
        for (const auto& name : test::device_names()) {
            const auto info = instance->find(name);
            if (!info) continue;  // the SoftwareDevices tests report a missing device
            auto device = vulkan::Device::create(*instance, *info);
            ASSERT_TRUE(device) << device.error().message;
            devices.push_back(std::move(*device));
        }
        ASSERT_FALSE(devices.empty()) << test::kNoDevice;
    }
    void TearDown() override {
        devices.clear();
        if (!instance) return;
        for (const auto& m : instance->take_messages()) ADD_FAILURE() << "validation: " << m;
    }

    tl::expected<reference::Result, VulkanTrouble> run(vulkan::Device& device, std::string_view shader,
                                                       const reference::Inputs& inputs) {
        EXPECT_TRUE(api::parse(context, shader, {}));
        return run_vulkan(device, context, inputs, {});
    }
    tl::expected<reference::Result, VulkanTrouble> run(vulkan::Device& device, std::string_view shader,
                                                       std::string_view json) {
        const auto inputs = read_inputs(json);
        EXPECT_TRUE(inputs) << inputs.error();
        return run(device, shader, *inputs);
    }

    std::unique_ptr<vulkan::Instance> instance;
    std::vector<std::unique_ptr<vulkan::Device>> devices;
    api::Context context;
};

/// Returns one component of a register for all lanes.
inline std::vector<uint32_t> column(const reference::Result& r, int32_t reg, size_t component) {
    std::vector<uint32_t> words;
    for (const auto& lane : r.outputs.at(reg)) words.push_back(lane[component].value);
    return words;
}

}  // namespace tgsi2spv::difftest
