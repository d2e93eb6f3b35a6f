#include "lower/flow/turns.h"

#include <algorithm>
#include <optional>

#include "ir/fold_constants.h"

namespace tgsi2spv::lower {

namespace {

/// More turns than this are counted: drivers unroll no such loop.
constexpr uint64_t kMostTurns = 64;
/// Of a sum that is not known.
constexpr uint64_t kUnknown = uint64_t{1} << 32;
constexpr int kDepth = 6;

/// A register that a loop counts with.
struct Counter {
    ir::Value phi = ir::kNone;
    ir::Constant value{};
};

/// The first phi that the value follows from.
ir::Value phi_of(const ir::Builder& b, ir::Value value, int depth) {
    if (ir::is_constant(value) || depth == 0) return ir::kNone;
    if (b.instruction(value).op == ir::Op::Phi) return value;
    for (const ir::Value v : b.args_of(value))
        if (const ir::Value phi = phi_of(b, v, depth - 1); phi != ir::kNone) return phi;
    return ir::kNone;
}

/// The value if it follows from the counter and constants alone.
std::optional<ir::Constant> value_of(const ir::Builder& b, ir::Value value, const Counter& counter, int depth) {
    if (value == counter.phi) return counter.value;
    if (ir::is_constant(value)) return b.is_plain_constant(value) ? std::optional(b.constant(value)) : std::nullopt;
    const ir::Instruction& i = b.instruction(value);
    const auto args = b.args_of(value);
    if (depth == 0 || i.op == ir::Op::Phi || i.op == ir::Op::Compose || args.size() > 3) return std::nullopt;
    ir::Constant known[3];
    const ir::Constant* const all[3] = {&known[0], &known[1], &known[2]};
    for (size_t n = 0; n < args.size(); n++) {
        const auto arg = value_of(b, args[n], counter, depth - 1);
        if (!arg) return std::nullopt;
        known[n] = *arg;
    }
    return ir::fold_constants(i.op, i.type, std::span(all, args.size()));
}

/// The place of the last instruction of the block.
ir::Value end_of(const ir::Block& block) {
    return block.first + block.count - 1;
}

/// The turns of a loop whose body begins with a jump out of it, on a condition that depends on a counter. kUnknown: it
/// has no such form, or more turns than kMostTurns.
uint64_t turns_of(Walk& walk, const Frame& loop) {
    const ir::Builder& b = walk.b;
    const auto& blocks = walk.b.function().blocks;
    const uint32_t body = b.place_of(loop.header) + 1;
    const ir::Instruction branch = b.instruction(end_of(blocks[body]));
    if (branch.op != ir::Op::BranchIf) return kUnknown;
    const ir::Instruction& jump = b.instruction(end_of(blocks[body + 1]));
    if (jump.op != ir::Op::Branch || jump.aux != loop.merge) return kUnknown;
    const uint32_t leaves = b.place_of(branch.aux) == body + 1 ? 1 : 0;
    const ir::Value condition = walk.b.function().args[branch.first_arg];
    Counter counter{.phi = phi_of(b, condition, kDepth)};
    if (counter.phi < blocks[body - 1].first || counter.phi >= end_of(blocks[body - 1])) return kUnknown;
    const auto edges = b.args_of(counter.phi);
    auto value = value_of(b, edges[0], {}, 0);
    for (uint64_t turns = 1; value && turns <= kMostTurns; turns++) {
        counter.value = *value;
        const auto holds = value_of(b, condition, counter, kDepth);
        if (!holds) return kUnknown;
        if (holds->words[0] == leaves) return turns;
        value = value_of(b, edges[2], counter, kDepth);
    }
    return kUnknown;
}

}  // namespace

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

void count_turns(Walk& walk, const Frame& loop) {
    if (walk.options.max_iterations == 0) return;
    const uint64_t own = turns_of(walk, loop), inner = 1 + loop.inner_turns;  // their product may not fit
    const uint64_t turns = own >= kUnknown || inner >= kUnknown ? kUnknown : std::min(kUnknown, own * inner);
    const auto outer = std::find_if(walk.flow.frames.rbegin() + 1, walk.flow.frames.rend(), [&](const Frame& f) {
        return walk.plan.constructs[f.construct].kind == ConstructKind::Loop;
    });
    uint64_t& sum = outer == walk.flow.frames.rend() ? walk.flow.turns : outer->inner_turns;
    sum = std::min(kUnknown, sum + turns);
}

void drop_budget(Walk& walk) {
    const auto& functions = walk.plan.functions;
    if (functions.size() != 1 || functions[0].branches || walk.turns == kNoIndex ||
        walk.flow.turns > walk.options.max_iterations)
        return;
    ir::Function& f = walk.b.function();
    const auto is_count = [&](ir::Value v) {
        return !ir::is_constant(v) && f.instructions[v].op == ir::Op::Load && f.instructions[v].aux == walk.turns;
    };
    for (const ir::Block& block : f.blocks) {
        const ir::Instruction& branch = f.instructions[end_of(block)];
        if (block.merge != ir::Merge::Loop || branch.op != ir::Op::BranchIf) continue;
        ir::Value& condition = f.args[branch.first_arg];
        if (ir::is_constant(condition) || f.instructions[condition].op != ir::Op::ULt) continue;
        if (is_count(f.args[f.instructions[condition].first_arg])) condition = walk.b.const_bool(true);
    }
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
