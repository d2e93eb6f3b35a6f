#include "inputs/texels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "tgsi/tables/formats.h"

namespace tgsi2spv::difftest {
namespace {

using testing::ElementsAre;

uint32_t f(float v) {
    return std::bit_cast<uint32_t>(v);
}
uint16_t format(const char* name) {
    const auto id = tgsi::format_from_name(name);
    EXPECT_TRUE(id) << name;
    return id.value_or(0);
}

TEST(Texels, BytesStandAsVulkanHasThem) {
    EXPECT_THAT(encode_texels(format("R8G8B8A8_UNORM"), std::vector<uint32_t>{f(0), f(1), f(0.5f), f(2)}),
                ElementsAre(0, 255, 128, 255));
    EXPECT_THAT(encode_texels(format("B8G8R8A8_UNORM"), std::vector<uint32_t>{f(1), f(0), f(0), f(0)}),
                ElementsAre(0, 0, 255, 0));
    EXPECT_THAT(encode_texels(format("R8_SNORM"), std::vector<uint32_t>{f(-1), f(1), f(-2)}),
                ElementsAre(129, 127, 129));
    EXPECT_THAT(encode_texels(format("R16_FLOAT"), std::vector<uint32_t>{f(1), f(65504), f(65520), f(0x1p-24f)}),
                ElementsAre(0, 0x3c, 0xff, 0x7b, 0, 0x7c, 1, 0));
    EXPECT_THAT(encode_texels(format("R32_UINT"), std::vector<uint32_t>{0x01020304}), ElementsAre(4, 3, 2, 1));
    EXPECT_THAT(encode_texels(format("R10G10B10A2_UNORM"), std::vector<uint32_t>{f(1), f(0), f(0), f(1)}),
                ElementsAre(0xff, 0x03, 0x00, 0xc0));
    EXPECT_THAT(encode_texels(format("R11G11B10_FLOAT"), std::vector<uint32_t>{f(1), f(-1), f(1e9f)}),
                ElementsAre(0xc0, 0x03, 0x00, 0xf8));
    EXPECT_THAT(encode_texels(format("Z16_UNORM"), std::vector<uint32_t>{f(1)}), ElementsAre(0xff, 0xff));
    for (const char* name : {"Z24X8_UNORM", "Z24_UNORM_S8_UINT"})
        EXPECT_THAT(encode_texels(format(name), std::vector<uint32_t>{f(1), f(0.5f)}),
                    ElementsAre(0xff, 0xff, 0xff, 0, 0, 0, 0x80, 0));
    EXPECT_THAT(encode_texels(format("B8G8R8A8_SRGB"), std::vector<uint32_t>{f(1), f(0.5f), f(0), f(0.2f)}),
                ElementsAre(0, 128, 255, 51));
}

TEST(Texels, ValuesOfAFormatComeBackExactly) {
    for (const char* name : {"R8G8B8A8_UNORM", "R8G8B8A8_SNORM", "B8G8R8A8_UNORM", "R16G16_FLOAT", "R16G16B16A16_SINT",
                             "R32G32B32A32_FLOAT", "R10G10B10A2_UNORM", "R32_SINT", "Z32_FLOAT", "R11G11B10_FLOAT",
                             "R8G8B8A8_SRGB", "Z24X8_UNORM"}) {
        const auto id = format(name);
        const auto vulkan = vulkan_format(id);
        ASSERT_TRUE(vulkan) << name;
        std::vector<uint8_t> bytes(vulkan->texel_bytes * 4);
        for (size_t i = 0; i < bytes.size(); i++) bytes[i] = static_cast<uint8_t>(i * 37 + 1);
        const auto words = decode_texels(id, bytes);
        EXPECT_EQ(decode_texels(id, encode_texels(id, words)), words) << name;
    }
}

TEST(Texels, AlphaLuminanceAndIntensityAreRed) {
    const auto la = vulkan_format(format("L8A8_UNORM")), a = vulkan_format(format("A16_FLOAT")),
               i = vulkan_format(format("I32_SINT")), r = vulkan_format(format("R8_UNORM"));
    ASSERT_TRUE(la && a && i && r);
    EXPECT_EQ(la->format, VK_FORMAT_R8G8_UNORM);
    EXPECT_EQ(a->format, VK_FORMAT_R16_SFLOAT);
    EXPECT_EQ(i->format, VK_FORMAT_R32_SINT);
    EXPECT_TRUE(la->rearranged && a->rearranged && i->rearranged && !r->rearranged);
    EXPECT_THAT(encode_texels(format("L8A8_UNORM"), std::vector<uint32_t>{f(1), f(0)}), ElementsAre(255, 0));
}

TEST(Texels, FormatsWithoutAVulkanCounterpartAreTold) {
    for (const char* name : {"L8A8_SRGB", "X8Z24_UNORM", "S8_UINT_Z24_UNORM"})
        EXPECT_FALSE(vulkan_format(format(name))) << name;
    EXPECT_FALSE(vulkan_format(format("S8_UINT"))) << "Vulkan has it, but no case reads stencil";
    EXPECT_FALSE(vulkan_format(0));
}

}  // namespace
}  // namespace tgsi2spv::difftest
