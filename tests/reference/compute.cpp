// COMP: numbering of invocations, shared memory, barriers and fences (semantics: Memory; Vulkan: either all invocations
// of a group reach a barrier, or none do).
#include <gmock/gmock.h>

#include "reference/bench.h"

namespace tgsi2spv::reference {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr uint32_t kFree = 0xfee1fee1;
std::vector<uint32_t> known(const std::vector<Component>& words) {
    std::vector<uint32_t> all;
    for (const Component& c : words) all.push_back(is_exact(c) ? c.words[0] : kFree);
    return all;
}

const std::string kDeclarations =
    R"(DCL SV[0], THREAD_ID
DCL SV[1], BLOCK_ID
DCL SV[2], BLOCK_SIZE
DCL SV[3], GRID_SIZE
DCL TEMP[0..7]
DCL BUFFER[0..1]
DCL MEMORY[0], SHARED
IMM[0] UINT32 {0, 1, 2, 3}
IMM[1] UINT32 {4, 8, 12, 16}
)";

std::string comp(std::array<uint32_t, 3> block, const std::string& body) {
    return "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH " + std::to_string(block[0]) + "\nPROPERTY CS_FIXED_BLOCK_HEIGHT " +
           std::to_string(block[1]) + "\nPROPERTY CS_FIXED_BLOCK_DEPTH " + std::to_string(block[2]) + "\n" +
           kDeclarations + body + "END\n";
}

Inputs with(std::vector<uint32_t> buffer, std::array<uint32_t, 3> grid = {1, 1, 1}) {
    Inputs in;
    in.buffers[0] = std::move(buffer);
    in.grid = grid;
    in.shared_words = 8;
    return in;
}

/// TEMP[0].x is four times the invocation's number in its group of four.
const std::string kOwn = "UMUL TEMP[0].x, SV[0].xxxx, IMM[1].xxxx\n";

TEST(Compute, SizesHaveOneInTheLastComponentAndIdsZero) {
    const Shader s = shader(
        R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 2
PROPERTY CS_FIXED_BLOCK_HEIGHT 2
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL BUFFER[0]
DCL SV[0], BLOCK_SIZE
DCL SV[1], GRID_SIZE
DCL SV[2], BLOCK_ID
DCL SV[3], THREAD_ID
IMM[0] UINT32 {0, 16, 32, 48}
STORE BUFFER[0], IMM[0].xxxx, SV[0]
STORE BUFFER[0], IMM[0].yyyy, SV[1]
STORE BUFFER[0].w, IMM[0].zzzz, SV[2]
STORE BUFFER[0].w, IMM[0].wwww, SV[3]
END
)");
    ASSERT_EQ(s.error, "");
    for (const bool given : {false, true}) {
        Inputs in;
        in.lanes = 4;
        in.grid = {1, 1, 1};
        in.buffers[0].assign(16, 7);
        if (given) {
            in.system_values[0].assign(4, {2, 2, 1, 9});
            in.system_values[2].assign(4, {0, 0, 0, 9});
        }
        const Result r = run(s.program, s.registers, in, {});
        ASSERT_EQ(r.error, "");
        std::vector<uint32_t> words;
        for (const Value& v : r.buffers.at(0)) words.push_back(v.value);
        EXPECT_EQ(words, (std::vector<uint32_t>{2, 2, 1, 1, 1, 1, 1, 1, 7, 7, 7, 0, 7, 7, 7, 0})) << given;
    }
}

TEST(Compute, InvocationsAreNumberedXFastest) {
    // Each invocation of 2x2 groups of 2x1x2 stores its place at its own word, as decimal digits: block y, block x,
    // thread z, thread x.
    const std::string body =
        "UMAD TEMP[0].x, SV[0].zzzz, SV[2].xxxx, SV[0].xxxx\nUMAD TEMP[1].x, SV[1].yyyy, SV[3].xxxx, SV[1].xxxx\n"
        "UMAD TEMP[2].x, TEMP[1].xxxx, IMM[1].xxxx, TEMP[0].xxxx\nUMUL TEMP[2].x, TEMP[2].xxxx, IMM[1].xxxx\n"
        "IMM[2] UINT32 {10, 100, 1000, 0}\nUMUL TEMP[3].x, SV[1].xxxx, IMM[2].yyyy\n"
        "UMAD TEMP[3].x, SV[1].yyyy, IMM[2].zzzz, TEMP[3].xxxx\nUMAD TEMP[3].x, SV[0].zzzz, IMM[2].xxxx, TEMP[3].xxxx\n"
        "UADD TEMP[3].x, TEMP[3].xxxx, SV[0].xxxx\nSTORE BUFFER[0].x, TEMP[2].xxxx, TEMP[3].xxxx\n";
    const Result r = run(comp({2, 1, 2}, body), with(std::vector<uint32_t>(16, 9), {2, 2, 1}));
    EXPECT_THAT(known(r.buffers.at(0)),
                ElementsAre(0, 1, 10, 11, 100, 101, 110, 111, 1000, 1001, 1010, 1011, 1100, 1101, 1110, 1111));
}

TEST(Compute, AVariableWorkGroupIsTheCasesOrFour) {
    const std::string text = "COMP\n" + kDeclarations + kOwn + "STORE BUFFER[0].x, TEMP[0].xxxx, SV[2].xxxx\nEND\n";
    EXPECT_THAT(known(run(text, with({0, 0, 0, 0, 9})).buffers.at(0)), ElementsAre(4, 4, 4, 4, 9));
    Inputs in = with({0, 0, 0, 9});
    in.system_values[2] = {{2, 1, 1, 0}};
    EXPECT_THAT(known(run(text, in).buffers.at(0)), ElementsAre(2, 2, 0, 9));
}

TEST(Compute, ABarrierOrdersSharedMemory) {
    // Each invocation reads its neighbour's word.
    const std::string text = comp({4, 1, 1}, kOwn +
                                                 "STORE MEMORY[0].x, TEMP[0].xxxx, SV[0].xxxx\nBARRIER\n"
                                                 "XOR TEMP[1].x, TEMP[0].xxxx, IMM[1].xxxx\n"
                                                 "LOAD TEMP[2].x, MEMORY[0], TEMP[1].xxxx\n"
                                                 "STORE BUFFER[0].x, TEMP[0].xxxx, TEMP[2].xxxx\n");
    EXPECT_THAT(known(run(text, with({9, 9, 9, 9})).buffers.at(0)), ElementsAre(1, 0, 3, 2));
}

TEST(Compute, WithoutABarrierItRaces) {
    const std::string text = comp({4, 1, 1}, kOwn +
                                                 "STORE MEMORY[0].x, TEMP[0].xxxx, SV[0].xxxx\n"
                                                 "XOR TEMP[1].x, TEMP[0].xxxx, IMM[1].xxxx\n"
                                                 "LOAD TEMP[2].x, MEMORY[0], TEMP[1].xxxx\n"
                                                 "STORE BUFFER[0].x, TEMP[0].xxxx, TEMP[2].xxxx\n");
    EXPECT_THAT(known(run(text, with({9, 9, 9, 9})).buffers.at(0)), Each(kFree));
}

TEST(Compute, EachGroupHasItsSharedMemoryWhichStartsUndefined) {
    const std::string text =
        comp({1, 1, 1},
             "ATOMUADD TEMP[0].x, MEMORY[0], IMM[0].xxxx, IMM[0].yyyy\n"
             "STORE MEMORY[0].x, IMM[1].xxxx, SV[1].xxxx\nLOAD TEMP[1].x, MEMORY[0], IMM[1].xxxx\n"
             "UMUL TEMP[2].x, SV[1].xxxx, IMM[1].yyyy\nSTORE BUFFER[0].x, TEMP[2].xxxx, TEMP[0].xxxx\n"
             "UADD TEMP[2].x, TEMP[2].xxxx, IMM[1].xxxx\nSTORE BUFFER[0].x, TEMP[2].xxxx, TEMP[1].xxxx\n");
    const Result r = run(text, with({9, 9, 9, 9}, {2, 1, 1}));
    EXPECT_THAT(known(r.buffers.at(0)), ElementsAre(kFree, 0, kFree, 1));
    EXPECT_EQ(r.buffers.at(0)[2].value, 0u);
}

/// Returns a shader that stores to a buffer, executes `between`, and loads the neighbour's word.
std::string through_buffer(const std::string& between, const std::string& qualifier) {
    return comp({4, 1, 1}, kOwn + "STORE BUFFER[0].x, TEMP[0].xxxx, SV[0].xxxx" + qualifier + "\n" + between +
                               "XOR TEMP[1].x, TEMP[0].xxxx, IMM[1].xxxx\nLOAD TEMP[2].x, BUFFER[0], TEMP[1].xxxx" +
                               qualifier + "\nSTORE BUFFER[1].x, TEMP[0].xxxx, TEMP[2].xxxx\n");
}

TEST(Compute, BuffersNeedAFenceAsWell) {
    const auto second = [](const std::string& text) {
        Inputs in = with({9, 9, 9, 9});
        in.buffers[1] = {9, 9, 9, 9};
        return known(run(text, in).buffers.at(1));
    };
    EXPECT_THAT(second(through_buffer("MEMBAR IMM[0].yyyy\nBARRIER\n", ", COHERENT")), ElementsAre(1, 0, 3, 2));
    EXPECT_THAT(second(through_buffer("MEMBAR IMM[0].wwww\nBARRIER\n", ", COHERENT")), ElementsAre(1, 0, 3, 2));
    EXPECT_THAT(second(through_buffer("BARRIER\n", ", COHERENT")), Each(kFree));
    EXPECT_THAT(second(through_buffer("MEMBAR IMM[1].xxxx\nBARRIER\n", ", COHERENT")), Each(kFree));
    EXPECT_THAT(second(through_buffer("BARRIER\nMEMBAR IMM[0].yyyy\n", ", COHERENT")), Each(kFree));
    EXPECT_THAT(second(through_buffer("MEMBAR IMM[0].yyyy\nBARRIER\n", "")), Each(kFree));
}

TEST(Compute, BarriersInLoopsThatAllLeaveTogether) {
    // Sums eight words by repeated halving.
    const std::string text =
        comp({4, 1, 1},
             kOwn +
                 "LOAD TEMP[1].x, BUFFER[0], TEMP[0].xxxx\nSTORE MEMORY[0].x, TEMP[0].xxxx, TEMP[1].xxxx\nBARRIER\n"
                 "MOV TEMP[2].x, IMM[1].yyyy\nBGNLOOP\nUSEQ TEMP[3].x, TEMP[2].xxxx, IMM[0].zzzz\n"
                 "UIF TEMP[3].xxxx\nBRK\nENDIF\nUSLT TEMP[3].x, TEMP[0].xxxx, TEMP[2].xxxx\nUIF TEMP[3].xxxx\n"
                 "UADD TEMP[4].x, TEMP[0].xxxx, TEMP[2].xxxx\nLOAD TEMP[5].x, MEMORY[0], TEMP[4].xxxx\n"
                 "LOAD TEMP[6].x, MEMORY[0], TEMP[0].xxxx\nUADD TEMP[5].x, TEMP[5].xxxx, TEMP[6].xxxx\n"
                 "STORE MEMORY[0].x, TEMP[0].xxxx, TEMP[5].xxxx\nENDIF\nBARRIER\n"
                 "USHR TEMP[2].x, TEMP[2].xxxx, IMM[0].yyyy\nENDLOOP\nLOAD TEMP[7].x, MEMORY[0], IMM[0].xxxx\n"
                 "STORE BUFFER[0].x, IMM[1].wwww, TEMP[7].xxxx\n");
    EXPECT_THAT(known(run(text, with({1, 20, 300, 4000, 0})).buffers.at(0)), ElementsAre(1, 20, 300, 4000, 4321));
}

TEST(Compute, AGroupThatDoesNotArriveAsAWholeIsLost) {
    const std::string text =
        comp({4, 1, 1}, kOwn +
                            "STORE MEMORY[0].x, TEMP[0].xxxx, SV[0].xxxx\n"
                            "USLT TEMP[1].x, SV[0].xxxx, IMM[0].zzzz\nUIF TEMP[1].xxxx\nBARRIER\nENDIF\n"
                            "STORE BUFFER[0].x, TEMP[0].xxxx, SV[0].xxxx\n");
    const Result r = run(text, with({9, 9, 9, 9}));
    EXPECT_THAT(known(r.buffers.at(0)), Each(kFree));
    EXPECT_EQ(r.buffers.at(0)[3].value, 3u);
}

TEST(Compute, GroupsAreNeverOrdered) {
    const std::string text =
        comp({1, 1, 1},
             "LOAD TEMP[0].x, BUFFER[0], IMM[0].xxxx, VOLATILE\nUADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\n"
             "STORE BUFFER[0].x, IMM[0].xxxx, TEMP[0].xxxx, VOLATILE\nMEMBAR IMM[0].yyyy\nBARRIER\n");
    const Result r = run(text, with({5}, {3, 1, 1}));
    EXPECT_EQ(r.buffers.at(0)[0].value, 8u);  // the nominal execution runs them one after another
    EXPECT_TRUE(is_unknown(r.buffers.at(0)[0]));
}

TEST(Compute, AGridThatIsTooLargeIsRefused) {
    const Shader s = shader(comp({1024, 1, 1}, "NOP\n"));
    ASSERT_EQ(s.error, "");
    Inputs in = with({});
    in.grid = {65535, 1, 1};
    EXPECT_THAT(run(s.program, s.registers, in, {}).error, HasSubstr("invocations"));
}

TEST(Compute, MainBeginsAtTheEntry) {
    // Old texts contain several pieces: a subroutine ends at its ENDSUB, plain code at its RET.
    for (const bool branches : {false, true}) {
        Shader s = shader(
            R"(COMP
PROPERTY CS_FIXED_BLOCK_WIDTH 1
PROPERTY CS_FIXED_BLOCK_HEIGHT 1
PROPERTY CS_FIXED_BLOCK_DEPTH 1
DCL TEMP[0]
IMM[0] UINT32 {0, 1, 2, 3}
BGNSUB
STORE RGLOBAL.x, IMM[0].xxxx, IMM[0].yyyy
CAL :7
ENDSUB
)" + std::string(branches ? "BRA :6\n" : "NOP\n") +
            "STORE RGLOBAL.y, IMM[0].xxxx, IMM[0].zzzz\nRET\nBGNSUB\nSTORE RGLOBAL.z, IMM[0].xxxx, "
            "IMM[0].wwww\nENDSUB\n");
        ASSERT_EQ(s.error, "");
        Inputs in;
        in.buffers[132] = {9, 9, 9};
        const auto stored_from = [&](uint32_t entry) {
            s.program.entry = entry;
            const Result r = run(s.program, s.registers, in, {});
            EXPECT_EQ(r.error, "");
            return known(r.buffers.at(132));
        };
        EXPECT_THAT(stored_from(0), ElementsAre(1, 9, 3));
        EXPECT_THAT(stored_from(4), ElementsAre(9, branches ? 9 : 2, 9));
    }
}

}  // namespace
}  // namespace tgsi2spv::reference
