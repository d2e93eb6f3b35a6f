// Refusals and warnings of the C API: wrong arguments, and abilities that the device lacks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string>

#include "api/library_texts.h"

namespace tgsi2spv {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StrEq;

TEST(Library, UsesOnlyFeaturesOfTheDevice) {
    Context context;
    auto caps = make<tgsi2spv_device_caps>();
    auto options = default_options;
    options.device = &caps;
    // The device offers nothing beyond Vulkan 1.0, and the shader needs nothing more.
    Module m = context.translate(kFragment, options);
    ASSERT_TRUE(m);
    EXPECT_EQ(m.words()[1], 0x10000u);
    EXPECT_THAT(m.features(), IsEmpty());
    caps.api_version = 1u << 22 | 1u << 12;
    m = context.translate(kFragment, options);
    EXPECT_EQ(m.words()[1], 0x10300u);
    options.target = TGSI2SPV_TARGET_VULKAN_1_2;
    EXPECT_FALSE(context.translate(kFragment, options));
    EXPECT_EQ(context.status(), TGSI2SPV_ERROR_UNSUPPORTED);
    EXPECT_THAT(context.diagnostic(0).message, HasSubstr("Vulkan 1.2"));
    options.target = TGSI2SPV_TARGET_VULKAN_1_0;
    m = context.translate(kFragment, options);
    EXPECT_EQ(m.words()[1], 0x10000u);
    options.target = TGSI2SPV_TARGET_DEFAULT;

    m = context.translate(kDouble, options);
    ASSERT_TRUE(m);
    EXPECT_THAT(m.features(), IsEmpty());
    caps.shader_float64 = 1;
    m = context.translate(kDouble, options);
    ASSERT_TRUE(m);
    EXPECT_THAT(m.features(), Contains(StrEq("shaderFloat64")));

    // A stage can need a feature, too.
    const std::string_view geometry =
        "GEOM\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES\nPROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\n"
        "PROPERTY GS_MAX_OUTPUT_VERTICES 1\nDCL IN[][0], POSITION\nDCL OUT[0], POSITION\nIMM[0] INT32 {0, 0, 0, 0}\n"
        "MOV OUT[0], IN[0][0]\nEMIT IMM[0].xxxx\nEND\n";
    EXPECT_FALSE(context.translate(geometry, options));
    EXPECT_THAT(context.diagnostic(0).message, HasSubstr("geometryShader"));
    caps.geometry_shader = 1;
    EXPECT_TRUE(context.translate(geometry, options));
}

TEST(Library, ComparesWorkGroupsWithTheDevice) {
    Context context;
    auto caps = make<tgsi2spv_device_caps>();
    auto options = default_options;
    options.device = &caps;
    options.shared_words = 1000;
    const std::string_view text =
        "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 8\nPROPERTY CS_FIXED_BLOCK_HEIGHT 4\nPROPERTY CS_FIXED_BLOCK_DEPTH 2\n"
        "DCL SV[0], THREAD_ID\nDCL MEMORY[0], SHARED\nSTORE MEMORY[0].x, SV[0].xxxx, SV[0]\nEND\n";
    const Module m = context.translate(text, options);
    ASSERT_TRUE(m) << context.diagnostic(0).message;
    EXPECT_EQ(m.info().shared_bytes, 4000u);
    auto huge = options;
    huge.shared_words = 1u << 30;  // 2^32 bytes
    caps.max_compute_shared_memory_size = 32768;
    EXPECT_FALSE(context.translate(text, huge));
    caps.max_compute_shared_memory_size = 0;
    const auto exact_limits = [&caps] {
        caps.max_compute_shared_memory_size = 4000;
        caps.max_compute_work_group_invocations = 64;
        caps.max_compute_work_group_size[0] = 8;
        caps.max_compute_work_group_size[1] = 4;
        caps.max_compute_work_group_size[2] = 2;
    };
    exact_limits();
    EXPECT_TRUE(context.translate(text, options));
    for (uint32_t* limit : {&caps.max_compute_shared_memory_size, &caps.max_compute_work_group_invocations,
                            &caps.max_compute_work_group_size[0], &caps.max_compute_work_group_size[1],
                            &caps.max_compute_work_group_size[2]}) {
        exact_limits();
        --*limit;
        EXPECT_FALSE(context.translate(text, options));
        EXPECT_EQ(context.status(), TGSI2SPV_ERROR_UNSUPPORTED);
        EXPECT_THAT(context.diagnostic(0).message, HasSubstr("the device lacks maxCompute"));
    }
}

TEST(Library, ComparesVerticesWithTheDevice) {
    Context context;
    auto caps = make<tgsi2spv_device_caps>();
    caps.geometry_shader = 1;
    auto options = default_options;
    options.device = &caps;
    const std::string_view geometry =
        "GEOM\nPROPERTY GS_INPUT_PRIMITIVE POINTS\nPROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\n"
        "PROPERTY GS_MAX_OUTPUT_VERTICES 6\nPROPERTY GS_INVOCATIONS 4\nDCL IN[][0], POSITION\nDCL OUT[0], POSITION\n"
        "DCL OUT[1], GENERIC[0]\nIMM[0] UINT32 {0, 0, 0, 0}\nMOV OUT[0], IN[0][0]\nMOV OUT[1], IN[0][0]\n"
        "EMIT IMM[0].xxxx\nEND\n";
    const std::string_view vertex = "VERT\nDCL IN[0..3]\nDCL OUT[0], POSITION\nADD OUT[0], IN[0], IN[3]\nEND\n";
    struct Row {
        std::string_view text;
        uint32_t tgsi2spv_device_caps::*limit;
        uint32_t needed;
        const char* name;
    };
    using Caps = tgsi2spv_device_caps;
    const Row rows[] = {
        {geometry, &Caps::max_geometry_shader_invocations, 4, "maxGeometryShaderInvocations"},
        {geometry, &Caps::max_geometry_output_vertices, 6, "maxGeometryOutputVertices"},
        {geometry, &Caps::max_geometry_total_output_components, 48, "maxGeometryTotalOutputComponents"},
        {vertex, &Caps::max_vertex_input_attributes, 4, "maxVertexInputAttributes"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.name);
        caps.*row.limit = row.needed;
        EXPECT_TRUE(context.translate(row.text, options)) << context.diagnostic(0).message;
        caps.*row.limit = row.needed - 1;
        EXPECT_FALSE(context.translate(row.text, options));
        EXPECT_THAT(context.diagnostic(0).message, HasSubstr(row.name));
        caps.*row.limit = 0;
    }
}

/// The state's constant buffer counts as one of those that the device has.
TEST(Library, TheStateBufferCountsToo) {
    Context context;
    auto caps = make<tgsi2spv_device_caps>();  // twelve
    auto state = make<tgsi2spv_state>();
    state.clip_planes = 2;
    state.constant_buffer = 31;
    auto options = default_options;
    options.device = &caps;
    options.state = &state;
    caps.shader_clip_distance = 1;
    for (const int buffers : {11, 12}) {
        std::string text = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0]\n";
        for (int i = 0; i < buffers; i++) text += "DCL CONST[" + std::to_string(i) + "][0]\n";
        for (int i = 0; i < buffers; i++) text += "ADD TEMP[0], TEMP[0], CONST[" + std::to_string(i) + "][0]\n";
        const Module m = context.translate(text + "ADD OUT[0], TEMP[0], IN[0]\nEND\n", options);
        ASSERT_TRUE(m) << context.diagnostic(0).message;
        uint32_t uniform = 0, all = 0;
        for (uint32_t i = 0; i < m.info().resource_count; i++) {
            all++;
            uniform += m.resource(i).storage == 0;
        }
        EXPECT_EQ(all, static_cast<uint32_t>(buffers + 1));
        EXPECT_EQ(uniform, 12u);
    }
}

TEST(Library, ListsTheBuiltInOfHelperInvocations) {
    Context context;
    const std::string_view text = "FRAG\nDCL OUT[0], COLOR\nREAD_HELPER OUT[0]\nEND\n";
    const Module m = context.translate(text, default_options);
    ASSERT_TRUE(m);
    ASSERT_EQ(m.info().input_count, 1u);
    EXPECT_EQ(m.input(0).builtin, 23u);  // SPIR-V: HelperInvocation
}

/// Descriptors are tried one by one where the device cannot index them, for any missing feature.
TEST(Library, IndexesDescriptorsAsTheDeviceCan) {
    using Caps = tgsi2spv_device_caps;
    struct Row {
        const char* text;
        uint32_t Caps::*dynamic;
        uint32_t Caps::*non_uniform;
    };
    const Row rows[] = {
        {"DCL SAMP[0..2]\nUARL ADDR[0], IN[0]\nTXF OUT[0], IN[0], SAMP[ADDR[0].x], BUFFER\n",
         &Caps::shader_uniform_texel_buffer_array_dynamic_indexing,
         &Caps::shader_uniform_texel_buffer_array_non_uniform_indexing},
        {"DCL SAMP[0..2]\nUARL ADDR[0], IN[0]\nTXF OUT[0], IN[0], SAMP[ADDR[0].x], 2D\n",
         &Caps::shader_sampled_image_array_dynamic_indexing, &Caps::shader_sampled_image_array_non_uniform_indexing},
        {"DCL IMAGE[0..2], BUFFER, PIPE_FORMAT_R32_UINT\nUARL ADDR[0], IN[0]\n"
         "LOAD OUT[0], IMAGE[ADDR[0].x], IN[0], BUFFER, PIPE_FORMAT_R32_UINT\n",
         &Caps::shader_storage_texel_buffer_array_dynamic_indexing,
         &Caps::shader_storage_texel_buffer_array_non_uniform_indexing},
        {"DCL IMAGE[0..2], 2D, PIPE_FORMAT_R32_UINT\nUARL ADDR[0], IN[0]\n"
         "LOAD OUT[0], IMAGE[ADDR[0].x], IN[0], 2D, PIPE_FORMAT_R32_UINT\n",
         &Caps::shader_storage_image_array_dynamic_indexing, &Caps::shader_storage_image_array_non_uniform_indexing},
        {"DCL BUFFER[0..2]\nUARL ADDR[0], IN[0]\nLOAD OUT[0], BUFFER[ADDR[0].x], IN[0]\n",
         &Caps::shader_storage_buffer_array_dynamic_indexing, &Caps::shader_storage_buffer_array_non_uniform_indexing},
    };
    Context context;
    auto options = default_options;
    for (const Row& row : rows) {
        const std::string text =
            std::string("FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nDCL ADDR[0]\n") + row.text + "END\n";
        const auto words = [&](bool dynamic, bool non_uniform) {
            auto caps = make<Caps>();
            caps.api_version = 1u << 22 | 3u << 12;
            caps.fragment_stores_and_atomics = 1;
            for (const Row& other : rows) caps.*other.dynamic = caps.*other.non_uniform = 1;
            caps.*row.dynamic = dynamic;
            caps.*row.non_uniform = non_uniform;
            options.device = &caps;
            const Module m = context.translate(text, options);
            EXPECT_TRUE(m) << text << context.diagnostic(0).message;
            return m ? m.words().size() : 0;
        };
        const size_t indexed = words(true, true), one_by_one = words(false, false);
        EXPECT_LT(indexed, one_by_one) << text;
        EXPECT_EQ(words(true, false), one_by_one) << text;
        EXPECT_EQ(words(false, true), one_by_one) << text;
    }
}

TEST(Library, ComparesRenderTargetsWithTheDevice) {
    Context context;
    auto caps = make<tgsi2spv_device_caps>();
    auto options = default_options;
    options.device = &caps;
    const std::string_view fifth = "FRAG\nDCL OUT[0], COLOR[4]\nIMM[0] FLT32 {1, 1, 1, 1}\nMOV OUT[0], IMM[0]\nEND\n";
    const std::string_view all =
        "FRAG\nPROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1, 1, 1, 1}\n"
        "MOV OUT[0], IMM[0]\nEND\n";
    const auto targets = [&] {
        const Module m = context.translate(all, options);
        EXPECT_TRUE(m) << context.diagnostic(0).message;
        return m.info().output_count;
    };
    EXPECT_TRUE(context.translate(fifth, options));  // not given: eight
    EXPECT_EQ(targets(), 8);
    caps.max_fragment_output_attachments = 5;
    EXPECT_TRUE(context.translate(fifth, options));
    EXPECT_EQ(targets(), 5);
    caps.max_fragment_output_attachments = 4;
    EXPECT_FALSE(context.translate(fifth, options));
    EXPECT_EQ(context.status(), TGSI2SPV_ERROR_UNSUPPORTED);
    EXPECT_THAT(context.diagnostic(0).message, HasSubstr("maxFragmentOutputAttachments of 5: it has 4"));
    EXPECT_EQ(targets(), 4);
    caps.max_fragment_output_attachments = 16;
    EXPECT_EQ(targets(), 8);
}

TEST(Library, SaysWhichIntegersAreSigned) {
    Context context;
    auto state = make<tgsi2spv_state>();
    state.attributes[0] = TGSI2SPV_NUMERIC_SINT;
    state.targets[0] = TGSI2SPV_NUMERIC_UINT;
    auto options = default_options;
    options.state = &state;
    const std::string_view vertex = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n";
    Module m = context.translate(vertex, options);
    ASSERT_TRUE(m);
    EXPECT_EQ(m.input(0).type, TGSI2SPV_COMPONENT_INT);
    EXPECT_THAT(context.json(m), HasSubstr("\"i32x4\""));
    m = context.translate(kFragment, options);
    ASSERT_TRUE(m);
    EXPECT_EQ(m.output(0).type, TGSI2SPV_COMPONENT_UINT);
}

TEST(Library, WarnsOfLocationsBeyondTheDevice) {
    Context context;
    auto caps = make<tgsi2spv_device_caps>();
    auto options = default_options;
    options.device = &caps;
    const std::string_view vertex =
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[17]\nMOV OUT[0], IN[0]\nMOV OUT[1], IN[0]\nEND\n";
    EXPECT_TRUE(context.translate(vertex, options));
    EXPECT_EQ(context.diagnostic_count(), 0u);  // the caller has not given the limit
    caps.max_vertex_output_components = 64;
    EXPECT_TRUE(context.translate(vertex, options));
    ASSERT_EQ(context.diagnostic_count(), 1u);
    EXPECT_EQ(context.diagnostic(0).severity, TGSI2SPV_SEVERITY_WARNING);
    EXPECT_THAT(context.diagnostic(0).message,
                HasSubstr("location 17, beyond the 16 locations that the device has (maxVertexOutput"));
    caps.max_vertex_output_components = 72;
    EXPECT_TRUE(context.translate(vertex, options));
    EXPECT_EQ(context.diagnostic_count(), 0u);
    // PATCH data has a limit of its own.
    caps.tessellation_shader = 1;
    caps.max_tessellation_control_per_patch_output_components = 120;
    for (const char* index : {"29", "30"}) {
        const std::string control =
            std::string("TESS_CTRL\nPROPERTY TCS_VERTICES_OUT 3\nDCL IN[][0], POSITION\nDCL OUT[0], PATCH[") + index +
            "]\nMOV OUT[0], IN[0][0]\nEND\n";
        EXPECT_TRUE(context.translate(control, options));
        EXPECT_EQ(context.diagnostic_count(), index[0] == '3' ? 1u : 0u) << index;
    }
}

TEST(Library, StreamsOfTrianglesNeedTheirProperty) {
    Context context;
    auto caps = make<tgsi2spv_device_caps>();
    caps.geometry_shader = caps.transform_feedback = caps.geometry_streams = 1;
    auto options = default_options;
    options.device = &caps;
    const std::string_view geometry =
        "GEOM\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES\nPROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\nPROPERTY "
        "GS_MAX_OUTPUT_VERTICES 3\nDCL IN[][0], POSITION\nDCL OUT[0], POSITION\nIMM[0] UINT32 {1, 0, 0, 0}\nMOV "
        "OUT[0], "
        "IN[0][0]\nEMIT IMM[0].xxxx\nEND\n";
    EXPECT_FALSE(context.translate(geometry, options));
    EXPECT_EQ(context.status(), TGSI2SPV_ERROR_UNSUPPORTED);
    EXPECT_THAT(context.diagnostic(0).message, HasSubstr("transformFeedbackStreamsLinesTriangles"));
    caps.transform_feedback_streams_lines_triangles = 1;
    EXPECT_TRUE(context.translate(geometry, options));
}

TEST(Library, LinkNamesTheStageThatItRefusesAndThePlaceInItsText) {
    Context context;
    const Program v = context.parse("VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n");
    std::string deep = "FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0]\nCAL :2\nEND\n";
    for (int k = 0; k < 300; ++k) deep += "BGNSUB\nCAL :" + std::to_string(2 + 3 * (k + 1)) + "\nENDSUB\n";
    const Program f = context.parse(deep + "BGNSUB\nMOV OUT[0], TEMP[0]\nENDSUB\n");
    ASSERT_TRUE(v && f);
    std::array<Linkage, 2> linkages;
    EXPECT_FALSE(context.link({&v, &f}, linkages));
    ASSERT_EQ(context.diagnostic_count(), 1u);
    EXPECT_THAT(context.diagnostic(0).message, HasSubstr("FRAG: calls are nested more than 256 deep"));
    EXPECT_GT(context.diagnostic(0).line, 5u);  // VERT has five lines
    // Alone, too, it is a limit that is exceeded.
    EXPECT_FALSE(context.convert(f));
    EXPECT_STREQ(context.diagnostic(0).code, "call-depth");
    EXPECT_EQ(context.status(), TGSI2SPV_ERROR_LIMIT);
}

TEST(Library, LinksAsManyVaryingsAsTheDeviceHasLocations) {
    Context context;
    std::string vertex = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1..20], GENERIC[0]\nMOV OUT[0], IN[0]\n";
    std::string fragment = "FRAG\nDCL IN[0..19], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL TEMP[0]\n";
    for (int i = 0; i < 20; ++i) {
        vertex += "MOV OUT[" + std::to_string(i + 1) + "], IN[0]\n";
        fragment += "ADD TEMP[0], TEMP[0], IN[" + std::to_string(i) + "]\n";
    }
    const Program v = context.parse(vertex + "END\n"), f = context.parse(fragment + "MOV OUT[0], TEMP[0]\nEND\n");
    std::array<Linkage, 2> linkages;
    EXPECT_TRUE(context.link({&v, &f}, linkages, everything)) << context.diagnostic(0).message;
    EXPECT_FALSE(context.link({&v, &f}, linkages));
    auto caps = make<tgsi2spv_device_caps>();
    auto options = default_options;
    options.device = &caps;
    EXPECT_FALSE(context.link({&v, &f}, linkages, options));
}

TEST(Library, AfterGeometryThePrimitiveIsItsOwn) {
    Context context;
    const auto geometry = [&](const char* id, const char* write) {
        return context.parse(
            "GEOM\nPROPERTY GS_INPUT_PRIMITIVE TRIANGLES\nPROPERTY GS_OUTPUT_PRIMITIVE TRIANGLE_STRIP\n"
            "PROPERTY GS_MAX_OUTPUT_VERTICES 1\nDCL IN[][0], POSITION\nDCL OUT[0], POSITION\n" +
            std::string(id) + "IMM[0] INT32 {7, 0, 0, 0}\nMOV OUT[0], IN[0][0]\n" + write + "EMIT IMM[0].yyyy\nEND\n");
    };
    const Program vertex = context.parse(kVertex),
                  fragment = context.parse(
                      "FRAG\nDCL IN[0], PRIMID, CONSTANT\nDCL OUT[0], COLOR\nU2F OUT[0], IN[0].xxxx\nEND\n");
    const auto reads = [&](const Program& middle) {
        std::array<Linkage, 3> linkages;
        EXPECT_TRUE(context.link({&vertex, &middle, &fragment}, linkages, everything)) << context.diagnostic(0).message;
        auto options = everything;
        options.linkage = linkages[2].get();
        const Module m = context.convert(fragment, options);
        EXPECT_TRUE(m);
        return m.info().input_count;
    };
    EXPECT_EQ(reads(geometry("", "")), 0u);
    EXPECT_EQ(reads(geometry("DCL OUT[1], PRIMID\n", "MOV OUT[1].x, IMM[0].xxxx\n")), 1u);
}

TEST(Library, RefusesTwoResourcesAtOnePlace) {
    Context context;
    const std::string_view text =
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[1]\nDCL CONST[33][0..3]\nDCL TEMP[0]\n"
        "TEX TEMP[0], IN[0], SAMP[1], 2D\nADD OUT[0], TEMP[0], CONST[33][1]\nEND\n";
    EXPECT_FALSE(context.translate(text));
    EXPECT_EQ(context.status(), TGSI2SPV_ERROR_UNSUPPORTED);
    EXPECT_THAT(context.diagnostic(0).message, HasSubstr("SAMP[1] and CONST[33] are both at set 1, binding 33"));
    // A binding map separates them.
    const tgsi2spv_binding map[] = {{TGSI2SPV_RESOURCE_CONSTANT_BUFFER, 33, 1, 1000}};
    auto options = default_options;
    options.bindings = map;
    options.binding_count = 1;
    EXPECT_TRUE(context.translate(text, options));
    // The two halves of a combined image and sampler may share a binding.
    options.flags |= TGSI2SPV_OPTION_SEPARATE_SAMPLERS;
    const tgsi2spv_binding halves[] = {{TGSI2SPV_RESOURCE_SAMPLED_IMAGE, 1, 1, 7},
                                       {TGSI2SPV_RESOURCE_SAMPLER, 1, 1, 7}};
    options.bindings = halves;
    options.binding_count = 2;
    EXPECT_TRUE(context.translate(text, options)) << context.diagnostic(0).message;
}

/// Translates with `options`, expects the status INVALID_ARGUMENT, and returns the message.
std::string argument_refused(Context& context, const tgsi2spv_options& options) {
    EXPECT_FALSE(context.translate(kFragment, options));
    EXPECT_EQ(context.status(), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    EXPECT_FALSE(hash_of(kFragment, options));
    if (context.diagnostic_count() != 1) return {};
    EXPECT_STREQ(context.diagnostic(0).code, "invalid-argument");
    return context.diagnostic(0).message;
}

TEST(Library, AWrongCallClearsTheResultsBefore) {
    tgsi2spv_context* context = nullptr;
    ASSERT_EQ(tgsi2spv_context_create(nullptr, &context), TGSI2SPV_SUCCESS);
    tgsi2spv_program* program = nullptr;
    EXPECT_EQ(tgsi2spv_program_parse(context, "", 0, nullptr, &program), TGSI2SPV_ERROR_INVALID_TEXT);
    EXPECT_EQ(tgsi2spv_context_diagnostic_count(context), 1u);
    EXPECT_EQ(tgsi2spv_program_parse(context, "", 0, nullptr, nullptr), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(tgsi2spv_context_diagnostic_count(context), 0u);
    // Every linkage is NULL after a failure.
    auto* const some = reinterpret_cast<tgsi2spv_linkage*>(context);
    for (tgsi2spv_context* const of : {static_cast<tgsi2spv_context*>(nullptr), context}) {
        tgsi2spv_linkage* linkages[2] = {some, some};
        EXPECT_EQ(tgsi2spv_linkage_create(of, nullptr, 2, nullptr, linkages), TGSI2SPV_ERROR_INVALID_ARGUMENT);
        EXPECT_EQ(linkages[0], nullptr);
        EXPECT_EQ(linkages[1], nullptr);
    }
    // So is the module, and there is none to take.
    ASSERT_EQ(tgsi2spv_program_parse(context, kFragment.data(), kFragment.size(), nullptr, &program), TGSI2SPV_SUCCESS);
    const auto* borrowed = reinterpret_cast<const tgsi2spv_module*>(context);
    auto* own = reinterpret_cast<tgsi2spv_module*>(context);
    EXPECT_EQ(tgsi2spv_program_convert(context, nullptr, nullptr, &borrowed), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(borrowed, nullptr);
    EXPECT_EQ(tgsi2spv_context_take_module(context, &own), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(own, nullptr);
    auto* const wrong = reinterpret_cast<tgsi2spv_module*>(context);
    tgsi2spv_module* each[2] = {wrong, wrong};
    EXPECT_EQ(tgsi2spv_program_convert_each(context, nullptr, nullptr, 2, each), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(each[0], nullptr);
    EXPECT_EQ(each[1], nullptr);
    EXPECT_EQ(tgsi2spv_program_convert_each(context, program, nullptr, 1, nullptr), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    // A module that was taken lives on; it is taken once.
    ASSERT_EQ(tgsi2spv_program_convert(context, program, nullptr, &borrowed), TGSI2SPV_SUCCESS);
    ASSERT_EQ(tgsi2spv_context_take_module(context, &own), TGSI2SPV_SUCCESS);
    EXPECT_EQ(own, borrowed);
    tgsi2spv_module* again = nullptr;
    EXPECT_EQ(tgsi2spv_context_take_module(context, &again), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    ASSERT_EQ(tgsi2spv_program_convert(context, program, nullptr, &borrowed), TGSI2SPV_SUCCESS);
    EXPECT_NE(own, borrowed);
    auto mine = make<tgsi2spv_module_info>(), theirs = make<tgsi2spv_module_info>();
    ASSERT_EQ(tgsi2spv_module_get_info(own, &mine), TGSI2SPV_SUCCESS);
    ASSERT_EQ(tgsi2spv_module_get_info(borrowed, &theirs), TGSI2SPV_SUCCESS);
    EXPECT_TRUE(std::ranges::equal(std::span(mine.words, mine.word_count), std::span(theirs.words, theirs.word_count)));
    tgsi2spv_module_destroy(own);
    tgsi2spv_program_destroy(program);
    tgsi2spv_context_destroy(context);
}

TEST(Library, RefusesPatchesOfOtherSizes) {
    constexpr std::string_view kEvaluation = "TESS_EVAL\nPROPERTY TES_PRIM_MODE 4\nEND\n";
    Context context;
    Program program = context.parse(kEvaluation);
    ASSERT_TRUE(program);
    for (const uint32_t vertices : {0u, 33u}) {
        const char* text = nullptr;
        size_t bytes = 0;
        EXPECT_EQ(tgsi2spv_program_passthrough_tess_ctrl(context.get(), program.get(), vertices, &text, &bytes),
                  TGSI2SPV_ERROR_INVALID_ARGUMENT);
        EXPECT_THAT(context.diagnostic(0).message, HasSubstr("1 to 32"));
    }
}

/// A later version may give them a meaning, which this one must not ignore.
TEST(Library, RefusesReservedMembersThatAreSet) {
    Context context;
    auto options = default_options;
    auto state = make<tgsi2spv_state>();
    options.state = &state;
    state.flags = TGSI2SPV_STATE_FLAGS + 1;
    EXPECT_THAT(argument_refused(context, options), HasSubstr("tgsi2spv_state::flags"));
    state.flags = 0;
    for (const uint32_t samples : {3u, 32u}) {
        state.seen_samples = samples;
        EXPECT_THAT(argument_refused(context, options), HasSubstr("tgsi2spv_state::seen_samples"));
    }
    state.seen_samples = 0;
    state.data[0] = 1u << TGSI2SPV_SPEC_BLOCK_SIZE;  // a size of work groups cannot be data
    EXPECT_THAT(argument_refused(context, options), HasSubstr("tgsi2spv_state::data"));
    options = default_options;
    options.flags = TGSI2SPV_OPTION_FLAGS + 1;
    EXPECT_THAT(argument_refused(context, options), HasSubstr("tgsi2spv_options::flags"));
    options = default_options;
    options.workarounds_off = TGSI2SPV_WORKAROUNDS + 1;
    EXPECT_THAT(argument_refused(context, options), HasSubstr("workarounds_off"));
    options = default_options;
    options.next_stage = TGSI2SPV_STAGE_FRAGMENT;
    EXPECT_THAT(argument_refused(context, options), HasSubstr("tgsi2spv_options::next_stage"));
}

TEST(Library, SaysWhichArgumentIsWrong) {
    Context context;
    auto options = default_options;
    options.dialect = 4;
    EXPECT_THAT(argument_refused(context, options), HasSubstr("tgsi2spv_options::dialect"));
    options = default_options;
    const tgsi2spv_binding twice[] = {{TGSI2SPV_RESOURCE_SAMPLER, 1, 0, 1},
                                      {TGSI2SPV_RESOURCE_SAMPLER, 2, 0, 2},
                                      {TGSI2SPV_RESOURCE_SAMPLER, 1, 0, 3}};
    options.bindings = twice;
    options.binding_count = 2;
    EXPECT_TRUE(context.translate(kFragment, options));
    options.binding_count = 3;
    EXPECT_THAT(argument_refused(context, options), HasSubstr("two entries for one resource"));
    options = default_options;
    const tgsi2spv_push_constants same[] = {{1, 0}, {1, 64}};
    options.push_constants = same;
    options.push_constant_count = 2;
    EXPECT_THAT(argument_refused(context, options), HasSubstr("two entries for one buffer"));
    const tgsi2spv_push_constants crooked = {1, 8};
    options.push_constants = &crooked;
    options.push_constant_count = 1;
    EXPECT_THAT(argument_refused(context, options), HasSubstr("not a multiple of 16"));
    options = default_options;
    auto state = make<tgsi2spv_state>();
    state.clip_planes = 9;
    options.state = &state;
    EXPECT_THAT(argument_refused(context, options), HasSubstr("tgsi2spv_state::clip_planes"));
    // The next call discards the diagnostics of the previous one.
    EXPECT_TRUE(context.translate(kFragment));
    EXPECT_EQ(context.diagnostic_count(), 0u);
}

TEST(Library, TakesShorterStructsAndLongerOnesThatSetNothing) {
    Context context;
    struct Longer {
        tgsi2spv_options options;
        uint64_t of_the_next_version;
    } longer{default_options, 0};
    longer.options.struct_size = sizeof longer;
    EXPECT_TRUE(context.translate(kVertex, longer.options));
    longer.of_the_next_version = 1;
    EXPECT_FALSE(context.translate(kVertex, longer.options));
    EXPECT_EQ(context.status(), TGSI2SPV_ERROR_INVALID_ARGUMENT);

    // The library does not read or write beyond `struct_size`.
    auto shorter = default_options;
    shorter.struct_size = offsetof(tgsi2spv_options, flags);
    shorter.flags = TGSI2SPV_OPTION_DEBUG;
    EXPECT_EQ(copy(context.translate(kVertex, shorter)), copy(context.translate(kVertex)));

    tgsi2spv_module_info info;
    std::memset(&info, 0x55, sizeof info);
    info.struct_size = offsetof(tgsi2spv_module_info, capabilities);
    const Module module = context.translate(kVertex);
    ASSERT_EQ(tgsi2spv_module_get_info(module.get(), &info), TGSI2SPV_SUCCESS);
    EXPECT_GT(info.word_count, 0u);
    EXPECT_EQ(info.stage, 0x55555555);  // untouched
}

TEST(Library, RefusesWrongArguments) {
    Context context;
    auto options = default_options;
    options.target = 99;
    EXPECT_FALSE(context.translate(kVertex, options));
    EXPECT_EQ(context.status(), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    options = default_options;
    options.binding_count = 1;
    EXPECT_FALSE(context.translate(kVertex, options));
    EXPECT_EQ(context.status(), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    options = default_options;
    options.struct_size = 3;
    EXPECT_FALSE(context.translate(kVertex, options));
    EXPECT_EQ(context.status(), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(context.diagnostic_count(), 1u);
    EXPECT_FALSE(context.convert(Program()));
    EXPECT_EQ(context.status(), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(context.diagnostic_count(), 0u);  // none of the call before
    // A pipeline has at most six stages. On failure, every linkage is NULL.
    const Program fragment = context.parse("FRAG\nEND\n");
    std::array<const tgsi2spv_program*, 7> stages{};
    stages.fill(fragment.get());
    int somewhere = 0;
    std::array<tgsi2spv_linkage*, 7> linkages{};
    linkages.fill(reinterpret_cast<tgsi2spv_linkage*>(&somewhere));
    EXPECT_EQ(tgsi2spv_linkage_create(context.get(), stages.data(), stages.size(), nullptr, linkages.data()),
              TGSI2SPV_ERROR_INVALID_ARGUMENT);
    EXPECT_THAT(linkages, testing::Each(testing::IsNull()));
    stages[0] = nullptr;
    linkages.fill(reinterpret_cast<tgsi2spv_linkage*>(&somewhere));
    EXPECT_EQ(tgsi2spv_linkage_create(context.get(), stages.data(), 2, nullptr, linkages.data()),
              TGSI2SPV_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(linkages[1], nullptr);
    EXPECT_EQ(tgsi2spv_program_parse(context.get(), nullptr, 5, nullptr, nullptr), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(tgsi2spv_context_create(nullptr, nullptr), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    tgsi2spv_context_destroy(nullptr);
    tgsi2spv_program_destroy(nullptr);
    for (int s = TGSI2SPV_SUCCESS; s <= TGSI2SPV_ERROR_INTERNAL; ++s)
        EXPECT_STRNE(tgsi2spv_status_string(static_cast<tgsi2spv_status>(s)), "unknown status");
}

}  // namespace
}  // namespace tgsi2spv
