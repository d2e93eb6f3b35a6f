// The search for inputs: it reaches more than random inputs do, and repeats itself exactly for the same seed.
#include "search/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "api/convert.h"
#include "inputs/case.h"
#include "inputs/inputs.h"
#include "search/parts.h"
#include "tgsi/formats.h"

namespace tgsi2spv::difftest {
namespace {

constexpr uint32_t kDrawn = 4;

struct Found {
    api::Context context;
    std::vector<reference::Inputs> drawn, found;
};

void search(std::string_view text, uint64_t seed, Found& f, SearchOptions options = {}) {
    ASSERT_TRUE(api::parse(f.context, text, {}));
    for (uint32_t i = 0; i < kDrawn; i++) {
        InputOptions generation;
        generation.seed = case_seed(text, seed, i);
        generation.beyond = i % 2 == 1;
        f.drawn.push_back(generate_inputs(f.context.program, f.context.registers, generation));
    }
    options.seed = seed;
    f.found = search_inputs(f.context.program, f.context.registers, f.drawn, options);
}

/// Returns the reference's `value` of OUT[0].x for every lane of every set.
std::vector<uint32_t> answers(const Found& f, const std::vector<reference::Inputs>& sets) {
    std::vector<uint32_t> words;
    for (const auto& in : sets) {
        const auto result = reference::run(f.context.program, f.context.registers, in, {});
        EXPECT_EQ(result.error, "");
        for (const auto& lane : result.outputs.at(0)) words.push_back(lane[0].value);
    }
    return words;
}

bool has(const std::vector<uint32_t>& words, uint32_t word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// The search finds inputs for which OUT[0].x of some lane is the word; drawing does not.
void expect_found(std::string_view text, uint64_t seed, uint32_t word = ~0u) {
    Found f;
    search(text, seed, f);
    EXPECT_FALSE(has(answers(f, f.drawn), word)) << "drawing finds it: the test shows nothing";
    EXPECT_TRUE(has(answers(f, f.found), word));
}

/// Four products that must equal four constants; random inputs never achieve that.
constexpr const char* kProducts =
    R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
DCL CONST[0][0..2]
DCL TEMP[0..1]
IMM[0] UINT32 {1, 2, 0, 0}
UMUL TEMP[0], CONST[0][0], CONST[0][1]
USNE TEMP[0], TEMP[0], CONST[0][2]
OR TEMP[0].x, TEMP[0].xxxx, TEMP[0].yyyy
OR TEMP[0].y, TEMP[0].zzzz, TEMP[0].wwww
OR TEMP[0].x, TEMP[0].xxxx, TEMP[0].yyyy
MOV TEMP[1].x, IMM[0].xxxx
UIF TEMP[0].xxxx
MOV TEMP[1].x, IMM[0].yyyy
ENDIF
MOV OUT[0], TEMP[1].xxxx
END
)";

TEST(Search, FindsInputsForComparisonsOfEquality) {
    expect_found(kProducts, 1, 1);
}

TEST(Search, MeetsImmediatesInEveryLane) {
    Found f;
    search(
        R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
DCL TEMP[0]
IMM[0] UINT32 {3735928559, 3405691582, 7, 1}
USEQ TEMP[0], IN[0], IMM[0]
AND TEMP[0].x, TEMP[0].xxxx, TEMP[0].yyyy
MOV OUT[0], TEMP[0].xxxx
END
)",
        2, f);
    EXPECT_TRUE(has(answers(f, f.found), ~0u));
}

/// Reaches both sides of a limit, closely enough that a wrong term of the sum crosses it.
TEST(Search, ComesCloseToLimits) {
    Found f;
    search(
        R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
DCL CONST[0][0]
DCL TEMP[0]
DP4 TEMP[0].x, IN[0], IN[0]
FSLT OUT[0].x, TEMP[0].xxxx, CONST[0][0].xxxx
END
)",
        3, f);
    bool below = false, above = false;
    for (const auto& in : f.found)
        for (const auto& v : in.inputs.at({0, 0})) {
            double sum = 0;
            for (const uint32_t w : v) sum += std::pow(std::bit_cast<float>(w), 2);
            const double limit = std::bit_cast<float>(in.constants.at(0)[0]);
            if (!(std::abs(sum - limit) < limit * 0x1p-11)) continue;
            (sum < limit ? below : above) = true;
        }
    EXPECT_TRUE(below && above);
}

/// A work group has more invocations than a case has lanes: there too, the search bisects.
TEST(Search, ComesCloseToLimitsOfLateInvocations) {
    Found f;
    search(
        R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 64
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL CONST[0][0]
DCL TEMP[0]
IMM[0] UINT32 {40, 0, 0, 0}
IMM[1] FLT32 {77, 0, 0, 0}
USGE TEMP[0].x, SV[0].xxxx, IMM[0].xxxx
UIF TEMP[0].xxxx
EX2 TEMP[0].x, CONST[0][0].xxxx
FSLT TEMP[0].x, TEMP[0].xxxx, IMM[1].xxxx
ENDIF
END
)",
        3, f);
    bool below = false, above = false;
    std::set<std::vector<uint32_t>> distinct;
    for (const auto& in : f.found) {
        const double apart = std::exp2(double{std::bit_cast<float>(in.constants.at(0)[0])}) - 77;
        if (std::abs(apart) < 77 * 0x1p-13) (apart < 0 ? below : above) = true;
        distinct.insert(in.constants.at(0));
    }
    EXPECT_TRUE(below && above);
    EXPECT_GT(distinct.size(), f.found.size() / 2) << "steps that change words of lanes repeat sets";
}

/// Matches both halves of both operands.
TEST(Search, MeetsPairs) {
    expect_found(
        R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
DCL CONST[0][0..1]
DCL TEMP[0]
I64MAX TEMP[0].xy, CONST[0][0].xyxy, CONST[0][0].zwzw
U64SEQ OUT[0].x, TEMP[0].xyxy, CONST[0][1].xyxy
END
)",
        5);
}

/// The sampled value decides, and no randomly drawn texel is that large.
TEST(Search, ChangesTexels) {
    expect_found(
        R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL TEMP[0..1]
IMM[0] FLT32 {60, 2, 0, 0}
TEX TEMP[0], IN[0].xyyy, SAMP[0], 2D
MAD_SAT TEMP[1].x, TEMP[0].yyyy, IMM[0].yyyy, -IMM[0].xxxx
FSNE OUT[0].x, TEMP[1].xxxx, IMM[0].zzzz
END
)",
        3);
}

/// Sets of one shader may have textures of different formats: a word of one set need not exist in another.
TEST(Search, FindsTheWordsThatATexelHas) {
    reference::Inputs in;
    reference::Texture& texture = in.textures[0];
    searching::InputWord word;
    word.what = searching::InputWord::What::Texel;
    for (const auto& [format, components] :
         {std::pair{"PIPE_FORMAT_R32_FLOAT", 1u}, {"PIPE_FORMAT_R32G32_FLOAT", 2u}}) {
        texture.format = *tgsi::format_from_name(format);
        texture.width = 4;
        texture.data = {std::vector<uint32_t>(size_t{4} * components)};
        for (word.word = 0; word.word < 4; word.word++)
            EXPECT_EQ(searching::find_word(in, word, 0) != nullptr, word.word < components) << format << word.word;
    }
}

/// A float scaled by a power of two, both of them inputs, equals a third input in all components or in all but one.
TEST(Search, MeetsScaledFloats) {
    Found f;
    search(
        R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
DCL CONST[0][0..2]
DCL TEMP[0]
IMM[0] UINT32 {1, 2, 4, 8}
LDEXP TEMP[0], CONST[0][1], CONST[0][2]
USNE TEMP[0], CONST[0][0], TEMP[0]
AND TEMP[0], TEMP[0], IMM[0]
UADD TEMP[0].xy, TEMP[0], TEMP[0].zwzw
UADD OUT[0].x, TEMP[0].xxxx, TEMP[0].yyyy
END
)",
        3, f);
    for (const uint32_t one : {0u, 1u, 2u, 4u, 8u}) {
        EXPECT_FALSE(has(answers(f, f.drawn), one)) << one;
        EXPECT_TRUE(has(answers(f, f.found), one)) << one;
    }
}

/// Two words at once: the second comparison depends on the first only through the value that it compares.
TEST(Search, FindsInputsForNestedComparisons) {
    expect_found(
        R"(VERT
DCL IN[0]
DCL OUT[0], GENERIC[0]
DCL CONST[0][0..1]
DCL TEMP[0]
IMM[0] UINT32 {3735928559, 1088421888, 1090519040, 0}
USEQ TEMP[0].x, CONST[0][0].xxxx, IMM[0].xxxx
UCMP TEMP[0].y, TEMP[0].xxxx, IMM[0].zzzz, IMM[0].yyyy
FSEQ TEMP[0].z, TEMP[0].yyyy, CONST[0][1].xxxx
AND OUT[0].x, TEMP[0].xxxx, TEMP[0].zzzz
END
)",
        3);
}

TEST(Search, SameSeedSameSets) {
    Found a, b, c;
    search(kProducts, 5, a);
    search(kProducts, 5, b);
    search(kProducts, 6, c);
    const auto written = [](const Found& f) {
        std::vector<std::string> sets;
        for (const auto& in : f.found) sets.push_back(write_inputs(in, false));
        return sets;
    };
    ASSERT_FALSE(a.found.empty());
    EXPECT_EQ(written(a), written(b));
    EXPECT_NE(written(a), written(c));
}

TEST(Search, KeepsToItsLimits) {
    Found f;
    SearchOptions few;
    few.most_sets = 3;
    search(kProducts, 1, f, few);
    EXPECT_LE(f.found.size(), 3u);
    Found none;
    few.most_runs = 0;
    search(kProducts, 1, none, few);
    EXPECT_TRUE(none.found.empty());
}

/// Values that a rasteriser determines, and handles, keep their drawn values.
TEST(Search, KeepsInputsThatAreNotFree) {
    Found f;
    search(
        R"(FRAG
DCL IN[0], POSITION, LINEAR
DCL IN[1], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL CONST[0][0]
DCL TEMP[0]
SLT TEMP[0], IN[0], IN[1]
TEX TEMP[0], TEMP[0], CONST[0][0], 2D
MOV OUT[0], TEMP[0]
END
)",
        1, f);
    bool changed = false;
    for (const auto& in : f.found) {
        const auto first = std::ranges::find_if(f.drawn, [&](const auto& drawn) {
            return drawn.inputs.at({0, 0}) == in.inputs.at({0, 0}) && drawn.constants.at(0)[0] == in.constants.at(0)[0];
        });
        ASSERT_NE(first, f.drawn.end());
        changed |= first->inputs.at({0, 1}) != in.inputs.at({0, 1});
    }
    EXPECT_TRUE(changed) << "not even IN[1], which is free";
}

}  // namespace
}  // namespace tgsi2spv::difftest
