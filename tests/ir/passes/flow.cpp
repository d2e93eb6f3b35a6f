#include "ir/passes/flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/passes/dead_code.h"
#include "ir/passes/pass_test.h"
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
std::string text(const std::string& body) {
    return R"(entry Fragment f0
$0 = StorageBuffer u32
function f0 "main" () -> void {
b0:
  %i = Load u32 $0[u32(0)]
  %j = Load u32 $0[u32(1)]
  %c = ULt bool %i, %j
  %d = ULt bool %j, u32(9)
)" + body + "  Return\n}\n";
}

TEST(Flow, OfTheTexts) {
    for (const TextCase& c : text_cases("ir/data/flow")) {
        SCOPED_TRACE(c.name);
        const std::string before = text(c.before), expected = c.after == "unchanged"         ? before
                                                              : c.after.starts_with("entry") ? c.after
                                                                                             : text(c.after);
        const std::string result = after(before);
        EXPECT_EQ(result, normal(expected));
        EXPECT_EQ(after(result), result) << "there is nothing more to do";
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

TEST(Flow, EveryInstructionGivesAGoodModule) {
    const std::string once = after(every_instruction());
    EXPECT_EQ(after(once), once);
}

}  // namespace
}  // namespace tgsi2spv::ir
