#include "inputs/texture_formats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "inputs/texels.h"
#include "tgsi/tables/formats.h"

namespace tgsi2spv::difftest {
namespace {

using tgsi::Numeric;
using tgsi::ReturnType;
using tgsi::Target;

constexpr int kDraws = 500;

std::set<uint16_t> drawn(Target target, ReturnType type) {
    Random random(1);
    std::set<uint16_t> formats;
    for (int i = 0; i < kDraws; i++) formats.insert(draw_format(random, tgsi::shape(target), type));
    return formats;
}

TEST(TextureFormats, AreOfTheTypeThatTheViewReturns) {
    for (const Target target : {Target::T2D, Target::Cube, Target::Buffer}) {
        for (const uint16_t format : drawn(target, ReturnType::Uint))
            EXPECT_EQ(Numeric::Uint, tgsi::format_info(format).numeric);
        for (const uint16_t format : drawn(target, ReturnType::Sint))
            EXPECT_EQ(Numeric::Sint, tgsi::format_info(format).numeric);
        for (const uint16_t format : drawn(target, ReturnType::Float)) {
            EXPECT_FALSE(tgsi::is_integer(tgsi::format_info(format).numeric));
            EXPECT_NE(Numeric::Depth, tgsi::format_info(format).numeric);
        }
    }
    for (const uint16_t format : drawn(Target::Shadow2D, ReturnType::Float))
        EXPECT_EQ(Numeric::Depth, tgsi::format_info(format).numeric);
}

TEST(TextureFormats, AreManyAndKnownToVulkan) {
    EXPECT_EQ(17u, drawn(Target::T2D, ReturnType::Float).size());
    EXPECT_EQ(8u, drawn(Target::T2D, ReturnType::Uint).size());
    EXPECT_EQ(8u, drawn(Target::T3D, ReturnType::Sint).size());
    EXPECT_EQ(2u, drawn(Target::Shadow2D, ReturnType::Float).size());
    EXPECT_EQ(1u, drawn(Target::T2DMS, ReturnType::Float).size()) << "the harness fills samples by stores";
    for (const ReturnType type : {ReturnType::Float, ReturnType::Uint, ReturnType::Sint}) {
        for (const uint16_t format : drawn(Target::T2D, type))
            EXPECT_TRUE(vulkan_format(format)) << tgsi::format_info(format).name;
        // Texel buffers have neither swizzles nor sRGB.
        for (const uint16_t format : drawn(Target::Buffer, type)) {
            EXPECT_FALSE(vulkan_format(format)->rearranged) << tgsi::format_info(format).name;
            EXPECT_NE(Numeric::Srgb, tgsi::format_info(format).numeric);
        }
    }
}

TEST(TextureFormats, TexelsAreRoundedToTheFormat) {
    Random random(1);
    for (const char* name : {"R8G8B8A8_UINT", "R32_UINT", "R8_SINT", "R16G16B16A16_SINT", "R10G10B10A2_UINT"}) {
        const uint16_t format = *tgsi::format_from_name(name);
        std::vector<uint32_t> words(tgsi::format_info(format).components);
        int32_t least = 0, most = 0;
        for (int i = 0; i < kDraws; i++) {
            for (uint32_t& w : words) {
                w = draw_texel(random, format);
                least = std::min(least, static_cast<int32_t>(w));
                most = std::max(most, static_cast<int32_t>(w));
            }
            const auto held = decode_texels(format, encode_texels(format, words));
            EXPECT_EQ(words[0], held[0]) << name;
        }
        EXPECT_EQ(tgsi::format_info(format).numeric == Numeric::Sint, least < 0) << name;
        EXPECT_GT(most, largest_texel(format) * 9 / 10) << name;
    }
    EXPECT_EQ(255, largest_texel(*tgsi::format_from_name("R8_UINT")));
    EXPECT_EQ(127, largest_texel(*tgsi::format_from_name("R8_SINT")));
    EXPECT_EQ(1000, largest_texel(*tgsi::format_from_name("R32_SINT")));
}

}  // namespace
}  // namespace tgsi2spv::difftest
