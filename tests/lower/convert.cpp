// The guards of conversions, and what they become. tests/meanings has their results.
#include <gtest/gtest.h>

#include <cmath>

#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

TEST(LowerConvert, GuardsGoWithTheOption) {
    const std::string text = R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
F2I OUT[0], IN[0]
END
)";
    EXPECT_EQ(operations(lower_text(text, {.conversions = lower::Conversions::Trust}).module), "FToS");
    EXPECT_EQ(operations(lower_text(text, {.conversions = lower::Conversions::Clamp}).module), "FClamp FToS");
    EXPECT_EQ(operations(lower_text(text).module), "FClamp FToS FOGe Select IsNan Select");
    lower::Options saturates{.conversions = lower::Conversions::Clamp};
    saturates.workarounds.device_saturates = true;
    EXPECT_EQ(operations(lower_text(text, saturates).module), "FToS");
    saturates.conversions = lower::Conversions::Saturate;  // which tells the result for NaN, too
    EXPECT_EQ(operations(lower_text(text, saturates).module), "FClamp FToS FOGe Select IsNan Select");
    // Floats that fit give the same result, and undefined behaviour would be a failure of run().
    for (const char* const opcode : {"F2I OUT[0], IN[0]", "F2U OUT[0], IN[0]"}) {
        const lower::Options clamp{.conversions = lower::Conversions::Clamp};
        EXPECT_EQ(run(opcode, {floats(1.75f, 0, 12345.5f, 2147483520.0f)}, clamp), (Words{1, 0, 12345, 2147483520}));
        run(opcode, {{f(4294967296.0f), kMinusInf, kNan, kInf}}, clamp);
    }
}

/// Known ranges of the operand make guards unnecessary, component by component.
TEST(LowerConvert, GuardsGoWhereTheOperandFits) {
    const auto made = [](std::string_view lines, std::string_view converted) {
        const Lowered l = lower_text(
            R"(FRAG
DCL IN[0], POSITION, LINEAR
DCL IN[1], GENERIC[0], LINEAR
DCL OUT[0], COLOR
DCL TEMP[0..1]
IMM[0] FLT32 {0.5, -3, 100, 1e30}
)" + std::string(lines) +
            "\n" + std::string(converted) + "\nEND\n");
        EXPECT_TRUE(l.ok) << l.error;
        return operations(l.module);
    };
    const char *const f2i = "F2I OUT[0].xy, TEMP[0]", *const f2u = "F2U OUT[0].xy, TEMP[0]";
    const std::string guarded = "FClamp FToS FOGe Select IsNan Select";
    EXPECT_EQ(made("MOV TEMP[0], IN[1]", f2i), guarded);
    EXPECT_EQ(made("MOV_SAT TEMP[0].xy, IN[1]", f2i), "FClamp FAbs FToS");
    EXPECT_EQ(made("MOV_SAT TEMP[0].xy, IN[1]", f2u), "FClamp FAbs FToU");
    EXPECT_EQ(made("FRC TEMP[0].xy, IN[1]", f2i), "FFract FMax FToS");  // NaN of infinities
    EXPECT_EQ(made("MAX TEMP[0].xy, IN[1], IMM[0].yyyy\nMIN TEMP[0].xy, TEMP[0], IMM[0].zzzz", f2i), "FMax FMin FToS");
    EXPECT_EQ(made("MIN TEMP[0].xy, IN[1], IMM[0].zzzz", f2i), "FMin FClamp FToS FOGe Select");
    EXPECT_EQ(made("MIN TEMP[0].xy, |IN[1]|, IMM[0].zzzz", f2u), "FAbs FMin FToU");
    EXPECT_EQ(made("MIN TEMP[0].xy, |IN[1]|, IMM[0].wwww", f2i), "FAbs FMin FClamp FToS FOGe Select");
    EXPECT_EQ(made("U2F TEMP[0].xy, IN[1]", f2u), "UToF FClamp FToU FOGe Select");
    EXPECT_EQ(made("MOV TEMP[0], IN[0]", "ARL OUT[0].xy, TEMP[0]"), "FFloor FToS");
    EXPECT_EQ(made("MOV TEMP[0].x, IN[0].xxxx\nMOV TEMP[0].y, IN[1].xxxx", "F2I OUT[0].xy, TEMP[0]"),
              "FToS " + guarded);
    EXPECT_EQ(run("FRC OUT[0], IN[0]\nF2I OUT[0], OUT[0]", {{kInf, kNan, f(1.5f), f(-1e-30f)}}), (Words{0, 0, 0, 1}));
    EXPECT_EQ(run("MIN OUT[0], IN[0], IN[1]\nF2I OUT[0], OUT[0]", {{kMinusInf, kNan, f(1.5f), kInf}, all(f(7))}),
              (Words{kIntMin, 7, 1, 7}));
}

TEST(LowerConvert, OpaqueIntegersAreCombinedWithALoadedZero) {
    const auto combinations = [](const char* opcode, bool opaque) {
        lower::Options options;
        options.io_buffers = true;
        options.workarounds.opaque_immediates = true;
        options.workarounds.opaque_integers = opaque;
        const Lowered l = lower_text(
            "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\n" + std::string(opcode) + " OUT[0], IN[0]\nEND\n", options);
        EXPECT_TRUE(l.ok) << opcode << ": " << l.error;
        return count(l.module, ir::Op::Xor);
    };
    // To floats from integers, and to floats of 32 bits from anything of 64.
    for (const char* opcode : {"I2F", "U2F", "U2D", "I2D", "UP4B", "D2F", "I642F", "U642F"}) {
        EXPECT_EQ(combinations(opcode, false), 0u) << opcode;
        EXPECT_EQ(combinations(opcode, true), 1u) << opcode;
    }
    for (const char* opcode : {"F2I", "F2D", "D2I", "I642D", "I2I64", "UP2H"})
        EXPECT_EQ(combinations(opcode, true), 0u) << opcode;
}

TEST(LowerConvert, PackingOfNanIsSafe) {
    for (const char* op : {"PK2H", "PK2US", "PK4UB", "PK4B"}) run(std::string(op) + " OUT[0], IN[0]", {all(kNan)});
}

}  // namespace
}  // namespace tgsi2spv::test
