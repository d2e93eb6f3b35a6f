// What operations on 64-bit pairs become. tests/meanings/pairs.txt has what they mean.
#include <gtest/gtest.h>

#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

using lower::Options;

TEST(LowerWide, UnguardedConversionsAreBare) {
    const lower::Options bare{.conversions = lower::Conversions::Trust};
    const std::string text = R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
D2I64 OUT[0], IN[0]
END
)";
    EXPECT_EQ(operations(lower_text(text, bare).module), "FToS");
    EXPECT_NE(operations(lower_text(text).module), "FToS");
}

TEST(LowerWide, AChainOfDoublesStaysInDoubles) {
    const std::string text =
        R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
DCL TEMP[0]
DADD TEMP[0], IN[0], IN[0]
DMUL TEMP[0], TEMP[0], TEMP[0]
MOV OUT[0], TEMP[0]
END
)";
    const Lowered lowered = lower_text(text);
    ASSERT_TRUE(lowered.ok) << lowered.error;
    const ir::Function& main = lowered.module.functions[0];
    size_t products = 0;
    for (const ir::Instruction& i : main.instructions) {
        if (i.op != ir::Op::FMul) continue;
        products++;
        EXPECT_EQ(main.instructions[main.args_of(i)[0]].op, ir::Op::FAdd);
    }
    EXPECT_EQ(products, 1u);
}

TEST(LowerWide, TheClockIsTwoWords) {
    const std::string text = R"(VERT
DCL OUT[0], GENERIC[0]
CLOCK OUT[0]
END
)";
    const Lowered lowered = lower_text(text);
    EXPECT_EQ(operations(lowered.module), "Clock");
    const Lowered refused = lower_text(text, {}, {.shader_clock = false});
    EXPECT_EQ(refused.error, "CLOCK: the device lacks shaderSubgroupClock");
}

TEST(LowerWide, MissingDeviceFeaturesAreRefusedByName) {
    const auto error = [](const char* op, const lower::Capabilities& c) {
        return lower_text(
                   "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\n" + std::string(op) + " OUT[0], IN[0], IN[0]\nEND\n", {},
                   c)
            .error;
    };
    EXPECT_EQ(error("DADD", {.float64 = false}), "");
    EXPECT_EQ(error("DADD", {.int64 = false}), "");
    EXPECT_EQ(error("U64ADD", {.int64 = false}), "U64ADD: the device lacks shaderInt64");
    EXPECT_EQ(error("I64SLT", {.float64 = false}), "");
}

}  // namespace
}  // namespace tgsi2spv::test
