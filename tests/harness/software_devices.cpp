// Reports which software devices are installed: other tests silently leave out a missing one, and these show it in
// ctest's summary.
#include <gtest/gtest.h>

#include "vulkan/instance.h"

namespace tgsi2spv {
namespace {

void expect_here(const char* name) {
    const auto instance = vulkan::Instance::create({});
    ASSERT_TRUE(instance.has_value()) << instance.error().message;
    if (!(*instance)->find(name))
        GTEST_SKIP() << name << " is not installed (tools/install-deps --tests): nothing is tested on it";
}

TEST(SoftwareDevices, LavapipeIsHere) {
    expect_here("llvmpipe");
}

TEST(SoftwareDevices, SwiftShaderIsHere) {
    expect_here("SwiftShader");
}

}  // namespace
}  // namespace tgsi2spv
