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

using testing::HasSubstr;

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

TEST(Library, BindingsHaveNoOrder) {
    const tgsi2spv_binding map[] = {{TGSI2SPV_RESOURCE_COMBINED_IMAGE, 1, 0, 7},
                                    {TGSI2SPV_RESOURCE_CONSTANT_BUFFER, 0, 2, 5}};
    const tgsi2spv_binding turned[] = {map[1], map[0]};
    auto options = default_options, same = default_options;
    options.bindings = map;
    same.bindings = turned;
    options.binding_count = same.binding_count = 2;
    EXPECT_EQ(hash_of(kFragment, options), hash_of(kFragment, same));
}

TEST(Library, EveryWordOfTheStateChangesTheHash) {
    auto state = make<tgsi2spv_state>();
    auto options = default_options;
    options.state = &state;
    std::set<std::optional<std::array<uint8_t, 16>>> seen{hash_of(kFragment)};
    for (size_t at = offsetof(tgsi2spv_state, data); at < sizeof state; at += 4) {
        state = make<tgsi2spv_state>();
        EXPECT_EQ(seen.insert(hash_of(kFragment, options)).second, at == offsetof(tgsi2spv_state, data));
        const uint32_t one = 1;
        std::memcpy(reinterpret_cast<char*>(&state) + at, &one, 4);
        EXPECT_TRUE(seen.insert(hash_of(kFragment, options)).second) << at;
    }
}

TEST(Library, NamesNoElementBeyondTheLast) {
    Context context;
    const Module m = context.translate(kFragment);
    auto resource = make<tgsi2spv_resource>();
    EXPECT_EQ(tgsi2spv_module_get_resource(m.get(), 2, &resource), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    const Program fragment = context.parse("FRAG\nEND\n");
    EXPECT_EQ(context.passthrough_tess_ctrl(fragment, 3), "");
    EXPECT_EQ(context.status(), TGSI2SPV_ERROR_INVALID_ARGUMENT);
    EXPECT_STREQ(context.diagnostic(0).code, "invalid-argument");
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
    std::array<tgsi2spv_module*, 2> modules{};
    EXPECT_EQ(tgsi2spv_translate_pipeline(context.get(), nullptr, 2, modules.data(), &refused),
              TGSI2SPV_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(refused, 2u);
}

TEST(Library, HasAVersion) {
    EXPECT_EQ(tgsi2spv_version(), TGSI2SPV_VERSION);
    EXPECT_THAT(tgsi2spv_version_string(), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+\\+[0-9a-f]{16}"));
}

}  // namespace
}  // namespace tgsi2spv
