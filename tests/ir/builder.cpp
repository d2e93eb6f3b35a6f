#include "ir/builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tgsi2spv::ir {
namespace {

struct BuilderTest : testing::Test {
    Module m;
    Builder b;
    uint32_t buffer = 0;
    void SetUp() override {
        b.begin_module(m);
        buffer = b.add_variable({.kind = VariableKind::StorageBuffer, .element = u32()});
        b.begin_function(b.declare_function(kVoid, {}, "main"));
    }
    Value word(uint32_t address) { return b.load(buffer, {b.const_u32(address)}, u32()); }
};

TEST_F(BuilderTest, ConstantsAreOneAValueByTypeAndBits) {
    EXPECT_EQ(b.const_u32(7), b.const_u32(7));
    EXPECT_NE(b.const_u32(0), b.const_f32(0.0f));
    EXPECT_NE(b.const_f32(0.0f), b.const_f32(-0.0f));
    EXPECT_NE(b.const_f32_bits(0x7fc00000), b.const_f32_bits(0x7fc00001));
    EXPECT_EQ(b.const_f32_bits(0x7fc00000), b.const_f32_bits(0x7fc00000));
    EXPECT_EQ(b.const_splat(f32(4), 0x3f800000), b.splat(b.const_f32(1.0f), 4));
    EXPECT_NE(b.const_u32(1), b.spec_constant(u32(), 1, 1));
    EXPECT_EQ(b.zero(u64()), b.const_u64(0));
    EXPECT_EQ(b.constant(b.const_u64(0x1'0000'0002)).words[0], 2u) << "low word first";
}

TEST_F(BuilderTest, ConstantsOfAnEarlierModuleAreForgotten) {
    b.const_u32(5);
    b.ret();
    b.end_function();
    Module other;
    b.begin_module(other);
    const Value v = b.const_u32(6);
    EXPECT_EQ(b.const_u32(5), v + 1);
    EXPECT_EQ(other.constants.size(), 2u);
}

TEST_F(BuilderTest, BitcastThereAndBackEmitsNothing) {
    const Value x = word(0);
    EXPECT_EQ(b.bitcast(x, u32()), x);
    const Value f = b.bitcast(x, f32());
    EXPECT_EQ(b.bitcast(f, u32()), x);
    EXPECT_EQ(b.bitcast(b.const_f32(1.0f), u32()), b.const_u32(0x3f800000));
    const Value pair = b.compose({{x, 0}, {word(1), 0}});
    const Value wide = b.bitcast(b.bitcast(pair, u64()), f64());
    EXPECT_EQ(b.args_of(wide)[0], pair) << "a bitcast of a bitcast reads the first source";
    EXPECT_EQ(b.bitcast(b.const_words(u32(2), std::vector<uint32_t>{1, 2}), u64()), b.const_u64(0x2'0000'0001));
}

TEST_F(BuilderTest, ComposeIsTheValueItselfWhereItIsThatValue) {
    const Value x = word(0), y = word(1);
    const Value v = b.compose({{x, 0}, {y, 0}});
    EXPECT_EQ(b.compose({{v, 0}, {v, 1}}), v);
    EXPECT_EQ(b.compose({{x, 0}}), x);
    EXPECT_EQ(b.extract(v, 1), y);
    EXPECT_EQ(b.compose({{b.const_u32(1), 0}, {b.const_u32(2), 0}}),
              b.const_words(u32(2), std::vector<uint32_t>{1, 2}));
    const Value w = b.compose({{v, 1}, {v, 0}, {v, 1}});
    EXPECT_EQ(b.type_of(w), u32(3));
    EXPECT_EQ(b.args_of(w)[0], y) << "a construct of scalars costs as little as a shuffle";
}

TEST_F(BuilderTest, ComposeDoesNotSplitAShuffle) {
    const Value v = b.call(b.declare_function(f32(4), {}), {});
    const Value s = b.call(b.declare_function(f32(), {}), {});
    const Value mixed = b.compose({{v, 0}, {s, 0}, {v, 2}, {v, 3}});
    const Value swapped = b.compose({{mixed, 1}, {mixed, 0}, {mixed, 3}, {mixed, 2}});
    EXPECT_EQ(b.args_of(swapped)[0], mixed);
    EXPECT_EQ(b.instruction(swapped).aux, 1u | 0u << 2 | 3u << 4 | 2u << 6);
}

TEST_F(BuilderTest, BlocksStandInTheOrderInWhichTheyStart) {
    const BlockId merge = b.create_block(), then = b.create_block();
    b.set_selection_merge(merge);
    b.branch_if(b.const_bool(true), then, merge);
    b.start_block(then);
    b.branch(merge);
    b.start_block(merge);
    const Value phi = b.phi(u32(), std::vector<Incoming>{{b.const_u32(0), 0}, {b.const_u32(1), then}});
    b.ret();
    b.end_function();
    const Function& f = m.functions[0];
    ASSERT_EQ(f.blocks.size(), 3u);
    EXPECT_EQ(f.blocks[0].merge_block, 2u);
    const Instruction& branch = f.instructions[f.blocks[0].first + f.blocks[0].count - 1];
    EXPECT_EQ(branch.aux, 1u);
    EXPECT_EQ(branch.aux2, 2u);
    EXPECT_EQ(f.args_of(f.instructions[phi])[3], 1u);
}

TEST_F(BuilderTest, LoopPhisAreCompletedLater) {
    const BlockId entry = b.current_block();
    const BlockId head = b.create_block(), body = b.create_block(), next = b.create_block(), merge = b.create_block();
    b.branch(head);
    b.start_block(head);
    std::vector<Value> phis;
    for (uint32_t i = 0; i < 3; i++)
        phis.push_back(b.phi(u32(), std::vector<Incoming>{{b.const_u32(i), entry}}, i == 0 ? 1 : 2));
    b.set_loop_merge(merge, next);
    b.branch(body);
    b.start_block(body);
    const Value sum = b.iadd(phis[0], phis[1]);
    b.branch_if(b.ult(sum, b.const_u32(9)), next, merge);
    b.start_block(next);
    for (const Value p : phis) b.add_incoming(p, {sum, next});
    b.branch(head);
    b.start_block(merge);
    b.ret();
    b.end_function();
    const Function& f = m.functions[0];
    for (uint32_t i = 0; i < 3; i++) {
        const auto args = f.args_of(f.instructions[phis[i]]);
        EXPECT_THAT(std::vector<uint32_t>(args.begin(), args.end()), testing::ElementsAre(b.const_u32(i), 0u, sum, 3u));
    }
}

TEST_F(BuilderTest, PreciseMarksFloatArithmeticOnly) {
    const Value x = b.bitcast(word(0), f32());
    b.set_precise(true);
    EXPECT_TRUE(b.instruction(b.fadd(x, x)).precise);
    EXPECT_FALSE(b.instruction(b.folt(x, x)).precise);
    EXPECT_FALSE(b.instruction(word(1)).precise);
    b.set_precise(false);
    EXPECT_FALSE(b.instruction(b.fadd(x, x)).precise);
}

TEST_F(BuilderTest, ImageOpsAreShared) {
    const uint32_t image = b.add_variable({.kind = VariableKind::CombinedImage, .index = 0});
    const Value at = b.zero(f32(2)), lod = b.const_f32(0);
    const Value first = b.image(Op::ImageSampleLod, f32(4), {.image = image, .lod = true}, {at, lod});
    const Value again = b.image(Op::ImageSampleLod, f32(4), {.image = image, .lod = true}, {at, lod});
    b.image(Op::ImageSample, f32(4), {.image = image}, {at});
    EXPECT_EQ(b.instruction(first).aux, b.instruction(again).aux);
    EXPECT_EQ(m.image_ops.size(), 2u);
}

TEST_F(BuilderTest, SwitchCasesArePairs) {
    const BlockId merge = b.create_block(), one = b.create_block();
    b.set_selection_merge(merge);
    b.switch_on(word(0), merge, std::vector<SwitchCase>{{5, one}, {0xffffffff, merge}});
    b.start_block(one);
    b.branch(merge);
    b.start_block(merge);
    b.ret();
    b.end_function();
    const Function& f = m.functions[0];
    const Instruction& i = f.instructions[f.blocks[0].count - 1];
    EXPECT_EQ(i.aux, 2u);
    EXPECT_THAT(std::vector<uint32_t>(f.args_of(i).begin(), f.args_of(i).end()),
                testing::ElementsAre(testing::_, 5u, 1u, 0xffffffffu, 2u));
}

}  // namespace
}  // namespace tgsi2spv::ir
