// Refusals of the C API that need more than one call, or a wrong call: the others are rows of requests/.
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

using testing::HasSubstr;

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
