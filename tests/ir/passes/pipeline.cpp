#include "ir/passes/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/allocations.h"
#include "ir/builder.h"
#include "ir/fold.h"
#include "ir/passes/dead_code.h"
#include "ir/passes/flow.h"
#include "ir/passes/pass_test.h"
#include "ir/passes/trivial_phis.h"
#include "ir/passes/value_numbering.h"

namespace tgsi2spv::ir {
namespace {

constexpr PassOptions kVerifying{.verify = true};

std::string after(const std::string& text) {
    return run_pass(text,
                    [](Module& m, PassMemory& memory) { EXPECT_EQ(optimise(m, kVerifying, memory), std::nullopt); });
}

/// Builds `turns` times { loop { if (…) break; r[k] = …; if (…) r[k+1] = … } } over `registers` values, most of which
/// nothing reads.
void build_giant(Builder& b, Module& m, uint32_t turns, uint32_t registers) {
    b.begin_module(m);
    const uint32_t words = b.add_variable({.kind = VariableKind::StorageBuffer, .element = u32()});
    b.begin_function(b.declare_function(kVoid, {}, "main"));
    std::vector<Value> r(registers);
    for (uint32_t n = 0; n < registers; n++) r[n] = b.load(words, {b.const_u32(n)}, u32());
    for (uint32_t turn = 0; turn < turns; turn++) {
        const BlockId before = b.current_block();
        const BlockId head = b.create_block(), body = b.create_block(), then = b.create_block(),
                      join = b.create_block(), next = b.create_block(), merge = b.create_block();
        b.branch(head);
        b.start_block(head);
        std::vector<Value> phis(registers);
        for (uint32_t n = 0; n < registers; n++) phis[n] = b.phi(u32(), std::vector<Incoming>{{r[n], before}}, 2);
        r = phis;
        b.set_loop_merge(merge, next);
        b.branch_if(b.ult(r[turn % registers], b.const_u32(turn)), merge, body);
        b.start_block(body);
        const uint32_t k = turn % registers, l = (turn + 1) % registers;
        r[k] = b.iadd(b.imul(r[k], b.const_u32(turn)), r[l]);
        b.set_selection_merge(join);
        b.branch_if(b.ine(r[l], b.zero(u32())), then, join);
        b.start_block(then);
        const Value changed = b.bit_xor(r[l], b.load(words, {r[k]}, u32()));
        b.branch(join);
        b.start_block(join);
        r[l] = b.phi(u32(), std::vector<Incoming>{{r[l], body}, {changed, then}});
        b.branch(next);
        b.start_block(next);
        for (uint32_t n = 0; n < registers; n++) b.add_incoming(phis[n], {r[n], next});
        b.branch(head);
        b.start_block(merge);
        r = phis;
    }
    b.store(words, {b.const_u32(0)}, r[0]);
    b.ret();
    b.end_function();
}

TEST(Pipeline, GivesTheSameTextEachTimeAndNothingMoreTheSecond) {
    const std::string once = after(every_instruction());
    EXPECT_EQ(after(every_instruction()), once);
    EXPECT_EQ(after(once), once);
}

TEST(Pipeline, StepsCanBeLeftOut) {
    const PassOptions none{
        .trivial_phis = false, .fold = false, .value_numbering = false, .dead_code = false, .flow = false};
    EXPECT_EQ(run_pass(every_instruction(), [&](Module& m, PassMemory& memory) { optimise(m, none, memory); }),
              normal(every_instruction()));
}

void optimise_whole(Module& m, PassMemory& memory) {
    EXPECT_EQ(optimise(m, kVerifying, memory), std::nullopt);
}
/// Without `compact`, and compacts at the end.
void optimise_in_place(Module& m, PassMemory& memory) {
    EXPECT_EQ(optimise(m, {.compact = false, .verify = true}, memory), std::nullopt);
    remove_dead_code(m, memory);
}

TEST(Pipeline, OfTheTexts) {
    expect_cases("pipeline", optimise_whole);
    expect_cases("pipeline", optimise_in_place);
    EXPECT_EQ(run_pass(every_instruction(), optimise_in_place), after(every_instruction()));
}

/// bench.linear counts the work of long texts.
TEST(Pipeline, ALongFunctionLosesDeadCode) {
    Module m;
    Builder b;
    PassMemory memory;
    build_giant(b, m, 3000, 40);  // 120,000 phis, most of them trivial
    ASSERT_FALSE(verify(m));
    const size_t size = m.functions[0].instructions.size();
    EXPECT_EQ(optimise(m, kVerifying, memory), std::nullopt);
    EXPECT_FALSE(verify(m));
    EXPECT_LT(m.functions[0].instructions.size(), size / 2);
}

TEST(Pipeline, WarmMemoryAllocatesNothing) {
    Module m;
    Builder b;
    PassMemory memory;
    auto run = [&](uint32_t turns) {
        build_giant(b, m, turns, 10);
        const size_t before = allocations();
        memory.constants.fill(m);
        for (Function& f : m.functions) number_values(m, f, memory);
        for (Function& f : m.functions) fold(m, f, memory);
        for (Function& f : m.functions) remove_trivial_phis(f, memory);
        remove_dead_code(m, memory);
        for (Function& f : m.functions) simplify_flow(m, f, memory);
        return allocations() - before;
    };
    run(600);
    run(600);
    EXPECT_EQ(run(600), 0u);
    EXPECT_EQ(run(30), 0u);
}

}  // namespace
}  // namespace tgsi2spv::ir
