#include "ir/passes/dead_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/every_instruction.h"
#include "ir/passes/pass_test.h"
#include "ir/text_cases.h"

namespace tgsi2spv::ir {
namespace {

std::string after(const std::string& text) {
    return run_pass(text, [](Module& m, PassMemory& memory) { remove_dead_code(m, memory); });
}

TEST(DeadCode, OfTheTexts) {
    for (const TextCase& c : text_cases("ir/data/dead_code")) EXPECT_EQ(after(c.before), normal(c.after)) << c.name;
}

TEST(DeadCode, UnusedConstantsVariablesAndImageOpsGo) {
    Module m;
    ASSERT_EQ(read_module(R"(entry Fragment f0
$0 = StorageBuffer u32
$1 = Input f32x4
$2 = CombinedImage void
$3 = CombinedImage void index=1
$4 = Output f32x4
$5 = Output f32 builtin=PointSize
$6 = Sampler void
#0 = image $2
#1 = image $3
function f0 "" () -> void {
b0:
  %0 = Load f32x4 $1
  %1 = ImageSample f32x4 #0 f32x2(7, 7)
  %2 = ImageSample f32x4 #1 f32x2(8, 8)
  %3 = Compose f32 %2.x
  %4 = Bitcast u32 %3
  Store $0[u32(9)], %4
  Return
}
)",
                          m),
              "");
    PassMemory memory;
    remove_dead_code(m, memory);
    EXPECT_FALSE(verify(m));
    EXPECT_EQ(m.image_ops.size(), 1u);
    EXPECT_EQ(m.constants.size(), 2u);
    ASSERT_EQ(m.variables.size(), 3u) << "an output with a location stays: the next stage may read it";
    EXPECT_EQ(m.variables[1].index, 1u);
    EXPECT_EQ(m.image_ops[0].image, 1u);
    EXPECT_EQ(m.variables[2].kind, VariableKind::Output);
}

TEST(DeadCode, ForEmissionTheDeadAreMarkedWhereTheyStand) {
    Module m;
    ASSERT_EQ(read_module(pass_module("  %n = IAdd u32 %i, u32(6)\n  %k = Not u32 %j\n  Store $0[u32(0)], %k\n"), m),
              "");
    const size_t count = m.functions[0].instructions.size();
    PassMemory memory;
    remove_dead_code(m, memory, false);
    EXPECT_FALSE(verify(m));
    ASSERT_EQ(m.functions[0].instructions.size(), count);
    for (const Instruction& i : m.functions[0].instructions) {
        if (i.op == Op::Load) continue;  // inputs of the test, some of which are needed
        EXPECT_EQ(i.dead, i.op != Op::Not && i.op != Op::Store && i.op != Op::Return) << info(i.op).name;
    }
    remove_dead_code(m, memory);
    EXPECT_LT(m.functions[0].instructions.size(), count);
}

/// Reflection lists the specialization constants of a module: those that live code uses.
TEST(DeadCode, SpecializationConstantsThatNothingUsesGo) {
    for (const bool sweep : {true, false}) {
        Module m;
        ASSERT_EQ(read_module(pass_module("  %n = IAdd u32 %i, spec(3)u32(6)\n  %k = IAdd u32 %j, spec(4)u32(7)\n"
                                          "  Store $0[u32(0)], %k\n"),
                              m),
                  "");
        PassMemory memory;
        remove_dead_code(m, memory, sweep);
        EXPECT_FALSE(verify(m));
        std::vector<int32_t> ids;
        for (const Constant& c : m.constants)
            if (c.spec_id >= 0) ids.push_back(c.spec_id);
        EXPECT_THAT(ids, testing::ElementsAre(4)) << sweep;
    }
}

TEST(DeadCode, PhisThatFeedOnlyOneAnotherGo) {
    const std::string loop = R"(entry Vertex f0
$0 = StorageBuffer u32
function f0 "" () -> void {
b0:
  Branch b1
b1: loop b4 continue b3
  %n = Phi u32 [u32(0), b0], [%next, b3]
  %dead = Phi u32 [u32(1), b0], [%deader, b3]
  %c = ULt bool %n, u32(8)
  Branch b2
b2:
  BranchIf %c, b3, b4
b3:
  %next = IAdd u32 %n, u32(1)
  %deader = IMul u32 %dead, u32(3)
  Branch b1
b4:
  Return
}
)";
    const std::string result = after(loop);
    EXPECT_THAT(result, testing::Not(testing::HasSubstr("IMul")));
    EXPECT_THAT(result, testing::HasSubstr("Phi u32 [u32(0), b0], [%5, b3]"));
    EXPECT_THAT(result, testing::Not(testing::HasSubstr("u32(3)")));
}

TEST(DeadCode, StoresToVariablesThatNothingLoadsGo) {
    const char* text = R"(entry Vertex f0
$0 = Private u32
$1 = Local u32 function=0
$2 = Private u32 index=2
$3 = Output f32x4
function f0 "" () -> void {
b0:
  Store $0, u32(1)
  Store $1, u32(2)
  Store $2, u32(3)
  %0 = Load u32 $2
  %1 = Bitcast f32 %0
  Store $3[u32(0)], %1
  Return
}
)";
    EXPECT_EQ(after(text), normal(R"(entry Vertex f0
$0 = Private u32 index=2
$1 = Output f32x4
function f0 "" () -> void {
b0:
  Store $0, u32(3)
  %1 = Load u32 $0
  %2 = Bitcast f32 %1
  Store $1[u32(0)], %2
  Return
}
)"));
}

TEST(DeadCode, ASecondResultThatNothingReadsIsForgotten) {
    Module m;
    ASSERT_EQ(read_module(pass_module("  %m = UMulExt u32 %i, %j\n  %h = Second u32 %m\n  Store $0[u32(0)], %m\n"), m),
              "");
    PassMemory memory;
    remove_dead_code(m, memory);
    for (const Instruction& i : m.functions[0].instructions) EXPECT_FALSE(i.second) << info(i.op).name;
    EXPECT_THAT(print(m), testing::Not(testing::HasSubstr("Second")));
}

/// Returns a loop that counts %n to 9 and sums it up, with `inside` in its body.
std::string counting_loop(const std::string& inside, const std::string& behind) {
    return pass_module(R"(  Branch b1
b1: loop b6 continue b5
  %n = Phi u32 [u32(0), bentry], [%n1, b5]
  %s = Phi u32 [u32(0), bentry], [%s1, b5]
  Branch b2
b2: merge b4
  %more = ULt bool %n, u32(9)
  BranchIf %more, b4, b3
b3:
  Branch b6
b4:
)" + inside + R"(  %n1 = IAdd u32 %n, u32(1)
  %s1 = IAdd u32 %s, %n
  Branch b5
b5:
  Branch b1
b6:
)" + behind);
}

TEST(DeadCode, ALoopWithoutEffectGoesWithAllThatDecidesIt) {
    const std::string result = after(counting_loop("", "  Store $0[u32(0)], %i\n"));
    EXPECT_THAT(result, testing::Not(testing::HasSubstr("Phi")));
    EXPECT_THAT(result, testing::Not(testing::HasSubstr("loop")));
    EXPECT_THAT(result, testing::Not(testing::HasSubstr("ULt")));
    EXPECT_THAT(result, testing::HasSubstr("  Branch b1\nb1:\n  Branch b2\nb2:\n  Store $0[u32(0)], %0\n"));
}

TEST(DeadCode, AnEffectInALoopKeepsOnlyTheLoopsCondition) {
    const std::string result = after(counting_loop("  Store $0[u32(0)], %i\n", ""));
    EXPECT_THAT(result, testing::HasSubstr("loop"));
    EXPECT_THAT(result, testing::HasSubstr("BranchIf"));  // in a selection of its own, but it exits the loop
    EXPECT_THAT(result, testing::HasSubstr("Phi"));
    const size_t first = result.find("Phi");
    EXPECT_EQ(result.find("Phi", first + 1), std::string::npos) << "the sum is used by nothing\n" << result;
}

TEST(DeadCode, AValueOfALoopKeepsIt) {
    const std::string text = counting_loop("", "  Store $0[u32(0)], %s\n");
    EXPECT_EQ(after(text), after(after(text)));
    EXPECT_THAT(after(text), testing::HasSubstr("loop"));
}

/// Returns a loop around `inside`, which defines `%w` from `variable`; the loop ends when `%w` is not 0.
std::string waiting_loop(const std::string& variable, const std::string& inside, const std::string& stage = "Compute",
                         const std::string& image = "") {
    return "entry " + stage + " f0\n" + variable + "$1 = StorageBuffer u32 index=1\n" + image +
           R"(function f0 "main" () -> void {
b0:
  Branch b1
b1: loop b3 continue b2
)" + inside +
           R"(  %left = INe bool %w, u32(0)
  BranchIf %left, b3, b2
b2:
  Branch b1
b3:
  Store $1[u32(0)], u32(1)
  Return
}
)";
}

TEST(DeadCode, ALoopThatMayWaitForOthersStays) {
    const char* load = "  %w = Load u32 $0[u32(0)]\n";
    for (const char* variable :
         {"$0 = StorageBuffer u32\n", "$0 = StorageBuffer u32 volatile\n", "$0 = Shared u32 array0=4\n"}) {
        const std::string text = waiting_loop(variable, load);
        EXPECT_EQ(after(text), normal(text));
    }
    const std::string image =
        waiting_loop("$0 = StorageImage void sampled=u32\n",
                     "  %t = ImageRead u32x4 #0 u32x2(0, 0)\n  %w = Compose u32 %t.x\n", "Compute", "#0 = image $0\n");
    EXPECT_EQ(after(image), normal(image));
    // Memory that no other invocation can write does not change while the loop waits.
    for (const char* variable : {"$0 = ConstantBuffer u32 array1=4\n", "$0 = Private u32 array0=4\n"})
        EXPECT_THAT(after(waiting_loop(variable, load)), testing::Not(testing::HasSubstr("loop"))) << variable;
    EXPECT_THAT(after(waiting_loop("$0 = Output u32 array0=4\n", load, "Fragment")),
                testing::Not(testing::HasSubstr("loop")));
    EXPECT_THAT(after(waiting_loop("$0 = Output u32 array0=4\n", load, "TessControl")), testing::HasSubstr("loop"));
}

/// A loop may call the function, and then each call reads again.
TEST(DeadCode, ALoadOfAFunctionThatLoopsCallMayWaitToo) {
    const auto text = [](const std::string& variable) {
        return "entry Compute f0\n" + variable + R"($1 = StorageBuffer u32 index=1
function f0 "main" () -> void {
b0:
  Branch b1
b1: loop b3 continue b2
  %0 = Call u32 f1()
  %1 = INe bool %0, u32(0)
  BranchIf %1, b3, b2
b2:
  Branch b1
b3:
  Store $1[u32(0)], u32(1)
  Return
}
function f1 "" () -> u32 {
b0:
  %0 = Load u32 $0[u32(0)]
  Return %0
}
)";
    };
    EXPECT_EQ(after(text("$0 = StorageBuffer u32\n")), normal(text("$0 = StorageBuffer u32\n")));
    // A result that decides something may be unused, too.
    const auto unused = [](const std::string& variable) {
        return "entry Compute f0\n" + variable + R"($1 = StorageBuffer u32 index=1
function f0 "main" () -> void {
b0:
  Call void f1()
  Store $1[u32(0)], u32(1)
  Return
}
function f1 "" () -> void {
b0:
  %0 = Load u32 $0[u32(0)]
  Return
}
)";
    };
    EXPECT_THAT(after(unused("$0 = StorageBuffer u32\n")), testing::HasSubstr("Load"));
    EXPECT_THAT(after(unused("$0 = Private u32 array0=4\n")), testing::Not(testing::HasSubstr("Load")));
}

TEST(DeadCode, VolatileLoadsStay) {
    const auto loads = [](const std::string& variable) {
        return "entry Compute f0\n$0 = StorageBuffer u32" + variable + R"(
function f0 "main" () -> void {
b0:
  %0 = Load u32 $0[u32(0)]
  %1 = Load u32 $0[u32(0)]
  Store $0[u32(1)], %1
  Return
}
)";
    };
    EXPECT_EQ(after(loads(" volatile")), normal(loads(" volatile")));
    EXPECT_NE(after(loads("")), normal(loads("")));
}

TEST(DeadCode, AnEndlessLoopStays) {
    EXPECT_THAT(after(pass_module(R"(  Branch b1
b1: loop b4 continue b3
  Branch b2
b2:
  Branch b3
b3:
  Branch b1
b4:
  Store $0[u32(0)], %i
)")),
                testing::HasSubstr("loop"));
}

TEST(DeadCode, ASelectionStaysForItsPhiItsEffectsAndItsExits) {
    const std::string phi = R"(  Branch b1
b1: merge b3
  BranchIf %c, b2, b3
b2:
  Branch b3
b3:
  %p = Phi u32 [%i, b1], [%j, b2]
)";
    EXPECT_THAT(after(pass_module(phi + "  Store $0[u32(0)], %p\n")), testing::HasSubstr("BranchIf"));
    EXPECT_THAT(after(pass_module(phi)), testing::Not(testing::HasSubstr("BranchIf")));
    EXPECT_THAT(after(pass_module(R"(  Branch b1
b1: merge b3
  BranchIf %c, b2, b3
b2:
  Return
b3:
  Store $0[u32(0)], %i
)")),
                testing::HasSubstr("BranchIf"));
}

TEST(DeadCode, OnlyTheInnerOfTwoConstructsGoes) {
    const std::string result = after(pass_module(R"(  Branch b1
b1: merge b5
  BranchIf %c, b2, b5
b2: merge b4
  Store $0[u32(0)], %i
  Switch %j, b4, 1: b3
b3:
  %unused = IAdd u32 %i, %j
  Branch b4
b4:
  Branch b5
b5:
  %p = Phi u32 [%i, b1], [%j, b4]
  Store $0[u32(1)], %p
)"));
    EXPECT_THAT(result, testing::HasSubstr("BranchIf"));
    EXPECT_THAT(result, testing::Not(testing::HasSubstr("Switch")));
    EXPECT_THAT(result, testing::HasSubstr("Phi"));
}

TEST(DeadCode, ALocalThatOnlyItsOwnStoresReadGoes) {
    const auto text = [](const char* used) {
        return std::string(R"(entry Vertex f0
$0 = StorageBuffer u32
$1 = Local u32 function=0 array0=4
function f0 "" () -> void {
b0:
  Branch b1
b1: loop b4 continue b3
  Branch b2
b2: merge b2m
  %0 = Load u32 $1[u32(1)]
  %1 = ULt bool %0, u32(9)
  BranchIf %1, b2m, b2t
b2t:
  Branch b4
b2m:
  %2 = IAdd u32 %0, u32(1)
  Store $1[u32(1)], %2
  Branch b3
b3:
  Branch b1
b4:
  %3 = Load u32 $1[u32(2)]
  Store $0[u32(0)], )") +
               used + "\n  Return\n}\n";
    };
    EXPECT_THAT(after(text("u32(5)")), testing::Not(testing::HasSubstr("Local")));
    EXPECT_THAT(after(text("u32(5)")), testing::Not(testing::HasSubstr("loop")));
    EXPECT_THAT(after(text("%3")), testing::HasSubstr("Store $1[u32(1)]"));
    EXPECT_THAT(after(text("%3")), testing::HasSubstr("loop"));
}

TEST(DeadCode, EffectsStay) {
    // The counterpart: the module contains only effects and the values that they need.
    const char* text = R"(entry Fragment f0
$0 = StorageBuffer u32
$1 = StorageImage void
$2 = Output f32 builtin=FragDepth
#0 = image $1
function f0 "" () -> void {
b0: merge b2
  %0 = Atomic u32 IAdd $0[u32(0)], u32(1)
  ImageWrite #0 u32x2(0, 0), f32x4(0, 0, 0, 0)
  Demote
  Store $2, f32(0.5)
  MemoryBarrier 1 72
  %5 = IsHelper bool
  BranchIf %5, b1, b2
b1:
  Kill
b2:
  Return
}
)";
    EXPECT_EQ(after(text), normal(text));
}

TEST(DeadCode, EveryInstructionGivesAGoodModule) {
    const std::string once = after(kEveryInstruction);
    EXPECT_EQ(after(once), once);
    EXPECT_THAT(once, testing::HasSubstr("ImageWrite"));
    EXPECT_THAT(once, testing::Not(testing::HasSubstr("FSin")));
}

}  // namespace
}  // namespace tgsi2spv::ir
