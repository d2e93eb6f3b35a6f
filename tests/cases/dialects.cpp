// Points on which the editions contradict each other, on the devices and judged by the reference, in each edition.
// tests/meanings has the others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cases/compare.h"
#include "cases/devices.h"
#include "inputs/inputs.h"
#include "tgsi/formats.h"

namespace tgsi2spv::difftest {
namespace {

using tgsi::Dialect;

class Dialects : public OnDevices {
  protected:
    /// Compares every device with the reference and returns the words that the first device wrote; expects that at
    /// least one device can run the shader.
    std::vector<uint32_t> compared(const std::string& text, const reference::Inputs& inputs, Dialect dialect) {
        std::vector<uint32_t> words;
        EXPECT_TRUE(api::parse(context, text, {})) << text;
        for (auto& device : devices) {
            SCOPED_TRACE(device->report().info.name + " dialect " + std::to_string(static_cast<int>(dialect)) + "\n" +
                         text);
            VulkanOptions options;
            options.settings.dialect = dialect;
            const auto got = run_vulkan(*device, context, inputs, options);
            if (!got) {
                EXPECT_EQ(got.error().kind, Trouble::Missing) << got.error().message;
                continue;
            }
            const auto permitted = reference::run(context.program, context.registers, inputs,
                                                  reference_options(device->report(), dialect));
            EXPECT_EQ(permitted.error, "");
            const Comparison c = compare(permitted, *got, inputs.lanes);
            EXPECT_EQ(c.unknown, 0u) << "of " << c.words;
            for (const Mismatch& m : c.mismatches) ADD_FAILURE() << describe(m);
            if (!words.empty()) continue;
            for (const auto& [reg, lanes] : got->outputs)
                for (const auto& component : lanes[0]) words.push_back(component.value);
            for (const auto& [index, buffer] : got->buffers)
                for (const auto& component : buffer) words.push_back(component.value);
        }
        EXPECT_FALSE(words.empty()) << text;
        return words;
    }

    void each(const std::string& text, const reference::Inputs& inputs, bool oldest_differs, bool middle_differs,
              bool automatic_differs) {
        const auto newest = compared(text, inputs, Dialect::Newest);
        EXPECT_EQ(compared(text, inputs, Dialect::Oldest) != newest, oldest_differs) << text;
        EXPECT_EQ(compared(text, inputs, Dialect::Middle) != newest, middle_differs) << text;
        EXPECT_EQ(compared(text, inputs, Dialect::Auto) != newest, automatic_differs) << text;
    }
};

TEST_F(Dialects, FogByAnIndexAndSamplePositions) {
    reference::Inputs inputs;
    inputs.lanes = 4;
    for (int lane = 0; lane < 4; ++lane) inputs.inputs[{0, 0}].push_back({0x3f000000, 0x40000000, 0x40400000, 0});
    // The index selects FOG.
    for (int lane = 0; lane < 4; ++lane) inputs.inputs[{0, 1}].push_back({1, 0, 0, 0});
    each(
        R"(FRAG
DCL IN[0], FOG, PERSPECTIVE
DCL IN[1], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL ADDR[0]
UARL ADDR[0].x, IN[1].xxxx
MOV OUT[0], IN[ADDR[0].x-1]
END
)",
        inputs, true, true, false);
    // Only the middle edition gives zeros for a texture that is not multisampled.
    inputs.textures[0].target = tgsi::Target::T2D;
    inputs.textures[0].format = *tgsi::format_from_name("R32_FLOAT");
    each(
        R"(FRAG
DCL OUT[0], COLOR
DCL SVIEW[0], 2D, FLOAT
IMM[0] UINT32 {0, 0, 0, 0}
SAMPLE_POS OUT[0].xy, SVIEW[0], IMM[0].xxxx
END
)",
        inputs, false, true, false);
}

}  // namespace
}  // namespace tgsi2spv::difftest
