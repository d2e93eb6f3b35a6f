// One case on one device: passes, skips and failures.
#include "cases/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <fstream>

#include "api/convert.h"
#include "cases/case_file.h"
#include "cases/cases.h"
#include "cases/devices.h"
#include "cases/faults.h"
#include "cases/judge_parts.h"
#include "harness/pretend.h"
#include "reference/run.h"

namespace tgsi2spv::difftest {
namespace {

constexpr const char* kCopy = R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
END
)";

CaseSpec given(const std::string& text = "", const std::string& inputs = "") {
    CaseSpec spec;
    spec.kind = CaseKind::Given;
    spec.name = "case";
    spec.text = text;
    spec.inputs = inputs;
    return spec;
}

/// Judges a text on the default device.
CaseResult judged(Workplace& workplace, const std::string& text, const RunSettings& options = {},
                  const ModuleHook& hook = {}) {
    const CaseSpec spec = given(
        text, R"({"lanes": 4, "inputs": {"IN[0]": [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]}})");
    return judge_case(make_case(spec, options, workplace), 0, options, workplace, hook);
}

TEST(JudgeCase, ADeviceThatOnlyCompilesRunsNothing) {
    auto workplace = open_workplace({}, true, harness::Use::CompileOnly);
    ASSERT_TRUE(workplace) << workplace.error();
    bool converted = false;
    const auto r = judged(*workplace,
                          R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL SAMP[0]
TEX OUT[0], IN[0], SAMP[0], 2D
END
)",
                          {}, [&](api::Context&, const api::Options&) { converted = true; });
    EXPECT_TRUE(converted);
    EXPECT_EQ(r.status, Status::Pass);
    EXPECT_EQ(r.reason, Reason::OnlyCompiled);
    EXPECT_EQ(r.message, "compiled, not run");
    EXPECT_EQ(r.words, 0u);
    // A truncated module does not compile.
    const auto broken = judged(*workplace, "VERT\nDCL OUT[0], POSITION\nEND\n", {},
                               [](api::Context& context, const api::Options&) { context.words.resize(3); });
    EXPECT_EQ(broken.status, Status::Fail) << broken.message;
}

TEST(JudgeCase, WantOfMemoryIsNotTheCasesFault) {
    auto workplace = open_workplace({}, false);
    ASSERT_TRUE(workplace) << workplace.error();
    test::Pretend pretend;
    pretend.allocate = [] { return VK_ERROR_OUT_OF_DEVICE_MEMORY; };
    const auto r = judged(*workplace, kCopy);
    EXPECT_EQ(r.status, Status::Skip);
    EXPECT_EQ(r.reason, Reason::Memory);
    EXPECT_THAT(r.message, testing::StartsWith("not run, out of memory: "));
    EXPECT_THAT(r.message, testing::HasSubstr("VK_ERROR_OUT_OF_DEVICE_MEMORY"));
    pretend.allocate = [] { return VK_SUCCESS; };
    const char* compute =
        R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 4
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
END
)";
    pretend.compile = [] { return VK_ERROR_OUT_OF_DEVICE_MEMORY; };
    EXPECT_EQ(judged(*workplace, compute).reason, Reason::CompilerMemory);
    pretend.compile = [] { return VK_SUCCESS; };
    EXPECT_EQ(judged(*workplace, kCopy).status, Status::Pass);
}

/// A driver may leave another rounding mode, in which the reference would compute the next case.
TEST(JudgeCase, TheRoundingOfADriverIsNotThatOfTheReference) {
    auto workplace = open_workplace({}, false);
    ASSERT_TRUE(workplace) << workplace.error();
    test::Pretend pretend;
    pretend.wait = [] {
        std::fesetround(FE_UPWARD);
        return VK_SUCCESS;
    };
    for (int run = 0; run < 2; run++) {
        const auto r = judged(*workplace,
                              R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
IMM[0] FLT32 {0.1, 0.7, 1.3, 1.9}
MUL OUT[0], IN[0], IMM[0]
END
)");
        EXPECT_EQ(r.status, Status::Pass) << r.message;
        EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    }
}

/// OriginLowerLeft, which Vulkan forbids: the layer says so, although drivers take it.
void turn_upside_down(api::Context& context, const api::Options&) {
    constexpr uint32_t kExecutionMode = 3u << 16 | 16, kUpperLeft = 7, kLowerLeft = 8;
    for (size_t at = 5; at < context.words.size(); at += context.words[at] >> 16)
        if (context.words[at] == kExecutionMode && context.words[at + 2] == kUpperLeft)
            context.words[at + 2] = kLowerLeft;
}

TEST(JudgeCase, MessagesAreFailuresEvenIfNothingRan) {
    auto workplace = open_workplace({}, true, harness::Use::CompileOnly);
    ASSERT_TRUE(workplace) << workplace.error();
    if (!workplace->instance->validates()) GTEST_SKIP() << vulkan::kNoValidation;
    const auto r = judged(*workplace, kCopy, {}, turn_upside_down);
    EXPECT_EQ(r.status, Status::Fail);
    EXPECT_THAT(r.message, testing::StartsWith("validation: "));
    EXPECT_THAT(r.details, testing::Contains("compiled, not run"));
}

/// A message of the validation layer is a failure, even if all words are right.
TEST(JudgeCase, MessagesAreFailuresEvenIfTheWordsAreRight) {
    auto workplace = open_workplace({}, true);
    ASSERT_TRUE(workplace) << workplace.error();
    if (!workplace->instance->validates()) GTEST_SKIP() << vulkan::kNoValidation;
    EXPECT_EQ(judged(*workplace, kCopy).status, Status::Pass);
    const auto r = judged(*workplace, kCopy, {}, turn_upside_down);
    EXPECT_EQ(r.words, 16u);
    EXPECT_EQ(r.wrong, 0u);
    EXPECT_EQ(r.status, Status::Fail);
    EXPECT_THAT(r.message, testing::StartsWith("validation: "));
    EXPECT_EQ(r.evidence.shader, kCopy);
    // They are those of the case, and not of the one before.
    EXPECT_EQ(judged(*workplace, kCopy).status, Status::Pass);
}

TEST(JudgeCase, ALostDeviceIsNoWrongAnswer) {
    auto workplace = open_workplace({}, false);
    ASSERT_TRUE(workplace) << workplace.error();
    test::Pretend pretend;
    pretend.wait = [] { return VK_ERROR_DEVICE_LOST; };
    const auto r = judged(*workplace, kCopy);
    EXPECT_EQ(r.status, Status::DeviceLost);
    EXPECT_THAT(r.message, testing::HasSubstr("VK_ERROR_DEVICE_LOST"));
    EXPECT_FALSE(r.evidence.spirv.empty());
}

/// Vulkan has no offsets from registers: a file may have them, a generated program may not, and a variant may not if
/// its original is translated.
TEST(JudgeCase, RefusingARequiredFeatureIsAFailure) {
    auto workplace = open_workplace({}, true);
    ASSERT_TRUE(workplace) << workplace.error();
    const std::string head =
        R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
)";
    CaseSpec spec = given();
    spec.text = head + "TEX OUT[0], IN[0], SAMP[0], 2D, IN[0].xyz\nEND\n";
    spec.inputs =
        R"({"lanes": 4, "textures": {"0": {"target": "2D", "format": "R8_UNORM", "width": 4, "levels": 2}},
            "samplers": {"0": {"mip_filter": "LINEAR"}}})";
    auto made = make_case(spec, {}, *workplace);
    const auto given = judge_case(made, 0, {}, *workplace);
    EXPECT_EQ(given.status, Status::Skip);
    EXPECT_THAT(given.message, testing::StartsWith("not translated: "));
    made.spec.kind = CaseKind::Generated;
    const auto generated = judge_case(made, 0, {}, *workplace);
    EXPECT_EQ(generated.status, Status::Fail);
    EXPECT_EQ(generated.message, given.message);
    EXPECT_EQ(generated.evidence.shader, spec.text);
    EXPECT_TRUE(generated.evidence.spirv.empty());
    // The variant of a shader that is refused too.
    made.spec.kind = CaseKind::File;
    made.original = Original{workplace->context.program, workplace->context.registers};
    EXPECT_EQ(judge_case(made, 0, {}, *workplace).status, Status::Skip);
    api::Context other;
    ASSERT_TRUE(api::parse(other, head + "TEX OUT[0], IN[0], SAMP[0], 2D\nEND\n", {}));
    made.original = Original{other.program, other.registers};
    EXPECT_EQ(judge_case(made, 0, {}, *workplace).status, Status::Fail);
}

TEST(JudgeCase, AMissingDeviceFeatureIsNotARefusal) {
    auto workplace = open_workplace({}, true);
    ASSERT_TRUE(workplace) << workplace.error();
    if (workplace->devices[0]->report().features.shaderResourceResidency) GTEST_SKIP() << "the device lacks nothing";
    CaseSources sources;
    sources.sampling = true;
    const auto sparse = list_cases(sources, {"sample.pixel_null_mask 3D$", 0, 1});
    ASSERT_TRUE(sparse && !sparse->empty());
    const auto r = judge_case(make_case(sparse->front(), {}, *workplace), 0, {}, *workplace);
    EXPECT_EQ(r.status, Status::Skip);
    EXPECT_EQ(r.message, "TEX: the device lacks shaderResourceResidency");
}

TEST(JudgeCase, ATimeLimitBelowASecondIsNamed) {
    auto workplace = open_workplace({}, false);
    ASSERT_TRUE(workplace) << workplace.error();
    test::Pretend pretend;
    pretend.wait = [] { return VK_TIMEOUT; };
    RunSettings options;
    options.timeout_ns = 50'000'000;
    const auto r = judged(*workplace, R"(FRAG
DCL OUT[0], COLOR
MOV OUT[0], OUT[0]
END
)",
                          options);
    EXPECT_EQ(r.status, Status::Timeout);
    EXPECT_EQ(r.message, "no answer within 0.05 s");
}

TEST(JudgeCase, PassesSkipsAndFailuresHaveReasons) {
    EXPECT_FALSE(open_workplace(std::vector<std::string>{"no such device"}, true));
    auto workplace = open_workplace({}, true);
    ASSERT_TRUE(workplace) << workplace.error();
    constexpr const char* kProduct =
        R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
MUL OUT[0], IN[0], IN[0].yzwx
END
)";
    auto r = judged(*workplace, kProduct);
    EXPECT_EQ(r.status, Status::Pass) << r.message;
    EXPECT_EQ(r.words, 16u);
    EXPECT_EQ(r.stage, "FRAG");
    EXPECT_THAT(r.opcodes, testing::ElementsAre("END", "MUL"));
    EXPECT_TRUE(r.evidence.shader.empty());
    r = judged(*workplace,
               R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE QUADS
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
DCL OUT[0], POSITION
MOV OUT[0].x, OUT[0]
EMIT
END
)");
    EXPECT_EQ(r.status, Status::Skip);
    EXPECT_THAT(r.message, testing::StartsWith("not judged: GS_INPUT_PRIMITIVE"));
    r = judged(*workplace, "VERT\nMOVE OUT[0], IN[0]\nEND\n");
    EXPECT_EQ(r.status, Status::Skip);
    EXPECT_THAT(r.message, testing::StartsWith("invalid shader: unknown opcode"));

    // Emulates a driver that adds instead: the second lane's x is 11, where 30 is right.
    r = judged(*workplace, kProduct, {}, [](api::Context& context, const api::Options&) { spoil(context.words); });
    EXPECT_EQ(r.status, Status::Fail);
    EXPECT_GE(r.wrong, 15u);
    EXPECT_THAT(r.evidence.shader, testing::HasSubstr("MUL OUT[0]"));
    EXPECT_THAT(r.evidence.spirv, testing::HasSubstr("OpFAdd"));
    EXPECT_THAT(r.evidence.got, testing::HasSubstr("0x41300000"));
    EXPECT_THAT(r.evidence.expected, testing::HasSubstr("0x41f00000"));
    ASSERT_EQ(r.evidence.pictures.size(), 3u);
    EXPECT_EQ(r.evidence.pictures[2].name, "OUT[0] difference");
    EXPECT_THAT(r.evidence.pictures[2].png, testing::StartsWith("iVBORw0KGgo"));  // the signature of a PNG

    const auto back = read_result_line(write_result_line(r));
    ASSERT_TRUE(back) << back.error();
    EXPECT_EQ(back->evidence, r.evidence);
    EXPECT_EQ(back->message, r.message);
    const auto file = read_case_file(write_case_file(case_file_of(r, {})));
    ASSERT_TRUE(file) << file.error();
    EXPECT_EQ(file->message, r.message);
    const auto spec = spec_of(*file);
    ASSERT_TRUE(spec) << spec.error();
    const auto again = judge_case(make_case(*spec, {}, *workplace), 0, {}, *workplace);
    EXPECT_EQ(again.status, Status::Pass);
    EXPECT_EQ(again.words, r.words);
}

TEST(JudgeCase, SubgroupsOfComputeShadersAreJudgedByTheDevicesSize) {
    // A work group of 16 invocations in which only the third votes yes: its subgroup sees the vote, the others do not.
    CaseSpec spec = given();
    spec.text =
        R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 16
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL BUFFER[0]
DCL TEMP[0..2]
IMM[0] UINT32 {4, 2, 0, 0}
USEQ TEMP[0].x, SV[0].xxxx, IMM[0].yyyy
VOTE_ANY TEMP[1].x, TEMP[0].xxxx
UMUL TEMP[2].x, SV[0].xxxx, IMM[0].xxxx
STORE BUFFER[0].x, TEMP[2].xxxx, TEMP[1].xxxx
END
)";
    spec.inputs = R"({"grid": [1, 1, 1], "buffers": {"BUFFER[0]": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}})";
    // Emulates a translator that ignores the other lanes: each invocation votes alone.
    const auto alone = [](api::Context& context, const api::Options&) {
        constexpr uint32_t kAny = 335, kAnd = 167;
        for (size_t at = 5; at < context.words.size(); at += context.words[at] >> 16) {
            if ((context.words[at] & 0xffff) != kAny) continue;
            context.words[at] += kAnd - kAny;
            context.words[at + 3] = context.words[at + 4];
        }
    };
    // Rows of six invocations: lavapipe never puts two rows into one subgroup, so the judge may not assume an order of
    // rows.
    CaseSpec rows = spec;
    rows.text =
        R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 6
PROPERTY CS_FIXED_BLOCK_HEIGHT 2
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL BUFFER[0]
DCL TEMP[0..2]
IMM[0] UINT32 {4, 6, 0, 0}
UMAD TEMP[0].x, SV[0].yyyy, IMM[0].yyyy, SV[0].xxxx
READ_FIRST TEMP[1].x, TEMP[0].xxxx
UMUL TEMP[2].x, TEMP[0].xxxx, IMM[0].xxxx
STORE BUFFER[0].x, TEMP[2].xxxx, TEMP[1].xxxx
END
)";
    for (const auto& device : test::installed_devices()) {
        auto workplace = open_workplace(std::vector{device}, true);
        ASSERT_TRUE(workplace) << workplace.error();
        const auto in_rows = judge_case(make_case(rows, {}, *workplace), 0, {}, *workplace);
        EXPECT_EQ(in_rows.status, Status::Pass) << device << ": " << in_rows.message;
        const auto made = make_case(spec, {}, *workplace);
        const auto right = judge_case(made, 0, {}, *workplace);
        EXPECT_EQ(right.status, Status::Pass) << device << ": " << right.message;
        EXPECT_EQ(right.words, 16u);
        EXPECT_EQ(right.unknown, 0u) << device;
        const auto wrong = judge_case(made, 0, {}, *workplace, alone);
        EXPECT_EQ(wrong.status, Status::Fail) << device << ": " << wrong.message;
    }
}

TEST(JudgeCase, UnknownWordsAreThoseOfTheOriginalsInstructions) {
    auto workplace = open_workplace({}, true);
    ASSERT_TRUE(workplace) << workplace.error();
    const std::string head =
        R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0..1]
IMM[0] FLT32 {1e10, 0, 0, 0}
)";
    const std::string text = head + "MOV TEMP[0], IMM[0]\nSIN OUT[0].x, TEMP[0].xxxx\nEND\n",
                      variant = head +
                                R"(MOV TEMP[0], IMM[0]
MOV TEMP[1], TEMP[0]
MOV TEMP[0], TEMP[1]
SIN OUT[0].x, TEMP[0].xxxx
END
)";
    ASSERT_TRUE(api::parse(workplace->context, text, {}));
    const Original original{workplace->context.program, workplace->context.registers};
    CaseSpec spec = given();
    spec.inputs = R"({"lanes": 4})";
    spec.text = variant;
    auto made = make_case(spec, {}, *workplace);
    made.original = original;
    const auto r = judge_case(made, 0, {}, *workplace);
    EXPECT_EQ(r.status, Status::Pass) << r.message;
    EXPECT_THAT(r.unknown_by, testing::ElementsAre(testing::Pair("SIN", 4)));
}

/// The judge runs again if it does not know how a device forms subgroups. Then a branch on a subgroup's result may go
/// either way, which takes longer.
TEST(JudgeCase, ASecondJudgementThatTakesTooLongIsASkip) {
    auto workplace = open_workplace({}, true);
    ASSERT_TRUE(workplace) << workplace.error();
    if (vulkan::driver_of(workplace->devices[0]->report().info.name) != vulkan::Driver::Lavapipe)
        GTEST_SKIP() << "needs a device that groups rows";
    CaseSpec spec = given();
    spec.text =
        R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 6
PROPERTY CS_FIXED_BLOCK_HEIGHT 2
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL BUFFER[0]
DCL TEMP[0..3]
IMM[0] UINT32 {4, 6, 100, 1}
IMM[1] UINT32 {7, 0, 0, 0}
UMAD TEMP[0].x, SV[0].yyyy, IMM[0].yyyy, SV[0].xxxx
READ_FIRST TEMP[1].x, TEMP[0].xxxx
UMUL TEMP[2].x, TEMP[0].xxxx, IMM[0].xxxx
STORE BUFFER[0].x, TEMP[2].xxxx, TEMP[1].xxxx
USEQ TEMP[1].y, TEMP[1].xxxx, IMM[1].xxxx
UIF TEMP[1].yyyy
BGNLOOP
USGE TEMP[3].y, TEMP[3].xxxx, IMM[0].zzzz
UIF TEMP[3].yyyy
BRK
ENDIF
UADD TEMP[3].x, TEMP[3].xxxx, IMM[0].wwww
ENDLOOP
ENDIF
END
)";
    spec.inputs = R"({"grid": [1, 1, 1], "buffers": {"BUFFER[0]": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]}})";
    const auto made = make_case(spec, {}, *workplace);
    ASSERT_FALSE(made.decided) << made.decided->message;
    const auto instructions = [&](uint32_t subgroup_size) {
        auto judging = reference_options(workplace->devices[0]->report(), tgsi::Dialect::Auto);
        judging.subgroup_size = subgroup_size;
        return reference::run(workplace->context.program, workplace->context.registers, made.inputs, judging)
            .instructions;
    };
    const uint64_t first = instructions(workplace->devices[0]->report().subgroup.subgroupSize);
    ASSERT_GT(instructions(0), first + 100);
    EXPECT_EQ(judge_case(made, 0, {}, *workplace).status, Status::Pass);
    RunSettings options;
    options.max_steps = first + 100;
    const auto r = judge_case(made, 0, options, *workplace);
    EXPECT_EQ(r.status, Status::Skip);
    EXPECT_EQ(r.message, "the reference executed more than " + std::to_string(options.max_steps) + " instructions");
}

TEST(JudgeCase, StrictForbidsUnspecifiedResults) {
    for (const bool swift_shader : {false, true}) {
        vulkan::DeviceReport report;
        report.info.name = swift_shader ? "SwiftShader Device (LLVM 10.0.0)" : "llvmpipe (LLVM 15.0.6, 256 bits)";
        auto judging = reference_options(report, tgsi::Dialect::Auto);
        EXPECT_TRUE(judging.rounding_filters);
        EXPECT_TRUE(judging.doubles_as_single);
        be_strict(report, judging);
        EXPECT_FALSE(judging.rounding_filters);
        EXPECT_FALSE(judging.doubles_as_single);
        EXPECT_EQ(judging.functions_keep_nan, !swift_shader);
    }
}

TEST(JudgeCase, StrictHoldsDoublesToTheirPrecision) {
    const auto installed = test::installed_devices();
    if (!std::ranges::count(installed, std::string_view("llvmpipe"))) GTEST_SKIP() << "needs lavapipe";
    auto workplace = open_workplace(std::vector<std::string>{"llvmpipe"}, true);
    ASSERT_TRUE(workplace) << workplace.error();
    CaseSpec spec = given();
    spec.inputs = R"({"lanes": 2, "inputs": {"IN[0]": [[1, 3, 0, 0], [5, 6, 0, 0]]}})";
    const auto shader = [](const std::string& body) {
        return R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0..1]
)" + body + "END\n";
    };
    const std::string in_doubles = shader("F2D TEMP[0], IN[0]\nDDIV OUT[0].xy, TEMP[0], TEMP[0].zwzw\n"),
                      in_floats = shader("DIV TEMP[1].x, IN[0].xxxx, IN[0].yyyy\nF2D OUT[0].xy, TEMP[1].xxxx\n");
    // Judges the results of `ran` against a program that divides doubles.
    const auto held = [&](const std::string& ran, bool strict) {
        EXPECT_TRUE(api::parse(workplace->context, in_doubles, {}));
        const Original original{workplace->context.program, workplace->context.registers};
        RunSettings options;
        options.strict = strict;
        spec.text = ran;
        auto made = make_case(spec, options, *workplace);
        made.original = original;
        return judge_case(made, 0, options, *workplace);
    };
    EXPECT_EQ(held(in_doubles, true).status, Status::Pass);
    EXPECT_EQ(held(in_floats, false).status, Status::Pass);  // Vulkan requires no more precision
    const auto failed = held(in_floats, true);
    EXPECT_EQ(failed.status, Status::Fail) << failed.message;
    EXPECT_EQ(failed.wrong, 2u);
}

}  // namespace
}  // namespace tgsi2spv::difftest
