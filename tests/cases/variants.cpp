// Variants give the same answers as their originals: here only in the reference, in a campaign also on devices.
#include "cases/variants.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "api/convert.h"
#include "cases/compare.h"
#include "cases/sources.h"
#include "inputs/inputs.h"
#include "places.h"
#include "reference/run.h"

namespace tgsi2spv::difftest {
namespace {

struct Variants : testing::TestWithParam<int> {};

TEST_P(Variants, StayWithinTheBoundsOfTheOriginal) {
    const auto kind = static_cast<VariantKind>(GetParam());
    const std::string folder[] = {test::source_path("shaders")};
    const auto sources = find_sources(folder);
    ASSERT_TRUE(sources) << sources.error();
    api::Context context;
    uint32_t made = 0;
    for (const auto& source : *sources) {
        const auto text = read_source(source.path);
        ASSERT_TRUE(text) << text.error();
        ASSERT_TRUE(api::parse(context, *text, {})) << source.path;
        const auto variant = vary(context.program, context.registers, kind, 7);
        if (!variant) continue;
        EXPECT_NE(*variant, *text);
        const auto inputs = generate_inputs(context.program, context.registers, {.seed = 7});
        const auto judged = reference::run(context.program, context.registers, inputs, {});
        ASSERT_EQ(judged.error, "") << source.path;
        const auto streams = stream_outputs(context.program);
        ASSERT_TRUE(api::parse(context, *variant, {})) << source.path << "\n" << *variant;
        const auto answer = reference::run(context.program, context.registers, inputs, {});
        ASSERT_TRUE(answer.error.empty()) << answer.error;
        const auto compared = compare(judged, answer, inputs.lanes, streams);
        EXPECT_TRUE(compared.passed()) << source.path << ": " << describe(compared.mismatches.front()) << "\n"
                                       << *variant;
        made++;
    }
    EXPECT_GE(made, 20u);
}

/// The index is beyond TEMP[0..1], where a write is lost and a read gives zero. A TEMP that a variant adds there would
/// change that.
TEST_P(Variants, AddNoRegisterWhereAnIndexMayReach) {
    const auto kind = static_cast<VariantKind>(GetParam());
    api::Context context;
    reference::Inputs inputs;
    inputs.lanes = 4;
    inputs.inputs[{0, 0}].assign(4, {0x3f800000, 0x40000000, 0x40400000, 0x40800000});
    inputs.inputs[{0, 1}].assign(4, {2, 2, 2, 2});
    for (uint64_t seed = 0; seed < 20; seed++) {
        ASSERT_TRUE(api::parse(context,
                               R"(FRAG
DCL IN[0..1], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL TEMP[0..1]
DCL ADDR[0]
UARL ADDR[0].x, IN[1].xxxx
MOV TEMP[ADDR[0].x], IN[0]
ADD TEMP[0], TEMP[0], IN[0]
ADD TEMP[1], TEMP[0], TEMP[ADDR[0].x]
ADD OUT[0], TEMP[1], TEMP[0]
END
)",
                               {}));
        const auto variant = vary(context.program, context.registers, kind, seed);
        if (!variant) continue;
        const auto judged = reference::run(context.program, context.registers, inputs, {});
        ASSERT_TRUE(api::parse(context, *variant, {})) << *variant;
        const auto answer = reference::run(context.program, context.registers, inputs, {});
        EXPECT_TRUE(compare(judged, answer, inputs.lanes).passed()) << *variant;
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Variants, testing::Range(0, kVariantKinds), [](const auto& one) {
    std::string text(name(static_cast<VariantKind>(one.param)));
    std::erase(text, '-');
    return text;
});

}  // namespace
}  // namespace tgsi2spv::difftest
