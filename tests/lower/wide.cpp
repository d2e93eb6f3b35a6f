// 64-bit values in pairs of components: masks, swizzles, modifiers, and the editions. opcodes.cpp has the results.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

using lower::Options;

constexpr uint64_t kMin64 = uint64_t{1} << 63, kMax64 = ~kMin64, kOnes64 = ~uint64_t{0};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan64 = std::numeric_limits<double>::quiet_NaN();

constexpr Words pairs(uint64_t xy, uint64_t zw) {
    return {static_cast<uint32_t>(xy), static_cast<uint32_t>(xy >> 32), static_cast<uint32_t>(zw),
            static_cast<uint32_t>(zw >> 32)};
}
constexpr uint64_t d(double x) {
    return std::bit_cast<uint64_t>(x);
}
constexpr Words doubles(double xy, double zw) {
    return pairs(d(xy), d(zw));
}
constexpr uint64_t first(const Words& w) {
    return w[0] | uint64_t{w[1]} << 32;
}
constexpr uint32_t n(int32_t x) {
    return static_cast<uint32_t>(x);
}
constexpr uint64_t s(int64_t x) {
    return static_cast<uint64_t>(x);
}
const Options kOldest{.dialect = tgsi::Dialect::Oldest}, kMiddle{.dialect = tgsi::Dialect::Middle},
    kNewest{.dialect = tgsi::Dialect::Newest};

/// Tests both pairs at once, and each alone.
void expect(std::string_view op, const std::vector<Words>& in, const Words& out, const Options& options = {}) {
    std::string sources;
    for (size_t i = 0; i < in.size(); i++) sources += ", IN[" + std::to_string(i) + "]";
    const std::string text(op);
    EXPECT_EQ(run(text + " OUT[0]" + sources, in, options), out) << op;
    EXPECT_EQ(run(text + " OUT[0].xy" + sources, in, options), (Words{out[0], out[1], 0, 0})) << op;
    EXPECT_EQ(run(text + " OUT[0].zw" + sources, in, options), (Words{0, 0, out[2], out[3]})) << op;
}

TEST(LowerWide, EarlierEditionsTakeRootsOfTheAbsoluteValue) {
    expect("DRSQ", {doubles(-4, 4)}, doubles(0.5, 0.5), kMiddle);
    expect("DRSQ", {doubles(-4, 4)}, doubles(0.5, 0.5), kOldest);
    EXPECT_TRUE(std::isnan(std::bit_cast<double>(first(run("DRSQ OUT[0], IN[0]", {doubles(-4, 4)}, kNewest)))));
}

TEST(LowerWide, ComparisonsWriteXAndZ) {
    const std::vector<Words> in = {doubles(1, kNan64), doubles(2, kNan64)};
    EXPECT_EQ(run("DSLT OUT[0], IN[0], IN[1]", in), (Words{kAllOnes, 0, 0, 0}));
    EXPECT_EQ(run("DSGE OUT[0], IN[1], IN[0]", in), (Words{kAllOnes, 0, 0, 0}));
    EXPECT_EQ(run("DSEQ OUT[0], IN[0], IN[0]", in), (Words{kAllOnes, 0, 0, 0}));
    EXPECT_EQ(run("DSNE OUT[0], IN[0], IN[1]", in), (Words{kAllOnes, 0, kAllOnes, 0}));
    // Without x in the mask, y receives the pair's result; with x, y is not written. Likewise w and z.
    EXPECT_EQ(run("DSNE OUT[0].y, IN[0], IN[1]", in), (Words{0, kAllOnes, 0, 0}));
    EXPECT_EQ(run("DSNE OUT[0].xw, IN[0], IN[1]", in), (Words{kAllOnes, 0, 0, kAllOnes}));
    EXPECT_EQ(run("U64SEQ OUT[0].yzw, IN[0], IN[0]", in), (Words{0, kAllOnes, kAllOnes, 0}));
}

TEST(LowerWide, EarlierEditionsCompareToDoubles) {
    for (const Options& o : {kOldest, kMiddle}) {
        expect("DSLT", {doubles(1, 3), doubles(2, 3)}, doubles(1, 0), o);
        expect("DSEQ", {doubles(1, 3), doubles(2, 3)}, doubles(0, 1), o);
        // DSGE and DSNE exist only in the newest edition.
        EXPECT_EQ(run("DSGE OUT[0], IN[0], IN[1]", {doubles(1, 3), doubles(2, 3)}, o), (Words{0, 0, kAllOnes, 0}));
    }
    EXPECT_EQ(run("DSEQ OUT[0], IN[0], IN[0]", {doubles(1, 3)}, kNewest), (Words{kAllOnes, 0, kAllOnes, 0}));
}

TEST(LowerWide, ExponentsAreXAndZ) {
    const std::vector<Words> in = {doubles(1, 3), {10, n(-3), n(-1), 7}};
    expect("DLDEXP", in, doubles(1024, 1.5));
    expect("DLDEXP", in, doubles(1024, 1.5), kNewest);
    expect("DLDEXP", in, doubles(1024, 0.375), kOldest);
    expect("DLDEXP", in, doubles(1024, 0.375), kMiddle);
    expect("DLDEXP", {doubles(0x1p-1074, kInfinity), {2000, 0, kIntMin, 0}}, doubles(0x1p926, kInfinity));
    expect("DLDEXP", {doubles(0x1p1000, -0.0), {n(-2000), 0, 5000, 0}}, doubles(0x1p-1000, -0.0));
}

TEST(LowerWide, FractionAndExponent) {
    const std::string head = "DCL TEMP[0..1]\n";
    const auto both = [&](std::string_view dsts, const Options& o, std::string_view result) {
        return run("DFRACEXP " + std::string(dsts) + ", IN[0]\nMOV OUT[0], " + std::string(result), {doubles(10, 0.0)},
                   o, head);
    };
    EXPECT_EQ(both("TEMP[0], TEMP[1].xy", {}, "TEMP[0]"), doubles(0.625, 0));
    EXPECT_EQ(both("TEMP[0], TEMP[1]", {}, "TEMP[1]"), (Words{4, 0, 4, 0}));
    EXPECT_EQ(both("TEMP[0].xy, TEMP[1]", {}, "TEMP[1]"), (Words{4, 4, 4, 4}));
    EXPECT_EQ(both("TEMP[0].z, TEMP[1].xw", {}, "TEMP[1]"), (Words{0, 0, 0, 0}));
    EXPECT_EQ(both("NULL[0], TEMP[1].yzw", {}, "TEMP[1]"), (Words{0, 0, 4, 0}));
    EXPECT_EQ(both("TEMP[0].zw, TEMP[1].x", {}, "TEMP[0]"), doubles(0, 0));
    EXPECT_EQ(both("NULL[0], TEMP[1].x", {}, "TEMP[1]"), (Words{4, 0, 0, 0}));
    const auto of = [&](double xy, double zw, std::string_view result) {
        const std::string text = fmt::format("DFRACEXP TEMP[0], TEMP[1].xy, IN[0]\nMOV OUT[0], {}", result);
        return run(text, {doubles(xy, zw)}, {}, head);
    };
    EXPECT_EQ(of(-0x1p-1074, 0x1.8p-1030, "TEMP[0]"), doubles(-0.5, 0.75));
    EXPECT_EQ(of(-0x1p-1074, 0x1.8p-1030, "TEMP[1]"), (Words{n(-1073), n(-1029), 0, 0}));
    EXPECT_EQ(of(0x1.fffffffffffffp1023, -0.0, "TEMP[0]"), doubles(0x1.fffffffffffffp-1, -0.0));
    EXPECT_EQ(of(0x1.fffffffffffffp1023, -0.0, "TEMP[1]"), (Words{1024, 0, 0, 0}));
    EXPECT_EQ(of(kInfinity, kNan64, "TEMP[0]"), doubles(kInfinity, kNan64));
    EXPECT_EQ(of(kInfinity, kNan64, "TEMP[1]"), (Words{0, 0, 0, 0}));
    EXPECT_EQ(both("TEMP[0].xy, TEMP[0].z", kNewest, "TEMP[0]"), doubles(0.625, std::bit_cast<double>(uint64_t{4})));
    for (const Options& o : {kOldest, kMiddle}) {
        EXPECT_EQ(both("TEMP[1].xy, TEMP[0]", o, "TEMP[0]"), doubles(0.625, 0));
        EXPECT_EQ(both("TEMP[1].xy, TEMP[0]", o, "TEMP[1]"), (Words{4, 0, 0, 0}));
        EXPECT_EQ(both("TEMP[1].zw, TEMP[0].xy", o, "TEMP[1]"), (Words{0, 0, 4, 4}));
    }
    // A dvec4 as one producer prints it, with the exponents in x, y, z and w of one register.
    EXPECT_EQ(run("DFRACEXP TEMP[0].xy, TEMP[1].x, IN[0].xyxy\nDFRACEXP TEMP[0].zw, TEMP[1].y, IN[0].zwzw\n"
                  "DFRACEXP TEMP[0].xy, TEMP[1].z, IN[1].xyxy\nDFRACEXP TEMP[0].zw, TEMP[1].w, IN[1].zwzw\n"
                  "MOV OUT[0], TEMP[1]",
                  {doubles(0.25, 8), doubles(96, 0.5)}, {}, head),
              (Words{n(-1), 4, 7, 0}));
}

TEST(LowerWide, ShiftCountsAreMaskedAndStandInXAndZ) {
    const std::vector<Words> in = {pairs(kMin64 | 1, kMin64 | 1), {65, 3, kAllOnes, 5}};
    expect("U64SHL", in, pairs(2, kMin64));
    expect("U64SHR", in, pairs(kMin64 >> 1, 1));
    expect("I64SHR", in, pairs(kMin64 >> 1 | kMin64, kOnes64));
    expect("U64SHL", in, pairs(2, kMin64), kMiddle);
}

TEST(LowerWide, PartsOfAPairAreWrittenAlone) {
    const std::vector<Words> in = {pairs(0x11111111'22222222, 0x33333333'44444444), pairs(1, 1)};
    EXPECT_EQ(run("U64ADD OUT[0].x, IN[0], IN[1]", in), (Words{0x2222'2223, 0, 0, 0}));
    EXPECT_EQ(run("U64ADD OUT[0].yz, IN[0], IN[1]", in), (Words{0, 0x1111'1111, 0x4444'4445, 0}));
    EXPECT_EQ(run("U64ADD OUT[0].w, IN[0], IN[1]", in), (Words{0, 0, 0, 0x3333'3333}));
}

TEST(LowerWide, SwizzlesPermuteWords) {
    const std::vector<Words> in = {{1, 2, 3, 4}, {}};
    EXPECT_EQ(run("U64ADD OUT[0], IN[0].zwxy, IN[1]", in), (Words{3, 4, 1, 2}));
    EXPECT_EQ(run("U64ADD OUT[0], IN[0].wxyz, IN[1]", in), (Words{4, 1, 2, 3}));
    EXPECT_EQ(run("U64ADD OUT[0].zw, IN[0].xyxy, IN[1]", in), (Words{0, 0, 1, 2}));
}

TEST(LowerWide, ModifiersActOnPairs) {
    EXPECT_EQ(run("DADD OUT[0], -|IN[0]|, IN[1]", {doubles(-3, 4), doubles(1, 1)}), doubles(-2, -3));
    EXPECT_EQ(run("DADD OUT[0], -IN[0], |IN[1]|", {doubles(-3, 4), doubles(-1, 1)}), doubles(4, -3));
    EXPECT_EQ(run("DNEG OUT[0], -IN[0]", {doubles(kNan64, 0.0)}), doubles(kNan64, 0.0));
    EXPECT_EQ(run("U64ADD OUT[0], -IN[0], IN[1]", {pairs(1, uint64_t{1} << 32), pairs(0, 0)}),
              pairs(kOnes64, s(-0x1'0000'0000)));
    EXPECT_EQ(run("DADD OUT[0], -IMM[0], IN[1]", {{}, doubles(1, 1)}, {}, "IMM[0] FLT64 {3.0, -4.0}\n"),
              doubles(-2, 5));
}

TEST(LowerWide, SaturationOfDoubles) {
    EXPECT_EQ(run("DADD_SAT OUT[0], IN[0], IN[1]", {doubles(kNan64, 0.75), doubles(1, 1)}), doubles(0, 1));
    EXPECT_EQ(run("DADD_SAT OUT[0], IN[0], IN[1]", {doubles(-0.0, 0.25), doubles(-0.0, 0.25)}), doubles(0, 0.5));
    EXPECT_EQ(run("D2F_SAT OUT[0].xy, IN[0]", {doubles(3, -1)}), floats(1, 0, 0, 0));
    EXPECT_EQ(run("F2D_SAT OUT[0], IN[0]", {floats(3, 0.5, 0, 0)}), doubles(1, 0.5));
}

TEST(LowerWide, ImmediatesHoldTwoValues) {
    EXPECT_EQ(run("DADD OUT[0], IMM[0], IN[1]", {{}, doubles(1, 1)}, {}, "IMM[0] FLT64 {2.5, -1.0}\n"),
              doubles(3.5, 0));
    EXPECT_EQ(run("U64ADD OUT[0], IMM[0], IN[1]", {{}, pairs(1, 1)}, {}, "IMM[0] INT64 {-1, 5}\n"), pairs(0, 6));
    EXPECT_EQ(run("U64ADD OUT[0], IMM[0].zwxy, IN[1]", {{}, {}}, {}, "IMM[0] UINT64 {18446744073709551615, 5}\n"),
              pairs(5, kOnes64));
}

TEST(LowerWide, SwizzlesAndModifiersComeBeforeWidening) {
    EXPECT_EQ(run("I2I64 OUT[0], -IN[0].wzyx", {{0, 0, 9, kIntMin}}), pairs(s(-0x8000'0000LL), s(-9)));
}

TEST(LowerWide, SixtyFourBitsToThirtyTwo) {
    const std::vector<Words> in = {doubles(1.5, -2.5)};
    EXPECT_EQ(run("D2F OUT[0].xy, IN[0]", in), floats(1.5f, -2.5f, 0, 0));
    // The first component in the mask receives the conversion of xy, the second that of zw; further components are not
    // written.
    EXPECT_EQ(run("D2F OUT[0].y, IN[0]", in), floats(0, 1.5f, 0, 0));
    EXPECT_EQ(run("D2F OUT[0].yw, IN[0]", in), floats(0, 1.5f, 0, -2.5f));
    EXPECT_EQ(run("D2F OUT[0], IN[0]", in), floats(1.5f, -2.5f, 0, 0));
    EXPECT_EQ(run("D2F OUT[0].w, IN[0].zwzw", in), floats(0, 0, 0, -2.5f));
    EXPECT_EQ(run("I642F OUT[0].xy, IN[0]", {pairs(kOnes64, kMax64)}), floats(-1, 0x1p63f, 0, 0));
    EXPECT_EQ(run("U642F OUT[0].xy, IN[0]", {pairs(kOnes64, 1)}), floats(0x1p64f, 1, 0, 0));
    expect("I642D", {pairs(kOnes64, kMin64)}, doubles(-1, -0x1p63));
    expect("U642D", {pairs(kOnes64, kMin64)}, doubles(0x1p64, 0x1p63));
}

TEST(LowerWide, UnguardedConversionsAreBare) {
    const Options bare{.conversions = lower::Conversions::Trust};
    const std::string text = R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
D2I64 OUT[0], IN[0]
END
)";
    EXPECT_EQ(operations(lower_text(text, bare).module), "FToS");
    EXPECT_NE(operations(lower_text(text).module), "FToS");
}

TEST(LowerWide, AllSourcesAreReadFirst) {
    EXPECT_EQ(run("MOV TEMP[0], IN[0]\nU64ADD TEMP[0], TEMP[0].zwxy, IN[1]\nMOV OUT[0], TEMP[0]",
                  {pairs(1, 2), pairs(0, 0)}, {}, "DCL TEMP[0]\n"),
              pairs(2, 1));
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

TEST(LowerWide, ADestinationIndexIsReadBeforeTheOtherDestinationIsWritten) {
    // 12 is 0.75 times 2^4. The words of 0.75 are 0 and 0x3fe80000: with the first, TEMP[0] would be written.
    EXPECT_EQ(run("UARL ADDR[0].x, IN[1].xxxx\nDFRACEXP ADDR[0].xy, TEMP[ADDR[0].x].x, IN[0]\nMOV OUT[0], TEMP[1]",
                  {doubles(12, 0), all(1)}, {}, "DCL TEMP[0..3]\nDCL ADDR[0]\n"),
              (Words{4, 0, 0, 0}));
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
