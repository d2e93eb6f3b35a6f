// Unused members of a case.
#include "inputs/unused.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/convert.h"
#include "generate/generate.h"
#include "inputs/case.h"
#include "inputs/inputs.h"

namespace tgsi2spv::difftest {
namespace {

std::vector<std::string> unused(std::string_view shader, std::string_view json) {
    api::Context context;
    EXPECT_TRUE(api::parse(context, shader, {})) << shader;
    const auto inputs = read_inputs(json);
    EXPECT_TRUE(inputs) << inputs.error();
    return inputs ? unused_values(context.program, context.registers, *inputs) : std::vector<std::string>{};
}

constexpr const char* kEverything = R"({
    "patches": 4, "inputs": {"IN[3]": [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]},
    "system_values": {"SV[1]": [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]}, "constants": {"2": [1]},
    "buffers": {"BUFFER[2]": ["0x1"], "BUFFER[132]": ["0x1"]}, "hwatomics": {"1": ["0x5"]},
    "textures": {"4": {"target": "2D", "format": "PIPE_FORMAT_R32_FLOAT", "width": 1, "height": 1}},
    "views": {"7": {"texture": 4}}, "samplers": {"4": {"min_filter": "LINEAR"}},
    "images": {"IMAGE[1]": {"target": "BUFFER", "format": "PIPE_FORMAT_R32_UINT", "width": 3}},
    "framebuffer": {"COLOR[1]": ["0x7"]}, "grid": [1, 2, 3], "base_vertex": 5, "base_instance": 3,
    "shared_words": 256})";

TEST(Unused, ReportsInputsThatTheShaderLacks) {
    EXPECT_THAT(
        unused("FRAG\nEND\n", kEverything),
        testing::ElementsAre(
            "IN[3] is not declared in the shader; its values are not used",
            "SV[1] is not declared in the shader; its values are not used",
            "CONST[2] is not declared in the shader; its values are not used",
            "the shader has no buffer 2; its words are not used",
            "the shader has no buffer 132; its words are not used",
            "the shader has no HWATOMIC[1]; its words are not used",
            "the shader has no view 7; its texture and swizzle are not used",
            "the shader has no sampler 4; its state is not used", "the shader has no image 1; its texels are not used",
            "the shader has no FBFETCH; the colors of the framebuffer are not used",
            "\"grid\" is of COMP only; it is not used", "\"shared_words\" is of COMP only; it is not used",
            "\"base_vertex\" is of VERT only; it is not used", "\"base_instance\" is of VERT only; it is not used",
            "\"patches\" is of TESS_CTRL only; it is taken as \"lanes\""));
    EXPECT_THAT(unused("COMP\nEND\n", R"({"lanes": 4, "grid": [2, 1, 1]})"),
                testing::ElementsAre("\"lanes\" is not used: \"grid\" and the work group's size tell how often COMP "
                                     "runs"));
}

TEST(Unused, DoesNotReportInputsThatTheShaderHas) {
    EXPECT_THAT(unused(R"(FRAG
DCL IN[3], GENERIC[0], LINEAR
DCL SV[1], FACE
DCL CONST[2][0]
DCL BUFFER[2]
DCL HWATOMIC[1][0]
DCL SAMP[7]
DCL SAMP[4]
DCL IMAGE[1], BUFFER, PIPE_FORMAT_R32_UINT
END
)",
                       R"({"lanes": 1, "inputs": {"IN[3]": [[0, 0, 0, 0]]},
                           "system_values": {"SV[1]": [[0, 0, 0, 0]]}, "constants": {"2": [1]},
                           "buffers": {"BUFFER[2]": ["0x1"]}, "hwatomics": {"1": ["0x5"]},
                           "textures": {"4": {"target": "2D", "format": "PIPE_FORMAT_R32_FLOAT"},
                                        "9": {"target": "2D", "format": "PIPE_FORMAT_R32_FLOAT"}},
                           "views": {"7": {"texture": 9}}, "samplers": {"4": {"min_filter": "LINEAR"}},
                           "images": {"IMAGE[1]": {"target": "BUFFER", "format": "PIPE_FORMAT_R32_UINT"}}})"),
                testing::IsEmpty());
    // A handle may be that of any texture.
    EXPECT_THAT(unused(R"(FRAG
DCL IN[0], GENERIC[0], LINEAR
DCL CONST[0]
DCL OUT[0], COLOR
TEX OUT[0], IN[0], CONST[0], 2D
END
)",
                       R"({"textures": {"4": {"target": "2D", "format": "PIPE_FORMAT_R32_FLOAT"}}})"),
                testing::IsEmpty());
}

TEST(Unused, GeneratedInputsAreAllUsed) {
    api::Context context;
    for (uint64_t seed = 0; seed < 300; seed++) {
        ASSERT_TRUE(api::parse(context, generate_program(seed), {})) << seed;
        for (uint32_t set = 0; set < 2; set++) {
            InputOptions options = options_for_set(set);
            options.seed = seed;
            const auto inputs = generate_inputs(context.program, context.registers, options);
            EXPECT_THAT(unused_values(context.program, context.registers, inputs), testing::IsEmpty()) << seed;
        }
    }
}

}  // namespace
}  // namespace tgsi2spv::difftest
