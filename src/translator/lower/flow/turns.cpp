#include "lower/flow/turns.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <span>

#include "ir/fold_constants.h"

namespace tgsi2spv::lower {

namespace {

/// More turns than this are counted: drivers unroll no such loop.
constexpr uint64_t kMostTurns = 64;
/// A sum that is not known.
constexpr uint64_t kUnknown = uint64_t{1} << 32;
/// The steps of all rehearsals of a function, and the phis that one keeps.
constexpr uint32_t kSteps = 1 << 16;
constexpr size_t kMostPhis = 64;
constexpr int kDepth = 16;

/// The place of the last instruction of the block.
ir::Value end_of(const ir::Block& block) {
    return block.first + block.count - 1;
}

/// A run of a loop, as far as constants alone decide where it goes.
struct Rehearsal {
    const ir::Builder& b;
    uint32_t& steps;  ///< Flow::steps
    std::pmr::vector<std::pair<ir::Value, ir::Constant>>& phis;
    size_t num_phis = 0;   ///< those of the block that is being entered follow
    bool decides = false;  ///< a condition of this turn is known
};

/// Whether drivers compute with this as written. They regroup sums, and change denormals, NaN and the signs of zeros:
/// kSteps sums of these floats are exact in any order.
bool is_certain(const ir::Constant& c) {
    constexpr float kMost = 128;
    const auto words = std::span(c.words).first(static_cast<size_t>(c.type.components));
    return !c.type.is_wide() && (c.type.scalar != ir::Scalar::F32 || std::ranges::all_of(words, [](uint32_t w) {
                                     const auto x = std::bit_cast<float>(w);
                                     return std::fabs(x) <= kMost && std::trunc(2 * x) == 2 * x && (x != 0 || w == 0);
                                 }));
}

/// Whether devices compute it as we do. Products are not certain: 0 * (c * d) is NaN if c * d overflows. Drivers
/// compute some fields of bits wrongly, and some numbers of 64 bits (docs/driver-bugs.md).
bool is_certain(ir::Op op) {
    return op != ir::Op::FMul && op != ir::Op::Fma && (op < ir::Op::BitInsert || op > ir::Op::FindUMsb);
}

/// Constants in, a constant out, on all devices.
std::optional<ir::Constant> fold(const ir::Instruction& i, std::span<const ir::Constant* const> args) {
    auto result = ir::fold_constants(i.op, i.type, args);
    if (i.op == ir::Op::Bitcast || i.op == ir::Op::Select || !result) return result;
    const bool is_sure = is_certain(i.op) && is_certain(*result) &&
                         std::ranges::all_of(args, [](const ir::Constant* arg) { return is_certain(*arg); });
    return is_sure ? result : std::nullopt;
}

std::optional<ir::Constant> value_of(Rehearsal& r, ir::Value value, int depth) {
    if (ir::is_constant(value)) return r.b.is_plain_constant(value) ? std::optional(r.b.constant(value)) : std::nullopt;
    if (depth == 0 || r.steps >= kSteps) return std::nullopt;
    r.steps++;
    const ir::Instruction& i = r.b.instruction(value);
    if (i.op == ir::Op::Phi) {
        const auto end = r.phis.begin() + static_cast<ptrdiff_t>(r.num_phis);
        const auto at = std::find_if(r.phis.begin(), end, [&](const auto& phi) { return phi.first == value; });
        return at == end ? std::nullopt : std::optional(at->second);
    }
    const auto args = r.b.args_of(value);
    ir::Constant known[4];
    if (args.size() > std::size(known)) return std::nullopt;
    for (size_t n = 0; n < args.size(); n++) {
        const auto arg = value_of(r, args[n], depth - 1);
        if (!arg) return std::nullopt;
        known[n] = *arg;
    }
    if (i.op == ir::Op::Compose && !i.type.is_wide()) {
        ir::Constant composed{.type = i.type};
        for (size_t n = 0; n < args.size(); n++) composed.words[n] = known[n].words[i.aux >> 2 * n & 3];
        return composed;
    }
    const ir::Constant* const all[] = {&known[0], &known[1], &known[2], &known[3]};
    return fold(i, std::span(all, args.size()));
}

/// Takes over the phis of the block, which are assigned at once.
void enter(Rehearsal& r, const ir::Block& block, ir::BlockId from) {
    const ir::Value end = block.first + block.count;
    for (ir::Value phi = block.first; r.steps < kSteps && r.b.instruction(phi).op == ir::Op::Phi; phi++) {
        const auto edges = r.b.args_of(phi);
        r.steps += static_cast<uint32_t>(std::min<size_t>(edges.size(), kSteps));
        for (size_t n = 0; n < edges.size() && r.steps < kSteps; n += 2)
            if (edges[n + 1] == from)
                if (const auto value = value_of(r, edges[n], kDepth); value && r.phis.size() < kMostPhis)
                    r.phis.emplace_back(phi, *value);
    }
    const auto is_older = [&](const auto& phi) { return phi.first >= block.first && phi.first < end; };
    const auto first_new = r.phis.begin() + static_cast<ptrdiff_t>(r.num_phis);
    r.phis.erase(std::remove_if(r.phis.begin(), first_new, is_older), first_new);
    r.num_phis = r.phis.size();
}

/// The block that follows: kNone if it is not known; the merge block if the invocation ends.
ir::BlockId successor(Rehearsal& r, const ir::Block& block, ir::BlockId merge) {
    const ir::Instruction& end = r.b.instruction(end_of(block));
    if (end.op == ir::Op::Branch || block.merge == ir::Merge::Loop) return end.aux;  // the test of the budget
    if (end.op == ir::Op::Return || end.op == ir::Op::Kill) return merge;
    if (end.op != ir::Op::BranchIf) return ir::kNone;
    const auto condition = value_of(r, r.b.args_of(end_of(block))[0], kDepth);
    if (!condition) return ir::kNone;
    r.decides = true;
    return condition->words[0] != 0 ? end.aux : end.aux2;
}

/// The turns of a loop that constants end. kUnknown: they do not, or after more turns than kMostTurns.
uint64_t turns_of(Context& context, const Frame& loop) {
    if (!context.reachable) return 1;  // no path leads to its end
    const ir::Builder& b = context.b;
    const auto& blocks = context.b.function().blocks;
    const ir::Block& header = blocks[b.place_of(loop.header)];
    if (b.instruction(header.first).op != ir::Op::Phi) return kUnknown;
    context.flow.known_phis.clear();
    Rehearsal r{.b = b, .steps = context.flow.steps, .phis = context.flow.known_phis};
    ir::BlockId from = b.args_of(header.first)[1], at = loop.header;
    for (uint64_t turns = 0; r.steps < kSteps; r.steps++) {
        const ir::Block& block = blocks[b.place_of(at)];
        enter(r, block, from);
        if (at == loop.header && ++turns > kMostTurns) return kUnknown;
        const ir::BlockId next = successor(r, block, loop.merge);
        if (next == loop.merge) return turns;
        from = next == ir::kNone ? loop.other : at;
        at = next == ir::kNone ? loop.header : next;
        if (at != loop.header) continue;
        if (!r.decides) return kUnknown;
        r.decides = false;
        if (next != ir::kNone) continue;
        // Other paths may lead to the end of the turn, so only what the header's phis tell is sure.
        std::erase_if(r.phis, [&](const auto& phi) {
            return phi.first < header.first || phi.first >= header.first + header.count;
        });
        r.num_phis = r.phis.size();
    }
    return kUnknown;
}

}  // namespace

Turn begin_turn(Context& context) {
    if (context.options.max_iterations == 0) return {};
    // An array, since a driver forgets stores of loops to a scalar (docs/driver-bugs.md). Local, if it can be: the
    // compiler then drops loops without effect, unless other loops count after them.
    if (context.turns == kNoIndex)
        context.turns = context.b.add_variable(
            {.kind = context.plan.functions.size() == 1 ? ir::VariableKind::Local : ir::VariableKind::Private,
             .element = ir::u32(),
             .array = {1, 0},
             .zero_initialised = true,
             .name = "iterations"});
    const ir::Value before = context.b.load(context.turns, {context.b.const_u32(0)}, ir::u32());
    return {before, context.b.ult(before, context.b.const_u32(context.options.max_iterations))};
}

void start_turn(Context& context, const Turn& turn, ir::BlockId body, ir::BlockId merge) {
    ir::Builder& b = context.b;
    if (turn.more == ir::kNone)
        b.branch(body);
    else
        b.branch_if(turn.more, body, merge);
    b.start_block(body);
    if (turn.more != ir::kNone) b.store(context.turns, {b.const_u32(0)}, b.iadd(turn.before, b.const_u32(1)));
}

void count_turns(Context& context, const Frame& loop) {
    if (context.options.max_iterations == 0 || context.plan.functions.size() != 1) return;
    const uint64_t own = turns_of(context, loop), inner = 1 + loop.inner_turns;  // their product may not fit
    const uint64_t turns = own >= kUnknown || inner >= kUnknown ? kUnknown : std::min(kUnknown, own * inner);
    const auto outer = std::find_if(context.flow.frames.rbegin() + 1, context.flow.frames.rend(), [&](const Frame& f) {
        return context.plan.constructs[f.construct].kind == ConstructKind::Loop;
    });
    uint64_t& sum = outer == context.flow.frames.rend() ? context.flow.turns : outer->inner_turns;
    sum = std::min(kUnknown, sum + turns);
}

void drop_budget(Context& context) {
    const auto& functions = context.plan.functions;
    if (functions.size() != 1 || functions[0].branches || context.turns == kNoIndex ||
        context.flow.turns > context.options.max_iterations)
        return;
    ir::Function& f = context.b.function();
    const auto is_count = [&](ir::Value v) {
        return !ir::is_constant(v) && f.instructions[v].op == ir::Op::Load && f.instructions[v].aux == context.turns;
    };
    for (const ir::Block& block : f.blocks) {
        const ir::Instruction& branch = f.instructions[end_of(block)];
        if (block.merge != ir::Merge::Loop || branch.op != ir::Op::BranchIf) continue;
        ir::Value& condition = f.args[branch.first_arg];
        if (ir::is_constant(condition) || f.instructions[condition].op != ir::Op::ULt) continue;
        if (is_count(f.args[f.instructions[condition].first_arg])) condition = context.b.const_bool(true);
    }
}

void count_call(Context& context) {
    ir::Builder& b = context.b;
    const Turn turn = begin_turn(context);
    if (turn.more == ir::kNone) return;
    const ir::BlockId body = b.create_block(), spent = b.create_block();
    b.set_selection_merge(body);
    b.branch_if(turn.more, body, spent);
    b.start_block(spent);
    b.ret();
    b.start_block(body);
    b.store(context.turns, {b.const_u32(0)}, b.iadd(turn.before, b.const_u32(1)));
}

}  // namespace tgsi2spv::lower
