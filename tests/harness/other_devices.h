// The fixture of tests on a software device that pretends to be another one.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "harness/device.h"
#include "harness/job.h"
#include "harness/pretend.h"
#include "harness_shaders/square_comp.h"
#include "vulkan/instance.h"

namespace tgsi2spv::harness {

class OtherDevices : public testing::Test {
  protected:
    std::unique_ptr<vulkan::Instance> instance_ = std::move(*vulkan::Instance::create({}));
    vulkan::DeviceInfo info_ = *instance_->default_device();

    std::unique_ptr<Device> device() const {
        auto made = Device::create(*instance_, info_);
        EXPECT_TRUE(made) << made.error().message;
        return made ? std::move(*made) : nullptr;
    }
    static Job squares() {
        Job job;
        job.compute.words = square_comp;
        job.buffers = {{{1, 2, 3, 4}, true}};
        job.descriptors = {{0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {0}, {}}};
        return job;
    }
    /// Returns the feature that the device lacks for the job, or "ran".
    static std::string missing(Device& device, const Job& job) {
        const auto out = run(device, job);
        if (out) return "ran";
        EXPECT_EQ(out.error().failure, Failure::Missing) << out.error().message;
        return out.error().message;
    }
};

}  // namespace tgsi2spv::harness
