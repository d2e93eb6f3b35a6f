#include "ir/passes/flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/every_instruction.h"
#include "ir/passes/dead_code.h"
#include "ir/passes/pass_test.h"
#include "ir/passes/trivial_phis.h"
#include "ir/text_cases.h"

namespace tgsi2spv::ir {
namespace {

std::string after(const std::string& text) {
    return run_pass(text, [](Module& m, PassMemory& memory) {
        for (Function& f : m.functions) simplify_flow(m, f, memory);
        close_gaps(m, memory);
    });
}

/// Returns a module whose main is `body`, after the inputs %i, %j, %c, %d.
std::string text(const std::string& body, const std::string& entry_merge = "") {
    return R"(entry Fragment f0
$0 = StorageBuffer u32
function f0 "main" () -> void {
b0:)" + entry_merge +
           R"(
  %i = Load u32 $0[u32(0)]
  %j = Load u32 $0[u32(1)]
  %c = ULt bool %i, %j
  %d = ULt bool %j, u32(9)
)" + body + "  Return\n}\n";
}

void expect(const std::string& before, const std::string& expected, const std::string& entry_merge = "") {
    const std::string result = normal(text(expected, entry_merge));
    EXPECT_EQ(after(text(before)), result);
    EXPECT_EQ(after(result), result) << "there is nothing more to do";
}

TEST(Flow, OfTheTexts) {
    for (const TextCase& c : text_cases("ir/data/flow")) {
        SCOPED_TRACE(c.name);
        expect(c.before, c.after);
    }
}

TEST(Flow, ASelectionOnAConstantGoesOneWay) {
    const auto body = [](const std::string& condition) {
        return "  Branch b1\nb1: merge b4\n  BranchIf bool(" + condition + R"(), b2, b3
b2:
  Store $0[u32(1)], %i
  Branch b4
b3:
  Store $0[u32(2)], %j
  Branch b4
b4:
  %p = Phi u32 [%i, b2], [%j, b3]
  Store $0[u32(0)], %p
)";
    };
    const std::string taken = after(text(body("true"))), other = after(text(body("false")));
    EXPECT_THAT(taken, testing::HasSubstr("Store $0[u32(1)], %0"));
    EXPECT_THAT(taken, testing::Not(testing::HasSubstr("u32(2)")));
    EXPECT_THAT(other, testing::HasSubstr("Store $0[u32(2)], %1"));
    EXPECT_THAT(other, testing::Not(testing::HasSubstr("u32(1)], %0")));
    EXPECT_THAT(other, testing::Not(testing::HasSubstr("BranchIf")));
}

TEST(Flow, ALoopThatExitsAtOnceLosesItsBackEdge) {
    const std::string result = after(text(R"(  Branch b1
b1: loop b5 continue b4
  Branch b2
b2: merge b3
  BranchIf bool(true), b2t, b3
b2t:
  Branch b5
b3:
  Store $0[u32(1)], %i
  Branch b4
b4:
  Branch b1
b5:
  Store $0[u32(0)], %j
)"));
    EXPECT_THAT(result, testing::HasSubstr("Store $0[u32(0)], %1"));
    EXPECT_THAT(result, testing::Not(testing::HasSubstr("u32(1)], %0")));
}

TEST(Flow, ASideThatDoesMoreStays) {
    for (const char* side : {
             "  Store $0[u32(3)], %i\n  %a = Not u32 %i\n",                         // an effect
             "  %a = Load u32 $0[u32(3)]\n",                                        // a load that may fault or race
             "  %x = Bitcast f32 %i\n  %y = DPdx f32 %x\n  %a = Bitcast u32 %y\n",  // convergent
             "  %s = Not u32 %i\n  %t = IAdd u32 %s, %s\n  %u = IMul u32 %t, %t\n  %v = Xor u32 %u, %t\n"
             "  %a = IAdd u32 %v, %u\n",  // too much
         }) {
        const std::string body = text("  Branch b1\nb1: merge b3\n  BranchIf %c, b2, b3\nb2:\n" + std::string(side) +
                                      "  Branch b3\nb3:\n  %p = Phi u32 [%i, b1], [%a, b2]\n  Store $0[u32(0)], %p\n");
        const std::string result = after(body);
        EXPECT_THAT(result, testing::HasSubstr("BranchIf")) << side;
        EXPECT_THAT(result, testing::HasSubstr("Phi")) << side;
    }
}

TEST(Flow, AnUnguardedConversionStaysUnderItsCondition) {
    const std::string body = text(
        "  %x = Bitcast f32 %i\n  Branch b1\nb1: merge b3\n  BranchIf %c, b2, b3\nb2:\n  %a = FToU u32 %x\n"
        "  Branch b3\nb3:\n  %p = Phi u32 [%i, b1], [%a, b2]\n  Store $0[u32(0)], %p\n");
    EXPECT_THAT(after(body), testing::HasSubstr("Select"));
    const std::string kept = run_pass(body, [](Module& m, PassMemory& memory) {
        for (Function& f : m.functions) simplify_flow(m, f, memory, false);
        close_gaps(m, memory);
    });
    EXPECT_THAT(kept, testing::HasSubstr("BranchIf"));
}

TEST(Flow, BlocksThatOnlyFollowOneAnotherAreOne) {
    expect(R"(  Branch b1
b1:
  Store $0[u32(1)], %i
  Branch b2
b2: merge b4
  BranchIf %c, b3, b4
b3:
  Store $0[u32(2)], %i
  Branch b3b
b3b:
  Store $0[u32(3)], %i
  Branch b4
b4:
  Branch b5
b5:
)",
           R"(  Store $0[u32(1)], %i
  BranchIf %c, b3, b4
b3:
  Store $0[u32(2)], %i
  Store $0[u32(3)], %i
  Branch b4
b4:
)",
           " merge b4");
}

TEST(Flow, ALoopsHeaderTakesItsBodyButNotASelection) {
    expect(R"(  Branch b1
b1: loop b6 continue b5
  Branch b2
b2:
  Store $0[u32(1)], %i
  BranchIf %c, b5, b6
b5:
  Branch b1
b6:
)",
           R"(  Branch b1
b1: loop b6 continue b5
  Store $0[u32(1)], %i
  BranchIf %c, b5, b6
b5:
  Branch b1
b6:
)");
    const std::string selection = text(R"(  Branch b1
b1: loop b6 continue b5
  Branch b2
b2: merge b4
  BranchIf %c, b3, b4
b3:
  Store $0[u32(1)], %i
  Branch b6
b4:
  Branch b5
b5:
  Branch b1
b6:
)");
    EXPECT_EQ(after(selection), normal(selection)) << "a header has one merge block";
}

TEST(Flow, UnreachableBlocksGo) {
    expect(R"(  Branch b1
b1: merge b4
  BranchIf %c, b2, b4
b2:
  Store $0[u32(1)], %i
  Branch b4
b3:
  %n = Not u32 %j
  Branch b4
b4:
  %p = Phi u32 [%i, b1], [%j, b2], [%n, b3]
  Store $0[u32(0)], %p
)",
           R"(  BranchIf %c, b2, b4
b2:
  Store $0[u32(1)], %i
  Branch b4
b4:
  %p = Phi u32 [%i, b0], [%j, b2]
  Store $0[u32(0)], %p
)",
           " merge b4");
}

TEST(Flow, BothSidesLeavingMakeTheMergeAStub) {
    const std::string result = after(text(R"(  Branch b1
b1: merge b4
  BranchIf %c, b2, b3
b2:
  Store $0[u32(1)], %i
  Return
b3:
  Kill
b4:
  %n = Not u32 %i
  Store $0[u32(2)], %n
)"));
    EXPECT_THAT(result, testing::HasSubstr("  Kill\nb3:\n  Unreachable\n}")) << result;
}

TEST(Flow, ASelectionThatOtherBlocksLeaveForStays) {
    // b5 leaves the switch from inside the selection, so the selection's merge block has another predecessor.
    const std::string body = text(R"(  Branch b1
b1: merge b6
  Switch %i, b6, 1: b2
b2: merge b4
  BranchIf %c, b3, b4
b3:
  Branch b6
b4:
  Branch b6
b6:
  %p = Phi u32 [%i, b1], [%j, b3], [u32(3), b4]
  Store $0[u32(0)], %p
)");
    EXPECT_THAT(after(body), testing::HasSubstr("Phi"));
    EXPECT_THAT(after(body), testing::HasSubstr("BranchIf"));
}

TEST(Flow, EveryInstructionGivesAGoodModule) {
    const std::string once = after(kEveryInstruction);
    EXPECT_EQ(after(once), once);
}

}  // namespace
}  // namespace tgsi2spv::ir
