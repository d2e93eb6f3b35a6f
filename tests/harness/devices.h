// The devices that tests run on. The SoftwareDevices tests report a missing one.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device_names.h"
#include "harness/device.h"
#include "vulkan/instance.h"

namespace tgsi2spv::test {

/// Returns the names of the tests' devices that are installed, of which there must be at least one.
inline std::vector<std::string> installed_devices() {
    std::vector<std::string> names;
    const auto instance = vulkan::Instance::create({});
    EXPECT_TRUE(instance.has_value()) << instance.error().message;
    for (const auto& name : device_names())
        if (instance && (*instance)->find(name)) names.push_back(name);
    EXPECT_FALSE(names.empty()) << kNoDevice;
    return names;
}

/// Tests go on without the layer.
inline void tell_once_that_nothing_is_validated(const vulkan::Instance& instance) {
    static bool told = false;
    if (!std::exchange(told, true) && !instance.validates()) std::fprintf(stderr, "%s\n", vulkan::kNoValidation);
}

/// An instance with the validation layer, and those of the tests' devices that are installed.
struct Devices {
    std::unique_ptr<vulkan::Instance> instance;
    std::vector<std::unique_ptr<harness::Device>> devices;

    Devices() {
        auto made = vulkan::Instance::create({.validation = true});
        EXPECT_TRUE(made.has_value()) << made.error().message;
        if (!made) return;
        instance = std::move(*made);
        tell_once_that_nothing_is_validated(*instance);
        for (const auto& name : device_names()) {
            const auto info = instance->find(name);
            if (!info) continue;  // the SoftwareDevices tests report a missing device
            auto device = harness::Device::create(*instance, *info);
            EXPECT_TRUE(device.has_value()) << device.error().message;
            if (device) devices.push_back(std::move(*device));
        }
        EXPECT_FALSE(devices.empty()) << kNoDevice;
    }
    ~Devices() {
        if (!instance) return;
        devices.clear();
        for (const auto& m : instance->take_messages()) ADD_FAILURE() << "validation: " << m;
    }
};

}  // namespace tgsi2spv::test
