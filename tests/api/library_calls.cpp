// Calls of the C API whose arguments reach the called functions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "api/library_texts.h"

namespace tgsi2spv {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A text may be empty, and then null; it may not be null and have bytes.
TEST(LibraryCalls, ANullTextIsAnEmptyOneOrAnError) {
    Context context;
    tgsi2spv_hash hash{}, empty{};
    EXPECT_EQ(tgsi2spv_text_hash(nullptr, 5, nullptr, nullptr, &hash), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(tgsi2spv_text_hash("FRAG", 4, nullptr, nullptr, nullptr), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(tgsi2spv_text_hash(nullptr, 0, nullptr, nullptr, &hash), TGSI2SPV_SUCCESS);
    EXPECT_EQ(tgsi2spv_text_hash("FRAG", 0, nullptr, nullptr, &empty), TGSI2SPV_SUCCESS);
    EXPECT_TRUE(std::ranges::equal(hash.bytes, empty.bytes));
    EXPECT_EQ(tgsi2spv_text_hash("FRAG", 4, nullptr, nullptr, &hash), TGSI2SPV_SUCCESS);
    EXPECT_FALSE(std::ranges::equal(hash.bytes, empty.bytes));
    const auto translated = [&](const char* text, size_t bytes) {
        return tgsi2spv_translate(context.get(), text, bytes, nullptr, nullptr, nullptr);
    };
    EXPECT_EQ(translated(nullptr, 5), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(translated(nullptr, 0), TGSI2SPV_ERROR_INVALID_TEXT);
    EXPECT_EQ(translated("", 0), TGSI2SPV_ERROR_INVALID_TEXT);
    EXPECT_EQ(tgsi2spv_translate(nullptr, "", 0, nullptr, nullptr, nullptr), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    tgsi2spv_program* program = nullptr;
    EXPECT_EQ(tgsi2spv_program_parse(context.get(), nullptr, 0, nullptr, &program), TGSI2SPV_ERROR_INVALID_TEXT);
    EXPECT_EQ(program, nullptr);
}

TEST(LibraryCalls, WriteAControlShaderForSoManyVertices) {
    Context context;
    const Program evaluation = context.parse(
        R"(TESS_EVAL
PROPERTY TES_PRIM_MODE 4
DCL IN[][0], GENERIC[9]
DCL OUT[0], POSITION
MOV OUT[0], IN[0][0]
END
)");
    ASSERT_TRUE(evaluation);
    for (const uint32_t vertices : {1u, 5u, 32u}) {
        const std::string text(context.passthrough_tess_ctrl(evaluation, vertices));
        EXPECT_EQ(context.status(), TGSI2SPV_SUCCESS);
        const Module m = context.translate(text, everything);
        ASSERT_TRUE(m) << text;
        EXPECT_EQ(m.info().stage, TGSI2SPV_STAGE_TESS_CTRL);
        EXPECT_EQ(m.info().patch_vertices, vertices);
    }
    for (const uint32_t vertices : {0u, 33u}) {
        EXPECT_EQ(context.passthrough_tess_ctrl(evaluation, vertices), "");
        EXPECT_EQ(context.status(), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    }
}

/// Each module depends on its own options alone; the first failure ends the call.
TEST(LibraryCalls, ConvertWithEachOfSeveralOptions) {
    Context context;
    const Program program = context.parse(
        R"(FRAG
DCL OUT[0], COLOR
IMM[0] FLT32 {1.0, 0.5, 0.25, 0.5}
MOV OUT[0], IMM[0]
END
)");
    ASSERT_TRUE(program);
    auto tests_alpha = make<tgsi2spv_state>(), wrong = make<tgsi2spv_state>();
    tests_alpha.flags = TGSI2SPV_STATE_ALPHA_TEST;
    wrong.clip_planes = 9;
    auto first = default_options, second = default_options;
    first.state = &tests_alpha;
    second.state = &wrong;
    std::array<Module, 3> modules;
    std::array<const tgsi2spv_options*, 3> options{&first, nullptr, &first};
    ASSERT_TRUE(context.convert(program, options, modules));
    EXPECT_EQ(modules[0].info().spec_constant_count, 2u);
    EXPECT_EQ(modules[1].info().spec_constant_count, 0u);
    EXPECT_TRUE(std::ranges::equal(modules[0].words(), modules[2].words()));
    EXPECT_TRUE(std::ranges::equal(modules[1].words(), context.convert(program).words()));

    options = {&first, &second, nullptr};
    EXPECT_FALSE(context.convert(program, options, modules));
    EXPECT_TRUE(modules[0]);
    EXPECT_FALSE(modules[1] || modules[2]);
    tgsi2spv_module* owned[3]{};
    EXPECT_EQ(tgsi2spv_program_convert_each(context.get(), program.get(), options.data(), 3, owned),
              TGSI2SPV_ERROR_INVALID_ARGUMENT);
    EXPECT_NE(owned[0], nullptr);
    EXPECT_EQ(owned[1], nullptr);
    EXPECT_EQ(owned[2], nullptr);
    ASSERT_EQ(context.diagnostic_count(), 1u);
    EXPECT_THAT(context.diagnostic(0).message, HasSubstr("clip_planes"));
    tgsi2spv_module_destroy(owned[0]);
}

/// A device without geometry shaders runs GEOM as a compute shader, whose records a VERT copies.
TEST(LibraryCalls, RecordsNeedNoGeometryShader) {
    Context context;
    const Program vertex = context.parse(R"(VERT
DCL IN[0]
DCL OUT[0], POSITION
MOV OUT[0], IN[0]
END
)");
    const Program geometry = context.parse(
        R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE POINTS
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 2
DCL IN[][0], POSITION
DCL OUT[0], POSITION
DCL OUT[1].yz, GENERIC[3]
IMM[0] UINT32 {0, 0, 0, 0}
MOV OUT[0], IN[0][0]
MOV OUT[1].yz, IN[0][0]
EMIT IMM[0].xxxx
END
)");
    ASSERT_TRUE(vertex && geometry);
    auto device = make<tgsi2spv_device_caps>();
    auto options = make<tgsi2spv_options>();
    options.device = &device;
    const std::array<const Program*, 2> programs{&vertex, &geometry};
    std::array<Linkage, 2> linkages;
    EXPECT_FALSE(context.link(programs, linkages, options)) << "the device has no geometry shaders";
    options.flags = TGSI2SPV_OPTION_RECORDS;
    ASSERT_TRUE(context.link(programs, linkages, options));
    options.linkage = linkages[1].get();
    const Module made = context.convert(geometry, options);
    ASSERT_TRUE(made);
    EXPECT_EQ(made.info().stage, TGSI2SPV_STAGE_COMPUTE);
    ASSERT_EQ(made.info().resource_count, 4u);
    for (uint32_t i = 0; i < 4; i++) {
        EXPECT_EQ(made.resource(i).kind, TGSI2SPV_RESOURCE_RECORDS);
        EXPECT_EQ(made.resource(i).index, i);
    }
    const std::string copier(context.passthrough_records(geometry));
    EXPECT_THAT(copier, HasSubstr("DCL OUT[1].yz, GENERIC[3]\n"));
    EXPECT_TRUE(context.translate(copier, everything));
    const Program fragment = context.parse(R"(FRAG
DCL IN[0], COLOR, COLOR
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
END
)");
    EXPECT_EQ(context.passthrough_records(fragment), "");
    EXPECT_EQ(context.status(), TGSI2SPV_ERROR_INVALID_ARGUMENT);
}

/// On a device without geometry shaders, which have Vulkan's PrimitiveId in FRAG.
TEST(Library, FragmentsReadThePrimitiveOfRecords) {
    Context context;
    const auto device = make<tgsi2spv_device_caps>();
    for (const char* reader : {"IN[0], PRIMID, CONSTANT", "SV[0], PRIMID"}) {
        const std::string text(reader);
        const Program fragment = context.parse("FRAG\nDCL " + text + "\nDCL OUT[0], COLOR\nU2F OUT[0], " +
                                               text.substr(0, 5) + ".xxxx\nEND\n"),
                      vertex = context.parse(
                          "VERT\nDCL OUT[0].xy, POSITION\nDCL OUT[0].zw, POSITION\nDCL OUT[1], PRIMID\n"
                          "PROPERTY NUM_CLIPDIST_ENABLED 2\nIMM[0] FLT32 {0, 0, 0, 1}\n"
                          "MOV OUT[0], IMM[0]\nEND\n");
        const std::string text_of_copier(context.passthrough_records(vertex));
        EXPECT_THAT(text_of_copier, HasSubstr("DCL OUT[0], POSITION[0]\n")) << "all components of both declarations";
        EXPECT_THAT(text_of_copier, HasSubstr("PROPERTY NUM_CLIPDIST_ENABLED 2\n"));
        const Program copier = context.parse(text_of_copier);
        ASSERT_TRUE(copier && fragment);
        auto options = make<tgsi2spv_options>();
        options.device = &device;
        std::array<Linkage, 2> linkages;
        ASSERT_TRUE(context.link({&copier, &fragment}, linkages, options)) << context.diagnostic(0).message;
        options.linkage = linkages[0].get();
        const Module writer = context.convert(copier, options);
        ASSERT_TRUE(writer) << context.diagnostic(0).message;
        options.linkage = linkages[1].get();
        const Module m = context.convert(fragment, options);
        ASSERT_TRUE(m) << context.diagnostic(0).message;
        ASSERT_EQ(m.info().input_count, 1U);
        EXPECT_EQ(m.input(0).builtin, TGSI2SPV_NO_BUILTIN);
        EXPECT_EQ(m.input(0).interpolation, TGSI2SPV_INTERPOLATION_FLAT);
    }
}

}  // namespace
}  // namespace tgsi2spv
