#include "ir/passes/value_numbering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/passes/dead_code.h"
#include "ir/passes/pass_test.h"

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
    struct {
        const char* body;
        const char* what;
        int left;
    } const table[] = {
        {"  %a = FAdd f32 %x, %y\n  %b = FAdd f32 %x, %y\n  %r = FMul f32 %a, %b\n", "FAdd", 1},
        {"  %a = FAdd f32 %x, %y\n  %b = FAdd f32 %y, %x\n  %r = FMul f32 %a, %b\n", "FAdd", 1},  // commutes
        {"  %a = FSub f32 %x, %y\n  %b = FSub f32 %y, %x\n  %r = FMul f32 %a, %b\n", "FSub", 2},
        {"  %a = FAdd f32 %x, %y\n  %b = FAdd f32 %x, %y !precise\n  %r = FMul f32 %a, %b\n", "FAdd", 2},
        {"  %a = FNegate f32 %x\n  %b = FNegate f32 %x\n  %s = FAbs f32 %a\n  %t = FAbs f32 %b\n"
         "  %r = FMul f32 %s, %t\n",
         "FAbs", 1},  // equal because their arguments are
        {"  %a = Compose f32 %xy.x\n  %b = Compose f32 %xy.y\n  %r = FMul f32 %a, %b\n", "Compose f32 ", 2},
        {"  %a = Load f32x4 $1[u32(1)]\n  %b = Load f32x4 $1[u32(1)]\n  %r = FDot f32 %a, %b\n", "Load f32x4", 1},
        {"  %a = Load f32x4 $3[%i]\n  %b = Load f32x4 $3[%i]\n  %r = FDot f32 %a, %b\n", "Load f32x4", 1},
        {"  %a = Load f32x4 $3[%i]\n  %b = Load f32x4 $3[%i] !nonuniform\n  %r = FDot f32 %a, %b\n", "Load f32x4", 2},
        // The shader itself or another invocation may write in between.
        {"  %a = Load u32 $0[%i]\n  Store $0[%j], %i\n  %b = Load u32 $0[%i]\n  %s = IAdd u32 %a, %b\n"
         "  %r = Bitcast f32 %s\n",
         "$0[%0]", 2},
        {"  %a = ImageSampleLod f32x4 #1 %xy, %x\n  %b = ImageSampleLod f32x4 #1 %xy, %x\n  %r = FDot f32 %a, %b\n",
         "ImageSampleLod", 1},
        // Convergent instructions are never merged.
        {"  %a = ImageSample f32x4 #0 %xy\n  %b = ImageSample f32x4 #0 %xy\n  %r = FDot f32 %a, %b\n", "ImageSample",
         2},
        {"  %a = DPdx f32 %x\n  %b = DPdx f32 %x\n  %r = FMul f32 %a, %b\n", "DPdx", 2},
        {"  %a = GroupFirst f32 %x\n  %b = GroupFirst f32 %x\n  %r = FMul f32 %a, %b\n", "GroupFirst", 2},
    };
    for (const auto& t : table) {
        const std::string result = after(pass_module(std::string(t.body) + "  Store $2[u32(0)], %r\n"));
        EXPECT_EQ(count(result, t.what), t.left) << t.body << result;
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
