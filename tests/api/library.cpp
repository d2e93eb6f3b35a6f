// The C API as its callers see it: through tgsi2spv.hpp where that is equivalent, otherwise through tgsi2spv.h.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "api/library_texts.h"

namespace tgsi2spv {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StrEq;
using testing::UnorderedElementsAre;

TEST(Library, ParsesOnceAndConvertsOften) {
    Context parser, context, other;
    Program vertex = parser.parse(kVertex);
    ASSERT_TRUE(vertex);
    EXPECT_EQ(vertex.stage(), TGSI2SPV_STAGE_VERTEX);
    parser = Context();  // programs outlive the context that parsed them

    const auto plain = copy(context.convert(vertex));
    ASSERT_FALSE(plain.empty());
    auto options = default_options;
    auto state = make<tgsi2spv_state>();
    state.flip_y = TGSI2SPV_FLIP_Y_ALWAYS;
    options.state = &state;
    EXPECT_NE(copy(context.convert(vertex, options)), plain);
    EXPECT_EQ(copy(other.convert(vertex)), plain);
    EXPECT_EQ(copy(context.translate(kVertex)), plain);
}

TEST(Library, TheStatusOfARefusalIsThatOfItsCode) {
    const struct {
        const char* text;
        std::string_view code;
        tgsi2spv_status status;
    } rows[] = {
        {"VERT\nKILL\nEND\n", "wrong-stage", TGSI2SPV_ERROR_INVALID_TEXT},  // not a call for another stage
        {R"(FRAG
CAL :2
END
BGNSUB
CAL :2
RET
ENDSUB
)",
         "recursion", TGSI2SPV_ERROR_INVALID_TEXT},
        {"FRAG\nDCL TEMP[0..99999]\nEND\n", "register-limit", TGSI2SPV_ERROR_LIMIT},
    };
    Context context;
    for (const auto& row : rows) {
        EXPECT_FALSE(context.translate(row.text));
        EXPECT_EQ(context.status(), row.status) << row.text;
        EXPECT_EQ(context.diagnostic(0).code, row.code) << row.text;
    }
    const Program fragment = context.parse("FRAG\nEND\n");
    EXPECT_EQ(context.passthrough_tess_ctrl(fragment, 3), "");
    EXPECT_EQ(context.status(), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    EXPECT_STREQ(context.diagnostic(0).code, "invalid-argument");
}

TEST(Library, WarnsOfMissingVerticesAtTheStage) {
    Context context;
    ASSERT_TRUE(context.translate(
        "# a comment\n GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE POINTS\n"
        "DCL OUT[0], POSITION\nIMM[0] UINT32 {0, 0, 0, 0}\nMOV OUT[0], IMM[0]\nEMIT IMM[0].xxxx\nEND\n",
        everything));
    ASSERT_EQ(context.diagnostic_count(), 1u);
    EXPECT_STREQ(context.diagnostic(0).code, "missing-property");
    EXPECT_EQ(context.diagnostic(0).line, 2u);
    EXPECT_EQ(context.diagnostic(0).column, 2u);
}

TEST(Library, SaysWhereATextIsWrong) {
    Context context;
    EXPECT_FALSE(context.parse(R"(FRAG
DCL OUT[0], COLOR
  ADDD OUT[0], OUT[0]
END
)"));
    EXPECT_EQ(context.status(), TGSI2SPV_ERROR_INVALID_TEXT);
    ASSERT_GE(context.diagnostic_count(), 1u);
    const auto d = context.diagnostic(0);
    EXPECT_STREQ(d.code, "unknown-opcode");
    EXPECT_THAT(d.message, HasSubstr("ADDD"));
    EXPECT_THAT(d.hint, HasSubstr("DADD"));
    EXPECT_EQ(d.line, 3u);
    EXPECT_EQ(d.column, 3u);
    EXPECT_EQ(d.offset, 25u);
    EXPECT_EQ(d.length, 4u);
    EXPECT_STREQ(d.source_line, "  ADDD OUT[0], OUT[0]");
    EXPECT_EQ(d.source_column, 3u);
    EXPECT_EQ(d.severity, TGSI2SPV_SEVERITY_ERROR);
    // The next call starts without diagnostics.
    EXPECT_TRUE(context.parse(kVertex));
    EXPECT_EQ(context.diagnostic_count(), 0u);
}

TEST(Library, ShowsThePartOfALongLine) {
    Context context;
    const std::string text = "FRAG\n" + std::string(100'000, ' ') + "ADDD" + std::string(100'000, ' ') + "\nEND\n";
    EXPECT_FALSE(context.parse(text));
    const auto d = context.diagnostic(0);
    EXPECT_EQ(d.column, 100'001u);
    EXPECT_LT(d.source_line_bytes, 1000u);
    EXPECT_EQ(std::string_view(d.source_line + d.source_column - 1, 4), "ADDD");
}

TEST(Library, ReflectsAllBindings) {
    Context context;
    const Module m = context.translate(kFragment);
    ASSERT_TRUE(m);
    EXPECT_EQ(m.info().stage, TGSI2SPV_STAGE_FRAGMENT);
    ASSERT_EQ(m.info().resource_count, 2u);
    const auto constants = m.resource(0), image = m.resource(1);
    EXPECT_STREQ(constants.name, "CONST[0]");
    EXPECT_EQ(constants.kind, TGSI2SPV_RESOURCE_CONSTANT_BUFFER);
    EXPECT_EQ(constants.bytes, 64u);
    EXPECT_EQ(constants.set, 1u);
    EXPECT_EQ(image.kind, TGSI2SPV_RESOURCE_COMBINED_IMAGE);
    EXPECT_EQ(image.index, 1u);
    EXPECT_EQ(image.binding, 33u);
    EXPECT_EQ(image.image_dim, TGSI2SPV_IMAGE_2D);
    ASSERT_EQ(m.info().input_count, 1u);
    EXPECT_EQ(m.input(0).semantic, TGSI2SPV_SEMANTIC_GENERIC);
    EXPECT_EQ(m.input(0).builtin, TGSI2SPV_NO_BUILTIN);
    EXPECT_EQ(m.input(0).semantic_index, 2u);
    EXPECT_EQ(m.input(0).location, 2u);
    EXPECT_EQ(m.input(0).components, 4u);
    ASSERT_EQ(m.info().output_count, 1u);
    EXPECT_STREQ(tgsi2spv_semantic_name(m.output(0).semantic), "COLOR");
    EXPECT_THAT(m.capabilities(), Contains(StrEq("Shader")));
    EXPECT_THAT(context.json(m), HasSubstr("\"CONST[0]\""));
    auto resource = make<tgsi2spv_resource>();
    EXPECT_EQ(tgsi2spv_module_get_resource(m.get(), 2, &resource), TGSI2SPV_ERROR_INVALID_ARGUMENT);
}

/// The caller needs it for barriers, even where two buffers may alias, so that none of them is NonWritable.
TEST(Library, ReflectsReadsAndWrites) {
    Context context;
    const Module m = context.translate(
        R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 1
DCL BUFFER[0..2]
DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR
DCL TEMP[0]
IMM[0] UINT32 {0, 1, 0, 0}
LOAD TEMP[0].x, BUFFER[0], IMM[0].xxxx
STORE BUFFER[1].x, IMM[0].xxxx, TEMP[0]
ATOMUADD TEMP[0].x, BUFFER[2], IMM[0].xxxx, IMM[0].yyyy
STORE IMAGE[0], IMM[0].xxxx, TEMP[0].xxxx, 2D, PIPE_FORMAT_R32_UINT
END
)");
    ASSERT_TRUE(m);
    std::map<std::string, uint32_t> access;
    for (uint32_t i = 0; i < m.info().resource_count; ++i) access[m.resource(i).name] = m.resource(i).access;
    constexpr uint32_t kRead = TGSI2SPV_ACCESS_READ, kWrite = TGSI2SPV_ACCESS_WRITE;
    EXPECT_EQ(access,
              (std::map<std::string, uint32_t>{
                  {"BUFFER[0]", kRead}, {"BUFFER[1]", kWrite}, {"BUFFER[2]", kRead | kWrite}, {"IMAGE[0]", kWrite}}));
    EXPECT_THAT(context.json(m), HasSubstr("\"writes\": false"));
}

/// A draw needs it to choose a pipeline.
TEST(Library, ReflectsThePrimitivesOfAStage) {
    Context context;
    const auto made = [&](const std::string& text, const char* json) {
        const Module m = context.translate(text, everything);
        EXPECT_TRUE(m) << text;
        EXPECT_THAT(context.json(m), HasSubstr(json)) << text;
        return m.info().output_topology;
    };
    const auto geometry = [](const std::string& primitive) {
        return "GEOM\nPROPERTY GS_INPUT_PRIMITIVE LINES_ADJACENCY\nPROPERTY GS_OUTPUT_PRIMITIVE " + primitive +
               "\nPROPERTY GS_MAX_OUTPUT_VERTICES 3\nDCL IN[][0], POSITION\nDCL OUT[0], POSITION\nIMM[0] UINT32 {0, 0, "
               "0, "
               "0}\nMOV OUT[0], IN[0][0]\nEMIT IMM[0].xxxx\nEND\n";
    };
    EXPECT_EQ(made(geometry("POINTS"), "\"input_primitive\": \"lines_adjacency\""), TGSI2SPV_TOPOLOGY_POINTS);
    EXPECT_EQ(made(geometry("LINE_STRIP"), "\"max_vertices\": 3"), TGSI2SPV_TOPOLOGY_LINE_STRIP);
    EXPECT_EQ(made(geometry("TRIANGLE_STRIP"), "\"output_primitive\": \"triangle_strip\""),
              TGSI2SPV_TOPOLOGY_TRIANGLE_STRIP);
    const auto tessellation = [](const std::string& properties) {
        return "TESS_EVAL\nPROPERTY TES_PRIM_MODE " + properties +
               "\nDCL IN[][0], POSITION\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0][0]\nEND\n";
    };
    EXPECT_EQ(made(tessellation("LINES"), "\"domain\": \"isolines\""), TGSI2SPV_TOPOLOGY_LINES);
    EXPECT_EQ(made(tessellation("QUADS\nPROPERTY TES_SPACING 1"), "\"spacing\": \"fractional_even\""),
              TGSI2SPV_TOPOLOGY_TRIANGLES);
    EXPECT_EQ(made(tessellation("TRIANGLES\nPROPERTY TES_POINT_MODE 1"), "\"point_mode\": true"),
              TGSI2SPV_TOPOLOGY_POINTS);
}

TEST(Library, PutsResourcesWhereTheCallerWantsThem) {
    Context context;
    const tgsi2spv_binding map[] = {{TGSI2SPV_RESOURCE_COMBINED_IMAGE, 1, 0, 7},
                                    {TGSI2SPV_RESOURCE_CONSTANT_BUFFER, 0, 2, 5}};
    const tgsi2spv_binding turned[] = {map[1], map[0]};
    auto options = default_options, same = default_options;
    options.bindings = map;
    same.bindings = turned;
    options.binding_count = same.binding_count = 2;
    const Module m = context.translate(kFragment, options);
    ASSERT_TRUE(m);
    EXPECT_EQ(m.resource(0).set, 0u);
    EXPECT_EQ(m.resource(0).binding, 7u);
    EXPECT_EQ(m.resource(1).set, 2u);
    EXPECT_EQ(m.resource(1).binding, 5u);
    EXPECT_EQ(hash_of(kFragment, options), hash_of(kFragment, same));
    EXPECT_NE(hash_of(kFragment, options), hash_of(kFragment));
}

TEST(Library, MakesAModuleReadyForState) {
    Context context;
    auto state = make<tgsi2spv_state>();
    auto options = default_options;
    options.state = &state;
    const auto plain = copy(context.translate(kFragment));
    EXPECT_EQ(copy(context.translate(kFragment, options)), plain);
    state.flags |= TGSI2SPV_STATE_ALPHA_TEST;
    const Module m = context.translate(kFragment, options);
    ASSERT_TRUE(m);
    ASSERT_EQ(m.info().spec_constant_count, 2u);
    EXPECT_EQ(m.spec_constant(0).id, static_cast<uint32_t>(TGSI2SPV_SPEC_ALPHA_FUNC));
    EXPECT_EQ(m.spec_constant(0).default_value, 7u);
    EXPECT_STREQ(m.spec_constant(1).name, "alpha test reference");
    state.swizzled_views = 2;
    const Module swizzled = context.translate(kFragment, options);
    ASSERT_EQ(swizzled.info().spec_constant_count, 3u);
    EXPECT_EQ(swizzled.spec_constant(2).id, TGSI2SPV_SPEC_VIEW_SWIZZLE + 1u);
    state.sprites = 3;
    EXPECT_FALSE(context.translate(kFragment, options));
    EXPECT_EQ(context.status(), TGSI2SPV_ERROR_INVALID_ARGUMENT);

    // Every word of the state changes the hash.
    std::set<std::optional<std::array<uint8_t, 16>>> seen{hash_of(kFragment)};
    for (size_t at = offsetof(tgsi2spv_state, data); at < sizeof state; at += 4) {
        state = make<tgsi2spv_state>();
        EXPECT_EQ(seen.insert(hash_of(kFragment, options)).second, at == offsetof(tgsi2spv_state, data));
        const uint32_t one = 1;
        std::memcpy(reinterpret_cast<char*>(&state) + at, &one, 4);
        EXPECT_TRUE(seen.insert(hash_of(kFragment, options)).second) << at;
    }
}

TEST(Library, SeparatesSamplers) {
    Context context;
    auto options = default_options;
    options.flags |= TGSI2SPV_OPTION_SEPARATE_SAMPLERS;
    const Module m = context.translate(kFragment, options);
    ASSERT_TRUE(m);
    ASSERT_EQ(m.info().resource_count, 3u);
    EXPECT_EQ(m.resource(1).kind, TGSI2SPV_RESOURCE_SAMPLED_IMAGE);
    EXPECT_EQ(m.resource(1).binding, 161u);
    EXPECT_EQ(m.resource(2).kind, TGSI2SPV_RESOURCE_SAMPLER);
    EXPECT_EQ(m.resource(2).binding, 289u);
    EXPECT_EQ(invalid(m), "");
}

TEST(Library, PutsSmallBuffersIntoPushConstants) {
    Context context;
    const std::string_view text =
        R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL CONST[0][0..3]
DCL CONST[2][0..1]
DCL CONST[3][0]
DCL ADDR[0]
ARL ADDR[0].x, IN[0].xxxx
ADD OUT[0], CONST[0][ADDR[0].x], CONST[2][1]
ADD OUT[0], OUT[0], CONST[3][0]
END
)";
    const tgsi2spv_push_constants push[] = {{2, 0}, {0, 32}};
    auto options = default_options;
    options.push_constants = push;
    options.push_constant_count = 2;
    Module m = context.translate(text, options);
    ASSERT_TRUE(m);
    EXPECT_EQ(m.info().push_constant_bytes, 96u);
    ASSERT_EQ(m.info().resource_count, 1u);
    EXPECT_STREQ(m.resource(0).name, "CONST[3]");
    EXPECT_EQ(invalid(m), "");
    EXPECT_NE(hash_of(text, options), hash_of(text));

    const tgsi2spv_push_constants late[] = {{0, 80}}, uneven[] = {{0, 4}};
    options.push_constant_count = 1;
    options.push_constants = late;
    EXPECT_FALSE(context.translate(text, options));
    EXPECT_THAT(context.diagnostic(0).message, HasSubstr("byte 144, beyond the 128 bytes"));
    options.push_constants = uneven;
    EXPECT_FALSE(context.translate(text, options));
    auto caps = make<tgsi2spv_device_caps>();
    caps.max_push_constants_size = 256;
    options.device = &caps;
    options.push_constants = late;
    EXPECT_TRUE(context.translate(text, options));
}

TEST(Library, LinksThePipelinesStages) {
    Context context;
    const Program vertex = context.parse(
        R"(VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[8]
DCL OUT[2], GENERIC[40]
MOV OUT[0], IN[0]
MOV OUT[1], IN[0]
MOV OUT[2], IN[0].wzyx
END
)");
    const Program fragment = context.parse(
        R"(FRAG
DCL IN[0], GENERIC[40], PERSPECTIVE
DCL IN[1], GENERIC[3], PERSPECTIVE
DCL OUT[0], COLOR
ADD OUT[0], IN[0], IN[1]
END
)");
    std::array<Linkage, 2> linkages;
    ASSERT_TRUE(context.link({&vertex, &fragment}, linkages));
    auto options = default_options;
    options.linkage = linkages[0].get();
    Module m = context.convert(vertex, options);
    ASSERT_TRUE(m);
    ASSERT_EQ(m.info().output_count, 2u);  // the linker drops GENERIC[8]
    EXPECT_EQ(m.output(0).semantic_index == 40 ? m.output(0).location : m.output(1).location, 0u);
    EXPECT_NE(hash_of(kVertex, options), hash_of(kVertex));
    options.linkage = linkages[1].get();
    m = context.convert(fragment, options);
    ASSERT_TRUE(m);
    ASSERT_EQ(m.info().input_count, 1u);  // no stage writes GENERIC[3]
    EXPECT_EQ(m.input(0).location, 0u);
    EXPECT_FALSE(context.convert(vertex, options)) << "that linkage is the fragment shader's";
    EXPECT_EQ(context.status(), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    EXPECT_FALSE(context.link({&fragment, &vertex}, linkages));
    EXPECT_EQ(context.status(), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    EXPECT_FALSE(linkages[0]);
    // The options are one per program, or none; there are as many linkages as programs.
    const std::array<const Program*, 2> programs{&vertex, &fragment};
    const auto other = make<tgsi2spv_options>();
    const std::array<const tgsi2spv_options*, 2> each{&default_options, &other};
    EXPECT_TRUE(context.link(programs, each, std::span(linkages)));
    EXPECT_TRUE(linkages[0] && linkages[1]);
    EXPECT_TRUE(context.link(programs, {}, std::span(linkages)));
    EXPECT_FALSE(context.link(programs, std::span(each).first(1), std::span(linkages)));
    EXPECT_EQ(context.status(), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    EXPECT_FALSE(context.link(programs, each, std::span(linkages).first(1)));
    EXPECT_FALSE(linkages[0]);
}

TEST(Library, CapturesStreamOutputs) {
    Context context;
    const tgsi2spv_stream_output outputs[] = {{0, 0, 4, 1, 2, 0}};
    auto table = make<tgsi2spv_stream_outputs>();
    table.outputs = outputs;
    table.output_count = 1;
    table.strides[1] = 8;
    auto options = everything;
    options.stream_outputs = &table;
    auto state = make<tgsi2spv_state>();
    state.depth_range = TGSI2SPV_DEPTH_RANGE_KEEP;
    options.state = &state;
    const Module m = context.translate(kVertex, options);
    ASSERT_TRUE(m);
    const auto position = m.output(0);
    EXPECT_EQ(position.builtin, 0u);  // SPIR-V: Position
    EXPECT_EQ(position.captured, 1u);
    EXPECT_EQ(position.xfb_buffer, 1u);
    EXPECT_EQ(position.xfb_offset, 8u);
    EXPECT_EQ(position.xfb_stride, 32u);
    EXPECT_THAT(m.features(), Contains(StrEq("transformFeedback")));
    EXPECT_THAT(context.json(m), HasSubstr("\"xfb_offset\": 8"));
    const auto hash = hash_of(kVertex, options);
    table.strides[1] = 9;
    EXPECT_NE(hash_of(kVertex, options), hash);
    auto caps = make<tgsi2spv_device_caps>();
    options.device = &caps;
    options.target = TGSI2SPV_TARGET_DEFAULT;
    EXPECT_FALSE(context.translate(kVertex, options));
    EXPECT_THAT(context.diagnostic(0).message, HasSubstr("transformFeedback"));
    // Limits that are not given are not checked.
    table.strides[1] = 600;
    caps.transform_feedback = 1;
    EXPECT_TRUE(context.translate(kVertex, options));
    caps.max_transform_feedback_buffers = 2;
    caps.max_transform_feedback_buffer_data_size = 24;
    caps.max_transform_feedback_buffer_data_stride = 2400;
    EXPECT_TRUE(context.translate(kVertex, options));
    const auto lacks = [&](uint32_t tgsi2spv_device_caps::*limit, const char* name) {
        --(caps.*limit);
        EXPECT_FALSE(context.translate(kVertex, options));
        EXPECT_THAT(context.diagnostic(0).message, HasSubstr(name));
        ++(caps.*limit);
    };
    lacks(&tgsi2spv_device_caps::max_transform_feedback_buffers, "maxTransformFeedbackBuffers of 2: it has 1");
    lacks(&tgsi2spv_device_caps::max_transform_feedback_buffer_data_size, "BufferDataSize of 24: it has 23");
    lacks(&tgsi2spv_device_caps::max_transform_feedback_buffer_data_stride, "BufferDataStride of 2400: it has 2399");
}

TEST(Library, ChecksRangesAsTheCallerWants) {
    Context context;
    const std::string_view text =
        R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL CONST[0..7]
DCL ADDR[0]
ARL ADDR[0].x, IN[0].xxxx
MOV OUT[0], CONST[ADDR[0].x]
END
)";
    std::set<size_t> sizes;
    for (const uint32_t policy :
         {TGSI2SPV_OUT_OF_RANGE_ZERO, TGSI2SPV_OUT_OF_RANGE_CLAMP, TGSI2SPV_OUT_OF_RANGE_TRUST}) {
        auto options = default_options;
        options.bounds_constants = policy;
        sizes.insert(context.translate(text, options).words().size());
    }
    EXPECT_EQ(sizes.size(), 3u);
    auto options = default_options;
    options.bounds_images = 3;
    EXPECT_FALSE(context.translate(text, options));
    EXPECT_EQ(context.status(), TGSI2SPV_ERROR_INVALID_ARGUMENT);
}

TEST(Library, KeepsLimits) {
    auto limits = make<tgsi2spv_limits>();
    limits.operations = 3;
    auto info = make<tgsi2spv_context_info>();
    info.limits = &limits;
    {
        Context context(info);
        EXPECT_FALSE(context.translate(kFragment));
        EXPECT_EQ(context.status(), TGSI2SPV_ERROR_LIMIT);
        EXPECT_STREQ(context.diagnostic(0).code, "operation-limit");
    }
    limits.operations = 0;
    limits.text_bytes = 10;
    Context context(info);
    EXPECT_FALSE(context.parse(kFragment));
    EXPECT_EQ(context.status(), TGSI2SPV_ERROR_LIMIT);
}

TEST(Library, HashesTextOptionsAndEntry) {
    const auto plain = hash_of(kVertex);
    EXPECT_EQ(hash_of(kVertex), plain);
    EXPECT_NE(hash_of(kFragment), plain);
    // Every member that is a word changes the hash.
    const size_t first = offsetof(tgsi2spv_options, target), end = offsetof(tgsi2spv_options, entry_point);
    std::map<std::optional<std::array<uint8_t, 16>>, size_t> seen{{plain, 0}};
    for (size_t at = first; at < end; at += 4) {
        auto options = default_options;
        const uint32_t one = 1;
        std::memcpy(reinterpret_cast<char*>(&options) + at, &one, 4);
        if (at == offsetof(tgsi2spv_options, flags)) options.source_name = "a";
        EXPECT_TRUE(seen.emplace(hash_of(kVertex, options), at).second) << at;
    }
    auto info = default_parse_info;
    info.entry = 1;
    EXPECT_TRUE(seen.emplace(hash_of(kVertex, default_options, info), 0).second);
    auto caps = make<tgsi2spv_device_caps>();
    auto options = default_options;
    options.device = &caps;
    EXPECT_TRUE(seen.emplace(hash_of(kVertex, options), 0).second);
    caps.shader_int64 = 1;
    EXPECT_TRUE(seen.emplace(hash_of(kVertex, options), 0).second);
}

TEST(Library, PlacesResourcesByKind) {
    Context context;
    auto options = default_options;
    options.kinds[TGSI2SPV_RESOURCE_COMBINED_IMAGE] = {1, 2, 40};
    const tgsi2spv_binding other{TGSI2SPV_RESOURCE_CONSTANT_BUFFER, 0, 5, 6};
    options.kinds[TGSI2SPV_RESOURCE_CONSTANT_BUFFER] = {1, 3, 0};
    options.bindings = &other;
    options.binding_count = 1;
    const Module m = context.translate(kFragment, options);
    std::vector<std::tuple<uint32_t, uint32_t, uint32_t>> places;
    for (uint32_t i = 0; i < m.info().resource_count; ++i)
        places.emplace_back(m.resource(i).kind, m.resource(i).set, m.resource(i).binding);
    EXPECT_THAT(places, UnorderedElementsAre(std::tuple(TGSI2SPV_RESOURCE_COMBINED_IMAGE, 2, 41),
                                             std::tuple(TGSI2SPV_RESOURCE_CONSTANT_BUFFER, 5, 6)));
}

TEST(Library, RefusesWhatNoModuleCanHave) {
    Context context;
    const auto refused = [&](const tgsi2spv_options& options) {
        EXPECT_FALSE(context.translate(kFragment, options));
        EXPECT_EQ(context.status(), TGSI2SPV_ERROR_INVALID_ARGUMENT);
        return std::string(context.diagnostic(0).message);
    };
    auto options = default_options;
    const tgsi2spv_binding combined{TGSI2SPV_RESOURCE_COMBINED_IMAGE, 1, 0, 1};
    options.bindings = &combined;
    options.binding_count = 1;
    EXPECT_TRUE(context.translate(kFragment, options));
    options.flags = TGSI2SPV_OPTION_SEPARATE_SAMPLERS;
    EXPECT_THAT(refused(options), HasSubstr("bindings has a COMBINED_IMAGE"));
    options = default_options;
    options.kinds[0].is_set = 2;
    EXPECT_THAT(refused(options), HasSubstr("tgsi2spv_kind_place::is_set"));
    options = default_options;
    options.handles = 1u << 23;
    EXPECT_TRUE(context.translate(kFragment, options));
    options.handles++;
    EXPECT_THAT(refused(options), HasSubstr("tgsi2spv_options::handles"));
}

TEST(Library, NamesTheEntryPoint) {
    Context context;
    auto options = default_options;
    options.entry_point = "draw";
    const Module m = context.translate(kVertex, options);
    EXPECT_EQ(invalid(m), "");
    const auto words = m.words();
    const auto entry = std::ranges::find_if(words, [](uint32_t w) { return (w & 0xffff) == 15; });
    ASSERT_LT(entry + 3, words.end());
    EXPECT_STREQ(reinterpret_cast<const char*>(&entry[3]), "draw");
}

TEST(Library, TranslatesAPipelineInOneCall) {
    const std::string vertex =
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[2]\nDCL OUT[2], GENERIC[5]\nMOV OUT[0], IN[0]\n"
        "MOV OUT[1], IN[0]\nMOV OUT[2], IN[0]\nEND\n";
    Context context;
    const auto translated = [&](std::string_view first, std::string_view second, size_t& refused) {
        const tgsi2spv_shader shaders[] = {{first.data(), first.size(), nullptr},
                                           {second.data(), second.size(), nullptr}};
        std::array<tgsi2spv_module*, 2> modules{};
        const auto status = tgsi2spv_translate_pipeline(context.get(), shaders, 2, modules.data(), &refused);
        std::vector<uint32_t> counts;
        for (tgsi2spv_module* m : modules) {
            auto info = make<tgsi2spv_module_info>();
            if (m != nullptr && tgsi2spv_module_get_info(m, &info) == TGSI2SPV_SUCCESS)
                counts.push_back(info.output_count);
            tgsi2spv_module_destroy(m);
        }
        return std::pair(status, counts);
    };
    size_t refused = 7;
    // VERT does not write what FRAG does not read.
    EXPECT_EQ(translated(vertex, kFragment, refused), std::pair(TGSI2SPV_SUCCESS, std::vector<uint32_t>{2, 1}));
    EXPECT_EQ(refused, 7u);
    EXPECT_EQ(translated(vertex, "FRAG\nNO\n", refused).first, TGSI2SPV_ERROR_INVALID_TEXT);
    EXPECT_EQ(refused, 1u);
    EXPECT_EQ(translated("VERT\nNO\n", kFragment, refused).first, TGSI2SPV_ERROR_INVALID_TEXT);
    EXPECT_EQ(refused, 0u);
    EXPECT_NE(translated(kFragment, vertex, refused).first, TGSI2SPV_SUCCESS);
    EXPECT_EQ(refused, 2u) << "in the wrong order";
}

TEST(Library, HasAVersion) {
    EXPECT_EQ(tgsi2spv_version(), TGSI2SPV_VERSION);
    EXPECT_THAT(tgsi2spv_version_string(), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+\\+[0-9a-f]{16}"));
}

}  // namespace
}  // namespace tgsi2spv
