#include "vulkan/format_name.h"

#include <gtest/gtest.h>

namespace tgsi2spv::harness {
namespace {

TEST(FormatName, IsThatOfTheEnumerant) {
    EXPECT_EQ(vulkan::format_name(VK_FORMAT_R8G8B8A8_UNORM), "R8G8B8A8Unorm");
}

}  // namespace
}  // namespace tgsi2spv::harness
