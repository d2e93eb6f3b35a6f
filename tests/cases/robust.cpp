// The checks that a module leaves to a device with robustBufferAccess2 and robustImageAccess2: the answers are those of
// a module that checks itself, except for constants beyond the declared ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "cases/compare.h"
#include "cases/devices.h"
#include "reference/run.h"

namespace tgsi2spv::difftest {
namespace {

/// IN[0].x of the eight lanes: inside, at the end, beyond it, far beyond it, negative. y is 0.
std::string inputs(std::string_view resources) {
    std::string lanes;
    for (const char* const x : {"0x0", "0x1", "0x2", "0x3", "0x4", "0x1000", "0x10000001", "0xffffffff"})
        lanes += fmt::format(R"({}["{}", "0x0", "0x0", "0x0"])", lanes.empty() ? "" : ", ", x);
    return fmt::format(R"({{"lanes": 8, "inputs": {{"IN[0]": [{}]}}, {}}})", lanes, resources);
}

class RobustAccess : public OnDevices {
  protected:
    /// Runs the shader on every device that has both, with and without the module's own checks.
    void hold(const std::string& body, const std::string& resources) {
        const std::string text =
            R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL ADDR[0]
DCL CONST[0..1]
DCL TEMP[0..1]
IMM[0] UINT32 {2, 7, 0, 1}
UARL ADDR[0].x, IN[0].xxxx
SHL TEMP[0], IN[0].xxxx, IMM[0].xxxx
)" + body + "END\n";
        SCOPED_TRACE(text);
        ASSERT_TRUE(api::parse(context, text, {})) << context.diagnostics.at(0).message;
        const auto in = read_inputs(inputs(resources));
        ASSERT_TRUE(in) << in.error();
        bool some = false;
        for (auto& device : devices) {
            if (!device->report().robust_buffer_access2 || !device->report().robust_image_access2) continue;
            some = true;
            for (const bool robust : {false, true}) {
                VulkanOptions options;
                options.robust_access = robust;
                const auto ran = run_vulkan(*device, context, *in, options);
                ASSERT_TRUE(ran) << ran.error().message;
                auto judging = reference_options(device->report(), tgsi::Dialect::Auto);
                judging.constants_as_bound = robust;
                const auto judged = reference::run(context.program, context.registers, *in, judging);
                ASSERT_EQ(judged.error, "");
                const auto compared = compare(judged, *ran, in->lanes);
                EXPECT_EQ(compared.unknown, 0u);
                for (const auto& m : compared.mismatches)
                    ADD_FAILURE() << device->report().info.name << (robust ? ", robust: " : ": ") << describe(m);
            }
        }
        EXPECT_TRUE(some) << "no device has robust access";
    }
};

TEST_F(RobustAccess, ConstantsByAnIndexAreTheBoundOnes) {
    const std::string kThree =
        R"("constants": {"0": ["0x1", "0x2", "0x3", "0x4", "0x5", "0x6", "0x7", "0x8", "0x9", "0xa", "0xb", "0xc"]})";
    hold("MOV OUT[0], CONST[ADDR[0].x]\n", kThree);
    hold("MOV OUT[0], CONST[ADDR[0].x-1].wzyx\n", kThree);
}

TEST_F(RobustAccess, WordsOfBuffersAreInsideOrZero) {
    const std::string kBuffers = R"("buffers": {"BUFFER[0]": ["0x11", "0x22", "0x33", "0x44", "0x55"]})";
    hold("DCL BUFFER[0]\nLOAD OUT[0], BUFFER[0], TEMP[0].xxxx\n", kBuffers);
    hold("DCL BUFFER[0]\nSTORE BUFFER[0].xy, TEMP[0].xxxx, IMM[0].yyyy\nMOV OUT[0], IN[0]\n", kBuffers);
    hold("DCL BUFFER[0]\nATOMXCHG TEMP[1].x, BUFFER[0], TEMP[0].xxxx, IMM[0].yyyy\nMOV OUT[0], IN[0]\n",
         R"("buffers": {"BUFFER[0]": ["0x7"]})");
}

TEST_F(RobustAccess, TexelsOfImagesAreInsideOrZero) {
    for (const std::string_view format : {"R32_UINT", "R32G32B32A32_UINT", "R32_FLOAT"}) {
        const bool four = format == "R32G32B32A32_UINT";
        const std::string kImages = fmt::format(
            R"("images": {{"IMAGE[0]": {{"target": "2D", "format": "{}", "width": 2, "height": 1, "data": [[{}]]}}}})",
            format,
            four ? R"("0x1", "0x2", "0x3", "0x4", "0x5", "0x6", "0x7", "0x8")" : R"("0x3f800000", "0x40000000")");
        const std::string kDeclared = fmt::format("DCL IMAGE[0], 2D, PIPE_FORMAT_{}, WR\n", format);
        hold(kDeclared + fmt::format("LOAD OUT[0], IMAGE[0], IN[0].xyxx, 2D, PIPE_FORMAT_{}\n", format), kImages);
        hold(kDeclared + fmt::format("LOAD OUT[0], IMAGE[0], IN[0].yxxx, 2D, PIPE_FORMAT_{}\n", format), kImages);
        hold(kDeclared +
                 fmt::format("USNE TEMP[1], IN[0].xxxx, IMM[0].zzzz\nUIF TEMP[1].xxxx\nSTORE IMAGE[0], IN[0].xyxx, "
                             "IMM[0].yyyy, 2D, PIPE_FORMAT_{}\nENDIF\nMOV OUT[0], IN[0]\n",
                             format),
             kImages);
    }
}

TEST_F(RobustAccess, LevelsOfTexelsAreInsideOrZero) {
    const std::string kTexture =
        R"("textures": {"0": {"target": "2D", "format": "R32G32B32A32_FLOAT", "width": 2, "height": 2, "levels": 2, "data": [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0], [17.0, 18.0, 19.0, 20.0]]}}, "views": {"0": {"texture": 0}}, "samplers": {"0": {}})";
    hold(
        R"(DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
MOV TEMP[1], IMM[0].zzzz
MOV TEMP[1].w, IN[0].xxxx
TXF OUT[0], TEMP[1], SAMP[0], 2D
)",
        kTexture);
    hold(
        R"(DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
MOV TEMP[1], IMM[0].zzzz
MOV TEMP[1].y, IN[0].xxxx
TXF OUT[0], TEMP[1], SAMP[0], 2D
)",
        kTexture);
}

}  // namespace
}  // namespace tgsi2spv::difftest
