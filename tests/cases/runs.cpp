// The runs of runs/*.txt (tests/reference/runs.h), on the devices, by the reference, and both compared.
#include "reference/runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cases/compare.h"
#include "cases/devices.h"

namespace tgsi2spv::difftest {
namespace {

/// SwiftShader lacks these. Any other missing feature is one that the translator should not ask for.
constexpr const char* kMayLack = "the device lacks (geometryShader|tessellationShader)";

struct RunsOnDevices : CasesOnDevices {
    /// Whether the device has the features of the shader.
    bool hold(const test::Case& of, const reference::Run& one, harness::Device& device, bool plain) {
        SCOPED_TRACE(device.report().info.name + (plain ? ", plain immediates" : ""));
        VulkanOptions options;
        options.settings.plain_immediates = plain;
        options.settings.dialect = one.options.dialect;
        const auto got = run_vulkan(device, context, one.inputs, options);
        if (!got && got.error().kind == Trouble::Missing) {
            EXPECT_THAT(got.error().message, testing::MatchesRegex(kMayLack)) << one.text;
            return false;
        }
        if (!got) return ADD_FAILURE() << got.error().message << "\n" << one.text, true;
        judge(of, one, *got, "");
        auto judging = reference_options(device.report(), one.options.dialect);
        const auto permitted = reference::run(context.program, context.registers, one.inputs, judging);
        EXPECT_EQ(permitted.error, "");
        const uint32_t lanes = std::max(one.inputs.lanes, one.inputs.patches);
        for (const Mismatch& m : compare(permitted, *got, lanes).mismatches) ADD_FAILURE() << describe(m) << one.text;
        return true;
    }
};

TEST_P(RunsOnDevices, GiveTheExpectedAnswers) {
    for (const test::Case& of : test::expand(GetParam()))
        for (const reference::Run& one : reference::runs_of(of)) {
            const auto trace = of.trace(one.line);
            ASSERT_TRUE(api::parse(context, one.text, {})) << one.text << context.diagnostics.at(0).message;
            const auto judged = reference::run(context.program, context.registers, one.inputs, one.options);
            judge(of, one, judged, judged.error);
            bool ran = false;
            for (auto& device : devices)
                for (const bool plain : {false, true}) ran |= hold(of, one, *device, plain);
            EXPECT_TRUE(ran) << "no device has the features of " << one.text;
        }
}

INSTANTIATE_TEST_SUITE_P(Cases, RunsOnDevices, testing::ValuesIn(test::cases_of("tests/cases/runs")), test::test_name);

}  // namespace
}  // namespace tgsi2spv::difftest
