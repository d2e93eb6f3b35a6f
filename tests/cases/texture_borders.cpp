// Borders of textures of integers, on the software devices and in the reference.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <map>

#include "cases/compare.h"
#include "cases/devices.h"
#include "inputs/texels.h"
#include "tgsi/formats.h"

namespace tgsi2spv::difftest {
namespace {

using Colour = std::array<float, 4>;
using Words = std::array<uint32_t, 4>;

class TextureBorders : public OnDevices {
  protected:
    /// Two texels beside the texture and one inside it.
    reference::Inputs inputs() {
        reference::Inputs in;
        in.lanes = 3;
        in.inputs[{0, 0}] = {{f(-0.5f), f(0.3f), 0, 0}, {f(0.3f), f(0.3f), 0, 0}, {f(0.3f), f(1.7f), 0, 0}};
        return in;
    }

    static reference::Texture texture(const char* format, uint32_t word) {
        reference::Texture t;
        t.target = tgsi::Target::T2D;
        t.format = *tgsi::format_from_name(format);
        t.width = t.height = 4;
        t.data.emplace_back(size_t{16} * tgsi::format_info(t.format).components, word);
        return t;
    }

    static reference::SamplerState sampler(const Colour& border) {
        reference::SamplerState s;
        for (auto& w : s.wrap) w = reference::Wrap::ClampToBorder;
        s.border_color = border;
        return s;
    }

    /// Returns the answers of the devices that can run the case. The reference must permit them, and know every word of
    /// the registers `known`.
    std::vector<reference::Result> judged(const std::string& text, const reference::Inputs& in,
                                          std::initializer_list<int32_t> known) {
        std::vector<reference::Result> results;
        for (auto& device : devices) {
            SCOPED_TRACE(device->report().info.name);
            const auto got = run(*device, text, in);
            if (!got && got.error().kind == Trouble::Missing) {
                ++skipped[device->report().info.name + ": " + got.error().message];
                continue;
            }
            EXPECT_TRUE(got) << got.error().message << "\n" << text;
            if (!got) continue;
            const auto permitted = reference::run(context.program, context.registers, in,
                                                  reference_options(device->report(), tgsi::Dialect::Auto));
            EXPECT_EQ(permitted.error, "");
            const Comparison comparison = compare(permitted, *got, in.lanes);
            for (const Mismatch& m : comparison.mismatches) ADD_FAILURE() << describe(m);
            for (const int32_t reg : known)
                for (const auto& lane : permitted.outputs.at(reg))
                    for (const auto& v : lane) EXPECT_TRUE(reference::is_exact(v)) << "OUT[" << reg << "]";
            results.push_back(*got);
        }
        return results;
    }

    std::map<std::string, int> skipped;
};

Words words_of(const reference::Result& r, int32_t reg, size_t lane) {
    Words words{};
    for (size_t c = 0; c < 4; c++) words[c] = r.outputs.at(reg)[lane][c].value;
    return words;
}

/// Vulkan, "Texel Replacement": the components that a format has are the colour's; "Conversion to RGBA": those that it
/// lacks are 0, or 1 in alpha.
TEST_F(TextureBorders, OfEveryIntegerFormat) {
    size_t ran = 0;
    for (uint16_t format = 0; format < tgsi::format_count(); format++) {
        const auto& info = tgsi::format_info(format);
        const bool sint = info.numeric == tgsi::Numeric::Sint;
        const auto own = vulkan_format(format);
        if ((!sint && info.numeric != tgsi::Numeric::Uint) || !own || own->rearranged) continue;
        const std::string name(info.name);
        const std::string text = fmt::format(
            R"(VERT
DCL IN[0]
DCL SAMP[0]
DCL SVIEW[0], 2D, {}
DCL OUT[0], GENERIC[0]
DCL OUT[1], GENERIC[1]
DCL OUT[2], GENERIC[2]
TXL OUT[0], IN[0], SAMP[0], 2D
SAMPLE_L OUT[1], IN[0], SVIEW[0], SAMP[0], IN[0].wwww
GATHER4 OUT[2], IN[0], SVIEW[0], SAMP[0].x
END
)",
            sint ? "SINT" : "UINT");
        const float sign = sint ? -1 : 1;
        for (const Colour& border :
             {Colour{0, 0, 0, 0}, Colour{0, 0, 0, 1}, Colour{1, 1, 1, 1}, Colour{sign * 100, 3, sign * 99, 1}}) {
            SCOPED_TRACE(name + ' ' + testing::PrintToString(border));
            auto in = inputs();
            in.textures[0] = texture(name.c_str(), 2);
            if (info.bits[3] == 2)
                for (size_t i = 3; i < in.textures[0].data[0].size(); i += 4) in.textures[0].data[0][i] = 1;
            in.samplers[0] = sampler(border);
            Words expected{0, 0, 0, 1};
            for (size_t c = 0; c < info.components; c++)
                expected[c] = static_cast<uint32_t>(static_cast<int32_t>(border[c]));
            for (const auto& r : judged(text, in, {0, 1, 2})) {
                ran++;
                for (const size_t lane : {0u, 2u}) {
                    EXPECT_EQ(words_of(r, 0, lane), expected) << "TXL, lane " << lane;
                    EXPECT_EQ(words_of(r, 1, lane), expected) << "SAMPLE_L, lane " << lane;
                    EXPECT_EQ(words_of(r, 2, lane), (Words{expected[0], expected[0], expected[0], expected[0]}));
                }
                EXPECT_EQ(words_of(r, 0, 1)[0], 2u) << "inside";
            }
        }
    }
    for (const auto& [why, count] : skipped) std::cout << count << " skipped: " << why << "\n";
    EXPECT_GE(ran, 18 * 4 * devices.size());
}

/// A VkSampler has one border colour. That of a SAMP which meets views of floats too is of floats.
TEST_F(TextureBorders, OneSamplerWithViewsOfBothTypes) {
    auto in = inputs();
    in.textures[0] = texture("R32G32B32A32_FLOAT", f(0.5f));
    in.textures[1] = texture("R32G32B32A32_UINT", 2);
    in.samplers[0] = in.samplers[1] = sampler({1, 1, 1, 1});
    const std::string text =
        R"(VERT
DCL IN[0]
DCL SAMP[0..1]
DCL SVIEW[0], 2D, FLOAT
DCL SVIEW[1], 2D, UINT
DCL OUT[0], GENERIC[0]
DCL OUT[1], GENERIC[1]
DCL OUT[2], GENERIC[2]
DCL OUT[3], GENERIC[3]
SAMPLE_L OUT[0], IN[0], SVIEW[0], SAMP[0], IN[0].wwww
SAMPLE_L OUT[1], IN[0], SVIEW[1], SAMP[1], IN[0].wwww
SAMPLE_L OUT[2], IN[0], SVIEW[1], SAMP[0], IN[0].wwww
TXL OUT[3], IN[0], SAMP[0], 2D
END
)";
    const auto results = judged(text, in, {0, 1, 3});
    EXPECT_EQ(results.size(), devices.size());
    for (const auto& r : results) {
        EXPECT_EQ(words_of(r, 0, 0)[2], f(1));
        EXPECT_EQ(words_of(r, 1, 0)[2], 1u);
        EXPECT_EQ(words_of(r, 2, 1)[2], 2u) << "inside";
        EXPECT_EQ(words_of(r, 3, 0)[2], f(1));
    }
    const auto permitted = reference::run(context.program, context.registers, in, {});
    EXPECT_TRUE(reference::is_unknown(permitted.outputs.at(2)[0][2]));
    EXPECT_FALSE(reference::is_unknown(permitted.outputs.at(2)[1][2]));
}

/// A white border means the same through a swizzle; an opaque black or custom one means something only where the device
/// swizzles border colours.
TEST_F(TextureBorders, WithASwizzle) {
    for (const Colour& border : {Colour{0, 0, 0, 0}, Colour{0, 0, 0, 1}, Colour{1, 1, 1, 1}, Colour{9, 8, 7, 6}}) {
        SCOPED_TRACE(testing::PrintToString(border));
        auto in = inputs();
        in.textures[0] = texture("R16G16B16A16_SINT", 2);
        in.views[0] = {0, {3, 5, 0, 4}};
        in.samplers[0] = sampler(border);
        const std::string text =
            R"(VERT
DCL IN[0]
DCL SAMP[0]
DCL SVIEW[0], 2D, SINT
DCL OUT[0], GENERIC[0]
DCL OUT[1], GENERIC[1]
TXL OUT[0], IN[0], SAMP[0], 2D
SAMPLE_L OUT[1], IN[0], SVIEW[0], SAMP[0], IN[0].wwww
END
)";
        const bool same = border[0] == border[3];
        const auto results = same ? judged(text, in, {0, 1}) : judged(text, in, {});
        EXPECT_EQ(results.size(), devices.size());
        for (const auto& r : results) {
            if (!same) continue;
            const Words expected{static_cast<uint32_t>(border[3]), 1, static_cast<uint32_t>(border[0]), 0};
            EXPECT_EQ(words_of(r, 0, 0), expected);
            EXPECT_EQ(words_of(r, 1, 0), expected);
        }
    }
}

}  // namespace
}  // namespace tgsi2spv::difftest
