// Memory: addresses, ranges, atomics, and known results when invocations race (semantics: Memory).
#include "reference/memory_words.h"

#include <gmock/gmock.h>

#include "reference/bench.h"
#include "reference/numbers/wide_value.h"

namespace tgsi2spv::reference {
namespace {

using testing::ElementsAre;

std::vector<uint32_t> plain(const std::vector<Component>& words) {
    std::vector<uint32_t> all;
    for (const Component& c : words) all.push_back(c.value);
    return all;
}

/// Returns the words that are exactly known, and kFree for the others.
constexpr uint32_t kFree = 0xfee1fee1;
std::vector<uint32_t> known(const std::vector<Component>& words) {
    std::vector<uint32_t> all;
    for (const Component& c : words) all.push_back(is_exact(c) ? c.words[0] : kFree);
    return all;
}

const std::string kBlock =
    R"(PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL SV[0], THREAD_ID
DCL SV[1], BLOCK_ID
DCL TEMP[0..7]
DCL BUFFER[0..3]
DCL MEMORY[0], SHARED
DCL MEMORY[1], PRIVATE
IMM[0] UINT32 {0, 1, 2, 3}
IMM[1] UINT32 {4, 8, 12, 16}
)";
/// Returns a shader with a work group of `width` invocations.
std::string group(uint32_t width, const std::string& body) {
    return "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH " + std::to_string(width) + "\n" + kBlock + body + "END\n";
}

Inputs with(std::vector<uint32_t> buffer, std::vector<uint32_t> second = {}) {
    Inputs in;
    in.buffers[0] = std::move(buffer);
    if (!second.empty()) in.buffers[1] = std::move(second);
    in.shared_words = in.private_words = 8;
    return in;
}

TEST(Memory, ABufferThatIsNotBoundReadsZeroAndTakesNothing) {
    const Result r = run(group(1,
                               "LOAD TEMP[0], BUFFER[3], IMM[0].xxxx\nSTORE BUFFER[3], IMM[0].xxxx, IMM[0]\n"
                               "STORE BUFFER[0], IMM[0].xxxx, TEMP[0]\n"),
                         with({9, 9, 9, 9, 9}));
    EXPECT_THAT(known(r.buffers.at(0)), ElementsAre(0, 0, 0, 0, 9));
}

TEST(Memory, ConstantBuffersHaveNoKnownSize) {
    Inputs in = with({1, 2, 3, 4});
    in.constants[0] = {5, 6, 7, 8};
    const Result r =
        run(group(1, "DCL CONST[0]\nRESQ TEMP[0], CONSTBUF[0]\nSTORE BUFFER[0].x, IMM[0].xxxx, TEMP[0]\n"), in);
    EXPECT_TRUE(is_unknown(r.buffers.at(0)[0]));
    EXPECT_THAT(known({r.buffers.at(0).begin() + 1, r.buffers.at(0).end()}), ElementsAre(2, 3, 4));
}

TEST(Memory, ContendedAtomicsAreKnownInTheEnd) {
    // Eight invocations of two groups: sums and extrema commute, the returned values do not.
    const std::string text = group(4,
                                   "ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].wwww\n"
                                   "ATOMUMAX TEMP[1].x, BUFFER[0], IMM[1].xxxx, SV[0].xxxx\n"
                                   "ATOMXCHG TEMP[2].x, BUFFER[0], IMM[1].yyyy, SV[0].xxxx\n"
                                   "ATOMINC_WRAP TEMP[3].x, BUFFER[0], IMM[1].zzzz, IMM[1].xxxx\n"
                                   "UMAD TEMP[4].x, SV[1].xxxx, IMM[1].xxxx, SV[0].xxxx\n"
                                   "UMUL TEMP[4].x, TEMP[4].xxxx, IMM[1].xxxx\n"
                                   "STORE BUFFER[1].x, TEMP[4].xxxx, TEMP[0].xxxx\n");
    Inputs in = with({0, 1, 7, 0}, std::vector<uint32_t>(8, 0));
    in.grid = {2, 1, 1};
    const Result r = run(text, in);
    EXPECT_THAT(known(r.buffers.at(0)), ElementsAre(24, 3, kFree, 3));
    EXPECT_THAT(plain(r.buffers.at(1)), ElementsAre(0, 3, 6, 9, 12, 15, 18, 21));
    for (const Component& c : r.buffers.at(1)) EXPECT_TRUE(is_unknown(c));
}

TEST(Memory, WorkGroupsOfOneInvocationContendToo) {
    const std::string text = group(1,
                                   "ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy\n"
                                   "ATOMXCHG TEMP[1].x, BUFFER[0], IMM[1].xxxx, SV[1].xxxx\n"
                                   "UMUL TEMP[2].x, SV[1].xxxx, IMM[1].xxxx\n"
                                   "STORE BUFFER[1].x, TEMP[2].xxxx, TEMP[0].xxxx\n");
    Inputs in = with({0, 9}, std::vector<uint32_t>(4, 0));
    in.grid = {4, 1, 1};
    const Result r = run(text, in);
    EXPECT_THAT(known(r.buffers.at(0)), ElementsAre(4, kFree));
    EXPECT_THAT(plain(r.buffers.at(1)), ElementsAre(0, 1, 2, 3));
    for (const Component& c : r.buffers.at(1)) EXPECT_TRUE(is_unknown(c));
}

TEST(Memory, ExchangesWithEqualWordsAreKnownInTheEnd) {
    // In any order, the first exchange leaves the word that all of them leave; a compare-exchange that stores the value
    // it compares with has no effect.
    const std::string text = group(4,
                                   "ATOMXCHG TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].wwww\n"
                                   "ATOMCAS TEMP[0].x, BUFFER[0], IMM[1].xxxx, IMM[0].yyyy, IMM[0].zzzz\n"
                                   "ATOMCAS TEMP[0].x, BUFFER[0], IMM[1].yyyy, IMM[0].yyyy, SV[0].xxxx\n"
                                   "ATOMXCHG TEMP[0].x, BUFFER[0], IMM[1].zzzz, IMM[0].wwww\n"
                                   "STORE BUFFER[0].x, IMM[1].zzzz, IMM[0].wwww\n"
                                   "ATOMCAS TEMP[0].x, BUFFER[0], IMM[1].wwww, IMM[0].yyyy, IMM[0].zzzz\n"
                                   "ATOMCAS TEMP[0].x, BUFFER[0], IMM[1].wwww, IMM[0].zzzz, IMM[0].wwww\n");
    EXPECT_THAT(known(run(text, with({9, 1, 1, 9, 1})).buffers.at(0)), ElementsAre(3, 2, kFree, 3, kFree));
}

TEST(Memory, MixedAtomicsAreNotKnown) {
    const std::string text = group(2,
                                   "USEQ TEMP[0].x, SV[0].xxxx, IMM[0].xxxx\nUIF TEMP[0].xxxx\n"
                                   "ATOMUADD TEMP[1].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy\nELSE\n"
                                   "ATOMAND TEMP[1].x, BUFFER[0], IMM[0].xxxx, IMM[0].zzzz\nENDIF\n"
                                   "ATOMUADD TEMP[2].x, BUFFER[0], IMM[1].xxxx, IMM[0].yyyy\n");
    EXPECT_THAT(known(run(text, with({1, 1})).buffers.at(0)), ElementsAre(kFree, 3));
}

/// Returns the final TEMP[5].x of each invocation of `groups` groups of four; `last` receives the final words of
/// BUFFER[0].
std::vector<uint32_t> found_by_each(const std::string& body, uint32_t groups = 1,
                                    std::vector<uint32_t>* last = nullptr) {
    Inputs in = with(std::vector<uint32_t>(8, 0), std::vector<uint32_t>(size_t{4} * groups, 9));
    in.grid = {groups, 1, 1};
    const Result r = run(group(4, "IMM[2] UINT32 {0, 1, 2, 4}\n" + body +
                                      "UMAD TEMP[6].x, SV[1].xxxx, IMM[1].xxxx, SV[0].xxxx\n"
                                      "UMUL TEMP[6].x, TEMP[6].xxxx, IMM[1].xxxx\n"
                                      "STORE BUFFER[1].x, TEMP[6].xxxx, TEMP[5].xxxx\n"),
                         in);
    if (last) *last = known(r.buffers.at(0));
    return known(r.buffers.at(1));
}
/// Returns code in which invocation 0 executes `body` and the other invocations execute `others`.
std::string by_first(const std::string& body, const std::string& others = "") {
    return "USEQ TEMP[0].x, SV[0].xxxx, IMM[0].xxxx\nUIF TEMP[0].xxxx\n" + body +
           (others.empty() ? "" : "ELSE\n" + others) + "ENDIF\n";
}
const std::string kAddOwn = "ATOMUADD TEMP[1].x, MEMORY[0], IMM[0].xxxx, SV[0].xxxx\n";
const std::string kLoadWord = "LOAD TEMP[5].x, MEMORY[0], IMM[0].xxxx\n";
const std::string kBarrier = "BARRIER\n";

TEST(Memory, ResultsOfAtomicsAreKnownAfterABarrier) {
    using testing::Each;
    const std::string all_clear = "STORE MEMORY[0].x, IMM[0].xxxx, IMM[0].yyyy\n" + kBarrier;
    const std::string one_clears = by_first("STORE MEMORY[0].x, IMM[0].xxxx, IMM[0].yyyy\n") + kBarrier;
    for (const std::string& clear : {all_clear, one_clears}) {
        EXPECT_THAT(found_by_each(clear + kAddOwn + kBarrier + kLoadWord), Each(7));
        EXPECT_THAT(found_by_each(clear + kAddOwn + kAddOwn + kBarrier + kBarrier + kLoadWord), Each(13));
        // Within the same phase, and in the value that an atomic returns, the order is visible.
        EXPECT_THAT(found_by_each(clear + kAddOwn + kLoadWord), Each(kFree));
        EXPECT_THAT(found_by_each(clear + kLoadWord + kAddOwn), Each(kFree));
        EXPECT_THAT(found_by_each(clear + kAddOwn + kBarrier + "MOV TEMP[5].x, TEMP[1].xxxx\n"), Each(kFree));
        // Before the barrier nothing was contended; after it, atomics of another kind may follow.
        EXPECT_THAT(found_by_each(clear + kLoadWord + kBarrier + kAddOwn), Each(1));
        EXPECT_THAT(found_by_each(clear + kAddOwn + kBarrier +
                                  "ATOMUMAX TEMP[1].x, MEMORY[0], IMM[0].xxxx, IMM[1].yyyy\n" + kBarrier + kLoadWord),
                    Each(8));
        EXPECT_THAT(found_by_each(clear + kAddOwn + kBarrier +
                                  by_first("ATOMUADD TEMP[5].x, MEMORY[0], IMM[0].xxxx, IMM[0].wwww\n")),
                    ElementsAre(7, 0, 0, 0));
    }
    // Without a barrier, the clearing store races, too.
    EXPECT_THAT(
        found_by_each(by_first("STORE MEMORY[0].x, IMM[0].xxxx, IMM[0].yyyy\n") + kAddOwn + kBarrier + kLoadWord),
        Each(kFree));
    // Each group has its own shared memory.
    EXPECT_THAT(
        found_by_each(all_clear + "ATOMUADD TEMP[1].x, MEMORY[0], IMM[0].xxxx, SV[1].xxxx\n" + kBarrier + kLoadWord, 2),
        ElementsAre(1, 1, 1, 1, 5, 5, 5, 5));
}

TEST(Memory, SumsOfOneFloatAreTheSameInEveryOrder) {
    const std::string half = "IMM[3] FLT32 {0.5, 1.0, 0.0, 0.0}\nSTORE MEMORY[0].x, IMM[0].xxxx, IMM[3].yyyy\n" +
                             kBarrier + "ATOMFADD TEMP[1].x, MEMORY[0], IMM[0].xxxx, IMM[3].xxxx\n";
    EXPECT_THAT(found_by_each(half + kBarrier + kLoadWord), testing::Each(as_word(3.0f)));
    EXPECT_THAT(found_by_each(half + "MOV TEMP[5].x, TEMP[1].xxxx\n"), testing::Each(kFree));
}

TEST(Memory, OrderDependentWordsStayUnknownUntilOverwritten) {
    using testing::Each;
    const std::string clear = "STORE MEMORY[0].x, IMM[0].xxxx, IMM[0].yyyy\n" + kBarrier;
    const std::string races[] = {
        by_first(kAddOwn, "ATOMXOR TEMP[1].x, MEMORY[0], IMM[0].xxxx, IMM[0].zzzz\n"),
        by_first("STORE MEMORY[0].x, IMM[0].xxxx, IMM[0].zzzz\n", kAddOwn),
        "STORE MEMORY[0].x, IMM[0].xxxx, SV[0].xxxx\n",
        "ATOMXCHG TEMP[1].x, MEMORY[0], IMM[0].xxxx, SV[0].xxxx\n",
        "U2F TEMP[2].x, SV[0].xxxx\nATOMFADD TEMP[1].x, MEMORY[0], IMM[0].xxxx, TEMP[2].xxxx\n",
        "ATOMCAS TEMP[1].x, MEMORY[0], IMM[0].xxxx, IMM[0].yyyy, SV[0].xxxx\n",
        kAddOwn + "ATOMUADD TEMP[2].x, MEMORY[0], IMM[0].xxxx, TEMP[1].xxxx\n",
    };
    for (const std::string& race : races) {
        EXPECT_THAT(found_by_each(clear + race + kBarrier + kLoadWord), Each(kFree)) << race;
        EXPECT_THAT(found_by_each(clear + race + kBarrier + kAddOwn + kBarrier + kLoadWord), Each(kFree)) << race;
        EXPECT_THAT(found_by_each(clear + kLoadWord + kBarrier + race), Each(1)) << race;
        EXPECT_THAT(found_by_each(clear + race + kBarrier + by_first("STORE MEMORY[0].x, IMM[0].xxxx, IMM[0].wwww\n") +
                                  kBarrier + kAddOwn + kBarrier + kLoadWord),
                    Each(9))
            << race;
    }
}

TEST(Memory, ResultsOfAtomicsOfOneWorkGroupAreKnownAfterAFence) {
    using testing::Each;
    const std::string add = "ATOMUADD TEMP[1].x, BUFFER[0], IMM[0].xxxx, SV[0].xxxx\n",
                      load = "LOAD TEMP[5].x, BUFFER[0], IMM[0].xxxx, COHERENT\n",
                      fence = "MEMBAR IMM[0].yyyy\n" + kBarrier;
    EXPECT_THAT(found_by_each(add + fence + load), Each(6));
    EXPECT_THAT(found_by_each(add + kBarrier + load), Each(kFree));
    EXPECT_THAT(found_by_each(add + fence + "LOAD TEMP[5].x, BUFFER[0], IMM[0].xxxx\n"), Each(kFree));
    EXPECT_THAT(found_by_each(add + fence + load, 2), Each(kFree));
    // With one word per group, accesses of other groups elsewhere have no effect.
    EXPECT_THAT(found_by_each("UMUL TEMP[2].x, SV[1].xxxx, IMM[1].xxxx\n"
                              "ATOMUADD TEMP[1].x, BUFFER[0], TEMP[2].xxxx, IMM[0].yyyy\n" +
                                  fence + "LOAD TEMP[5].x, BUFFER[0], TEMP[2].xxxx, COHERENT\n",
                              2),
                Each(4));
    // Nothing orders a store in an earlier phase that is not coherent.
    const std::string first_store = by_first("STORE BUFFER[0].x, IMM[0].xxxx, IMM[0].yyyy\n") + fence,
                      coherent_store = by_first("STORE BUFFER[0].x, IMM[0].xxxx, IMM[0].yyyy, COHERENT\n") + fence;
    EXPECT_THAT(found_by_each(coherent_store + add + fence + load), Each(7));
    EXPECT_THAT(found_by_each(first_store + add + fence + load), Each(kFree));
}

TEST(Memory, RacesOfAWorkGroupInABufferEndWithThePhase) {
    const std::string race = "STORE BUFFER[0].x, IMM[0].xxxx, SV[0].xxxx, COHERENT\n",
                      fence = "MEMBAR IMM[0].yyyy\n" + kBarrier,
                      mend = by_first("STORE BUFFER[0].x, IMM[0].xxxx, IMM[0].wwww, COHERENT\n"),
                      other = by_first("STORE BUFFER[0].x, IMM[0].xxxx, IMM[0].wwww\n");
    const auto last = [](const std::string& body, uint32_t groups) {
        std::vector<uint32_t> words;
        found_by_each(body, groups, &words);
        return words[0];
    };
    EXPECT_EQ(last(race, 1), kFree);
    EXPECT_EQ(last(race + fence + mend, 1), 3u);
    EXPECT_EQ(last(race + kBarrier + mend, 1), kFree);
    EXPECT_EQ(last(race + fence + other, 1), kFree);
    // The second group stores the word that the race of the first group leaves in the reference's own order.
    const std::string first_races =
        "UIF SV[1].xxxx\nSTORE BUFFER[0].x, IMM[0].xxxx, IMM[0].wwww, COHERENT\nELSE\n" + race + "ENDIF\n";
    EXPECT_EQ(last(first_races, 2), kFree);
}

TEST(Memory, RacingStoresAgreeOnlyOnOneValue) {
    const std::string text = group(4,
                                   "STORE BUFFER[0].x, IMM[0].xxxx, IMM[0].wwww\n"
                                   "STORE BUFFER[0].x, IMM[1].xxxx, SV[0].xxxx\n"
                                   "UMUL TEMP[0].x, SV[0].xxxx, IMM[1].xxxx\n"
                                   "STORE BUFFER[1].x, TEMP[0].xxxx, SV[0].xxxx\n");
    const Result r = run(text, with({0, 0, 5}, {9, 9, 9, 9, 9}));
    EXPECT_THAT(known(r.buffers.at(0)), ElementsAre(3, kFree, 5));
    EXPECT_THAT(known(r.buffers.at(1)), ElementsAre(0, 1, 2, 3, 9));
}

TEST(Memory, ALoadBeforeARacingStoreIsUnknownToo) {
    // In the reference's order, invocation 3 stores after the others have loaded.
    const std::string text = group(4,
                                   "LOAD TEMP[0].x, BUFFER[0], IMM[0].xxxx\n"
                                   "USEQ TEMP[1].x, SV[0].xxxx, IMM[0].wwww\nUIF TEMP[1].xxxx\n"
                                   "STORE BUFFER[0].x, IMM[0].xxxx, IMM[0].zzzz\nENDIF\n"
                                   "UMUL TEMP[2].x, SV[0].xxxx, IMM[1].xxxx\n"
                                   "STORE BUFFER[1].x, TEMP[2].xxxx, TEMP[0].xxxx\n");
    const Result r = run(text, with({7}, {9, 9, 9, 9}));
    EXPECT_THAT(known(r.buffers.at(0)), ElementsAre(2));
    EXPECT_THAT(plain(r.buffers.at(1)), ElementsAre(7, 7, 7, 7));
    for (const Component& c : r.buffers.at(1)) EXPECT_TRUE(is_unknown(c));
}

TEST(Memory, AnInvocationSeesItsOwnStores) {
    const std::string text =
        group(4,
              "UMUL TEMP[0].x, SV[0].xxxx, IMM[1].xxxx\n"
              "STORE BUFFER[0].x, TEMP[0].xxxx, SV[0].xxxx\nLOAD TEMP[1].x, BUFFER[0], TEMP[0].xxxx\n"
              "UADD TEMP[1].x, TEMP[1].xxxx, IMM[0].yyyy\n"
              "STORE MEMORY[1].x, IMM[0].xxxx, TEMP[1].xxxx\nLOAD TEMP[2].x, MEMORY[1], IMM[0].xxxx\n"
              "STORE BUFFER[0].x, TEMP[0].xxxx, TEMP[2].xxxx\n");
    EXPECT_THAT(known(run(text, with({9, 9, 9, 9})).buffers.at(0)), ElementsAre(1, 2, 3, 4));
}

TEST(Memory, AStoreToAnUnknownAddressMakesTheBufferUnknown) {
    // The order of the counter's values is unknown, so the words that they address are unknown, too.
    const std::string text =
        group(4,
              "ATOMUADD TEMP[0].x, BUFFER[1], IMM[0].xxxx, IMM[1].xxxx\n"
              "STORE BUFFER[0].x, TEMP[0].xxxx, IMM[0].wwww\n"
              "LOAD TEMP[1].x, BUFFER[0], IMM[0].xxxx\nSTORE BUFFER[2].x, IMM[0].xxxx, TEMP[1].xxxx\n"
              "STORE BUFFER[2].x, IMM[1].xxxx, IMM[0].wwww\n");
    Inputs in = with({9, 9, 9, 9, 9}, {0});
    in.buffers[2] = {1, 1};
    const Result r = run(text, in);
    EXPECT_THAT(plain(r.buffers.at(0)), ElementsAre(3, 3, 3, 3, 9));
    EXPECT_THAT(known(r.buffers.at(0)), ElementsAre(kFree, kFree, kFree, kFree, kFree));
    EXPECT_THAT(known(r.buffers.at(1)), ElementsAre(16));
    EXPECT_THAT(known(r.buffers.at(2)), ElementsAre(kFree, 3));
}

TEST(Memory, KilledInvocationsWriteNothing) {
    Inputs in = with({0, 0});
    in.lanes = 4;
    in.inputs[{0, 0}] = {{0}, {1}, {2}, {3}};
    const std::string text =
        R"(FRAG
DCL IN[0], GENERIC[0], CONSTANT
DCL OUT[0], COLOR
DCL BUFFER[0]
DCL TEMP[0..1]
IMM[0] UINT32 {0, 1, 4, 2}
USLT TEMP[0].x, IN[0].xxxx, IMM[0].wwww
UIF TEMP[0].xxxx
KILL
ENDIF
ATOMUADD TEMP[1].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy
STORE BUFFER[0].x, IMM[0].zzzz, IMM[0].wwww
MOV OUT[0], TEMP[1]
END
)";
    const Result r = run(text, in);
    EXPECT_THAT(known(r.buffers.at(0)), ElementsAre(2, 2));
    EXPECT_EQ(r.killed, (std::vector<bool>{true, true, false, false}));
}

TEST(Memory, StagesBeforeFragmentsMayBeExecutedMoreThanOnce) {
    // Vulkan says "at least once" for each of these, but not for FRAG and COMP.
    const std::pair<std::string, bool> stages[] = {
        {"VERT\nDCL SV[0], VERTEXID\nDCL OUT[0], GENERIC[0]\n", true},
        {R"(TESS_CTRL
PROPERTY TCS_VERTICES_OUT 1
DCL SV[0], PRIM_ID
DCL OUT[0], PATCH[0]
)",
         true},
        {R"(TESS_EVAL
PROPERTY TES_PRIM_MODE 4
DCL SV[0], PRIM_ID
DCL OUT[0], GENERIC[0]
)",
         true},
        {R"(GEOM
PROPERTY GS_INPUT_PRIMITIVE POINTS
PROPERTY GS_OUTPUT_PRIMITIVE POINTS
PROPERTY GS_MAX_OUTPUT_VERTICES 1
DCL SV[0], PRIM_ID
DCL OUT[0], GENERIC[0]
)",
         true},
        {"FRAG\nDCL SV[0], PRIM_ID\nDCL OUT[0], COLOR\n", false},
    };
    for (const auto& [head, repeats] : stages) {
        SCOPED_TRACE(head);
        Inputs in = with({0, 0, 0});
        in.lanes = in.patches = 3;
        in.system_values[0] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {2, 0, 0, 0}};
        const std::string text = head +
                                 R"(DCL BUFFER[0]
DCL TEMP[0]
IMM[0] UINT32 {0, 1, 4, 8}
ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy
ATOMUMAX TEMP[0].x, BUFFER[0], IMM[0].zzzz, SV[0].xxxx
STORE BUFFER[0].x, IMM[0].wwww, IMM[0].wwww
MOV OUT[0], TEMP[0].xxxx
END
)";
        const Result r = run(text, in);
        EXPECT_THAT(plain(r.buffers.at(0)), ElementsAre(3, 2, 8));
        EXPECT_THAT(known(r.buffers.at(0)), ElementsAre(repeats ? kFree : 3, 2, 8));
    }
}

TEST(Memory, IdempotentAtomicsOfRepeatedVerticesAreKnown) {
    // 9 & 12 is 8, and the minimum of 8 and 5 is 5; when repeated, 5 & 12 is 4.
    Inputs in = with({9, 1, 7, 1});
    in.lanes = 1;
    const std::string text =
        R"(VERT
DCL OUT[0], GENERIC[0]
DCL BUFFER[0]
DCL TEMP[0]
IMM[0] UINT32 {0, 4, 8, 12}
IMM[1] UINT32 {5, 2, 1, 3}
ATOMAND TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].wwww
ATOMUMIN TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[1].xxxx
ATOMCAS TEMP[0].x, BUFFER[0], IMM[0].yyyy, IMM[1].yyyy, IMM[1].wwww
ATOMCAS TEMP[0].x, BUFFER[0], IMM[0].yyyy, IMM[1].zzzz, IMM[1].yyyy
ATOMXCHG TEMP[0].x, BUFFER[0], IMM[0].zzzz, IMM[1].xxxx
ATOMAND TEMP[0].x, BUFFER[0], IMM[0].zzzz, IMM[0].wwww
ATOMCAS TEMP[0].x, BUFFER[0], IMM[0].wwww, IMM[1].zzzz, IMM[1].yyyy
MOV OUT[0], TEMP[0].xxxx
END
)";
    EXPECT_THAT(known(run(text, in).buffers.at(0)), ElementsAre(kFree, kFree, 4, 2));
}

TEST(Memory, ConstantBuffersAndNamedMemories) {
    Inputs in = with({0, 0, 0, 0, 0, 0, 0, 0});
    in.constants[2] = {11, 12, 13};
    in.buffers[tgsi::kGlobalMemory] = {21, 22};
    in.buffers[tgsi::kInputMemory] = {31};
    const std::string text = group(1,
                                   R"(DCL RES[1], BUFFER, RAW, WR
LOAD TEMP[0], CONSTBUF[2], IMM[1].xxxx
STORE BUFFER[0], IMM[0].xxxx, TEMP[0]
LOAD TEMP[1].x, RGLOBAL, IMM[1].xxxx
STORE BUFFER[0].x, IMM[1].wwww, TEMP[1]
LOAD TEMP[2].x, RINPUT, IMM[0].xxxx
IMM[2] UINT32 {20, 24, 28, 0}
STORE BUFFER[0].x, IMM[2].xxxx, TEMP[2]
STORE RLOCAL.x, IMM[0].xxxx, IMM[0].wwww
LOAD TEMP[3].x, RLOCAL, IMM[0].xxxx
STORE BUFFER[0].x, IMM[2].yyyy, TEMP[3]
STORE RPRIVATE.x, IMM[0].xxxx, IMM[0].zzzz
LOAD TEMP[4].x, RPRIVATE, IMM[0].xxxx
STORE BUFFER[0].x, IMM[2].zzzz, TEMP[4]
STORE RES[1].y, IMM[0].xxxx, IMM[0].wwww
STORE RGLOBAL.x, IMM[0].xxxx, IMM[0].wwww
)");
    in.buffers[1] = {5, 5};
    const Result r = run(text, in);
    EXPECT_THAT(known(r.buffers.at(0)), ElementsAre(12, 13, 0, 0, 22, 31, 3, 2));
    EXPECT_THAT(known(r.buffers.at(1)), ElementsAre(5, 3));
    EXPECT_THAT(known(r.buffers.at(tgsi::kGlobalMemory)), ElementsAre(3, 22));
}

TEST(Memory, ABoundedDoubleKeepsItsBoundsInMemory) {
    Options options;
    options.doubles_as_single = true;
    Inputs in = with({0, 0, 0, 0});
    const std::string text = group(1,
                                   "IMM[2] FLT64 {1.0, 3.0}\nDDIV TEMP[0].xy, IMM[2].xyxy, IMM[2].zwzw\n"
                                   "STORE BUFFER[0].xy, IMM[1].xxxx, TEMP[0]\n");
    const Result r = run(text, in, options);
    const auto& words = r.buffers.at(0);
    ASSERT_TRUE(is_pair(words[1], words[2]));
    EXPECT_TRUE(permits(join_halves(words[1], words[2]), std::bit_cast<uint64_t>(1.0 / 3)));
    EXPECT_FALSE(permits(join_halves(words[1], words[2]), std::bit_cast<uint64_t>(0.3334)));
}

}  // namespace
}  // namespace tgsi2spv::reference
