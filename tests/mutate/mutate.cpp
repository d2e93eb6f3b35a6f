// Mutants: each is valid, differs from the module in one place, and makes a device give other answers.
#include "mutate/mutate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <spirv-tools/libspirv.hpp>

#include "api/convert.h"
#include "generate/generate.h"
#include "mutate/equal.h"
#include "mutate/run.h"

namespace tgsi2spv::difftest {
namespace {

std::vector<uint32_t> module_of(std::string_view text) {
    api::Context context;
    EXPECT_TRUE(api::convert(context, text, {}));
    return {context.words.begin(), context.words.end()};
}

bool has(const std::vector<Mutation>& all, MutationKind kind, std::string_view what) {
    return std::any_of(all.begin(), all.end(),
                       [&](const Mutation& m) { return m.kind == kind && m.what.find(what) != std::string::npos; });
}

constexpr const char* kText =
    "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL TEMP[0..1]\n"
    "IMM[0] FLT32 {0.5, 2, 0, 1}\n"
    "SUB TEMP[0], IN[0], IN[0].yzwx\n"
    "FSLT TEMP[1].x, TEMP[0].xxxx, IMM[0].xxxx\n"
    "UIF TEMP[1].xxxx\nMUL TEMP[0], TEMP[0], IMM[0].yyyy\nENDIF\n"  // becomes a selection
    "UIF TEMP[1].xxxx\nTXL TEMP[0], TEMP[0], SAMP[0], 2D\nENDIF\n"  // stays a branch
    "TXL TEMP[1], TEMP[0], SAMP[0], 2D\nADD OUT[0], TEMP[0], TEMP[1]\nEND\n";

TEST(Mutate, NamesItsEdits) {
    const auto all = mutations_of(module_of(kText));
    EXPECT_TRUE(has(all, MutationKind::Operation, "FSub: becomes FAdd"));
    EXPECT_TRUE(has(all, MutationKind::Operand, "FSub: operand 0"));
    EXPECT_TRUE(has(all, MutationKind::Constant, "0x3f000000 becomes 0xbf000000"));
    EXPECT_TRUE(has(all, MutationKind::ImageOperand, "ImageSampleExplicitLod"));
    EXPECT_TRUE(has(all, MutationKind::Operand, "Select: operand 1"));
    EXPECT_TRUE(has(all, MutationKind::ControlEdge, "BranchConditional: branch targets swapped"));
    EXPECT_TRUE(has(all, MutationKind::PhiInput, "Phi: values of two edges swapped"));
}

/// Components that are never read, and shuffle operands that no index selects, are not mutated.
TEST(Mutate, LeavesOutUnreadComponents) {
    const auto words = module_of(
        "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL IN[1], GENERIC[1], CONSTANT\nDCL OUT[0], COLOR\nDCL TEMP[0]\n"
        "ADD TEMP[0], IN[0], IN[1]\nMOV OUT[0], TEMP[0].xyxy\nEND\n");
    EXPECT_TRUE(has(mutations_of(words), MutationKind::Operation, "FAdd: becomes FSub"));
    EXPECT_FALSE(has(mutations_of(words), MutationKind::Operand, "VectorShuffle: operand 1"));
}

/// The same for components of functions and of constants.
TEST(Mutate, LeavesOutComponentsOfFunctions) {
    const auto words = module_of(
        "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nDCL TEMP[0]\nIMM[0] FLT32 {0.25, 3, 5, 7}\n"
        "MIN TEMP[0], IN[0], IMM[0]\nMOV OUT[0].xy, TEMP[0]\nEND\n");
    EXPECT_TRUE(has(mutations_of(words), MutationKind::Constant, "0x3e800000"));
    EXPECT_TRUE(has(mutations_of(words), MutationKind::Constant, "0x40400000"));
    EXPECT_FALSE(has(mutations_of(words), MutationKind::Constant, "0x40a00000"));
    EXPECT_FALSE(has(mutations_of(words), MutationKind::Constant, "0x40e00000"));
}

std::vector<uint32_t> buffers_module(std::string_view text) {
    api::Context context;
    api::Options options;
    options.lower.io_buffers = true;
    EXPECT_TRUE(api::convert(context, text, options));
    return {context.words.begin(), context.words.end()};
}

/// Lanes past the last one store nothing, so it does not matter what they read in place of their own words. The
/// condition itself and the values that lanes store do matter.
TEST(Mutate, LeavesOutSelectedValuesThatAreNotStored) {
    const auto words = buffers_module("VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nADD OUT[0], IN[0], IN[0].yxwz\nEND\n");
    const auto all = mutations_of(words);
    EXPECT_TRUE(has(all, MutationKind::Operand, "Select: operand 1"));
    EXPECT_FALSE(has(all, MutationKind::Operand, "Select: operand 2"));
    EXPECT_TRUE(has(all, MutationKind::Operation, "ULessThan: becomes UGreaterThanEqual"));
    // Both arms of a selection that is stored matter.
    const auto stored = buffers_module(
        "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nUCMP OUT[0], IN[0].xxxx, IN[0].yyyy, IN[0].zzzz\nEND\n");
    EXPECT_TRUE(has(mutations_of(stored), MutationKind::Operand, "Select: operand 2"));
}

TEST(Mutate, LeavesOutStridesOfFirstElements) {
    const auto module = [](const char* constants, const char* used) {
        return buffers_module(std::string("VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nDCL CONST[0]") + constants +
                              "\nADD OUT[0], IN[0], CONST[0]" + used + "\nEND\n");
    };
    EXPECT_FALSE(has(mutations_of(module("[0]", "[0]")), MutationKind::Interface, "stride 16"));
    EXPECT_TRUE(has(mutations_of(module("[0..1]", "[1]")), MutationKind::Interface, "stride 16"));
    // A buffer whose length is queried is another array, and keeps its stride.
    const auto stored = buffers_module(
        "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nDCL CONST[0][0]\nDCL BUFFER[0]\n"
        "ADD OUT[0], IN[0], CONST[0][0]\nSTORE BUFFER[0].x, IN[0].xxxx, IN[0].yyyy\nEND\n");
    EXPECT_FALSE(has(mutations_of(stored), MutationKind::Interface, "stride 16"));
    EXPECT_TRUE(has(mutations_of(stored), MutationKind::Interface, "stride 4"));
}

/// The value of a clock is unknown.
TEST(Mutate, LeavesOutClocks) {
    const auto words = buffers_module(
        "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nDCL TEMP[0]\nCLOCK TEMP[0].xy\n"
        "UADD OUT[0].x, TEMP[0].xxxx, IN[0].xxxx\nISHR OUT[0].y, IN[0].xxxx, IN[0].yyyy\nEND\n");
    const auto all = mutations_of(words);
    EXPECT_TRUE(has(all, MutationKind::Operation, "ShiftRightArithmetic"));
    for (const auto& m : all) EXPECT_EQ(m.what.find("Bitcast"), std::string::npos) << m.what;
}

/// A branch that decides whether an unknown word is stored has no visible effect; the address of the store has, because
/// the other words are known.
TEST(Mutate, LeavesOutBranchesAroundClocks) {
    const auto module = [](const char* stored) {
        return buffers_module(std::string("VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nDCL BUFFER[0]\nDCL TEMP[0]\n"
                                          "CLOCK TEMP[0].xy\nSTORE BUFFER[0].x, IN[0].xxxx, ") +
                              stored + "\nMOV OUT[0], IN[0]\nEND\n");
    };
    const auto swaps = [](const std::vector<Mutation>& all) {
        return std::count_if(all.begin(), all.end(),
                             [](const Mutation& m) { return m.kind == MutationKind::ControlEdge; });
    };
    const auto clock = mutations_of(module("TEMP[0].xxxx"));
    EXPECT_EQ(swaps(clock) + 1, swaps(mutations_of(module("IN[0].yyyy"))));
    EXPECT_TRUE(has(clock, MutationKind::Operation, "ShiftRightLogical"));
}

/// Only x of the array is read, so stores to the other components have no effect. An index may read all elements.
TEST(Mutate, LeavesOutUnreadComponentsOfArrays) {
    const auto words = buffers_module(
        "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nDCL TEMP[0..3], ARRAY(1)\nDCL TEMP[4]\nDCL ADDR[0]\n"
        "UARL ADDR[0].x, IN[0].wwww\nMUL TEMP[1].x, IN[0].xxxx, IN[0].yyyy\nADD TEMP[2].y, IN[0].xxxx, IN[0].yyyy\n"
        "MOV OUT[0].x, TEMP[ADDR[0].x](1).xxxx\nEND\n");
    const auto all = mutations_of(words);
    EXPECT_TRUE(has(all, MutationKind::Operation, "FMul"));
    EXPECT_FALSE(has(all, MutationKind::Operation, "FAdd: becomes"));
    // Registers that a subroutine writes also live in memory.
    const auto called = mutations_of(buffers_module(
        "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nDCL TEMP[0..1]\n0: CAL :3\n1: MOV OUT[0].x, TEMP[0].xxxx\n2: END\n"
        "3: BGNSUB\n4: MUL TEMP[0].x, IN[0].xxxx, IN[0].yyyy\n5: ADD TEMP[1].y, IN[0].xxxx, IN[0].yyyy\n"
        "6: SUB TEMP[1].z, TEMP[1].yyyy, IN[0].zzzz\n7: RET\n8: ENDSUB\n"));
    EXPECT_TRUE(has(called, MutationKind::Operation, "FMul: becomes"));
    EXPECT_FALSE(has(called, MutationKind::Operation, "FAdd: becomes"));
    EXPECT_FALSE(has(called, MutationKind::Operation, "FSub: becomes"));
}

/// A register is stored as a whole, but only x is used after the load.
TEST(Mutate, LeavesOutUnreadComponentsOfStores) {
    const auto all = mutations_of(
        buffers_module("VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nDCL TEMP[0..1]\nIMM[0] UINT32 {3, 5, 9, 17}\n"
                       "0: AND TEMP[0], IN[0], IMM[0]\n1: CAL :4\n2: MOV OUT[0].x, TEMP[1].xxxx\n3: END\n"
                       "4: BGNSUB\n5: UADD TEMP[1].x, TEMP[0].xxxx, IN[0].yyyy\n6: RET\n7: ENDSUB\n"));
    EXPECT_TRUE(has(all, MutationKind::Constant, "0x00000003 becomes"));
    EXPECT_FALSE(has(all, MutationKind::Constant, "0x00000009 becomes"));
    EXPECT_FALSE(has(all, MutationKind::Constant, "0x00000011 becomes"));
}

/// Any one of the vertices that the tessellator makes of a patch may do a lane's work.
TEST(Mutate, LeavesOutWhichVertexDoesTheWork) {
    const char* const text =
        "TESS_EVAL\nPROPERTY TES_PRIM_MODE QUADS\nDCL IN[][0], GENERIC[0]\n"
        "DCL OUT[0], GENERIC[0]\nADD OUT[0], IN[0][0], IN[1][0]\nEND\n";
    const auto all = mutations_of(buffers_module(text));
    EXPECT_TRUE(has(all, MutationKind::Operation, "FAdd"));
    EXPECT_FALSE(has(all, MutationKind::Operation, "FOrdEqual"));
    EXPECT_FALSE(has(all, MutationKind::ControlEdge, ""));
}

/// The optimiser makes the same words only of equal modules.
TEST(Mutate, EqualModulesAreTheSameAfterOptimisation) {
    const auto words = buffers_module(
        "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nDCL TEMP[0]\nIMM[0] UINT32 {3, 5, 0, 0}\n"
        "AND TEMP[0].x, IN[0].xxxx, IMM[0].xxxx\nUADD OUT[0].x, TEMP[0].xxxx, IN[0].yyyy\nEND\n");
    EXPECT_TRUE(same_when_optimised(words, words, std::nullopt));
    uint32_t compared = 0;
    for (const auto& m : mutations_of(words)) {
        if (m.kind != MutationKind::Operation) continue;
        EXPECT_FALSE(same_when_optimised(words, mutated(words, m), std::nullopt)) << m.what;
        compared++;
    }
    EXPECT_GT(compared, 3u);
}

/// A shift amount is masked. The mask of an immediate amount is redundant, but the optimiser sees that only if it knows
/// the zero that hides immediates.
TEST(Mutate, EqualKnowsTheZeroThatHidesImmediates) {
    api::Context context;
    api::Options options;
    options.lower.io_buffers = true;
    options.lower.workarounds.opaque_immediates = true;
    ASSERT_TRUE(api::convert(context,
                             "VERT\nDCL IN[0]\nDCL OUT[0], GENERIC[0]\nIMM[0] UINT32 {3, 5, 0, 0}\n"
                             "SHL OUT[0].x, IN[0].xxxx, IMM[0].xxxx\nEND\n",
                             options));
    std::optional<ZeroWord> zero;
    for (const auto& r : api::reflect(context, options).resources)
        if (r.kind == ir::VariableKind::IoBuffer && r.index == 2) zero = ZeroWord{r.binding.set, r.binding.binding};
    ASSERT_TRUE(zero);
    const std::vector<uint32_t> masked(context.words.begin(), context.words.end());
    auto unmasked = masked;
    constexpr uint32_t kHeader = 5, kBitwiseAnd = 199;
    uint32_t masks = 0;
    for (size_t at = kHeader; at < unmasked.size(); at += unmasked[at] >> 16)
        if ((unmasked[at] & 0xffff) == kBitwiseAnd) {
            unmasked[at + 4] = unmasked[at + 3];
            masks++;
        }
    ASSERT_EQ(masks, 1u);
    EXPECT_TRUE(same_when_optimised(masked, unmasked, zero));
    EXPECT_FALSE(same_when_optimised(masked, unmasked, std::nullopt));
}

TEST(Mutate, ChangesOneInstruction) {
    uint32_t mutants = 0;
    for (uint64_t seed = 0; seed < 3; seed++) {
        const auto words = module_of(generate_program(seed));
        for (const auto& m : mutations_of(words)) {
            ASSERT_FALSE(m.edits.empty());
            const auto broken = mutated(words, m);
            ASSERT_EQ(broken.size(), words.size());
            uint32_t changed = 0;
            constexpr size_t kHeader = 5;
            EXPECT_TRUE(std::equal(words.begin(), words.begin() + kHeader, broken.begin())) << m.what;
            for (size_t at = kHeader; at < words.size(); at += words[at] >> 16) {
                const auto begin = words.begin() + static_cast<ptrdiff_t>(at);
                changed += !std::equal(begin, begin + (words[at] >> 16), broken.begin() + static_cast<ptrdiff_t>(at));
            }
            EXPECT_EQ(changed, 1u) << m.what;
            mutants++;
        }
    }
    EXPECT_GT(mutants, 100u);
}

/// Mutants that the validator rejects are discarded before they reach a device, so most must be valid.
TEST(Mutate, MostAreValid) {
    spvtools::SpirvTools validator{SPV_ENV_VULKAN_1_2};
    validator.SetMessageConsumer([](spv_message_level_t, const char*, const spv_position_t&, const char*) {});
    uint32_t valid = 0, all = 0;
    for (uint64_t seed = 20; seed < 22; seed++) {
        const auto words = module_of(generate_program(seed));
        for (const auto& m : mutations_of(words)) {
            all++;
            valid += validator.Validate(mutated(words, m)) ? 1 : 0;
        }
    }
    EXPECT_GT(all, 100u);
    EXPECT_GT(valid, all * 9 / 10);
}

TEST(Mutate, TakesNoModuleForOne) {
    EXPECT_TRUE(mutations_of({}).empty());
    const uint32_t cut[] = {0x07230203, 0x00010300, 0, 10, 0, 0x00050036};
    EXPECT_TRUE(mutations_of(cut).empty());
}

TEST(Mutate, LinesComeBack) {
    const MutationLine line{MutationLine::What::Survived, 7, MutationKind::PhiInput, "%4 Phi: two edges"};
    MutationLine back;
    ASSERT_TRUE(read(write(line), back));
    EXPECT_EQ(back.what, line.what);
    EXPECT_EQ(back.number, 7u);
    EXPECT_EQ(back.kind, line.kind);
    EXPECT_EQ(back.text, line.text);
    EXPECT_FALSE(read("0 1", back));
    EXPECT_FALSE(read("99 1 0 x", back));
    EXPECT_FALSE(read("lavapipe says hello", back));
}

}  // namespace
}  // namespace tgsi2spv::difftest
