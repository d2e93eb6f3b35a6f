// Forms of instructions that the documents allow and producers and generated programs seldom write: the devices and the
// reference must agree about them too. tests/meanings/indices.txt has those of addressing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "cases/compare.h"
#include "cases/devices.h"

namespace tgsi2spv::difftest {
namespace {

constexpr uint32_t kLanes = 16;

/// IN[0].x is the lane, y the lane's low bit, z the lane counted from the end, w the lane as a float; IN[1] are floats.
std::string inputs(std::string_view more = "") {
    std::string first, second;
    for (uint32_t lane = 0; lane < kLanes; lane++) {
        const char* comma = lane == 0 ? "" : ", ";
        first +=
            fmt::format("{}[\"{:#x}\", \"{:#x}\", \"{:#x}\", {}.0]", comma, lane, lane & 1, kLanes - 1 - lane, lane);
        second += fmt::format("{}[{}.25, -{}.5, {}.0, 0.125]", comma, lane, lane, 3 * lane);
    }
    return fmt::format(R"({{"lanes": {}, "inputs": {{"IN[0]": [{}], "IN[1]": [{}]}}{}}})", kLanes, first, second, more);
}

class SeldomForms : public OnDevices {
  protected:
    /// Runs a shader on every device that has its features, with and without immediates that the driver knows.
    void hold(const std::string& text, std::string_view json) {
        SCOPED_TRACE(text);
        ASSERT_TRUE(api::parse(context, text, {})) << context.diagnostics.at(0).message;
        const auto in = read_inputs(json);
        ASSERT_TRUE(in) << in.error();
        bool some = false;
        for (auto& device : devices)
            for (const bool plain : {false, true}) {
                VulkanOptions options;
                options.settings.plain_immediates = plain;
                const auto ran = run_vulkan(*device, context, *in, options);
                if (!ran && ran.error().kind == Trouble::Missing) continue;
                ASSERT_TRUE(ran) << ran.error().message;
                some = true;
                const auto judging = reference_options(device->report(), tgsi::Dialect::Auto);
                const auto judged = reference::run(context.program, context.registers, *in, judging);
                ASSERT_EQ(judged.error, "");
                const auto compared = compare(judged, *ran, in->lanes);
                EXPECT_NE(compared.words, 0u);
                EXPECT_EQ(compared.unknown, 0u);
                for (const auto& m : compared.mismatches)
                    ADD_FAILURE() << device->report().info.name << (plain ? ", plain: " : ": ") << describe(m);
            }
        EXPECT_TRUE(some) << "no device runs it";
    }
    void fragment(std::string_view body, std::string_view more = "") {
        hold(fmt::format(
                 R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL IN[1], GENERIC[1], CONSTANT
DCL OUT[0], COLOR
DCL OUT[1], COLOR[1]
DCL SAMP[0]
DCL ADDR[0..1]
DCL PRED[0..1]
DCL TEMP[0..3]
DCL TEMP[6..9]
IMM[0] UINT32 {{0, 1, 2, 3}}
IMM[1] FLT32 {{1.0, -2.5, 8.0, 0.5}}
IMM[2] UINT32 {{4, 5, 6, 7}}
IMM[3] FLT32 {{-1.0, 0.25, 2.0, -16.0}}
{}END
)",
                 body),
             inputs(more));
    }
};

TEST_F(SeldomForms, SystemValuesByAnIndex) {
    hold(
        R"(VERT
DCL IN[0]
DCL IN[1]
DCL SV[0], VERTEXID
DCL SV[1], INSTANCEID
DCL SV[2], BASEVERTEX
DCL OUT[0], GENERIC[0]
DCL ADDR[0]
UARL ADDR[0].x, IN[0].xxxx
MOV OUT[0].x, SV[ADDR[0].x]
END
)",
        inputs(R"(, "base_vertex": 3, "base_instance": 5)"));
}

/// A predicate decides about an output of TESS_CTRL by component.
TEST_F(SeldomForms, PredicatesOnOutputsOfPatches) {
    hold(
        R"(TESS_CTRL
PROPERTY TCS_VERTICES_OUT 3
DCL IN[][0], GENERIC[0]
DCL SV[0], INVOCATIONID
DCL OUT[][0], GENERIC[1]
DCL PRED[0]
IMM[0] FLT32 {4.0, -1.0, 2.0, 0.5}
FSLT PRED[0], IN[0][0], IMM[0]
MOV OUT[SV[0].x][0], IMM[0].xyzw
(PRED[0]) MOV OUT[SV[0].x][0], IN[SV[0].x][0]
(!PRED[0].yxxx) MOV OUT[SV[0].x][0].xz, IMM[0].zzyy
END
)",
        R"({"patches": 2, "inputs": {"IN[0][0]": [[5, -2, 1, 0.75], [1, 2, 3, 0.25]],
             "IN[1][0]": [[7, 8, 9, 10], [11, 12, 13, 14]], "IN[2][0]": [[15, 16, 17, 18], [19, 20, 21, 22]]}})");
}

constexpr const char* kTexture =
    R"(, "textures": {"0": {"target": "2D", "format": "PIPE_FORMAT_R32G32B32A32_FLOAT", "width": 2, "height": 2, "data":
        [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]]}})";

/// The component of TG4 that a register selects.
TEST_F(SeldomForms, GatheredComponentFromARegister) {
    fragment(
        "AND TEMP[0].x, IN[0].xxxx, IMM[0].wwww\nTG4 OUT[0], IMM[1].wwww, TEMP[0].xxxx, SAMP[0], 2D\nMOV OUT[1], "
        "IN[1]\n",
        kTexture);
}

/// A register may hold any offset; a gather takes six bits of it. The texture repeats every three texels, so that 33
/// and −31 read different ones.
TEST_F(SeldomForms, GatheredAtOffsetsFromARegister) {
    for (const char* offsets : {"TEMP[0].xyz", "TEMP[0].xyz, TEMP[0].yxz, TEMP[0].zwz, TEMP[0].wxz"})
        hold(fmt::format(R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL IN[1], GENERIC[1], CONSTANT
DCL OUT[0], COLOR
DCL SAMP[0]
DCL TEMP[0]
IMM[0] UINT32 {{13, 2147483647, 1073741831, 32}}
IMM[1] FLT32 {{0.4, 0.4, 0, 0}}
UMUL TEMP[0], IN[0].xzxz, IMM[0]
TG4 OUT[0], IMM[1], IMM[1].wwww, SAMP[0], 2D, {}
END
)",
                         offsets),
             inputs(R"(, "textures": {"0": {"target": "2D", "format": "PIPE_FORMAT_R32_FLOAT", "width": 3,
                         "height": 3, "data": [[1, 2, 3, 4, 5, 6, 7, 8, 9]]}})"));
}

/// As nir-to-tgsi may print it: a byte offset into the buffer of the first bracket.
TEST_F(SeldomForms, LoadsOfConstantsAtBytes) {
    const std::string head =
        R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 1
DCL CONST[0][0..1]
DCL CONST[1][0..1]
DCL BUFFER[0]
DCL TEMP[0]
DCL ADDR[0]
IMM[0] UINT32 {0, 16, 1, 0}
UARL ADDR[0].x, IMM[0].zzzz
)";
    const std::string tail = "STORE BUFFER[0], IMM[0].xxxx, TEMP[0]\nEND\n";
    const auto json =
        R"({"grid": [1, 1, 1], "buffers": {"BUFFER[0]": [0, 0, 0, 0]},
            "constants": {"0": [1, 2, 3, 4, 5, 6, 7, 8], "1": [9, 10, 11, 12, 13, 14, 15, 16]}})";
    for (const char* buffer : {"CONST[1][0]", "CONST[ADDR[0].x][0]", "CONST[0][0]"}) {
        hold(head + "LOAD TEMP[0], " + buffer + ", IMM[0].yyyy\n" + tail, json);
        ASSERT_EQ(context.program.operands.at(3).file, tgsi::File::ConstBuf) << buffer;
    }
}

/// TGSI's newest edition, TXF: the samples of a texel take offsets as its levels do.
TEST_F(SeldomForms, OffsetsOfSamples) {
    const auto text = [](std::string_view op) {
        return fmt::format(
            R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
DCL SAMP[0]
DCL SVIEW[0], 2D_MSAA, FLOAT
IMM[0] INT32 {{1, -1, 0, 0}}
{}
END
)",
            op);
    };
    const auto json =
        R"({"lanes": 4, "inputs": {"IN[0]": [["0x0", "0x0", "0x0", "0x2"], ["0x1", "0x0", "0x0", "0x3"],
            ["0x0", "0x0", "0x1", "0x0"], ["0x1", "0x1", "0x0", "0x1"]]}, "textures": {"0": {"target": "2D_MSAA",
            "format": "PIPE_FORMAT_R32_FLOAT", "width": 2, "samples": 4, "data": [[0, 1, 2, 3, 4, 5, 6, 7]]}}})";
    for (const char* offset : {"IMM[0].xzz", "IMM[0].yzz", "IN[0].zyz"}) {
        hold(text(fmt::format("TXF OUT[0], IN[0], SAMP[0], 2D_MSAA, {}", offset)), json);
        hold(text(fmt::format("SAMPLE_I_MS OUT[0], IN[0], SVIEW[0], IN[0].wwww, {}", offset)), json);
    }
}

/// The helpers that KILL makes are helpers; so is a lane that DEMOTE has ended.
TEST_F(SeldomForms, HelpersAfterAKill) {
    fragment(
        "AND TEMP[0].x, IN[0].xxxx, IMM[0].zzzz\nREAD_HELPER TEMP[1].x\nUIF TEMP[0].xxxx\nKILL\nENDIF\n"
        "READ_HELPER TEMP[1].y\nMOV OUT[0], TEMP[1].xyxy\nMOV OUT[1], IN[1]\n");
}

}  // namespace
}  // namespace tgsi2spv::difftest
