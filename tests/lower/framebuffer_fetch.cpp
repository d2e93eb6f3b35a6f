// FBFETCH, run on the host. data/interface.txt has what it becomes.
#include <gtest/gtest.h>

#include <algorithm>

#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

const std::string kHead =
    R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL IN[1], GENERIC[1], CONSTANT
DCL IN[2..4], ARRAY(1), GENERIC[2], LINEAR
DCL IN[5], POSITION
DCL OUT[0], COLOR
DCL OUT[1], COLOR[1]
DCL CONST[0]
DCL TEMP[0]
)";

Lowered lowered(const std::string& code, const lower::Options& options = {}) {
    Lowered l = lower_text(kHead + code + "END\n", options);
    EXPECT_TRUE(l.ok) << l.error << "\n" << code;
    return l;
}

TEST(LowerInterpolation, TheFramebufferIsReadWithASwizzle) {
    const Lowered l = lowered("FBFETCH TEMP[0], OUT[0].wzyx\nMOV OUT[0], TEMP[0]\n");
    const Evaluation e = evaluate(l.module, {}, {.image = [](const ImageAccess&) {
                                      return ImageAnswer{{11, 12, 13, 14}};
                                  }});
    EXPECT_EQ(e.error, "");
    EXPECT_EQ(e.outputs.at(0), (Words{14, 13, 12, 11}));
}

/// At the pixel, and the layer and sample that the state names.
TEST(LowerInterpolation, TheFramebufferIsASampledImage) {
    for (const bool layer : {false, true})
        for (const bool sample : {false, true}) {
            SCOPED_TRACE(testing::Message() << layer << sample);
            lower::Options options;
            options.state.fetch_image = true;
            options.state.fetch_layer = layer;
            options.state.fetch_sample = sample;
            const Lowered l = lowered("FBFETCH TEMP[0], OUT[0].wzyx\nMOV OUT[0], TEMP[0]\n", options);
            const auto is_image = [](const ir::Variable& v) { return v.kind == ir::VariableKind::SampledImage; };
            const auto image = std::ranges::find_if(l.module.variables, is_image);
            ASSERT_NE(image, l.module.variables.end());
            EXPECT_EQ(image->index, 416u);
            EXPECT_EQ(image->image, (ir::ImageType{.array = layer, .ms = sample}));
            const Surroundings place{
                .builtins = {{ir::BuiltIn::FragCoord, {0x4168'0000, 0x40f0'0000, 0, 0}},  // 14.5, 7.5
                             {ir::BuiltIn::Layer, {5}},
                             {ir::BuiltIn::SampleId, {3}}},
                .image = [&](const ImageAccess& access) {
                    const Words at = access.arg(access.at.coordinate);
                    return ImageAnswer{
                        {at[0], at[1], layer ? at[2] : 0, access.arg(sample ? access.at.sample : access.at.lod)[0]}};
                }};
            const Evaluation e = evaluate(l.module, {}, place);
            EXPECT_EQ(e.error, "");
            EXPECT_EQ(e.outputs.at(0), (Words{sample ? 3u : 0, layer ? 5u : 0, 7, 14}));
        }
}

}  // namespace
}  // namespace tgsi2spv::test
