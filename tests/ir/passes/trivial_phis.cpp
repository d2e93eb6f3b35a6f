#include "ir/passes/trivial_phis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/passes/dead_code.h"
#include "ir/passes/pass_test.h"

namespace tgsi2spv::ir {
namespace {

std::string after(const std::string& text) {
    return run_pass(text, [](Module& m, PassMemory& memory) {
        for (Function& f : m.functions) remove_trivial_phis(f, memory);
        remove_dead_code(m, memory);
    });
}

TEST(TrivialPhis, OneValueFromBothSidesIsThatValue) {
    EXPECT_THAT(after(pass_module(R"(  Branch b1
b1: merge b3
  BranchIf %c, b2, b3
b2:
  Branch b3
b3:
  %p = Phi u32 [%i, b1], [%i, b2]
  %q = Phi u32 [u32(3), b1], [u32(3), b2]
  Store $0[%q], %p
)")),
                testing::HasSubstr("b2:\n  Store $0[u32(3)], %0\n"));
}

// The inner loop does not write %a: its phi is the outer loop's value, and so the outer one's is the initial value.
TEST(TrivialPhis, ANestOfLoopsThatWritesNothingIsSeenThrough) {
    const std::string text = pass_module(R"(  Branch b1
b1: loop b9 continue b8
  %a = Phi u32 [%i, bentry], [%a3, b8]
  Branch b2
b2: loop b5 continue b4
  %a2 = Phi u32 [%a, b1], [%a2b, b4]
  BranchIf %c, b3, b5
b3: merge b3m
  BranchIf %d, b3t, b3m
b3t:
  Branch b3m
b3m:
  %a2b = Phi u32 [%a2, b3], [%a2, b3t]
  Branch b4
b4:
  Branch b2
b5:
  %a3 = Phi u32 [%a2, b2]
  Branch b8
b8:
  BranchIf %d, b1, b9
b9:
  Store $0[u32(0)], %a3
)");
    const std::string result = after(text);
    EXPECT_THAT(result, testing::Not(testing::HasSubstr("Phi")));
    EXPECT_THAT(result, testing::HasSubstr("Store $0[u32(0)], %0"));
}

TEST(TrivialPhis, PhisOfTwoValuesStay) {
    const std::string text = R"(entry Vertex f0
$0 = StorageBuffer u32
function f0 "" () -> void {
b0:
  %0 = Load u32 $0[u32(0)]
  Branch b1
b1: loop b4 continue b3
  %2 = Phi u32 [%0, b0], [%6, b3]
  %3 = ULt bool %2, u32(8)
  Branch b2
b2:
  BranchIf %3, b3, b4
b3:
  %6 = IAdd u32 %2, u32(1)
  Branch b1
b4:
  Store $0[u32(0)], %2
  Return
}
)";
    EXPECT_EQ(after(text), normal(text));
}

}  // namespace
}  // namespace tgsi2spv::ir
