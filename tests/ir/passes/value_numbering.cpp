#include "ir/passes/value_numbering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/passes/dead_code.h"
#include "ir/passes/pass_test.h"
#include "ir/text_cases.h"

namespace tgsi2spv::ir {
namespace {

std::string after(const std::string& text) {
    return run_pass(text, [](Module& m, PassMemory& memory) {
        for (Function& f : m.functions) number_values(m, f, memory);
        remove_dead_code(m, memory);
    });
}

int count(const std::string& text, const std::string& what) {
    int n = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) n++;
    return n;
}

TEST(ValueNumbering, EqualInstructionsBecomeOne) {
    for (const TextCase& c : text_cases("ir/data/numbering")) {
        const std::string result = after(pass_module(c.before + "Store $2[u32(0)], %r\n"));
        EXPECT_EQ(count(result, c.after.substr(2)), c.after[0] - '0') << c.before << result;
    }
}

TEST(ValueNumbering, AValueServesTheBlocksThatItDominates) {
    const std::string above = after(pass_module(R"(  %a = FAdd f32 %x, %y
  Store $2[u32(0)], %a
  Branch b1
b1: merge b3
  BranchIf %c, b2, b3
b2:
  %b = FAdd f32 %x, %y
  Store $2[u32(1)], %b
  Branch b3
b3:
  %e = FAdd f32 %x, %y
  Store $2[u32(2)], %e
)"));
    EXPECT_EQ(count(above, "FAdd"), 1) << above;
    // The counterpart: neither side dominates the other, nor the code that follows.
    const std::string beside = after(pass_module(R"(  Branch b1
b1: merge b4
  BranchIf %c, b2, b3
b2:
  %b = FAdd f32 %x, %y
  Store $2[u32(1)], %b
  Branch b4
b3:
  %e = FAdd f32 %x, %y
  Store $2[u32(2)], %e
  Branch b4
b4:
  %g = FAdd f32 %x, %y
  Store $2[u32(3)], %g
)"));
    EXPECT_EQ(count(beside, "FAdd"), 3) << beside;
}

TEST(ValueNumbering, EqualPhisOfABlockBecomeOne) {
    const std::string text = R"(  Branch b1
b1: merge b3
  BranchIf %c, b2, b3
b2:
  Branch b3
b3:
  %p = Phi f32 [%x, b1], [%y, b2]
  %q = Phi f32 [%x, b1], [%y, b2]
  %r = FMul f32 %p, %q
  Store $2[u32(0)], %r
)";
    EXPECT_EQ(count(after(pass_module(text)), "Phi"), 1);
}

TEST(ValueNumbering, TheSecondResultFollows) {
    const std::string result = after(pass_module(R"(  %a = UMulExt u32 %i, %j
  %b = UMulExt u32 %i, %j
  %h = Second u32 %b
  %s = IAdd u32 %a, %h
  Store $0[u32(0)], %s
)"));
    EXPECT_EQ(count(result, "UMulExt"), 1) << result;
    EXPECT_THAT(result, testing::HasSubstr("%3 = Second u32 %2"));
}

}  // namespace
}  // namespace tgsi2spv::ir
