#include "lower/turns.h"

namespace tgsi2spv::lower {

Turn begin_turn(Walk& w) {
    if (w.options.max_iterations == 0) return {};
    // An array, since a driver forgets what loops store in a scalar (docs/driver-bugs.md). Local, if it can be: the
    // compiler then drops loops without effect, unless other loops count after them.
    if (w.turns == kNoIndex)
        w.turns = w.b.add_variable(
            {.kind = w.plan.functions.size() == 1 ? ir::VariableKind::Local : ir::VariableKind::Private,
             .element = ir::u32(),
             .array = {1, 0},
             .zero_initialised = true,
             .name = "iterations"});
    const ir::Value before = w.b.load(w.turns, {w.b.const_u32(0)}, ir::u32());
    return {before, w.b.ult(before, w.b.const_u32(w.options.max_iterations))};
}

void start_turn(Walk& w, const Turn& turn, ir::BlockId body, ir::BlockId merge) {
    ir::Builder& b = w.b;
    if (turn.more == ir::kNone)
        b.branch(body);
    else
        b.branch_if(turn.more, body, merge);
    b.start_block(body);
    if (turn.more != ir::kNone) b.store(w.turns, {b.const_u32(0)}, b.iadd(turn.before, b.const_u32(1)));
}

void count_call(Walk& w) {
    ir::Builder& b = w.b;
    const Turn turn = begin_turn(w);
    if (turn.more == ir::kNone) return;
    const ir::BlockId body = b.create_block(), spent = b.create_block();
    b.set_selection_merge(body);
    b.branch_if(turn.more, body, spent);
    b.start_block(spent);
    b.ret();
    b.start_block(body);
    b.store(w.turns, {b.const_u32(0)}, b.iadd(turn.before, b.const_u32(1)));
}

}  // namespace tgsi2spv::lower
