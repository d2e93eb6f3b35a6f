// Weights of linear filters, and texels as formats store them. runs/texture_filter.txt has what messages read.
#include "reference/textures/filter.h"

#include <gtest/gtest.h>

#include "reference/runs.h"
#include "reference/texture_bench.h"
#include "texts/number.h"

namespace tgsi2spv::reference {
namespace {

using tgsi::Opcode;
using tgsi::Target;

TEST(TextureFilter, BothWeightsExactAndQuantisedAreInside) {
    Bench b;
    b.texture = numbered(Target::T1D, 4);
    b.sampler.min_filter = b.sampler.mag_filter = Filter::Linear;
    for (int i = 0; i < 200; ++i) {
        const float s = 0.15f + 0.0035f * static_cast<float>(i);
        const Value v = b.run(Opcode::TEX, Target::T1D, {floats(s), {}})[0];
        const double x = s * 4.0 - 0.5, base = std::floor(x);
        for (double weight : {x - base, std::floor((x - base) * 256) / 256, std::nearbyint((x - base) * 256) / 256}) {
            const double exact_answer = base + weight;
            EXPECT_TRUE(permits(v, as_word(static_cast<float>(exact_answer)))) << s << " " << show(v);
        }
        EXPECT_FALSE(permits(v, as_word(static_cast<float>(x + 0.02)))) << s << " " << show(v);
        EXPECT_FALSE(permits(v, as_word(static_cast<float>(x - 0.02)))) << s << " " << show(v);
    }
}

/// 76.5 is a tie, 0.25 is 63.75 of 255. R11G11B10_FLOAT has no sign: an encoder drops that of -0, and a denormal that a
/// device flushes becomes +0. Of sRGB, 188 / 255 encodes 0.5029, with half a code's step on either side; alpha is not
/// encoded. A denormal may be flushed. A code is read with one division, right to one part in 100000.
TEST(TextureFilter, TexelsAreRoundedToTheFormat) {
    const struct {
        const char* format;
        int component;
        const char *given, *expected;
    } rows[] = {
        {"R8_UNORM", 0, "0", "0"},
        {"R8_UNORM", 0, "2.0", "1.0"},
        {"R8_UNORM", 0, "-1.0", "0"},
        {"R8_SNORM", 0, "-3.0", "-1.0"},
        {"R8_UNORM", 0, "0.3", "{76:255,77:255}"},
        {"R8_UNORM", 0, "0.25", "{64:255,!0.25,!63:255}"},
        {"R8_UNORM", 0, "64:255", "{0.2509782,0.2509826,!0.2509769,!0.2509840}"},
        {"R16_FLOAT", 0, "0.5", "0.5"},
        {"R16_FLOAT", 0, "1.0001", "1.0/0x1.004p0"},
        {"R11G11B10_FLOAT", 0, "-1.0", "0"},
        {"R11G11B10_FLOAT", 0, "-0.0", "{0,!-0.0}"},
        {"R11G11B10_FLOAT", 0, "2^-16", "{0,!-0.0}"},
        {"R11G11B10_FLOAT", 2, "1.5", "1.5"},
        {"R8G8B8A8_SRGB", 0, "0", "0"},
        {"R8G8B8A8_SRGB", 0, "1.0", "1.0"},
        {"R8G8B8A8_SRGB", 0, "188:255", "{0.5029,!0.51}"},
        {"R8G8B8A8_SRGB", 3, "188:255", "{!0.5029}"},
        {"L8A8_SRGB", 0, "188:255", "{0.5029}"},
        {"L8A8_SRGB", 1, "188:255", "{!0.5029}"},
        {"R32_FLOAT", 0, "1e-40", "{0}"},
        {"R32_FLOAT", 0, "nan", "{0x7fc12345}"},
        {"R8_UINT", 0, "256", "?"},
        {"NONE", 0, "1.0", "?"},
    };
    for (const auto& row : rows) {
        test::Number given;
        ASSERT_TRUE(test::parse_number(row.given, given));
        const Value v = stored(tgsi::format_info(*tgsi::format_from_name(row.format)), row.component,
                               static_cast<uint32_t>(given.bits));
        std::string wrong;
        judge(row.expected, &v, 1, wrong);
        EXPECT_EQ(wrong, "") << row.format << " " << row.given << ": " << row.expected;
    }
}

}  // namespace
}  // namespace tgsi2spv::reference
