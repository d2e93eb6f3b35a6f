// Borders of every integer format, on the software devices and in the reference. runs/borders.txt has others.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <map>

#include "cases/compare.h"
#include "cases/devices.h"
#include "inputs/texels.h"
#include "reference/run.h"
#include "tgsi/tables/formats.h"

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

    /// Returns the answers of the devices that can run the case. The reference must permit them, and know every word.
    std::vector<reference::Result> judged(const std::string& text, const reference::Inputs& in) {
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
            for (const auto& [reg, lanes] : permitted.outputs)
                for (const auto& lane : lanes)
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
            for (const auto& r : judged(text, in)) {
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

}  // namespace
}  // namespace tgsi2spv::difftest
