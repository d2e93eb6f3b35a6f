// What the analysis proves of a mutant: that no input distinguishes it from the module. Each pair of modules differs in
// one word.
#include "difftest/mutate/equal.h"

#include <spirv-tools/libspirv.hpp>

#include "difftest/mutate/pairs.h"
#include "difftest/mutate/values.h"

namespace tgsi2spv::difftest {

std::vector<uint32_t> module_of(const std::string& body) {
    const std::string text = R"(
OpCapability Shader
OpCapability Float64
OpCapability Int64
OpCapability GroupNonUniform
OpCapability GroupNonUniformBallot
%99 = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %1 "main" %9 %10 %74
OpExecutionMode %1 LocalSize 8 1 1
OpDecorate %6 ArrayStride 4
OpDecorate %7 Block
OpMemberDecorate %7 0 Offset 0
OpDecorate %9 DescriptorSet 0
OpDecorate %9 Binding 0
OpDecorate %10 BuiltIn LocalInvocationId
%2 = OpTypeVoid
%3 = OpTypeFunction %2
%4 = OpTypeInt 32 0
%5 = OpTypeFloat 32
%6 = OpTypeRuntimeArray %4
%7 = OpTypeStruct %6
%8 = OpTypePointer StorageBuffer %7
%9 = OpVariable %8 StorageBuffer
%11 = OpTypeVector %4 3
%12 = OpTypePointer Input %11
%10 = OpVariable %12 Input
%13 = OpTypePointer StorageBuffer %4
%14 = OpTypeBool
%15 = OpTypeFloat 64
%16 = OpConstant %15 0
%17 = OpConstant %15 1
%20 = OpConstant %4 0
%21 = OpConstant %4 1
%22 = OpConstant %4 7
%23 = OpConstant %4 8
%24 = OpConstant %4 15
%25 = OpConstant %4 16
%26 = OpConstant %5 0
%27 = OpConstant %5 1
%28 = OpConstant %4 0xffffffff
%90 = OpConstant %4 3
%91 = OpTypeInt 64 0
%92 = OpConstant %91 15
%93 = OpConstant %91 0xffffffffffffffff
%70 = OpTypeVector %4 2
%71 = OpTypeArray %70 %23
%72 = OpTypePointer Private %71
%73 = OpConstantNull %71
%74 = OpVariable %72 Private %73
%75 = OpTypePointer Private %4
%76 = OpTypePointer Private %70
%1 = OpFunction %2 None %3
%30 = OpLabel
%39 = OpLoad %11 %10
%40 = OpCompositeExtract %4 %39 0
%38 = OpAccessChain %13 %9 %20 %40
%41 = OpLoad %4 %38
%42 = OpBitcast %5 %41
)" + body + "OpReturn\nOpFunctionEnd\n";
    spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_2);
    std::string message;
    tools.SetMessageConsumer([&](spv_message_level_t, const char*, const spv_position_t& at, const char* what) {
        message += std::to_string(at.index) + ": " + what + "\n";
    });
    std::vector<uint32_t> words;
    EXPECT_TRUE(tools.Assemble(text, &words, SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS)) << message;
    EXPECT_TRUE(tools.Validate(words)) << message << body;
    return words;
}

Sameness sameness_of(const std::string& body, const std::string& first, const std::string& second) {
    const auto with = [&](const std::string& text) {
        std::string filled = body;
        for (size_t at; (at = filled.find('@')) != std::string::npos;) filled.replace(at, 1, text);
        return module_of(filled);
    };
    const auto module = with(first), mutant = with(second);
    Surroundings open;
    open.open_alike = true;
    if (mutation::same_values(module, mutant, {})) return Sameness::Proven;
    return mutation::same_values(module, mutant, open) ? Sameness::Permitted : Sameness::Unproven;
}

bool same(const std::string& body, const std::string& first, const std::string& second) {
    const auto found = sameness_of(body, first, second);
    EXPECT_NE(found, Sameness::Permitted) << body << first << ", " << second;
    return found == Sameness::Proven;
}
bool permitted(const std::string& body, const std::string& first, const std::string& second) {
    return sameness_of(body, first, second) == Sameness::Permitted;
}

namespace {

TEST(MutateEqual, KnowsRangesOfWords) {
    const std::string below = "%45 = OpBitwiseAnd %4 %41 %24\n%46 = OpULessThan %14 %45 ";
    EXPECT_TRUE(same(below + "%25\n%50 = OpSelect %4 %46 %41 @\n" + kStore, "%20", "%21"));
    EXPECT_FALSE(same(below + "%24\n%50 = OpSelect %4 %46 %41 @\n" + kStore, "%20", "%21"));
    // The lane is always below eight.
    EXPECT_TRUE(same("%50 = OpBitwiseAnd %4 @ %40\n" + kStore, "%22", "%24"));
    EXPECT_FALSE(same("%50 = OpBitwiseAnd %4 @ %41\n" + kStore, "%22", "%24"));
    EXPECT_TRUE(same("%50 = OpExtInst %4 %99 UMin %40 @\n" + kStore, "%22", "%25"));
    EXPECT_TRUE(same("%50 = OpUMod %4 %40 @\n" + kStore, "%23", "%25"));
    EXPECT_FALSE(same("%50 = OpUMod %4 %40 @\n" + kStore, "%22", "%25"));
}

/// Ranges of signed words.
TEST(MutateEqual, KnowsRangesOfSignedWords) {
    const std::string small = "%45 = OpBitwiseAnd %4 %41 %24\n%46 = OpISub %4 %45 %23\n";  // -8 to 7
    EXPECT_TRUE(same(small + "%50 = OpExtInst %4 %99 SMin %46 @\n" + kStore, "%22", "%25"));
    EXPECT_FALSE(same(small + "%50 = OpExtInst %4 %99 SMin %46 @\n" + kStore, "%21", "%25"));
    EXPECT_FALSE(same(small + "%50 = OpExtInst %4 %99 UMin %46 @\n" + kStore, "%22", "%25"));
    EXPECT_FALSE(same("%46 = OpISub %4 %41 %23\n%50 = OpExtInst %4 %99 SMin %46 @\n" + kStore, "%22", "%25"));
    const std::string chosen = "%50 = OpSelect %4 %48 %41 @\n" + kStore;
    EXPECT_TRUE(same(small + "%48 = OpSLessThan %14 %46 %23\n" + chosen, "%20", "%21"));
    EXPECT_FALSE(same(small + "%48 = OpULessThan %14 %46 %23\n" + chosen, "%20", "%21"));
    EXPECT_FALSE(same(small + "%48 = OpSLessThan %14 %46 %22\n" + chosen, "%20", "%21"));
}

/// A square is at least 0 or NaN; the minimum of a NaN and a number is the number.
TEST(MutateEqual, KnowsRangesOfSquaresAndExtrema) {
    const std::string chosen = "%50 = OpSelect %4 %48 @ %41\n" + kStore;
    EXPECT_TRUE(same("%45 = OpFMul %5 %42 %42\n%48 = OpFOrdLessThan %14 %45 %26\n" + chosen, "%20", "%21"));
    EXPECT_FALSE(same("%45 = OpFMul %5 %42 %42\n%48 = OpFOrdLessThanEqual %14 %45 %26\n" + chosen, "%20", "%21"));
    EXPECT_FALSE(same("%44 = OpFAdd %5 %42 %27\n%45 = OpFMul %5 %42 %44\n%48 = OpFOrdLessThan %14 %45 %26\n" + chosen,
                      "%20", "%21"));
    const auto least = [&](const char* function, const char* of) {
        return std::string("%44 = OpExtInst %5 %99 FAbs %42\n%45 = OpExtInst %5 %99 ") + function + " " + of +
               " %27\n%46 = OpConvertFToS %4 %45\n%48 = OpSLessThan %14 %46 %22\n" + chosen;
    };
    EXPECT_FALSE(same(least("NMin", "%44"), "%20", "%21"));  // the condition always holds, so the first arm is selected
    const std::string other = "%50 = OpSelect %4 %48 %41 @\n" + kStore;
    const auto taken = [&](const std::string& text) {
        std::string turned = text;
        turned.replace(turned.find(chosen), chosen.size(), other);
        return turned;
    };
    EXPECT_TRUE(same(taken(least("NMin", "%44")), "%20", "%21"));
    EXPECT_FALSE(same(taken(least("NMin", "%42")), "%20", "%21")) << "minus infinity";
    EXPECT_FALSE(same(taken(least("NMax", "%44")), "%20", "%21"));
}

/// The bits that two constants share are known, like the bits of a single constant.
TEST(MutateEqual, BitsOfConstants) {
    const std::string both =
        "%45 = OpULessThan %14 %41 %23\n%46 = OpULessThan %14 %40 %22\n%47 = OpSelect %4 %45 @ %20\n"
        "%48 = OpSelect %4 %46 %22 %20\n%49 = OpBitwiseAnd %4 %47 %48\n%51 = OpINotEqual %14 %49 %20\n"
        "%50 = OpSelect %4 %51 %41 %20\n";
    EXPECT_TRUE(same(both + kStore, "%28", "%21"));
    EXPECT_FALSE(same(both + kStore, "%28", "%23"));
}

/// x - x is 0 for a number, otherwise NaN, and it is unknown which NaN.
TEST(MutateEqual, DifferencesOfTheSame) {
    const std::string asked =
        "%44 = OpFSub %5 %42 %42\n%45 = OpFUnordNotEqual %14 %44 %26\nOpSelectionMerge %62 None\n"
        "OpBranchConditional %45 %60 %61\n";
    const auto both = [&](const std::string& where_nan, const std::string& where_number) {
        return asked + "%60 = OpLabel\n" + where_nan + "OpBranch %62\n%61 = OpLabel\n" + where_number +
               "OpBranch %62\n%62 = OpLabel\n";
    };
    const std::string sum = "%46 = OpFAdd %5 %44 @\n%47 = OpBitcast %4 %46\nOpStore %38 %47\n";
    EXPECT_TRUE(same(both(sum, ""), "%26", "%27"));
    EXPECT_FALSE(same(both("", sum), "%26", "%27"));
    const std::string chosen =
        "%46 = OpSelect %5 %51 %42 @\n%47 = OpFSub %5 %46 %46\n%48 = OpBitcast %4 %47\nOpStore %38 %48\n";
    const std::string condition = "%51 = OpULessThan %14 %41 %23\n";
    EXPECT_TRUE(same(condition + both("", chosen), "%26", "%27"));
    EXPECT_FALSE(same(condition + both(chosen, ""), "%26", "%27"));
    EXPECT_TRUE(
        same("%44 = OpFSub %5 %42 %42\n%48 = OpFUnordNotEqual %14 %44 @\n%50 = OpSelect %4 %48 %20 %21\n" + kStore,
             "%26", "%44"));
    EXPECT_FALSE(same("%48 = OpFUnordNotEqual %14 %42 @\n%50 = OpSelect %4 %48 %20 %21\n" + kStore, "%26", "%42"));
}

/// A limit may be a variable: a value below it is below everything that the limit may be.
TEST(MutateEqual, KnowsRangesFromConditions) {
    const std::string text = "%44 = OpBitwiseAnd %4 %40 %22\n%45 = OpULessThan %14 %41 %44\n%46 = OpULessThan %14 %41 ";
    EXPECT_TRUE(
        same(text + "%22\n%47 = OpSelect %4 %46 %40 @\n%50 = OpSelect %4 %45 %47 %20\n" + kStore, "%20", "%21"));
    EXPECT_FALSE(
        same(text + "%21\n%47 = OpSelect %4 %46 %40 @\n%50 = OpSelect %4 %45 %47 %20\n" + kStore, "%20", "%21"));
    EXPECT_FALSE(
        same(text + "%22\n%47 = OpSelect %4 %46 %40 @\n%50 = OpSelect %4 %45 %20 %47\n" + kStore, "%20", "%21"));
    // A value that is not above 0 is 0; a value that is not above 1 may be 0 or 1.
    EXPECT_TRUE(same("%45 = OpULessThan %14 %20 %41\n%50 = OpSelect %4 %45 %40 @\n" + kStore, "%20", "%41"));
    EXPECT_FALSE(same("%45 = OpULessThan %14 %21 %41\n%50 = OpSelect %4 %45 %40 @\n" + kStore, "%20", "%41"));
}

/// The proof looks at each of the eight lanes: 8 x + 7 equals 8 x | 7, but x + 7 does not equal x | 7.
TEST(MutateEqual, LooksAtEachInvocation) {
    const auto text = [](const char* number) {
        return "%45 = OpIMul %4 %40 " + std::string(number) + "\n%46 = @ %4 %45 %22\n%50 = OpIAdd %4 %46 %41\n" +
               kStore;
    };
    EXPECT_TRUE(same(text("%23"), "OpIAdd", "OpBitwiseOr"));
    EXPECT_FALSE(same(text("%21"), "OpIAdd", "OpBitwiseOr"));
}

/// Lanes that store nothing may take either path; lanes that store may not.
TEST(MutateEqual, LanesThatDoNothing) {
    const std::string asked =
        "%45 = OpULessThan %14 %40 %44\n%46 = OpSelect %4 %45 %40 @\n%47 = OpAccessChain %13 %9 %20 %46\n"
        "%48 = OpLoad %4 %47\n%49 = OpIEqual %14 %48 %22\n";
    const std::string leaves =
        "OpSelectionMerge %61 None\nOpBranchConditional %49 %60 %61\n%60 = OpLabel\nOpReturn\n%61 = OpLabel\n";
    const std::string stores =
        "OpSelectionMerge %63 None\nOpBranchConditional %45 %62 %63\n%62 = OpLabel\nOpStore %38 %48\n"
        "OpBranch %63\n%63 = OpLabel\n";
    const std::string limit = "%44 = OpLoad %4 %38\n";
    EXPECT_TRUE(same(limit + asked + leaves + stores, "%20", "%21"));
    EXPECT_FALSE(same(limit + asked + leaves + stores + "OpStore %38 %20\n", "%20", "%21"));
}

/// A broadcast between lanes matters only if the value differs between them.
TEST(MutateEqual, LanesThatAreToldNothing) {
    const auto text = [](const char* told) {
        return std::string("%44 = OpLoad %4 %38\n%45 = OpULessThan %14 %40 %44\n") +
               "%46 = OpSelect %4 %45 %40 @\n%47 = OpAccessChain %13 %9 %20 %46\n%48 = OpLoad %4 %47\n" +
               "%49 = OpGroupNonUniformBroadcastFirst %4 %90 " + told + "\n%50 = OpIAdd %4 %48 %49\n" +
               "OpSelectionMerge %63 None\nOpBranchConditional %45 %62 %63\n%62 = OpLabel\n" + kStore +
               "OpBranch %63\n%63 = OpLabel\n";
    };
    EXPECT_TRUE(same(text("%22"), "%20", "%21"));
    EXPECT_FALSE(same(text("%48"), "%20", "%21"));
}

/// Words that are widened to 64 bits keep their range.
TEST(MutateEqual, KnowsRangesOfWidenedWords) {
    const auto text = [](const std::string& widens, const char* word) {
        return "%45 = OpBitwiseAnd %4 %41 %24\n%46 = " + widens + " %91 %45\n%47 = OpIEqual %14 %46 " + word +
               "\n%50 = OpSelect %4 %47 @ %41\n" + kStore;
    };
    EXPECT_TRUE(same(text("OpUConvert", "%93"), "%20", "%21"));
    EXPECT_TRUE(same(text("OpSConvert", "%93"), "%20", "%21"));
    EXPECT_FALSE(same(text("OpUConvert", "%92"), "%20", "%21"));
    EXPECT_FALSE(same(text("OpSConvert", "%92"), "%20", "%21"));
}

TEST(MutateEqual, KnowsWhatOneComparisonSaysOfAnother) {
    const std::string both =
        "%45 = OpBitcast %5 %40\n%46 = OpFOrdLessThan %14 %42 %45\n"
        "%47 = OpFUnordNotEqual %14 %42 %45\n%48 = OpSelect %4 %47 %28 %20\n";
    EXPECT_TRUE(same(both + "%50 = OpSelect %4 %46 @ %20\n" + kStore, "%28", "%48"));
    EXPECT_FALSE(same(both + "%50 = OpSelect %4 %46 %28 @\n" + kStore, "%20", "%48"));
}

/// An access with a guard, inside a selection on the same condition.
TEST(MutateEqual, DropsGuardsThatAreAskedForTwice) {
    const std::string text =
        "%45 = OpULessThan %14 %41 %23\n%46 = OpSelect %4 %45 %41 @\n"
        "%47 = OpAccessChain %13 %9 %20 %46\n%48 = OpLoad %4 %47\n";
    EXPECT_TRUE(same(text + "%50 = OpSelect %4 %45 %48 %20\n" + kStore, "%20", "%21"));
    EXPECT_FALSE(same(text + "%50 = OpSelect %4 %45 %20 %48\n" + kStore, "%20", "%21"));
    EXPECT_FALSE(same(text + "%50 = OpSelect %4 %45 %48 %48\n" + kStore, "%20", "%21"));
}

/// A value that is stored only where a condition holds is computed as if the condition held.
TEST(MutateEqual, KnowsWhatHoldsInABlock) {
    const std::string text =
        "%45 = OpULessThan %14 %41 %23\n%50 = OpSelect %4 %45 %40 @\n"
        "OpSelectionMerge %61 None\nOpBranchConditional %45 ";
    const std::string then = "%60 = OpLabel\nOpStore %38 %50\nOpBranch %61\n%61 = OpLabel\n";
    EXPECT_TRUE(same(text + "%60 %61\n" + then, "%20", "%21"));
    EXPECT_FALSE(same(text + "%61 %60\n" + then, "%20", "%21"));
}

TEST(MutateEqual, BranchesThatChooseTheSame) {
    const auto text = [](const char* other) {
        return std::string(
                   "%45 = OpULessThan %14 %41 %23\nOpSelectionMerge %62 None\nOpBranchConditional %45 @\n"
                   "%60 = OpLabel\n%46 = OpIAdd %4 %41 %40\nOpBranch %62\n"
                   "%61 = OpLabel\n%47 = OpIAdd %4 ") +
               other + "\nOpBranch %62\n%62 = OpLabel\n%50 = OpPhi %4 %46 %60 %47 %61\n" + kStore;
    };
    EXPECT_TRUE(same(text("%40 %41"), "%60 %61", "%61 %60"));
    EXPECT_FALSE(same(text("%41 %41"), "%60 %61", "%61 %60"));
    // If an arm contains a store, its branch is not a selection of values.
    const std::string stores =
        "%45 = OpULessThan %14 %41 %23\nOpSelectionMerge %61 None\nOpBranchConditional %45 @\n"
        "%60 = OpLabel\nOpStore %38 %20\nOpBranch %61\n%61 = OpLabel\n";
    EXPECT_FALSE(same(stores, "%60 %61", "%61 %60"));
}

/// Memory that is written between two loads may differ; the iterations of a loop are not the same.
TEST(MutateEqual, KeepsTimesApart) {
    EXPECT_FALSE(same("OpStore %38 %21\n%45 = OpLoad %4 %38\n%50 = OpCopyObject %4 @\n" + kStore, "%41", "%45"));
    const std::string loop =
        "OpBranch %60\n%60 = OpLabel\n%45 = OpPhi %4 %20 %30 %46 %62\nOpLoopMerge %63 %62 None\n"
        "OpBranch %61\n%61 = OpLabel\n%46 = OpIAdd %4 %45 @\n%47 = OpULessThan %14 %46 %23\n"
        "OpBranchConditional %47 %62 %63\n%62 = OpLabel\nOpBranch %60\n%63 = OpLabel\n"
        "%50 = OpCopyObject %4 %45\n" +
        kStore;
    EXPECT_FALSE(same(loop, "%21", "%22"));
    EXPECT_TRUE(same(loop, "%21", "%21"));
}

/// Returns a loop of eight iterations with two counters: %45, and %55 with the edges `second`.
std::string loop_of(const std::string& second, const std::string& body) {
    return "OpBranch %60\n%60 = OpLabel\n%45 = OpPhi %4 %20 %30 %46 %62\n%55 = OpPhi %4 " + second +
           "OpLoopMerge %63 %62 None\nOpBranch %61\n%61 = OpLabel\n%47 = OpULessThan %14 %45 %23\n"
           "OpBranchConditional %47 %64 %63\n%64 = OpLabel\n" +
           body + "OpBranch %62\n%62 = OpLabel\n%46 = OpIAdd %4 %45 %21\nOpBranch %60\n%63 = OpLabel\n";
}

/// Counters with the same initial value and the same step are equal.
TEST(MutateEqual, KnowsCountersThatAreAlike) {
    const std::string sum = "%56 = OpIAdd %4 %55 %21\n%57 = OpIAdd %4 @ %41\nOpStore %38 %57\n";
    EXPECT_TRUE(same(loop_of("%20 %30 %56 %62\n", sum), "%45", "%55"));
    EXPECT_FALSE(same(loop_of("%21 %30 %56 %62\n", sum), "%45", "%55")) << "it begins with 1";
    const std::string sevens = "%56 = OpIAdd %4 %55 %22\n%57 = OpIAdd %4 @ %41\nOpStore %38 %57\n";
    EXPECT_FALSE(same(loop_of("%20 %30 %56 %62\n", sevens), "%45", "%55"));
}

/// A value that no iteration changes keeps its initial value.
TEST(MutateEqual, KnowsWhatALoopKeeps) {
    const std::string kept = "%56 = OpBitwiseOr %4 %55 %55\n%57 = OpIAdd %4 @ %45\nOpStore %38 %57\n";
    EXPECT_TRUE(same(loop_of("%41 %30 %56 %62\n", kept), "%55", "%41"));
    const std::string changed = "%56 = OpBitwiseOr %4 %55 %21\n%57 = OpIAdd %4 @ %45\nOpStore %38 %57\n";
    EXPECT_FALSE(same(loop_of("%41 %30 %56 %62\n", changed), "%55", "%41"));
}

/// In the loop, a counter is below its limit; after the last increment, it is at most the limit.
TEST(MutateEqual, KnowsRangesOfCounters) {
    const auto text = [](const std::string& of) {
        return loop_of("%20 %30 %45 %62\n",
                       "%56 = OpExtInst %4 %99 UMin " + of + " @\n%57 = OpIAdd %4 %56 %41\nOpStore %38 %57\n");
    };
    EXPECT_TRUE(same(text("%45"), "%22", "%24"));
    EXPECT_FALSE(same(text("%45"), "%21", "%24"));
    EXPECT_FALSE(same(text("%41"), "%22", "%24"));
    const std::string behind = loop_of("%20 %30 %45 %62\n", "") + "%50 = OpExtInst %4 %99 UMin %45 @\n" + kStore;
    EXPECT_TRUE(same(behind, "%23", "%24"));
    EXPECT_FALSE(same(behind, "%22", "%24"));
}

/// In nested selections, only the selected value counts; a store in the inner selection makes a difference.
TEST(MutateEqual, SelectionsInsideSelections) {
    const auto text = [](const std::string& inner) {
        return "%45 = OpULessThan %14 %41 %23\n%46 = OpULessThan %14 %41 %22\nOpSelectionMerge %62 None\n"
               "OpBranchConditional %45 %60 %61\n%60 = OpLabel\nOpSelectionMerge %65 None\n"
               "OpBranchConditional %46 @\n%63 = OpLabel\n" +
               inner +
               "OpBranch %65\n%64 = OpLabel\nOpBranch %65\n%65 = OpLabel\n"
               "%47 = OpPhi %4 %40 %63 %40 %64\nOpBranch %62\n%61 = OpLabel\nOpBranch %62\n%62 = OpLabel\n"
               "%50 = OpPhi %4 %47 %65 %41 %61\n" +
               kStore;
    };
    EXPECT_TRUE(same(text(""), "%63 %64", "%64 %63"));
    EXPECT_FALSE(same(text("OpStore %38 %20\n"), "%63 %64", "%64 %63"));
    const std::string chosen =
        "%45 = OpULessThan %14 %41 %23\nOpSelectionMerge %62 None\nOpBranchConditional %45 %60 %61\n"
        "%60 = OpLabel\nOpSelectionMerge %65 None\nOpBranchConditional %45 %63 %64\n%63 = OpLabel\n"
        "OpBranch %65\n%64 = OpLabel\nOpBranch %65\n%65 = OpLabel\n%47 = OpPhi %4 %40 %63 @ %64\n"
        "OpBranch %62\n%61 = OpLabel\nOpBranch %62\n%62 = OpLabel\n%50 = OpPhi %4 %47 %65 ";
    EXPECT_TRUE(same(chosen + "%41 %61\n" + kStore, "%20", "%21"));
    std::string elsewhere = chosen + "%41 %61\n" + kStore;
    elsewhere.replace(elsewhere.find("%40 %63 @"), 9, "@ %63 %40");
    EXPECT_FALSE(same(elsewhere, "%20", "%21"));
}

/// A condition that is tested twice, in a conjunction and again inside: a store happens only if both hold.
TEST(MutateEqual, KnowsWhatStoresHappenUnder) {
    const auto text = [](const std::string& inner) {
        return "%45 = OpULessThan %14 %41 %23\n%46 = OpULessThan %14 %40 %22\n%47 = OpLogicalAnd %14 %45 %46\n"
               "OpSelectionMerge %63 None\nOpBranchConditional @ %60 %63\n%60 = OpLabel\n"
               "OpSelectionMerge %62 None\nOpBranchConditional " +
               inner +
               " %61 %62\n%61 = OpLabel\nOpStore %38 %20\nOpBranch %62\n%62 = OpLabel\nOpBranch %63\n"
               "%63 = OpLabel\n";
    };
    EXPECT_TRUE(same(text("%47"), "%47", "%45"));
    EXPECT_FALSE(same(text("%46"), "%47", "%46"));
    // A return inside the selection skips what comes after it.
    const std::string leaves =
        "%45 = OpULessThan %14 %41 %23\n%46 = OpULessThan %14 %40 %22\n%47 = OpLogicalAnd %14 %45 %46\n"
        "OpSelectionMerge %63 None\nOpBranchConditional @ %60 %63\n%60 = OpLabel\nOpSelectionMerge %62 None\n"
        "OpBranchConditional %47 %61 %62\n%61 = OpLabel\nOpReturn\n%62 = OpLabel\nOpBranch %63\n%63 = OpLabel\n"
        "OpStore %38 %20\n";
    EXPECT_TRUE(same(leaves, "%47", "%47"));
    EXPECT_FALSE(same(leaves, "%46", "%45"));
}

/// At the start of an iteration, a register holds what the previous iteration left in it.
TEST(MutateEqual, RegistersInLoops) {
    const auto text = [](const std::string& in_turn) {
        return kRegisters + "OpStore %78 %41\n" +
               loop_of("%20 %30 %45 %62\n",
                       "%56 = OpLoad %4 %78\n%57 = OpIAdd %4 @ %45\n" + in_turn + "OpStore %38 %57\n");
    };
    EXPECT_TRUE(same(text("OpStore %77 %57\n"), "%56", "%41"));
    EXPECT_FALSE(same(text("OpStore %78 %57\n"), "%56", "%41"));
}

/// Comparisons of a number with itself, and the sign of a zero in a sum: a cosine does not see it, and a sine of zero
/// may have either sign.
TEST(MutateEqual, KnowsNumbersAmongThemselves) {
    const std::string number = "%45 = OpConvertSToF %5 %41\n";
    EXPECT_TRUE(
        same(number + "%48 = OpFOrdLessThanEqual %14 %45 %45\n%50 = OpSelect %4 %48 %41 @\n" + kStore, "%20", "%21"));
    EXPECT_FALSE(same("%48 = OpFOrdLessThanEqual %14 %42 %42\n%50 = OpSelect %4 %48 %41 @\n" + kStore, "%20", "%21"));
    // The comparison excludes NaN where the value may be NaN.
    const std::string part =
        "%45 = OpExtInst %5 %99 Fract %42\n%48 = OpFOrdLessThanEqual %14 %45 @\n%50 = OpSelect %4 %48 %40 %20\n";
    EXPECT_TRUE(same(part + kStore, "%27", "%45"));
    EXPECT_FALSE(same(part + kStore, "%26", "%45"));
    EXPECT_FALSE(same("%45 = OpExtInst %5 %99 FAbs %42\n" + part.substr(part.find("%48")) + kStore, "%27", "%45"));
    const auto of = [&](const char* function) {
        return number + "%46 = OpFMul %5 %45 %26\n%47 = OpFSub %5 %42 @\n%48 = OpExtInst %5 %99 " + function +
               " %47\n%50 = OpBitcast %4 %48\n" + kStore;
    };
    EXPECT_TRUE(permitted(of("Cos"), "%46", "%26"));
    EXPECT_TRUE(permitted(of("Sin"), "%46", "%26"));
    EXPECT_FALSE(same(of("Floor"), "%46", "%26"));
    EXPECT_FALSE(same(of("Cos"), "%46", "%27"));
}

/// A word that is tested only for being nonzero may have any bit set.
TEST(MutateEqual, KnowsWordsOfWhichAnyBitCounts) {
    const std::string text =
        "%44 = OpULessThan %14 %41 %22\n%45 = OpSelect %4 %44 @ %20\n%46 = OpBitwiseOr %4 %45 %40\n"
        "%48 = OpINotEqual %14 %46 %20\n%50 = OpSelect %4 %48 %21 %20\n";
    EXPECT_TRUE(same(text + kStore, "%28", "%22"));
    EXPECT_FALSE(same(text + kStore, "%28", "%20"));
}

/// Where a condition leaves a single value, an expression of it may equal the other arm: the remainders of 16 and of 0
/// by 16 are 0, and so is a product with 0 unless that 0 is negative.
TEST(MutateEqual, KnowsTheOneWordThatAConditionLeaves) {
    const std::string rest =
        "%29 = OpSRem %4 %41 %25\n%44 = OpIEqual %14 %41 @\n%50 = OpSelect %4 %44 %20 %29\n" + kStore;
    EXPECT_TRUE(same(rest, "%25", "%20"));
    EXPECT_FALSE(same(rest, "%25", "%21"));
    const auto product = [](const char* number) {
        return std::string(number) + "%46 = OpFMul %5 %45 %27\n%47 = OpFMul %5 %46 %46\n%48 = OpFAdd %5 %45 %45\n" +
               "%44 = OpFOrdEqual %14 @ %26\n%49 = OpSelect %5 %44 %26 %48\n%50 = OpBitcast %4 %49\n" + kStore;
    };
    // Compared with a comparison that never holds.
    EXPECT_TRUE(permitted(product("%45 = OpExtInst %5 %99 FAbs %42\n"), "%45", "%27"));
    EXPECT_FALSE(same(product("%45 = OpFNegate %5 %42\n"), "%45", "%27"));
    // The condition is one part of a conjunction.
    const std::string both = "%29 = OpSRem %4 %41 %25\n%44 = OpIEqual %14 %41 @\n%45 = OpULessThan %14 %40 %22\n" +
                             std::string("%46 = OpLogicalAnd %14 %44 %45\n%50 = OpSelect %4 %46 %20 %29\n") + kStore;
    EXPECT_TRUE(same(both, "%25", "%20"));
    EXPECT_FALSE(same(both, "%25", "%21"));
}

/// A value that is equal to a word lies in its range; the complement of an absolute value is never 0.
TEST(MutateEqual, KnowsRangesOfWhatIsEqual) {
    const auto text = [](const char* turned) {
        return std::string("%44 = OpExtInst %4 %99 SAbs %41\n%45 = OpNot %4 ") + turned +
               "\n%46 = OpBitwiseOr %4 %45 %40\n%47 = OpIEqual %14 %46 %41\n%48 = OpSelect %4 %47 @ %20\n" +
               "%49 = OpINotEqual %14 %48 %20\n%50 = OpSelect %4 %49 %21 %20\n" + kStore;
    };
    EXPECT_TRUE(same(text("%44"), "%28", "%41"));
    EXPECT_FALSE(same(text("%41"), "%28", "%41"));
}

/// A quotient by a divisor above 1 is never the smallest integer.
TEST(MutateEqual, KnowsRangesOfSignedQuotients) {
    const auto text = [](const char* divisor) {
        return std::string("%44 = OpSDiv %4 %41 ") + divisor +
               "\n%45 = OpShiftLeftLogical %4 %21 %29\n%46 = OpIEqual %14 %44 %45\n%50 = OpSelect %4 %46 @ %41\n" +
               kStore;
    };
    const std::string by = "%29 = OpIAdd %4 %24 %25\n";
    EXPECT_TRUE(same(by + text("%25"), "%20", "%21"));
    EXPECT_FALSE(same(by + text("%28"), "%20", "%21"));
}

/// An expression of a selection between constants is a selection between the expressions of each: here both are clamped
/// to 0.
TEST(MutateEqual, KnowsWhatIsComputedOfChoices) {
    const auto text = [](const char* added) {
        return std::string("%44 = OpULessThan %14 %41 %22\n%29 = OpFNegate %5 %27\n%45 = OpSelect %5 %44 @ %42\n") +
               "%46 = OpFAdd %5 %45 " + added + "\n%48 = OpExtInst %5 %99 NClamp %46 %26 %27\n" +
               "%50 = OpBitcast %4 %48\n" + kStore;
    };
    EXPECT_TRUE(same(text("%29"), "%26", "%29"));
    EXPECT_FALSE(same(text("%27"), "%26", "%29"));
}

/// A selection of the smaller of two values equals the minimum function.
TEST(MutateEqual, KnowsExtremaThatAreChosen) {
    const std::string text =
        "%48 = OpULessThan %14 %41 %22\n%45 = OpSelect %4 %48 %41 %22\n"
        "%46 = OpExtInst %4 %99 UMin %41 %22\n%47 = OpExtInst %4 %99 UMax %41 %22\n"
        "%50 = OpIAdd %4 @ %40\n";
    EXPECT_TRUE(same(text + kStore, "%45", "%46"));
    EXPECT_FALSE(same(text + kStore, "%45", "%47"));
    // Inside a condition that says which one is smaller.
    const std::string where = text.substr(0, text.find("%50")) + "%50 = OpSelect %4 %48 @ %40\n" + kStore;
    EXPECT_TRUE(same(where, "%46", "%41"));
    EXPECT_TRUE(same(where, "%47", "%22"));
    EXPECT_FALSE(same(where, "%46", "%22"));
}

/// A divisor that is replaced for one dividend only, where the remainder is the same with either divisor.
TEST(MutateEqual, KnowsWhatOneWordComesTo) {
    const auto text = [](const char* factor) {
        return std::string(
                   "%48 = OpIEqual %14 %41 %23\n%45 = OpSelect %4 %48 @ %25\n%46 = OpUDiv %4 %41 %45\n"
                   "%47 = OpIMul %4 %46 ") +
               factor + "\n%50 = OpISub %4 %41 %47\n" + kStore;
    };
    EXPECT_TRUE(same(text("%45"), "%21", "%23")) << "8 - 1 * 8, 8 - 8 * 1";
    EXPECT_FALSE(same(text("%45"), "%21", "%25")) << "8 - 16 * 0";
    EXPECT_FALSE(same(text("%25"), "%21", "%25"));
}

TEST(MutateEqual, DropsWhatIsShiftedOut) {
    const auto text = [](const char* by) {
        return std::string(
                   "%44 = OpShiftLeftLogical %4 %40 %25\n%45 = OpBitwiseOr %4 %41 %44\n"
                   "%50 = OpShiftLeftLogical %4 @ ") +
               by + "\n" + kStore;
    };
    EXPECT_TRUE(same(text("%25"), "%45", "%41"));
    EXPECT_FALSE(same(text("%24"), "%45", "%41"));
}

/// The halves of a zero-extended word are the word and 0.
TEST(MutateEqual, KnowsHalvesOfWidenedWords) {
    const std::string text =
        "%44 = OpUConvert %91 %41\n%45 = OpBitcast %70 %44\n%46 = OpCompositeExtract %4 %45 0\n"
        "%47 = OpCompositeExtract %4 %45 1\n%50 = OpIAdd %4 @ %40\n";
    EXPECT_TRUE(same(text + kStore, "%46", "%41"));
    EXPECT_TRUE(same(text + kStore, "%47", "%20"));
    EXPECT_FALSE(same(text + kStore, "%46", "%47"));
}

/// The offset of a buffer's member is not a value, so the proof must not ignore it.
TEST(MutateEqual, LayoutsAreNoValues) {
    const auto words = module_of("OpStore %38 %41\n");
    auto moved = words;
    for (size_t at = 5; at < moved.size(); at += moved[at] >> 16)
        if ((moved[at] & 0xffff) == 72) moved[at + 4] = 16;  // OpMemberDecorate … Offset
    ASSERT_NE(words, moved);
    EXPECT_EQ(sameness(words, moved, {}), Sameness::Unproven);
    EXPECT_EQ(sameness(words, words, {}), Sameness::Proven);
}

}  // namespace
}  // namespace tgsi2spv::difftest
