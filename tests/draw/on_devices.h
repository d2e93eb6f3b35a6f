// Draws a scene on the devices of the tests.
#pragma once

#include <gtest/gtest.h>

#include <iostream>
#include <vector>

#include "draw/draw_job.h"
#include "harness/devices.h"

namespace tgsi2spv::test {

/// Calls `check` with each device that supports the scene and its picture; expects at least one.
template <class Check>
void draw_on_devices(Devices& vulkans, const scene::Scene& scene, const std::vector<drawing::DrawModule>& modules,
                     const std::vector<harness::SpecValue>& constants, Check check) {
    size_t drawn = 0;
    for (auto& device : vulkans.devices) {
        const std::string& name = device->report().info.name;
        SCOPED_TRACE(name);
        const auto rgba = drawing::draw_scene(*device, scene, modules, constants);
        if (!rgba && rgba.error().failure == vulkan::Failure::Missing) {
            std::cout << name << " lacks " << rgba.error().message << "\n";
            continue;
        }
        ASSERT_TRUE(rgba) << rgba.error().message;
        drawn++;
        check(*device, *rgba);
    }
    if (drawn == 0 && !named_devices().empty()) GTEST_SKIP() << "the device lacks what this draws with";
    EXPECT_GT(drawn, 0u);
}

}  // namespace tgsi2spv::test
