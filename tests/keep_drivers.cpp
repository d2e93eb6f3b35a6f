// Part of the test programs that run devices: where TGSI2SPV_DEVICES names devices, an instance stays until the end.
// NVIDIA's driver can be loaded only thirty times in a process, and is loaded again for each instance that is alone.
#include <gtest/gtest.h>

#include <memory>

#include "device_names.h"
#include "vulkan/instance.h"

namespace {

class KeepDrivers : public testing::Environment {
    void SetUp() override {
        if (tgsi2spv::test::named_devices().empty()) return;
        auto made = tgsi2spv::vulkan::Instance::create({});
        ASSERT_TRUE(made) << made.error().message;
        instance_ = std::move(*made);
    }
    void TearDown() override { instance_.reset(); }
    std::unique_ptr<tgsi2spv::vulkan::Instance> instance_;
};

[[maybe_unused]] const auto* const kKeepDrivers = testing::AddGlobalTestEnvironment(new KeepDrivers);

}  // namespace
