#include "inputs/case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "reference/numbers/packed.h"
#include "tgsi/formats.h"

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
    const std::pair<const char*, const char*> kCases[] = {
        {R"({"lanes": 1, "inputs": {"IN[3]": [[1, 2, 3]]}})", "inputs.IN[3][0]: expected 4 words, found 3"},
        {R"({"lanes": 2, "inputs": {"IN[0]": [[1, 2, 3, 4]]}})", "inputs.IN[0]: expected 2 lanes, found 1"},
        {R"({"lanes": 4, "inputs": {"IN[0]": [1, 2, 3]}})",
         "inputs.IN[0]: expected four words, or 4 lanes of four words, found 3 words"},
        {R"({"inputs": {"IN[0]": [[1, 2, "3", 4]]}})",
         R"(inputs.IN[0][0][2]: expected a word ("0x3f800000" or a number), found the string "3")"},
        {R"({"inputs": {"IN[0]": [[1, 2, "0x123456789", 4]]}})",
         "inputs.IN[0][0][2]: 0x123456789 has more than 32 bits"},
        {R"({"inputs": {"IN[0]": [[1, 2, "0x", 4]]}})",
         R"(inputs.IN[0][0][2]: expected a word ("0x3f800000" or a number), found the string "0x")"},
        {R"({"inputs": {"IN[0]": [[1, 2, 1e60, 4]]}})", "inputs.IN[0][0][2]: 1e+60 is out of range for a 32-bit float"},
        {R"({"inputs": {"IN": []}})", R"(inputs.IN: expected a key such as "IN[0]" or "IN[2][0]")"},
        {R"({"inputs": {"IN[0][1][2]": []}})", R"(inputs.IN[0][1][2]: expected a key such as "IN[0]" or "IN[2][0]")"},
        {R"({"inputs": []})", "inputs: expected an object, found an array"},
        {R"({"system_values": {"IN[0]": []}})",
         R"(system_values.IN[0]: expected a key such as "SV[0]", found "IN[0]")"},
        {R"({"constants": {"x": []}})", R"(constants.x: expected an index as the key, found "x")"},
        {R"({"constants": {"CONST[x]": []}})", R"(constants.CONST[x]: expected an index as the key, found "CONST[x]")"},
        {R"({"constants": {"0": [], "CONST[0]": []}})", "constants.CONST[0]: the buffer 0 is given twice"},
        {R"({"constants": {"0": [[1, 2, 3, 4], [1, 2, 3]]}})", "constants.0[1]: expected 4 words, found 3"},
        {R"({"constants": {"0": [[1, 2, 3, 4], 5]}})", "constants.0[1]: expected 4 words, found the number 5"},
        {R"({"constants": {"0": {"a": 1}}})", "constants.0: expected an array of words, found an object"},
        {R"({"constants": {"0": [null]}})",
         R"(constants.0[0]: expected a word ("0x3f800000" or a number), found null)"},
        {R"({"lanes": 0})", "lanes: expected an integer from 1 to 65536, found the number 0"},
        {R"({"lanes": 1.5})", "lanes: expected an integer from 1 to 65536, found the number 1.5"},
        {R"({"lane": 4})", "lane: unknown field"},
        {R"({"textures": {"0": {"format": "PIPE_FORMAT_R8_UNORM"}}})", R"(textures.0: missing field "target")"},
        {R"({"textures": {"0": {"target": "2D"}}})", R"(textures.0: missing field "format")"},
        {R"({"textures": {"0": {"target": "4D"}}})",
         R"(textures.0.target: expected a texture target such as "2D", found the string "4D")"},
        {R"({"textures": {"0": {"target": "2D", "format": "R8"}}})",
         R"(textures.0.format: expected a format such as "PIPE_FORMAT_R8G8B8A8_UNORM", found the string "R8")"},
        {R"({"textures": {"0": {"target": "2D", "format": "R8_UNORM", "width": 2, "data": [[1]]}}})",
         "textures.0.data[0]: expected 2 words, found 1"},
        {R"({"textures": {"0": {"target": "2D", "format": "R8_UNORM", "data": []}}})",
         "textures.0.data: expected 1 levels, found 0"},
        {R"({"textures": {"0": {"target": "CUBE", "format": "R8_UNORM", "layers": 5}}})",
         "textures.0.layers: a cube must have 6 layers"},
        {R"({"textures": {"0": {"target": "2D", "format": "R8_UNORM", "layers": 2}}})",
         "textures.0.layers: only array targets can have several layers"},
        {R"({"textures": {"0": {"target": "2D_MSAA", "format": "R8_UNORM", "samples": 3}}})",
         "textures.0.samples: the number of samples must be a power of two"},
        {R"({"textures": {"0": {"target": "2D", "format": "R8_UNORM", "width": 4, "levels": 4}}})",
         "textures.0.levels: expected at most 3 for this size and target"},
        {R"({"textures": {"0": {"target": "2D", "format": "R8_UNORM", "size": 4}}})", "textures.0.size: unknown field"},
        {R"({"views": {"0": {"texture": 1}}})", "views.0.texture: texture 1 does not exist"},
        {R"({"views": {"0": {"swizzle": "xyz"}}})",
         R"(views.0.swizzle: expected a string of four of 'xyzw01', found the string "xyz")"},
        {R"({"samplers": {"0": {"min_filter": "CUBIC"}}})",
         R"(samplers.0.min_filter: expected one of NEAREST, LINEAR, found the string "CUBIC")"},
        {R"({"samplers": {"0": {"border_color": [1]}}})", "samplers.0.border_color: expected 4 words, found an array"},
        {R"({"samplers": {"0": {"lod_bias": 1e60}}})", "samplers.0.lod_bias: 1e+60 is out of range for a 32-bit float"},
        {R"({"samplers": {"0": {"max_anisotropy": 0.5}}})",
         "samplers.0.max_anisotropy: expected a number of at least 1, found the number 0.5"},
        // Sizes whose product has more than 32 bits, and one that only memory cannot hold; both without data.
        {R"({"images": {"IMAGE[0]": {"target": "2D_ARRAY", "format": "R32_UINT", "width": 16384, "height": 16384,
             "layers": 2048}}})",
         "images.IMAGE[0]: the texture has 549755813888 words, more than 67108864"},
        {R"({"textures": {"0": {"target": "2D", "format": "R8G8B8A8_UNORM", "width": 16384, "height": 16384}}})",
         "textures.0: the texture has 1073741824 words, more than 67108864"},
        {R"({"images": {"IMAGE[0]": {"target": "BUFFER", "format": "R32G32_UINT", "width": 67108864}}})",
         "images.IMAGE[0]: the texture has 134217728 words, more than 67108864"},
        {R"({"framebuffer": {"depth": 1}})", "framebuffer.depth: unknown field"},
        {R"({"grid": [1, 2]})", "grid: expected [x, y, z], found an array"},
        {R"([1])", "the case: expected an object, found an array"},
    };
    for (const auto& [json, message] : kCases) {
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
