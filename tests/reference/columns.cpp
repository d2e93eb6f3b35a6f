// The column engine gives the same results as the engine over Values, both when only plain answers are wanted and with
// bounds.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <utility>

#include "bench.h"
#include "places.h"
#include "reference/columns/run.h"

namespace tgsi2spv::reference {
namespace {

/// Returns words that shaders commonly meet, and sometimes unusual ones.
uint32_t some_word(std::mt19937& random) {
    static constexpr float kFloats[] = {0.0f, -0.0f, 0.5f, 1.0f, -1.0f, 2.0f, 0.25f, 3.0f, 1e-3f, -7.5f, 100.0f, 1e10f};
    static constexpr uint32_t kWords[] = {kInf,       kInf | kSign, kNan, 1,          2,          5,
                                          16'777'217, 0x7fffff81,   ~0u,  0x80000000, 0x00400000, 0x7f7fffff};
    std::uniform_real_distribution<float> near(-4, 4);
    switch (random() % 16) {
        case 0:
            return kWords[random() % std::size(kWords)];
        case 1:
        case 2:
        case 3:
            return as_word(kFloats[random() % std::size(kFloats)]);
        case 4:
            return random() % 8;
        default:
            return as_word(near(random));
    }
}

Inputs some_inputs(const Shader& s, uint32_t lanes, uint32_t seed) {
    std::mt19937 random(seed);
    Inputs in;
    in.lanes = lanes;
    for (int32_t i = 0; i < s.registers.count(tgsi::File::Input); ++i) {
        std::vector<Vec4>& given = in.inputs[{0, i}];
        given.resize(lanes);
        for (Vec4& v : given)
            for (uint32_t& w : v) w = some_word(random);
    }
    for (int32_t d = 0; d < std::max(s.registers.dims(tgsi::File::Const), 1); ++d) {
        std::vector<uint32_t>& words = in.constants[static_cast<uint32_t>(d)];
        words.resize(static_cast<size_t>(s.registers.count(tgsi::File::Const, d)) * 4);
        for (uint32_t& w : words) w = some_word(random);
    }
    return in;
}

/// The sign and payload of a NaN that arithmetic produces do not matter.
bool same_word(const Value& a, const Value& b) {
    return is_unknown(a) == is_unknown(b) && (a.value == b.value || (is_nan(a.value) && is_nan(b.value)));
}

/// Whether `b` permits everything that `a` permits.
bool within(const Value& a, const Value& b) {
    if (a.maybe_nan && !b.maybe_nan) return false;
    WordList list;
    Value numbers = a;
    numbers.maybe_nan = false;
    if (enumerate(numbers, list))
        return std::all_of(list.words.begin(), list.words.begin() + list.count,
                           [&](uint32_t w) { return permits(b, w); });
    if (a.kind != Kind::Interval || b.kind != Kind::Interval) return false;
    const auto holds = [&](Part p) {
        for (size_t i = 0; i <= b.gaps; ++i)
            if (order(part_of(b, i).lo) <= order(p.lo) && order(p.hi) <= order(part_of(b, i).hi)) return true;
        return false;
    };
    for (size_t i = 0; i <= a.gaps; ++i)
        if (!holds(part_of(a, i))) return false;
    return true;
}

/// Whether both are the same set. For sums of sets, the columns list the words for every order of additions, where the
/// other engine gives up and takes the interval around them. In that case, the words must lie in that interval and
/// include both of its ends.
bool same_set(const Value& fast, const Value& values) {
    if (is_unknown(fast) || is_unknown(values)) return is_unknown(fast) && is_unknown(values);
    if (!within(fast, values)) return false;
    FloatRange r, s;
    const bool listed = fast.kind == Kind::Words && values.kind == Kind::Interval;
    return listed ? float_range(fast, r) && float_range(values, s) && as_word(r.lo) == as_word(s.lo) &&
                        as_word(r.hi) == as_word(s.hi) && fast.maybe_nan == values.maybe_nan
                  : within(values, fast);
}

struct Tally {
    size_t programs = 0, components = 0, lanes = 0, escaped = 0;
    /// Components for which the columns permit less: they compute sums of sets for every combination, while the other
    /// engine takes ranges if there are more than 16 combinations.
    size_t narrower = 0;
};

/// Executes the program with both engines. Returns false if the columns do not support the program.
bool compare_engines(const Shader& s, const Inputs& in, const std::string& name, Tally& tally, bool bounds = false) {
    Options options;
    options.fast_values = !bounds;
    Result columns;
    const auto escaped = columns::run(s.program, s.registers, in, options, analyse_flow(s.program), columns);
    if (!escaped) return false;
    tally.lanes += in.lanes;
    tally.escaped += static_cast<size_t>(std::ranges::count(*escaped, true));
    const Result fast = run(s.program, s.registers, in, options);
    const Result values = run_values(s.program, s.registers, in, options);
    EXPECT_EQ(fast.error, values.error) << name;
    EXPECT_EQ(fast.written, values.written) << name;
    // The other engine also follows lanes along branches that they only might take (on a denormal).
    EXPECT_TRUE(bounds || fast.instructions <= values.instructions) << name;
    EXPECT_EQ(fast.killed, values.killed) << name;
    EXPECT_EQ(fast.killed_unknown, values.killed_unknown) << name;
    ++tally.programs;
    for (const auto& [index, lanes] : values.outputs) {
        for (size_t lane = 0; lane < lanes.size(); ++lane)
            for (size_t c = 0; c < 4; ++c) {
                const Value a = std::as_const(fast.outputs.at(index))[lane][c], b = lanes[lane][c];
                ++tally.components;
                if (same_word(a, b) && (!bounds || same_set(a, b))) continue;
                if (same_word(a, b) && bounds && within(a, b) && !is_unknown(b)) {
                    ++tally.narrower;
                    continue;
                }
                ADD_FAILURE() << name << " OUT[" << index << "]."
                              << "xyzw"[c] << " lane " << lane << ":" << text_of(a) << ", not" << text_of(b);
                return true;
            }
    }
    return true;
}

std::vector<std::filesystem::path> shaders_under(const std::filesystem::path& root) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
        if (entry.path().extension() == ".tgsi") paths.push_back(entry.path());
    std::ranges::sort(paths);
    return paths;
}

/// The step through the corpus. An empty TGSI2SPV_FULL counts as not set, as elsewhere.
size_t step_of_corpus() {
    const char* full = std::getenv("TGSI2SPV_FULL");
    return full != nullptr && *full != '\0' ? 1 : 40;
}

void compare_files(const std::vector<std::filesystem::path>& paths, size_t step, Tally& tally, bool bounds = false) {
    for (size_t i = 0; i < paths.size(); i += step) {
        std::ifstream file(paths[i], std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        const Shader s = shader(text);
        if (s.error.empty())
            compare_engines(s, some_inputs(s, 100, static_cast<uint32_t>(i)), paths[i].string(), tally, bounds);
    }
}

TEST(Columns, ShadersGiveTheSameWords) {
    Tally tally;
    compare_files(shaders_under(test::source_path("shaders")), 1, tally);
    EXPECT_GE(tally.programs, 11u);
}

/// Returns a program with one instruction of the opcode; `modified` adds negation, swizzles, a constant and saturation.
std::string program_of(const tgsi::OpcodeInfo& info, bool modified) {
    std::string text = "VERT\nDCL IN[0..4]\nDCL CONST[0..3]\nDCL OUT[0..1], GENERIC[0]\nDCL TEMP[0]\nDCL ADDR[0]\n";
    const bool address = info.mnemonic.starts_with("AR") || info.mnemonic == "UARL";
    text += "  0: MOV TEMP[0], IN[0]\n  1: ";
    text += std::string(info.mnemonic) + (modified && info.can_saturate ? "_SAT" : "") +
            (address ? " ADDR[0]" : " TEMP[0]");
    static constexpr const char* kPlain[] = {"TEMP[0]", "IN[1]", "IN[2]", "IN[3]"};
    static constexpr const char* kModified[] = {"-TEMP[0].yzwx", "IN[1].wwxy", "-IN[2].zyxw", "CONST[1].xxyy"};
    for (int i = 0; i < info.num_src; ++i) text += std::string(", ") + (modified ? kModified : kPlain)[i];
    return text + "\n  2: MOV OUT[0], " + (address ? "ADDR[0]" : "TEMP[0]") + "\n  3: MOV OUT[1], TEMP[0]\n  4: END\n";
}

TEST(Columns, ShadersHaveTheSameBounds) {
    Tally tally;
    compare_files(shaders_under(test::source_path("shaders")), 1, tally, true);
    EXPECT_GE(tally.programs, 11u);
    EXPECT_LE(tally.escaped, tally.lanes / 4);
    EXPECT_EQ(tally.narrower, 0u);
}

void compare_opcodes(bool bounds) {
    Tally tally;
    for (const tgsi::OpcodeInfo& info : tgsi::kOpcodes) {
        const bool ordinary = info.family == tgsi::Family::arithmetic || info.family == tgsi::Family::compare ||
                              info.family == tgsi::Family::integer || info.family == tgsi::Family::convert ||
                              info.family == tgsi::Family::legacy;
        if (!ordinary || info.is_wide || info.num_dst != 1 || info.num_src > 4) continue;
        for (const bool modified : {false, true}) {
            const std::string text = program_of(info, modified);
            const Shader s = shader(text);
            if (s.error.empty()) compare_engines(s, some_inputs(s, 300, 7), text, tally, bounds);
        }
    }
    EXPECT_GE(tally.programs, 180u);
    EXPECT_EQ(tally.narrower, 0u);
}

void compare_opcodes_of_every_width(bool bounds) {
    // 0 means scalars, which every CPU supports.
    for (const int64_t target : {int64_t{HWY_AVX3}, int64_t{HWY_AVX2}, int64_t{HWY_SSE4}, int64_t{0}}) {
        if (target != 0 && (hwy::SupportedTargets() & target) == 0) continue;
        SCOPED_TRACE(target);
        hwy::GetChosenTarget().Update(target);
        compare_opcodes(bounds);
    }
    hwy::GetChosenTarget().DeInit();
}

TEST(Columns, OpcodesGiveTheSameWordsWithVectorsOfEveryWidth) {
    compare_opcodes_of_every_width(false);
}

TEST(Columns, OpcodesHaveTheSameBoundsWithVectorsOfEveryWidth) {
    compare_opcodes_of_every_width(true);
}

/// Sums give sets of words. These programs use such sets alone, with words and with intervals; sums cancel, and there
/// are zeros.
constexpr const char* kSets = R"(VERT
DCL IN[0..4]
DCL OUT[0..5], GENERIC[0]
DCL TEMP[0..6]
IMM[0] FLT32 {0.0, 1.0, -1.0, 0.3}
  0: DP4 TEMP[0].x, IN[0], IN[1]
  1: DP3 TEMP[0].y, IN[1], IN[2]
  2: DP2 TEMP[0].zw, IN[2], IN[3]
  3: MUL TEMP[1], TEMP[0].xyzx, IN[0]
  4: MAD TEMP[2], TEMP[0].yzxx, IN[1], TEMP[0].zxyy
  5: DP3 TEMP[3].x, TEMP[1], IN[2]
  6: DP4 TEMP[3].y, TEMP[1], TEMP[2]
  7: DP3 TEMP[3].z, TEMP[0], TEMP[0]
  8: RSQ TEMP[3].w, |TEMP[0].xxxx|
  9: DP3 TEMP[4].x, TEMP[3].wwww, TEMP[0]
 10: MUL TEMP[4].y, IMM[0].xxxx, TEMP[3].wwww
 11: MAD TEMP[4].z, TEMP[0].xxxx, TEMP[3].wwww, TEMP[0].yyyy
 12: DP4 TEMP[4].w, TEMP[4].xxzz, TEMP[3].wzyx
 13: MUL TEMP[5].xy, IN[0].yxxx, IMM[0].yzzz
 14: DP2 TEMP[5].z, IN[0], TEMP[5]
 15: MUL TEMP[6], IN[1], IMM[0].wwww
 16: DP4 TEMP[5].w, IN[0].xxyy, TEMP[6].xyxy
 17: DP4 TEMP[6].x, IN[4], IMM[0].xxxx
 18: LRP TEMP[6].y, TEMP[0].xxxx, IN[1].xxxx, IN[2].yyyy
 19: LRP TEMP[6].z, IN[4].xxxx, IN[1].xxxx, IN[2].yyyy
 20: TRUNC TEMP[6].w, IN[0].wwww
 21: ADD TEMP[6].w, TEMP[6].wwww, IN[1].xxxx
 22: MOV OUT[0], TEMP[1]
 23: MOV OUT[1], TEMP[2]
 24: MOV OUT[2], TEMP[3]
 25: MOV OUT[3], TEMP[4]
 26: MOV OUT[4], TEMP[5]
 27: MOV OUT[5], TEMP[6]
 28: END
)";

/// Operations on sets word by word: with words, with other sets and with intervals; also roots of sets around 1, where
/// the ULPs of the results differ.
constexpr const char* kMadeOfSets = R"(VERT
DCL IN[0..4]
DCL OUT[0..7], GENERIC[0]
DCL TEMP[0..9]
IMM[0] FLT32 {1.0, 1e-7, 3e-7, 0.0}
  0: DP4 TEMP[0].x, IN[0], IN[1]
  1: DP3 TEMP[0].y, IN[1], IN[2]
  2: DP2 TEMP[0].zw, IN[2], IN[3]
  3: RCP TEMP[1].x, IN[0].xxxx
  4: RCP TEMP[1].y, IN[0].yyyy
  5: ADD TEMP[2], TEMP[0], IN[0]
  6: ADD TEMP[2].zw, TEMP[0].xyxy, -TEMP[0].yzzz
  7: MUL TEMP[3], TEMP[0].xyzz, TEMP[0].yyxx
  8: MUL TEMP[3].w, TEMP[0].xxxx, TEMP[1].xxxx
  9: MIN TEMP[4].xy, TEMP[0].xyxy, IN[1].yzyz
 10: MAX TEMP[4].zw, TEMP[0].xyxy, TEMP[0].zxzx
 11: MAD TEMP[5].xy, TEMP[0].xyxy, TEMP[0].yzyz, TEMP[0].zxzx
 12: MAD TEMP[5].zw, TEMP[0].xyxy, TEMP[1].xyxy, -|TEMP[0].yzyz|
 13: MAD TEMP[6].x, TEMP[1].xxxx, IN[2].xxxx, TEMP[0].xxxx
 14: ADD TEMP[6].y, TEMP[1].xxxx, -TEMP[0].yyyy
 15: MOV_SAT TEMP[6].z, TEMP[0].xxxx
 16: MAD TEMP[6].w, IMM[0].wwww, TEMP[0].xxxx, IN[0].xxxx
 17: MUL TEMP[7].xy, IN[2].xyxy, IMM[0].yzyz
 18: MOV TEMP[7].z, IMM[0].xxxx
 19: DP3 TEMP[8].x, TEMP[7], IMM[0].xxxx
 20: DP3 TEMP[8].y, TEMP[7], IN[3].xyww
 21: DP3 TEMP[8].z, TEMP[7].zxyz, TEMP[7].zyxz
 22: RSQ TEMP[9].x, TEMP[8].xxxx
 23: RSQ TEMP[9].y, TEMP[8].yyyy
 24: RSQ TEMP[9].z, TEMP[8].zzzz
 25: RSQ TEMP[9].w, TEMP[0].xxxx
 26: MOV OUT[0], TEMP[2]
 27: MOV OUT[1], TEMP[3]
 28: MOV OUT[2], TEMP[4]
 29: MOV OUT[3], TEMP[5]
 30: MOV OUT[4], TEMP[6]
 31: MOV OUT[5], TEMP[8]
 32: MOV OUT[6], TEMP[9]
 33: MOV OUT[7], -TEMP[0]
 34: END
)";

/// Sums of intervals that contain few floats, which some order of additions may reduce to one word.
constexpr const char* kShortIntervals = R"(VERT
DCL IN[0..4]
DCL OUT[0..3], GENERIC[0]
DCL TEMP[0..6]
IMM[0] FLT32 {0.01, 0.2, 0.0, 1.0}
  0: RCP TEMP[0].x, IN[0].xxxx
  1: RCP TEMP[0].y, IN[0].yyyy
  2: RCP TEMP[0].z, IN[0].zzzz
  3: RCP TEMP[0].w, IN[0].wwww
  4: MAD TEMP[1], TEMP[0], IMM[0].xxxx, IN[1]
  5: MAD TEMP[2], TEMP[0].yzwx, IMM[0].yyyy, IN[2]
  6: MOV TEMP[3].xy, IN[3]
  7: MOV TEMP[3].zw, IMM[0].zzzw
  8: DP4 TEMP[4].x, TEMP[1], IN[3]
  9: DP3 TEMP[4].y, TEMP[1], IN[3]
 10: DP2 TEMP[4].z, TEMP[1], IN[3]
 11: DP4 TEMP[4].w, TEMP[1], TEMP[2]
 12: DP4 TEMP[5].x, TEMP[1], TEMP[3]
 13: DP4 TEMP[5].y, TEMP[2], TEMP[3]
 14: DP3 TEMP[5].z, TEMP[1], TEMP[1]
 15: DP4 TEMP[5].w, TEMP[3], TEMP[2].xxyy
 16: MOV OUT[0], TEMP[4]
 17: MOV OUT[1], TEMP[5]
 18: DP4 OUT[2].x, TEMP[4], TEMP[3]
 19: DP3 OUT[2].y, TEMP[4], TEMP[1]
 20: DP4 OUT[2].zw, TEMP[4], TEMP[5]
 21: MOV TEMP[6], IN[3]
 22: MOV TEMP[6].y, TEMP[1].yyyy
 23: DP4 OUT[3].x, TEMP[6], IN[2]
 24: DP4 OUT[3].y, TEMP[6].xyxy, IN[1].xxyy
 25: MOV TEMP[6].zw, IMM[0].zzzw
 26: DP4 OUT[3].z, TEMP[6], IN[2]
 27: DP4 OUT[3].w, TEMP[6].yxzw, IN[1].wxyz
 28: END
)";

TEST(Columns, SetsOfWordsHaveTheSameBoundsWithVectorsOfEveryWidth) {
    for (const char* text : {kSets, kMadeOfSets, kShortIntervals}) {
        const Shader s = shader(text);
        ASSERT_EQ(s.error, "");
        for (const int64_t target : {int64_t{HWY_AVX3}, int64_t{HWY_AVX2}, int64_t{HWY_SSE4}, int64_t{0}}) {
            if (target != 0 && (hwy::SupportedTargets() & target) == 0) continue;
            SCOPED_TRACE(target);
            hwy::GetChosenTarget().Update(target);
            Tally tally;
            EXPECT_TRUE(compare_engines(s, some_inputs(s, 2000, 3), "sets", tally, true));
            EXPECT_EQ(tally.escaped, 0u);
            EXPECT_EQ(tally.narrower, 0u);
        }
    }
    hwy::GetChosenTarget().DeInit();
}

/// Columns of ordinary words are executed separately; a single lane of a block that has or produces another word must
/// be noticed.
TEST(Columns, WordsThatAreNotUsualAreSeenInOneLaneOfABlock) {
    const Shader s = shader(
        "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nDCL OUT[1], GENERIC[1]\n"
        "  0: ADD OUT[0].x, IN[0].xxxx, IN[0].yyyy\n  1: ADD OUT[0].y, IN[0].xxxx, -IN[0].yyyy\n"
        "  2: MUL OUT[0].z, IN[0].xxxx, IN[0].yyyy\n  3: MUL OUT[0].w, IN[0].xxxx, IN[0].xxxx\n"
        "  4: MAD OUT[1], IN[0].xxxx, IN[0].yyyy, IN[0].zzzz\n  5: END\n");
    ASSERT_EQ(s.error, "");
    const uint32_t some[] = {
        kOne,       0,          0x00400000, 0x00800000, 0x80c00000, as_word(0x1p-70f), as_word(-0x1p70f),
        0x3f7fffff, 0x7f7fffff, kInf,       kNan};
    constexpr size_t kCount = std::size(some), kBlock = 64;
    std::vector<Vec4> given(kCount * kCount * kCount * kBlock, Vec4{kOne, kOne, kOne, kOne});
    for (size_t i = 0; i < kCount * kCount * kCount; ++i)
        given[i * kBlock + i % kBlock] = {some[i % kCount], some[i / kCount % kCount], some[i / kCount / kCount], kOne};
    Inputs in;
    in.lanes = static_cast<uint32_t>(given.size());
    in.inputs[{0, 0}] = given;
    Tally tally;
    EXPECT_TRUE(compare_engines(s, in, "usual words", tally, true));
    EXPECT_EQ(tally.narrower, 0u);
}

/// Every flow construct, with values that make lanes diverge.
constexpr const char* kFlow[] = {
    R"(FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0..3]
IMM[0] FLT32 {0.0, 1.0, 8.0, 0.25}
  0: MOV TEMP[0], IMM[0].xxxx
  1: BGNLOOP
  2:   SGE TEMP[1].x, TEMP[0].xxxx, IMM[0].zzzz
  3:   IF TEMP[1].xxxx
  4:     BRK
  5:   ENDIF
  6:   ADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
  7:   SLT TEMP[1].y, IN[0].xxxx, TEMP[0].xxxx
  8:   IF TEMP[1].yyyy
  9:     MUL TEMP[2].x, IN[0].yyyy, TEMP[0].xxxx
 10:     FSLT TEMP[1].z, TEMP[2].xxxx, IMM[0].xxxx
 11:     UIF TEMP[1].zzzz
 12:       CONT
 13:     ELSE
 14:       ADD TEMP[0].y, TEMP[0].yyyy, TEMP[2].xxxx
 15:     ENDIF
 16:   ELSE
 17:     ADD TEMP[0].z, TEMP[0].zzzz, IN[0].wwww
 18:     KILL_IF IN[0].zwzw
 19:   ENDIF
 20:   MAD TEMP[0].w, TEMP[0].yyyy, IMM[0].wwww, TEMP[0].zzzz
 21: ENDLOOP
 22: MOV OUT[0], TEMP[0]
 23: FSLT TEMP[1].x, IN[0].zzzz, IMM[0].yyyy
 24: UIF TEMP[1].xxxx
 25:   RET
 26: ENDIF
 27: MOV OUT[0].xy, IN[0].yxxx
 28: END
)",
    // Lanes leave a loop inside a loop, and no lane takes one side of a branch.
    R"(VERT
DCL IN[0..1]
DCL OUT[0], GENERIC[0]
DCL TEMP[0..2]
IMM[0] UINT32 {0, 1, 3, 7}
  0: MOV TEMP[0], IMM[0].xxxx
  1: BGNLOOP
  2:   USGE TEMP[1].x, TEMP[0].xxxx, IMM[0].zzzz
  3:   BREAKC TEMP[1].xxxx
  4:   UADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy
  5:   MOV TEMP[0].y, IMM[0].xxxx
  6:   BGNLOOP
  7:     UADD TEMP[0].y, TEMP[0].yyyy, IMM[0].yyyy
  8:     UADD TEMP[0].z, TEMP[0].zzzz, TEMP[0].yyyy
  9:     AND TEMP[1].y, IN[1].xxxx, IMM[0].wwww
 10:     USGE TEMP[1].y, TEMP[0].yyyy, TEMP[1].yyyy
 11:     UIF TEMP[1].yyyy
 12:       BRK
 13:     ENDIF
 14:   ENDLOOP
 15: ENDLOOP
 16: UIF IMM[0].xxxx
 17:   MOV TEMP[0].w, IN[0].xxxx
 18: ELSE
 19:   MOV TEMP[0].w, IN[0].yyyy
 20: ENDIF
 21: MOV OUT[0], TEMP[0]
 22: END
)",
    // An instruction reads and writes the same register with different components; constants lie between declared
    // ranges and outside them.
    R"(VERT
DCL IN[0..1]
DCL OUT[0..2], GENERIC[0]
DCL CONST[0..2]
DCL CONST[5..7]
DCL TEMP[0..1]
DCL ADDR[0]
IMM[0] FLT32 {1.0, 2.0, 3.0, 4.0}
IMM[1] UINT32 {7, 0, 0, 0}
  0: MOV TEMP[0], IN[0]
  1: MOV TEMP[0].xyzw, TEMP[0].yxwz
  2: ADD TEMP[0].xyz, TEMP[0].zxyw, TEMP[0].yyyy
  3: MOV OUT[0], TEMP[0]
  4: ARL ADDR[0].x, IN[1].xxxx
  5: MUL OUT[1], CONST[ADDR[0].x+1], IMM[0]
  6: AND TEMP[1].x, IN[1].yyyy, IMM[1].xxxx
  7: UARL ADDR[0].y, TEMP[1].xxxx
  8: ADD OUT[2], CONST[ADDR[0].y+5], -IN[0]
  9: END
)",
};

TEST(Columns, FlowGivesTheSameWords) {
    for (const char* text : kFlow) {
        const Shader s = shader(text);
        ASSERT_EQ(s.error, "");
        Tally tally;
        EXPECT_TRUE(compare_engines(s, some_inputs(s, 500, 3), text, tally));
        EXPECT_TRUE(compare_engines(s, some_inputs(s, 500, 3), text, tally, true));
        EXPECT_EQ(tally.narrower, 0u);
    }
}

TEST(Columns, LanesThatDoNotEndAreLeftToTheOtherEngine) {
    const Shader s = shader(
        "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\n  0: MOV OUT[0], IN[0]\n  1: BGNLOOP\n  2: UIF IN[0].xxxx\n  3: BRK\n"
        "  4: ENDIF\n  5: ENDLOOP\n  6: END\n");
    ASSERT_EQ(s.error, "");
    Inputs in;
    in.lanes = 130;
    in.inputs[{0, 0}].assign(130, Vec4{1, 2, 3, 4});
    in.inputs[{0, 0}][70][0] = 0;  // loops forever
    Options o;
    o.fast_values = true;
    o.max_steps = 1000;
    Result columns;
    EXPECT_FALSE(columns::run(s.program, s.registers, in, o, analyse_flow(s.program), columns));
    const Result r = run(s.program, s.registers, in, o);
    EXPECT_TRUE(is_unknown(out(r, 70, 1)));
    EXPECT_EQ(out(r, 0, 1).value, 2u);
    in.inputs[{0, 0}][70][0] = 1;
    EXPECT_TRUE(columns::run(s.program, s.registers, in, o, analyse_flow(s.program), columns));
    EXPECT_TRUE(is_exact(out(columns, 70, 1)));
}

TEST(Columns, CorpusGivesTheSameWords) {
    const char* root = std::getenv("TGSI2SPV_CORPUS");
    if (root == nullptr) GTEST_SKIP() << "TGSI2SPV_CORPUS is not set";
    const size_t step = step_of_corpus();
    Tally tally;
    compare_files(shaders_under(root), step, tally);
    EXPECT_GE(tally.components, 10'000u);
    EXPECT_GE(tally.programs, 10u);
}

TEST(Columns, CorpusHasTheSameBounds) {
    const char* root = std::getenv("TGSI2SPV_CORPUS");
    if (root == nullptr) GTEST_SKIP() << "TGSI2SPV_CORPUS is not set";
    const size_t step = step_of_corpus();
    Tally tally;
    compare_files(shaders_under(root), step, tally, true);
    EXPECT_GE(tally.components, 10'000u);
    EXPECT_GE(tally.programs, 10u);
    EXPECT_LE(tally.narrower, tally.components / 1000);
    std::cout << tally.escaped << " of " << tally.lanes << " lanes escaped, " << tally.narrower << " of "
              << tally.components << " components are narrower\n";
}

}  // namespace
}  // namespace tgsi2spv::reference
