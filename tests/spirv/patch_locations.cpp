#include "spirv/patch_locations.h"

#include <gtest/gtest.h>

#include <spirv/unified1/spirv.hpp11>

namespace tgsi2spv::spirv {
namespace {

constexpr uint32_t decorate(uint32_t words) {
    return words << 16 | static_cast<uint32_t>(spv::Op::OpDecorate);
}
constexpr auto kPatch = static_cast<uint32_t>(spv::Decoration::Patch);
constexpr auto kLocation = static_cast<uint32_t>(spv::Decoration::Location);

TEST(PatchLocations, OnlyThoseOfPatchVariablesMove) {
    const std::vector<uint32_t> words{spv::MagicNumber, 0x10000, 0,      9,           0, decorate(4), 7, kLocation, 3,
                                      decorate(3),      7,       kPatch, decorate(4), 8, kLocation,   3};
    std::vector<uint32_t> expected = words;
    expected[8] = 67;
    EXPECT_EQ(with_patch_locations_apart(words), expected);
    // Truncated instructions and those with a wrong length are left unchanged.
    constexpr size_t kEndOfPatch = 12;
    for (size_t n = 0; n < words.size(); ++n) {
        const auto end = static_cast<ptrdiff_t>(n);
        EXPECT_EQ(with_patch_locations_apart(std::span(words).first(n)),
                  n < kEndOfPatch ? std::vector<uint32_t>(words.begin(), words.begin() + end)
                                  : std::vector<uint32_t>(expected.begin(), expected.begin() + end))
            << n;
    }
    std::vector<uint32_t> stuck = words;
    stuck[5] = 0;
    EXPECT_EQ(with_patch_locations_apart(stuck), stuck);
}

}  // namespace
}  // namespace tgsi2spv::spirv
