// Luminance with alpha, and packed depth and stencil, to Vulkan's aspects and back: all 24-bit depths, and the bits
// that nothing is stored in.
#include "renderer/move/texel_convert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <vector>

namespace tgsi2spv::host {
namespace {

using Words = std::vector<uint32_t>;
using Stencil = std::vector<uint8_t>;

struct Aspects {
    Words depth;
    Stencil stencil;
};

uint32_t words_of(Conversion c) {
    return c == Conversion::Z32S8 || c == Conversion::Z32S8In24 ? 2 : 1;
}

Aspects unpack(Conversion c, const Words& texels, bool stencil) {
    const size_t count = texels.size() / words_of(c);
    Aspects a{Words(count, 0xdddddddd), Stencil(stencil ? count : 0, 0xdd)};
    unpack_texels(c, std::as_bytes(std::span(texels)), reinterpret_cast<std::byte*>(a.depth.data()),
                  stencil ? reinterpret_cast<std::byte*>(a.stencil.data()) : nullptr);
    return a;
}

Words pack(Conversion c, const Aspects& a) {
    Words texels(a.depth.size() * words_of(c), 0xdddddddd);
    pack_texels(c, reinterpret_cast<const std::byte*>(a.depth.data()),
                a.stencil.empty() ? nullptr : reinterpret_cast<const std::byte*>(a.stencil.data()),
                std::as_writable_bytes(std::span(texels)));
    return texels;
}

uint32_t bits(float value) {
    return std::bit_cast<uint32_t>(value);
}

TEST(TexelConvert, LuminanceWithAlphaHasFourComponents) {
    const std::array<uint8_t, 16> texels{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    const auto both_ways = [&](Conversion c) {
        std::array<uint8_t, 32> four{}, back{};
        unpack_texels(c, std::as_bytes(std::span(texels)), reinterpret_cast<std::byte*>(four.data()), nullptr);
        pack_texels(c, reinterpret_cast<const std::byte*>(four.data()), nullptr,
                    std::as_writable_bytes(std::span(back).first(16)));
        EXPECT_TRUE(std::ranges::equal(texels, std::span(back).first(16)));
        return std::vector<uint8_t>(four.begin(), four.begin() + 16);
    };
    using testing::ElementsAre;
    EXPECT_THAT(both_ways(Conversion::LA8), ElementsAre(1, 0, 0, 2, 3, 0, 0, 4, 5, 0, 0, 6, 7, 0, 0, 8));
    EXPECT_THAT(both_ways(Conversion::LA16), ElementsAre(1, 2, 0, 0, 0, 0, 3, 4, 5, 6, 0, 0, 0, 0, 7, 8));
    EXPECT_THAT(both_ways(Conversion::LA32), ElementsAre(1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 5, 6, 7, 8));
}

TEST(DepthConvert, WordsArePackedAsTheirNamesSay) {
    const Words word{0x12345678};
    const auto expect = [&](Conversion c, uint32_t depth, int stencil) {
        const Aspects a = unpack(c, word, stencil >= 0);
        EXPECT_EQ(a.depth[0], depth);
        if (stencil >= 0) {
            EXPECT_EQ(a.stencil[0], stencil);
        }
    };
    expect(Conversion::Z24S8, 0x345678, 0x12);
    expect(Conversion::S8Z24, 0x123456, 0x78);
    expect(Conversion::Z24X8, 0x345678, -1);
    expect(Conversion::X8Z24, 0x123456, -1);
    expect(Conversion::Z24S8Float, bits(static_cast<float>(0x345678 / 16777215.0)), 0x12);
    expect(Conversion::S8Z24Float, bits(static_cast<float>(0x123456 / 16777215.0)), 0x78);
    expect(Conversion::Z24X8Float, bits(static_cast<float>(0x345678 / 16777215.0)), -1);
    expect(Conversion::X8Z24Float, bits(static_cast<float>(0x123456 / 16777215.0)), -1);
    const Aspects two = unpack(Conversion::Z32S8, {bits(0.25f), 0xaabbcc07}, true);
    EXPECT_EQ(two.depth[0], bits(0.25f));
    EXPECT_EQ(two.stencil[0], 7);
    EXPECT_EQ(unpack(Conversion::Z32S8In24, {bits(0.25f), 7}, true).depth[0], 0x400000u);
    EXPECT_EQ(pack(Conversion::Z32S8In24, {{0xeeffffff}, {7}}), (Words{bits(1), 7}));
}

/// VUID-vkCmdCopyBufferToImage-pRegions-07931
TEST(DepthConvert, FloatsAreFrom0To1) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();
    const Words texels{bits(0.25F), bits(1.5F), bits(-1), bits(kNan), bits(kInfinity)};
    const Words depths{bits(0.25F), bits(1), 0, 0, bits(1)};
    EXPECT_EQ(unpack(Conversion::Z32Float, texels, false).depth, depths);
    EXPECT_EQ(pack(Conversion::Z32Float, {depths, {}}), depths);
    Words pairs;
    for (const uint32_t texel : texels) pairs.insert(pairs.end(), {texel, 7});
    EXPECT_EQ(unpack(Conversion::Z32S8, pairs, true).depth, depths);
}

/// All 24-bit depths in rows, each with a stencil of its own.
void expect_round_trips(Conversion c, bool depth_is_high, bool stencil) {
    constexpr uint32_t kRow = 1u << 16;
    for (uint32_t first = 0; first < 1u << 24; first += kRow) {
        Words texels(kRow);
        for (uint32_t i = 0; i < kRow; i++) {
            const uint32_t d = first + i, s = stencil ? (d * 7 + (d >> 11)) & 0xff : 0;
            texels[i] = depth_is_high ? d << 8 | s : d | s << 24;
        }
        ASSERT_EQ(pack(c, unpack(c, texels, stencil)), texels) << first;
    }
}

TEST(DepthConvert, All24BitDepthsComeBack) {
    expect_round_trips(Conversion::Z24S8, false, true);
    expect_round_trips(Conversion::S8Z24, true, true);
    expect_round_trips(Conversion::Z24X8, false, false);
    expect_round_trips(Conversion::X8Z24, true, false);
}

TEST(DepthConvert, All24BitDepthsComeBackFromFloats) {
    expect_round_trips(Conversion::Z24S8Float, false, true);
    expect_round_trips(Conversion::S8Z24Float, true, true);
    expect_round_trips(Conversion::Z24X8Float, false, false);
    expect_round_trips(Conversion::X8Z24Float, true, false);
}

// A float has 24 of the 32 bits.
TEST(DepthConvert, Depths32ComeBackToTheNearestFloat) {
    for (const uint32_t d : {0u, 1u, 0x00ffffffu, 0x7fffffffu, 0x80000000u, 0xfffffeffu, 0xffffffffu}) {
        const uint32_t back = pack(Conversion::Z32, unpack(Conversion::Z32, {d}, false))[0];
        EXPECT_LE(back > d ? back - d : d - back, 128u) << d;
    }
    EXPECT_EQ(unpack(Conversion::Z32, {0xffffffff}, false).depth[0], bits(1));
    EXPECT_EQ(pack(Conversion::Z32, {{bits(1)}, {}})[0], 0xffffffff);
}

// Vulkan leaves the upper bits of a copied X8_D24 undefined.
TEST(DepthConvert, UndefinedBitsAreNotPassedOn) {
    EXPECT_EQ(pack(Conversion::Z24X8, {{0xee123456}, {}})[0], 0x00123456u);
    EXPECT_EQ(pack(Conversion::X8Z24, {{0xee123456}, {}})[0], 0x12345600u);
    EXPECT_EQ(pack(Conversion::Z24S8, {{0xee123456}, {0x77}})[0], 0x77123456u);
    EXPECT_EQ(pack(Conversion::S8Z24, {{0xee123456}, {0x77}})[0], 0x12345677u);
    EXPECT_EQ(pack(Conversion::Z32S8, {{bits(0.5f)}, {0x77}}), (Words{bits(0.5f), 0x77}));
}

TEST(DepthConvert, FloatsOutsideOfDepthsRangeAreClamped) {
    constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
    for (const auto& [depth, expected] : {std::pair{-1.0f, 0u},
                                          {-0.0f, 0u},
                                          {1.5f, 0xffffffu},
                                          {kInf, 0xffffffu},
                                          {-kInf, 0u},
                                          {kNan, 0u},
                                          {-kNan, 0u}}) {
        EXPECT_EQ(pack(Conversion::Z24X8Float, {{bits(depth)}, {}})[0], expected) << depth;
        EXPECT_EQ(pack(Conversion::Z32, {{bits(depth)}, {}})[0], expected == 0 ? 0u : 0xffffffffu) << depth;
    }
}

}  // namespace
}  // namespace tgsi2spv::host
