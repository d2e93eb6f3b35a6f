// The names and versions of drivers, by which known bugs are found, and the names of results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vulkan/error.h"
#include "vulkan/instance.h"
#include "vulkan/version.h"

namespace tgsi2spv::vulkan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Drivers, AreKnownByTheNamesOfDevices) {
    EXPECT_EQ(driver_of("llvmpipe (LLVM 15.0.6, 256 bits)"), Driver::Lavapipe);
    EXPECT_EQ(driver_of("SwiftShader Device (Subzero)"), Driver::SwiftShader);
    EXPECT_EQ(driver_of("AMD Radeon RX 6800 XT (RADV NAVI21)"), Driver::Radv);
    EXPECT_EQ(driver_of("NVIDIA H200"), Driver::Nvidia);
    EXPECT_EQ(driver_of("Intel(R) Arc(tm) A770 Graphics (DG2)"), Driver::Other);
}

TEST(Drivers, VersionsAreNumbersWithPoints) {
    EXPECT_THAT(version_of("Mesa 22.3.6 (LLVM 15.0.6)"), ElementsAre(22, 3, 6));
    EXPECT_THAT(version_of("565.57.01"), ElementsAre(565, 57, 1));
    EXPECT_THAT(version_of("driver of the r600"), IsEmpty());
    EXPECT_THAT(read_version("23.1-rc2"), ElementsAre(23, 1));
    EXPECT_THAT(read_version("23.x"), ElementsAre(23));
}

TEST(Results, HaveVulkansNames) {
    EXPECT_EQ(result_name(VK_TIMEOUT), "VK_TIMEOUT");
    EXPECT_EQ(result_name(VK_ERROR_DEVICE_LOST), "VK_ERROR_DEVICE_LOST");
}

}  // namespace
}  // namespace tgsi2spv::vulkan
