#include "lower/flow/turns.h"

namespace tgsi2spv::lower {

Turn begin_turn(Walk& walk) {
    if (walk.options.max_iterations == 0) return {};
    // An array, since a driver forgets stores of loops to a scalar (docs/driver-bugs.md). Local, if it can be: the
    // compiler then drops loops without effect, unless other loops count after them.
    if (walk.turns == kNoIndex)
        walk.turns = walk.b.add_variable(
            {.kind = walk.plan.functions.size() == 1 ? ir::VariableKind::Local : ir::VariableKind::Private,
             .element = ir::u32(),
             .array = {1, 0},
             .zero_initialised = true,
             .name = "iterations"});
    const ir::Value before = walk.b.load(walk.turns, {walk.b.const_u32(0)}, ir::u32());
    return {before, walk.b.ult(before, walk.b.const_u32(walk.options.max_iterations))};
}

void start_turn(Walk& walk, const Turn& turn, ir::BlockId body, ir::BlockId merge) {
    ir::Builder& b = walk.b;
    if (turn.more == ir::kNone)
        b.branch(body);
    else
        b.branch_if(turn.more, body, merge);
    b.start_block(body);
    if (turn.more != ir::kNone) b.store(walk.turns, {b.const_u32(0)}, b.iadd(turn.before, b.const_u32(1)));
}

void count_call(Walk& walk) {
    ir::Builder& b = walk.b;
    const Turn turn = begin_turn(walk);
    if (turn.more == ir::kNone) return;
    const ir::BlockId body = b.create_block(), spent = b.create_block();
    b.set_selection_merge(body);
    b.branch_if(turn.more, body, spent);
    b.start_block(spent);
    b.ret();
    b.start_block(body);
    b.store(walk.turns, {b.const_u32(0)}, b.iadd(turn.before, b.const_u32(1)));
}

}  // namespace tgsi2spv::lower
