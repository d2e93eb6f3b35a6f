// FRAG: INTERP_*, FBFETCH, the second source of blending, cull distances as inputs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lower/lowered.h"

namespace tgsi2spv::test {
namespace {

using testing::HasSubstr;

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

TEST(LowerInterpolation, VaryingsAreEvaluatedAtThePlace) {
    EXPECT_EQ(operations(lowered("INTERP_CENTROID OUT[0], IN[0]\n").module), "InterpCentroid");
    EXPECT_EQ(operations(lowered("INTERP_SAMPLE OUT[0], IN[0], CONST[0].yyyy\n").module), "InterpSample");
    EXPECT_EQ(operations(lowered("INTERP_OFFSET OUT[0].xy, IN[2], CONST[0].zwww\n").module), "InterpOffset");
    // Modifiers and swizzles apply to the result.
    EXPECT_EQ(operations(lowered("INTERP_CENTROID OUT[0], -|IN[0].wzyx|\n").module), "InterpCentroid FAbs FNegate");
}

TEST(LowerInterpolation, ValuesThatDoNotVaryAreReturnedUnchanged) {
    EXPECT_EQ(operations(lowered("INTERP_CENTROID OUT[0], IN[1]\n").module), "");
    EXPECT_EQ(operations(lowered("INTERP_OFFSET OUT[0], IN[5], CONST[0]\n").module), "");
    // With io=buffers, values cannot be evaluated elsewhere.
    lower::Options buffers;
    buffers.io_buffers = true;
    EXPECT_THAT(operations(lowered("INTERP_SAMPLE OUT[0], IN[0], CONST[0]\n", buffers).module),
                testing::Not(HasSubstr("Interp")));
}

TEST(LowerInterpolation, AnIndexSelectsAmongTheArray) {
    const std::string names = operations(lowered("INTERP_CENTROID OUT[0], IN[CONST[0].x+2](1)\n").module);
    size_t count = 0;
    for (size_t at = names.find("InterpCentroid"); at != std::string::npos; at = names.find("InterpCentroid", at + 1))
        ++count;
    EXPECT_EQ(count, 3u);
    EXPECT_THAT(names, HasSubstr("Select"));
}

TEST(LowerInterpolation, NeedsSampleRateShading) {
    lower::Capabilities none;
    none.sample_rate_shading = false;
    const Lowered l = lower_text(kHead + "INTERP_CENTROID OUT[0], IN[0]\nEND\n", {}, none);
    EXPECT_FALSE(l.ok);
    EXPECT_THAT(l.error, HasSubstr("INTERP_CENTROID: the device lacks sampleRateShading"));
    for (const char* semantic : {"SAMPLEID", "SAMPLEPOS"}) {
        const std::string text =
            "FRAG\nDCL SV[0], " + std::string(semantic) + "\nDCL OUT[0], COLOR\nMOV OUT[0], SV[0]\nEND\n";
        EXPECT_EQ(lower_text(text, {}, none).error, "the device lacks sampleRateShading") << semantic;
        EXPECT_EQ(lower_text(text).error, "") << semantic;
    }
}

TEST(LowerInterpolation, TheFramebufferIsAnInputAttachment) {
    const Lowered l = lowered("FBFETCH TEMP[0], OUT[1]\nFBFETCH TEMP[0].xy, OUT[1].zwzw\nMOV OUT[0], TEMP[0]\n");
    EXPECT_EQ(operations(l.module), "ImageRead ImageRead");
    const auto is_attachment = [](const ir::Variable& v) { return v.kind == ir::VariableKind::InputAttachment; };
    EXPECT_EQ(std::ranges::count_if(l.module.variables, is_attachment), 1);
    EXPECT_EQ(std::ranges::find_if(l.module.variables, is_attachment)->index, 1u);
    const Lowered depth = lower_text(R"(FRAG
DCL OUT[0], POSITION
DCL TEMP[0]
FBFETCH TEMP[0], OUT[0]
END
)");
    EXPECT_THAT(depth.error, HasSubstr("FBFETCH: the source is not a directly indexed COLOR"));
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

TEST(LowerInterpolation, ImagesOfIntegerTargetsHaveTheirType) {
    lower::Options options;
    options.state.fetch_image = true;
    options.state.targets = {lower::NumericType::UInt, lower::NumericType::SInt};
    const Lowered l = lowered("FBFETCH OUT[0], OUT[0]\nFBFETCH OUT[1], OUT[1]\n", options);
    std::vector<ir::ImageType> types;
    for (const ir::Variable& v : l.module.variables)
        if (v.kind == ir::VariableKind::SampledImage) types.push_back(v.image);
    EXPECT_THAT(types, testing::ElementsAre(ir::ImageType{.sampled = ir::Scalar::U32},
                                            ir::ImageType{.sampled = ir::Scalar::U32, .sampled_is_signed = true}));
}

TEST(LowerInterpolation, BlendingHasASecondSource) {
    constexpr const char* kCode = "MOV OUT[0], IN[0]\nMOV OUT[1], IN[1]\n";
    auto outputs = [](const Lowered& l) {
        std::vector<std::pair<uint32_t, int>> found;
        for (const ir::Variable& v : l.module.variables)
            if (v.kind == ir::VariableKind::Output) found.push_back({v.location, v.dual_source});
        return found;
    };
    EXPECT_THAT(outputs(lowered(kCode)), testing::ElementsAre(std::pair(0u, 0), std::pair(1u, 0)));
    lower::Options dual;
    dual.dual_source = true;
    EXPECT_THAT(outputs(lowered(kCode, dual)), testing::ElementsAre(std::pair(0u, 0), std::pair(0u, 1)));
}

TEST(LowerInterpolation, CullDistancesFollowClipDistances) {
    const Lowered l = lower_text(
        R"(FRAG
PROPERTY NUM_CLIPDIST_ENABLED 3
PROPERTY NUM_CULLDIST_ENABLED 2
DCL IN[0], CLIPDIST
DCL IN[1], CLIPDIST[1]
DCL IN[2], CULLDIST
DCL OUT[0], COLOR
MOV OUT[0].x, IN[0].zzzz
MOV OUT[0].y, IN[0].wwww
MOV OUT[0].z, IN[1].yyyy
MOV OUT[0].w, IN[2].yyyy
END
)");
    ASSERT_TRUE(l.ok) << l.error;
    auto length = [&](ir::BuiltIn builtin) {
        const auto v = std::ranges::find(l.module.variables, builtin, &ir::Variable::builtin);
        return v == l.module.variables.end() ? 0 : v->array[0];
    };
    EXPECT_EQ(length(ir::BuiltIn::ClipDistance), 3u);
    EXPECT_EQ(length(ir::BuiltIn::CullDistance), 2u);
}

}  // namespace
}  // namespace tgsi2spv::test
