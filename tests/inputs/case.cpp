#include "inputs/case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "mistakes.h"
#include "reference/numbers/packed.h"
#include "tgsi/tables/formats.h"

namespace tgsi2spv::difftest {
namespace {

using testing::ElementsAre;

TEST(Case, EveryFieldIsRead) {
    const auto in = read_inputs(R"({
        "lanes": 2,
        "inputs": {"IN[3]": [["0x3f800000", 0.5, 0, -1], ["0xFFFFFFFF", "0x1", 2.5e-3, 1e30]],
                   "IN[2][1]": [[0, 0, 0, 1], [0, 0, 0, 2]]},
        "system_values": {"SV[1]": [["0x7", 0, 0, 0], ["0x8", 0, 0, 0]]},
        "constants": {"0": ["0xdeadbeef", 1], "3": [], "CONST[5]": [[1, 0, 0, "0x7"], [2, 0, 0, 1]]},
        "buffers": {"BUFFER[2]": ["0x1", "0x2"]},
        "hwatomics": {"1": ["0x5"]},
        "textures": {"4": {"target": "2D", "format": "PIPE_FORMAT_R32G32_FLOAT", "width": 2, "height": 1,
                           "levels": 2, "data": [[1, 2, 3, 4], [5, 6]]}},
        "views": {"0": {"texture": 4, "swizzle": "wx01"}},
        "samplers": {"4": {"wrap_s": "MIRROR_REPEAT", "min_filter": "LINEAR", "mip_filter": "NEAREST",
                           "compare": "GEQUAL", "lod_bias": -1.5, "border_color": [0, 1, "0x3f000000", 1],
                           "unnormalized": true}},
        "images": {"IMAGE[0]": {"target": "BUFFER", "format": "PIPE_FORMAT_R32_UINT", "width": 3}},
        "framebuffer": {"width": 10, "height": 6, "COLOR[1]": ["0x7", 1]},
        "grid": [1, 2, 3],
        "base_vertex": 5, "base_instance": 3,
        "shared_words": 256, "private_words": 128
    })");
    ASSERT_TRUE(in) << in.error();
    EXPECT_EQ(in->lanes, 2u);
    const auto& in3 = in->inputs.at({0, 3});
    EXPECT_THAT(in3[0], ElementsAre(0x3f800000u, 0x3f000000u, 0u, 0xbf800000u));
    EXPECT_THAT(in3[1], ElementsAre(0xffffffffu, 1u, std::bit_cast<uint32_t>(2.5e-3f), std::bit_cast<uint32_t>(1e30f)));
    EXPECT_EQ(in->inputs.at({2, 1})[1][3], 0x40000000u);
    EXPECT_EQ(in->system_values.at(1)[1][0], 8u);
    EXPECT_THAT(in->constants.at(0), ElementsAre(0xdeadbeefu, 0x3f800000u));
    EXPECT_THAT(in->constants.at(3), testing::IsEmpty());
    EXPECT_THAT(in->constants.at(5), ElementsAre(0x3f800000u, 0u, 0u, 7u, 0x40000000u, 0u, 0u, 0x3f800000u));
    EXPECT_THAT(in->buffers.at(2), ElementsAre(1u, 2u));
    EXPECT_THAT(in->hwatomics.at(1), ElementsAre(5u));
    const auto& texture = in->textures.at(4);
    EXPECT_EQ(texture.target, tgsi::Target::T2D);
    EXPECT_EQ(tgsi::format_info(texture.format).name, "R32G32_FLOAT");
    EXPECT_EQ(texture.data.at(1).at(1), std::bit_cast<uint32_t>(6.0f));
    EXPECT_THAT(in->views.at(0).swizzle, ElementsAre(3, 0, 4, 5));
    const auto& sampler = in->samplers.at(4);
    EXPECT_EQ(sampler.wrap[0], reference::Wrap::MirrorRepeat);
    EXPECT_EQ(sampler.min_filter, reference::Filter::Linear);
    EXPECT_EQ(sampler.mag_filter, reference::Filter::Nearest);
    EXPECT_EQ(sampler.compare, reference::Compare::GEqual);
    EXPECT_EQ(sampler.lod_bias, -1.5f);
    EXPECT_EQ(sampler.border_color[2], 0.5f);
    EXPECT_TRUE(sampler.unnormalized);
    EXPECT_EQ(in->images.at(0).width, 3u);
    EXPECT_EQ(in->framebuffer_height, 6u);
    EXPECT_THAT(in->framebuffer_colors.at(1), ElementsAre(7u, 0x3f800000u));
    EXPECT_THAT(in->grid, ElementsAre(1u, 2u, 3u));
    EXPECT_EQ(in->base_vertex, 5u);
    EXPECT_EQ(in->base_instance, 3u);
    EXPECT_EQ(in->shared_words, 256u);
    EXPECT_EQ(in->private_words, 128u);
}

TEST(Case, MistakesAreNamedWithTheirPath) {
    const auto mistakes = test::read_mistakes("tests/inputs/mistakes.txt");
    EXPECT_GT(mistakes.size(), 40u);
    for (const auto& [json, message] : mistakes) {
        const auto in = read_inputs(json);
        ASSERT_FALSE(in) << json;
        EXPECT_EQ(in.error(), message) << json;
    }
    const auto broken = read_inputs("{\"lanes\": }");
    ASSERT_FALSE(broken);
    EXPECT_THAT(broken.error(), testing::StartsWith("not valid JSON: parse error at line 1, column 11"));
    const auto huge = read_inputs(R"({"lanes": 1e999})");
    ASSERT_FALSE(huge);
    EXPECT_EQ(huge.error(), "not valid JSON: number overflow parsing '1e999'");
    const auto twice = read_inputs(R"({"lanes": 1, "inputs": {"IN[0]": [[1, 2, 3, 4]], "IN[0]": [[0, 0, 0, 0]]}})");
    ASSERT_FALSE(twice);
    EXPECT_EQ(twice.error(), "not valid JSON: an object has two members \"IN[0]\"");
    EXPECT_TRUE(read_inputs(R"({"lanes": 1, "inputs": {"IN[0]": [[1, 2, 3, 4]], "IN[1]": [[0, 0, 0, 0]]}})"));
}

TEST(Case, WhatJsonHasNoNumberForIsRead) {
    const auto in = read_inputs(R"({"inputs": {"IN[0]": ["inf", "-inf", "nan", "0x7f800000"]}})");
    ASSERT_TRUE(in) << in.error();
    EXPECT_THAT(in->inputs.at({0, 0})[0], ElementsAre(0x7f800000u, 0xff800000u, 0x7fc00000u, 0x7f800000u));
}

TEST(Case, AWrittenCaseIsReadBack) {
    const char* text = R"({
        "lanes": 4, "base_vertex": 7, "base_instance": 2,
        "inputs": {"IN[0]": [[1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4], ["0x7fc00001", 2, 3, 4]]},
        "system_values": {"SV[0]": [[1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]]},
        "constants": {"2": ["0x1"]}, "buffers": {"BUFFER[1]": ["0x2"]},
        "textures": {"0": {"target": "SHADOW2D", "format": "PIPE_FORMAT_Z32_FLOAT", "width": 2, "data": [[0.1, 0.2]]}},
        "views": {"0": {"texture": 0, "swizzle": "zzz1"}},
        "samplers": {"0": {"wrap_s": "CLAMP_TO_BORDER", "compare": "LESS", "max_lod": 0.1, "border_color": [0, 0, 0, 1]}},
        "framebuffer": {"width": 8, "height": 8, "COLOR[0]": ["0x1", "0x2"]}})";
    const auto in = read_inputs(text);
    ASSERT_TRUE(in) << in.error();
    const auto once = write_inputs(*in);
    const auto again = read_inputs(once);
    ASSERT_TRUE(again) << again.error() << once;
    EXPECT_EQ(write_inputs(*again), once);
    EXPECT_EQ(again->inputs, in->inputs);
    EXPECT_EQ(again->textures.at(0).data, in->textures.at(0).data);
    EXPECT_EQ(again->samplers.at(0).max_lod, 0.1f);
    EXPECT_EQ(again->samplers.at(0).compare, reference::Compare::Less);
    EXPECT_EQ(again->framebuffer_width, 8u);
    EXPECT_EQ(again->base_vertex, 7u);
    EXPECT_EQ(again->base_instance, 2u);
}

TEST(Case, ResultsShowWordsOrBounds) {
    reference::Result result;
    reference::Component word, set, interval, unknown;
    word.value = word.words[0] = 0x3f800000;
    set.count = 2;
    set.words = {1, 2};
    set.value = 2;
    set.maybe_nan = true;
    interval.kind = reference::Kind::Interval;
    interval.value = 0x40000000;
    interval.lo = 0x3fffffff;
    interval.hi = 0x40000001;
    interval.maybe_nan = true;
    unknown.kind = reference::Kind::Unknown;
    result.outputs[2] = {{word, set, interval, unknown}};
    result.killed = {true};
    result.killed_unknown = {false};
    EXPECT_EQ(write_result(result, {}),
              "{\n  \"outputs\": {\n    \"OUT[2]\": "
              "[[\"0x3f800000\",\"0x00000002\",\"0x40000000\",\"0x00000000\"]]}\n}\n");
    EXPECT_EQ(write_result(result, {.bounds = true, .killed = true}),
              "{\n  \"outputs\": {\n    \"OUT[2]\": [[{\"value\": \"0x3f800000\", \"lo\": \"0x3f800000\", \"hi\": "
              "\"0x3f800000\"},{\"any\": [\"0x00000001\", \"0x00000002\"], \"value\": \"0x00000002\", \"nan\": "
              "true},{\"value\": "
              "\"0x40000000\", \"lo\": "
              "\"0x3fffffff\", \"hi\": \"0x40000001\", \"nan\": true},{\"unknown\": true, \"value\": "
              "\"0x00000000\"}]]},\n  \"killed\": [true]\n}\n");
}

TEST(Case, ResultsShowTheGapsOfIntervals) {
    reference::Hull h;
    h.add_interval(0x3f800000u, 0x3f900000u);
    h.add_interval(0x40000000u, 0x40100000u);
    reference::Result result;
    result.outputs[0] = {reference::Components{h.finish(0x3f800000)}};
    const std::string shown = write_result(result, {.bounds = true});
    EXPECT_NE(shown.find("{\"value\": \"0x3f800000\", \"lo\": \"0x3f800000\", \"hi\": \"0x40100000\", "
                         "\"gaps\": [[\"0x3f900000\", \"0x40000000\"]]}"),
              std::string::npos)
        << shown;
}

TEST(Case, ResultsShowThePartsOfPackedWords) {
    const reference::FieldSet bytes[4] = {
        reference::codes_between(0x7f, 0x80), reference::codes_between(0xff, 0x01), {2, 3, {0, 0x80}}, {5, 5, {5, 5}}};
    reference::Result result;
    const auto v = reference::pack_fields(bytes, 4, 0x0502ff7f);
    result.outputs[0] = {reference::Components{v}};
    const std::string shown = write_result(result, {.bounds = true});
    EXPECT_NE(shown.find("{\"value\": \"0x0502ff7f\", \"fields\": [{\"lo\": \"0x7f\", \"hi\": \"0x80\"}, "
                         "{\"lo\": \"0xff\", \"hi\": \"0x01\"}, {\"lo\": \"0x02\", \"hi\": \"0x03\", \"or\": "
                         "[\"0x00\", \"0x80\"]}, {\"lo\": \"0x05\", \"hi\": \"0x05\"}]}"),
              std::string::npos)
        << shown;
}

}  // namespace
}  // namespace tgsi2spv::difftest
