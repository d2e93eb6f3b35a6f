// Builder with `simplify`: which instructions it folds or merges with earlier ones as it appends them.
#include <gtest/gtest.h>

#include "ir/builder.h"
#include "ir/passes/pipeline.h"
#include "ir/print.h"
#include "ir/verify.h"

namespace tgsi2spv::ir {
namespace {

struct Simplify : testing::Test {
    Module m;
    Builder b;
    uint32_t buffer = 0, uniform = 0;
    void SetUp() override {
        b.begin_module(m, true);
        buffer = b.add_variable({.kind = VariableKind::StorageBuffer, .element = u32()});
        uniform = b.add_variable({.kind = VariableKind::ConstantBuffer, .element = f32(4), .array = {0, 8}});
        b.begin_function(b.declare_function(kVoid, {}, "main"));
    }
    Value word(uint32_t address) { return b.load(buffer, {b.const_u32(address)}, u32()); }
    Value row(uint32_t index) { return b.load(uniform, {b.const_u32(index)}, f32(4)); }
    size_t count() { return b.function().instructions.size(); }
    void finish(Value used) {
        b.store(buffer, {b.const_u32(0)}, used);
        b.ret();
        b.end_function();
        EXPECT_EQ(verify(m), std::nullopt);
    }
};

TEST_F(Simplify, EqualInstructionsAreOne) {
    const Value x = word(0), y = word(1);
    const Value sum = b.iadd(x, y);
    const size_t before = count();
    EXPECT_EQ(b.iadd(y, x), sum);
    EXPECT_EQ(b.iadd(x, y), sum);
    EXPECT_EQ(count(), before);
    EXPECT_NE(b.isub(x, y), b.isub(y, x));
    finish(sum);
}

TEST_F(Simplify, ALongFunctionForgetsAndGoesOn) {
    const Value x = word(0);
    const Value first = b.iadd(x, b.const_u32(1));
    Value last = first;
    size_t unknown = 0;
    for (uint32_t i = 2; i < 100'000; i++) {
        last = b.iadd(x, b.const_u32(i));
        unknown += b.iadd(x, b.const_u32(i)) != last;
    }
    EXPECT_LE(unknown, 10u) << "what has just been made is known, but where all was forgotten between the two";
    EXPECT_NE(b.iadd(x, b.const_u32(1)), first) << "made long ago";
    finish(last);
}

TEST_F(Simplify, LoadsOfWritableMemoryStay) {
    EXPECT_NE(word(0), word(0));
    EXPECT_EQ(row(3), row(3));
    EXPECT_NE(row(3), row(4));
    finish(word(1));
}

TEST_F(Simplify, PreciseAndOtherwiseAreTwo) {
    const Value x = b.bitcast(word(0), f32());
    const Value loose = b.fmul(x, x);
    b.set_precise(true);
    const Value precise = b.fmul(x, x);
    EXPECT_NE(loose, precise);
    EXPECT_EQ(b.fmul(x, x), precise);
    finish(b.bitcast(b.fadd(loose, precise), u32()));
}

TEST_F(Simplify, ConstantsAndLawsLeaveNoDeadCode) {
    const Value x = word(0);
    const size_t before = count();
    const size_t args = b.function().args.size();
    EXPECT_EQ(b.iadd(b.const_u32(2), b.const_u32(3)), b.const_u32(5));
    EXPECT_EQ(b.iadd(x, b.const_u32(0)), x);
    EXPECT_EQ(b.bit_xor(x, x), b.const_u32(0));
    EXPECT_EQ(b.bit_and(x, x), x);
    EXPECT_EQ(count(), before);
    EXPECT_EQ(b.function().args.size(), args);
    const Value negative = b.ineg(x);
    EXPECT_EQ(b.ineg(negative), x);
    EXPECT_EQ(b.function().instructions.back().op, Op::INegate);
    finish(negative);
}

TEST_F(Simplify, BranchesLoseTheirNegation) {
    const BlockId then = b.create_block(), other = b.create_block(), merge = b.create_block();
    const Value x = b.bitcast(word(0), f32());
    const Value above = b.fogt(x, b.const_f32(0.0f));
    b.set_selection_merge(merge);
    b.branch_if(b.lnot(above), then, other);
    const Instruction& branch = b.function().instructions.back();
    EXPECT_EQ(b.function().args[branch.first_arg], above);
    EXPECT_EQ(branch.aux, other);
    EXPECT_EQ(branch.aux2, then);
    b.start_block(then);
    b.branch(merge);
    b.start_block(other);
    b.branch(merge);
    b.start_block(merge);
    finish(b.const_u32(1));
}

/// A value in one side of a selection is not available in the other side, nor after the selection.
TEST_F(Simplify, OnlyDominatingValuesAreReused) {
    const Value x = word(0), y = word(1);
    const BlockId then = b.create_block(), other = b.create_block(), merge = b.create_block();
    const Value above = b.imul(x, y);
    b.set_selection_merge(merge);
    b.branch_if(b.ine(x, b.const_u32(0)), then, other);
    b.start_block(then);
    const Value first = b.iadd(x, y);
    EXPECT_EQ(b.imul(x, y), above);
    b.branch(merge);
    b.start_block(other);
    const Value second = b.iadd(x, y);
    EXPECT_NE(second, first);
    b.branch(merge);
    b.start_block(merge);
    const Value third = b.iadd(x, y);
    EXPECT_NE(third, first);
    EXPECT_NE(third, second);
    EXPECT_EQ(b.imul(x, y), above);
    finish(third);
}

TEST_F(Simplify, CompletePhisOfABlockAreOneUnfinishedOnesAreNot) {
    const Value x = word(0), y = word(1);
    const BlockId before = b.current_block(), head = b.create_block(), body = b.create_block(), next = b.create_block(),
                  merge = b.create_block();
    b.branch(head);
    b.start_block(head);
    const Incoming entry{x, before};
    const Value i = b.phi(u32(), std::span(&entry, 1), 2), j = b.phi(u32(), std::span(&entry, 1), 2);
    EXPECT_NE(i, j);
    b.set_loop_merge(merge, next);
    b.branch_if(b.ult(i, y), body, merge);
    b.start_block(body);
    b.branch(next);
    b.start_block(next);
    b.add_incoming(i, {b.iadd(i, b.const_u32(1)), next});
    b.add_incoming(j, {j, next});
    b.branch(head);
    b.start_block(merge);
    const Incoming edges[] = {{i, head}};
    const Value once = b.phi(u32(), edges);
    EXPECT_EQ(b.phi(u32(), edges), once);
    finish(b.iadd(once, j));

    // j is trivial, but that becomes known only now: the sweep that replaces it folds and numbers again.
    PassMemory memory;
    EXPECT_EQ(optimise(m, {.verify = true}, memory), std::nullopt);
    size_t phis = 0;
    for (const Instruction& instruction : m.functions[0].instructions) phis += instruction.op == Op::Phi;
    EXPECT_EQ(phis, 1u) << print(m);
}

}  // namespace
}  // namespace tgsi2spv::ir
