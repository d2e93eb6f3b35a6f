// The whole conversion, from text to words, and its results in the context.
#include "api/convert.h"

#include <gtest/gtest.h>

#include "api/requests.h"
#include "lower/state/spec_constants.h"
#include "lower/variables/locations.h"

namespace tgsi2spv::api {
namespace {

constexpr const char* kShader =
    R"(FRAG
DCL IN[0], GENERIC[2], PERSPECTIVE
DCL SV[0], FACE
DCL OUT[0], COLOR
DCL CONST[0][0..3]
DCL TEMP[0]
  0: MUL TEMP[0], IN[0], CONST[0][1]
  1: AND OUT[0], TEMP[0], SV[0].xxxx
  2: END
)";

TEST(Convert, TheSameTextGivesTheSameWords) {
    Context context, other;
    const Options options;
    ASSERT_TRUE(convert(context, kShader, options));
    const auto words = context.words;
    ASSERT_GT(words.size(), 5u);
    EXPECT_EQ(words[0], 0x07230203u);
    ASSERT_TRUE(convert(context, R"(VERT
DCL OUT[0], POSITION
IMM[0] FLT32 {1,2,3,4}
MOV OUT[0], IMM[0]
END
)",
                        options));
    ASSERT_TRUE(convert(context, kShader, options));
    EXPECT_EQ(context.words, words);
    ASSERT_TRUE(convert(other, kShader, options));
    EXPECT_EQ(other.words, words);
    EXPECT_TRUE(context.diagnostics.empty());
}

/// Each text contains dead code.
TEST(Convert, TheWordsAreThoseOfACompactModule) {
    Context marked, compact;
    const Options options;
    Options compacting;
    compacting.passes.compact = true;
    for (const test::RequestCase& request : test::read_requests("dead_code.txt")) {
        const std::string& text = request.text;
        ASSERT_TRUE(convert(marked, text, options)) << text;
        ASSERT_TRUE(convert(compact, text, compacting));
        EXPECT_EQ(marked.words, compact.words) << text;
        const spirv::Reflection a = reflect(marked, options), b = reflect(compact, options);
        EXPECT_EQ(a.interface.size(), b.interface.size()) << text;
        EXPECT_EQ(a.resources.size(), b.resources.size()) << text;
        EXPECT_EQ(a.spec_constants.size(), b.spec_constants.size()) << text;
    }
}

TEST(Convert, AnErrorOfAnyStepStopsTheConversion) {
    Context context;
    Options options;
    EXPECT_FALSE(convert(context, "FRAG\nADDD OUT[0], IN[0], IN[0]\nEND\n", options));  // does not parse
    ASSERT_FALSE(context.diagnostics.empty());
    EXPECT_FALSE(convert(context, R"(FRAG
DCL OUT[0], COLOR
IF OUT[0].xxxx
END
)",
                         options));  // undeclared
    ASSERT_FALSE(context.diagnostics.empty());
    ASSERT_TRUE(convert(context, kShader, options));
    EXPECT_TRUE(context.diagnostics.empty());
    options.emit.max_id = 8;
    EXPECT_FALSE(convert(context, kShader, options));  // cannot be emitted
    ASSERT_EQ(context.diagnostics.size(), 1u);
    EXPECT_EQ(context.diagnostics[0].code, "id-limit");
}

TEST(Convert, ReflectionNamesSemanticsAndSlots) {
    Context context;
    Options options;
    ASSERT_TRUE(convert(context, kShader, options));
    spirv::Reflection r = reflect(context, options);
    ASSERT_FALSE(r.interface.empty());
    bool generic = false;
    for (const spirv::InterfaceVariable& v : r.interface)
        generic = generic || (v.semantic_name == "GENERIC" && v.semantic_index == 2 && !v.is_output);
    EXPECT_TRUE(generic);
    EXPECT_EQ(r.io_input_slots, 0u);

    options.lower.io_buffers = true;
    const auto face = static_cast<uint32_t>(tgsi::Semantic::Face);
    options.lower.buffered_system_values[face / 32] |= 1u << face % 32;
    ASSERT_TRUE(convert(context, kShader, options));
    r = reflect(context, options);
    EXPECT_EQ(r.io_input_slots, 2u);   // IN[0], SV[0]
    EXPECT_EQ(r.io_output_slots, 2u);  // OUT[0], and whether the lane survived
    EXPECT_EQ(r.io_system_values, (std::pmr::vector<uint32_t>{0}));
}

TEST(Convert, AnEntryOfOldComputeTextIsMain) {
    constexpr const char* kPieces =
        R"(COMP
DCL BUFFER[0]
DCL TEMP[0]
IMM[0] UINT32 {0, 1, 2, 3}
BGNSUB
STORE BUFFER[0].x, IMM[0].xxxx, IMM[0].yyyy
ENDSUB
UIF IMM[0].yyyy
STORE BUFFER[0].xy, IMM[0].xxxx, IMM[0].zwww
ENDIF
RET
)";
    Context context;
    Options options;
    ASSERT_TRUE(convert(context, kPieces, options));
    const auto first = context.words;
    options.entry = 3;
    ASSERT_TRUE(convert(context, kPieces, options));
    EXPECT_EQ(context.program.entry, 3u);
    EXPECT_NE(context.words, first);
    options.entry = 0;
    ASSERT_TRUE(convert(context, kPieces, options));
    EXPECT_EQ(context.words, first);
    for (const auto& [entry, message] : {std::pair(4u, "the entry is inside a construct"),
                                         std::pair(7u, "the entry 7 does not name an instruction")}) {
        options.entry = entry;
        EXPECT_FALSE(convert(context, kPieces, options));
        ASSERT_EQ(context.diagnostics.size(), 1u);
        EXPECT_EQ(context.diagnostics[0].message, message);
    }
    options.entry = 1;
    EXPECT_FALSE(convert(context, kShader, options));
    EXPECT_EQ(context.diagnostics.at(0).message, "only COMP can start at an instruction other than 0");
}

/// The passes make a selection of two components of the mask of a selection: the verifier knows it as one.
TEST(Convert, AComponentSelectedFromConstants) {
    for (const char* address : {"UCMP TEMP[0], IN[0], IMM[0].xxxx, IMM[0].yyyy\n",
                                "UCMP TEMP[0], IN[0], IMM[0].xxxx, IMM[0].yyyy\n"
                                "UCMP TEMP[0], IN[0].yyyy, TEMP[0], IMM[0].zzzz\n"}) {
        Context context;
        const std::string text = std::string(
                                     R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL CONSTBUF[0]
DCL TEMP[0..1]
IMM[0] UINT32 {15, 4, 9, 0}
)") + address + "LOAD TEMP[1], CONSTBUF[0], TEMP[0].xxxx\nMOV OUT[0], TEMP[1]\nEND\n";
        Options options;
        options.passes.verify = true;
        EXPECT_TRUE(convert(context, text, options)) << text;
        ASSERT_TRUE(context.diagnostics.empty()) << context.diagnostics[0].message;
    }
}

TEST(Convert, SpecializationConstantsHaveNames) {
    Context context;
    ASSERT_TRUE(convert(context,
                        R"(FRAG
PROPERTY FS_COORD_ORIGIN LOWER_LEFT
DCL IN[0], POSITION
DCL OUT[0], COLOR
MOV OUT[0], IN[0]
END
)",
                        {}));
    const spirv::Reflection r = reflect(context, {});
    ASSERT_EQ(r.spec_constants.size(), 1u);
    EXPECT_EQ(r.spec_constants[0].name, "framebuffer height");
    EXPECT_EQ(lower::spec::name_of(13), "WORK_DIM");
    EXPECT_EQ(lower::spec::name_of(1000), "");
}

}  // namespace
}  // namespace tgsi2spv::api
