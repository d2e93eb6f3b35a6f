#include "ir/passes/dead_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/passes/pass_test.h"

namespace tgsi2spv::ir {
namespace {

std::string after(const std::string& text) {
    return run_pass(text, [](Module& m, PassMemory& memory) { remove_dead_code(m, memory); });
}

TEST(DeadCode, OfTheTexts) {
    expect_cases("dead_code", [](Module& m, PassMemory& memory) {
        remove_dead_code(m, memory);
        Module again;
        EXPECT_EQ(read_module(print(m), again), "");
        EXPECT_EQ(again.constants.size(), m.constants.size()) << "unused constants";
    });
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

TEST(DeadCode, ASecondResultThatNothingReadsIsForgotten) {
    Module m;
    ASSERT_EQ(read_module(pass_module("  %m = UMulExt u32 %i, %j\n  %h = Second u32 %m\n  Store $0[u32(0)], %m\n"), m),
              "");
    PassMemory memory;
    remove_dead_code(m, memory);
    for (const Instruction& i : m.functions[0].instructions) EXPECT_FALSE(i.second) << info(i.op).name;
    EXPECT_THAT(print(m), testing::Not(testing::HasSubstr("Second")));
}

TEST(DeadCode, EveryInstructionGivesAGoodModule) {
    const std::string once = after(every_instruction());
    EXPECT_EQ(after(once), once);
    EXPECT_THAT(once, testing::HasSubstr("ImageWrite"));
    EXPECT_THAT(once, testing::Not(testing::HasSubstr("FSin")));
}

}  // namespace
}  // namespace tgsi2spv::ir
