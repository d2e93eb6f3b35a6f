// Structured control flow. Nesting is a stack of frames, never recursion; unreachable text is skipped.
#include "lower/flow.h"

#include <algorithm>
#include <cassert>

#include "lower/interface.h"
#include "lower/predicates.h"
#include "lower/regions.h"
#include "lower/registers.h"
#include "lower/state_walk.h"
#include "lower/turns.h"
#include "lower/values.h"

namespace tgsi2spv::lower {

using ir::Scalar;
using tgsi::Opcode;

ir::Value x_is_nonzero(Operation& op) {
    return op.b.is_nonzero(source_component(op, 0, Scalar::U32, 0));
}

/// IF is true for any bit but the sign, UIF for any bit. IF looks at bits, too, because devices flush denormals, and
/// producers before 2013 test integer booleans with it (semantics, Float).
ir::Value if_condition(Operation& op) {
    if (op.instruction.op == Opcode::UIF) return x_is_nonzero(op);
    return op.b.has_magnitude(source_component(op, 0, Scalar::F32, 0));
}

namespace {

constexpr uint8_t kFirst[1] = {0};

const Construct& construct_of(Walk& w, const Frame& f) {
    return w.plan.constructs[f.construct];
}

Frame& open_frame(Walk& w) {
    w.flow.frames.push_back({.construct = w.next_construct++, .outer_region = w.region, .merge = w.b.create_block()});
    const Construct& c = construct_of(w, w.flow.frames.back());
    for (uint32_t k = 0; k < c.num_writes; ++k) {
        Join& j = w.joins.of_writes[c.writes + k];
        j.merge = j.other = Scalar::Void;
        j.entry = ir::kNone;
    }
    return w.flow.frames.back();
}

/// If the current block is reachable, ends it with an edge to the construct's merge block.
void leave_to_merge(Walk& w, Frame& f) {
    if (!w.reachable) return;
    add_edge(w, construct_of(w, f), f.merge_edges, EdgeTarget::Merge);
    w.b.branch(f.merge);
    w.reachable = false;
}

void close_frame(Walk& w) {
    Frame& f = w.flow.frames.back();
    leave_region(w, f.outer_region);
    join(w, construct_of(w, f), f.merge_edges, EdgeTarget::Merge, f.merge);
    if (!w.reachable) w.b.unreachable();
    w.flow.frames.pop_back();
}

// ---- IF

void begin_if(Operation& op) {
    Walk& w = op.walk;
    ir::Builder& b = w.b;
    const ir::Value condition = if_condition(op);
    Frame& f = open_frame(w);
    const Construct& c = construct_of(w, f);
    save(w, c);
    const ir::BlockId then = b.create_block();
    if (c.otherwise != kNoIndex) {
        f.other = b.create_block();
    } else {
        f.other = f.merge;
        add_edge(w, c, f.merge_edges, EdgeTarget::Merge);
    }
    b.set_selection_merge(f.merge);
    b.branch_if(condition, then, f.other);
    b.start_block(then);
    enter_region(w);
}

void begin_else(Walk& w) {
    Frame& f = w.flow.frames.back();
    leave_to_merge(w, f);
    leave_region(w, f.outer_region);
    restore(w, construct_of(w, f));
    w.b.start_block(f.other);
    w.reachable = true;
    enter_region(w);
}

// ---- loops

Scalar expected_type(const Write& write) {
    return (write.integer & write.mask) == write.mask ? Scalar::U32 : Scalar::F32;
}

void begin_loop(Walk& w) {
    ir::Builder& b = w.b;
    Frame& f = open_frame(w);
    const Construct& c = construct_of(w, f);
    for (uint32_t k = c.writes; k < c.writes + c.num_writes; ++k)
        if (w.plan.writes[k].is_read_in_loop())
            w.joins.of_writes[k].entry = composed(w, w.plan.writes[k], expected_type(w.plan.writes[k]));
    const ir::BlockId before = b.current_block();
    f.header = b.create_block();
    f.other = b.create_block();
    b.branch(f.header);
    b.start_block(f.header);
    for (uint32_t k = c.writes; k < c.writes + c.num_writes; ++k) {
        const Write& write = w.plan.writes[k];
        if (!write.is_read_in_loop()) continue;
        Join& j = w.joins.of_writes[k];
        const ir::Incoming entry{j.entry, before};
        j.entry = b.phi(b.type_of(j.entry), std::span(&entry, 1), 2);
        set_cells(w, write, j.entry);
    }
    const ir::BlockId body = b.create_block();
    const Turn turn = begin_turn(w);
    if (turn.more != ir::kNone) add_edge(w, c, f.merge_edges, EdgeTarget::Merge);
    b.set_loop_merge(f.merge, f.other);
    start_turn(w, turn, body, f.merge);
    enter_region(w);
}

void leave_to_continue(Walk& w, Frame& f) {
    if (!w.reachable) return;
    add_edge(w, construct_of(w, f), f.continue_edges, EdgeTarget::Continue);
    w.b.branch(f.other);
    w.reachable = false;
}

void end_loop(Walk& w) {
    ir::Builder& b = w.b;
    Frame& f = w.flow.frames.back();
    const Construct& c = construct_of(w, f);
    leave_to_continue(w, f);
    join(w, c, f.continue_edges, EdgeTarget::Continue, f.other);
    // An unreachable continue block must still exist, and its edge may carry any value.
    for (uint32_t k = c.writes; k < c.writes + c.num_writes; ++k) {
        if (!w.plan.writes[k].is_read_in_loop()) continue;
        const ir::Value phi = w.joins.of_writes[k].entry;
        const ir::Type type = b.type_of(phi);
        const ir::Value value = w.reachable ? composed(w, w.plan.writes[k], type.scalar) : b.zero(type);
        b.add_incoming(phi, {value, f.other});
    }
    b.branch(f.header);
    close_frame(w);
}

// ---- SWITCH

/// A CASE operand that is known from the text.
bool literal_of(Walk& w, const tgsi::Instruction& i, uint32_t& literal) {
    const tgsi::Operand& o = w.program.srcs(i)[0];
    if (o.file != tgsi::File::Immediate || o.index_is_relative || o.dim_is_relative) return false;
    if (static_cast<size_t>(o.index) >= w.program.immediates.size()) return false;
    literal = w.program.immediates[static_cast<size_t>(o.index)].words[o.component(0)];
    if (o.absolute && (literal >> 31) != 0) literal = 0u - literal;
    if (o.negate) literal = 0u - literal;
    return true;
}

bool is_default(Walk& w, uint32_t label) {
    return w.program.instructions[w.plan.labels[label].instruction].op == Opcode::DEFAULT;
}

/// The literals of all CASEs as pairs (literal, label); false if one is not an immediate.
bool collect_literals(Walk& w, const Construct& c) {
    auto& literals = w.flow.literals;
    literals.clear();
    for (uint32_t l = c.first_label; l != kNoIndex; l = w.plan.labels[l].next) {
        if (is_default(w, l)) continue;
        uint32_t literal = 0;
        if (!literal_of(w, w.program.instructions[w.plan.labels[l].instruction], literal)) return false;
        literals.emplace_back(literal, l);
    }
    // Of equal literals, the first in the text wins.
    std::sort(literals.begin(), literals.end());
    const auto last =
        std::unique(literals.begin(), literals.end(), [](const auto& x, const auto& y) { return x.first == y.first; });
    literals.erase(last, literals.end());
    std::sort(literals.begin(), literals.end(), [](const auto& x, const auto& y) { return x.second < y.second; });
    return true;
}

/// Creates a block for each group of consecutive labels of which at least one can be taken.
void place_labels(Walk& w, const Construct& c) {
    auto& blocks = w.flow.label_blocks;
    const auto& literals = w.flow.literals;
    auto taken = literals.begin();
    for (uint32_t l = c.first_label; l != kNoIndex;) {
        uint32_t end = l;
        bool any = false;
        uint32_t at = w.plan.labels[l].instruction;
        for (; end != kNoIndex && w.plan.labels[end].instruction == at; end = w.plan.labels[end].next, ++at) {
            any |= is_default(w, end);
            if (taken != literals.end() && taken->second == end) {
                any = true;
                ++taken;
            }
        }
        const ir::BlockId block = any ? w.b.create_block() : ir::kNone;
        for (; l != end; l = w.plan.labels[l].next) blocks[l] = block;
    }
}

/// For CASE operands that are registers. They are read here, at the SWITCH, which gives the same result: a lane that
/// reaches a CASE unmatched has written nothing since. The selector becomes the number of the label.
ir::Value select_label(Operation& op, const Construct& c, ir::Value selector) {
    Walk& w = op.walk;
    ir::Builder& b = w.b;
    auto& literals = w.flow.literals;
    literals.clear();
    auto& operands = w.flow.case_operands;
    operands.clear();
    for (uint32_t l = c.first_label; l != kNoIndex; l = w.plan.labels[l].next) {
        if (is_default(w, l)) continue;
        Operation test = op.with(w.program.instructions[w.plan.labels[l].instruction], 0xf);
        operands.push_back(source_component(test, 0, Scalar::U32, 0));
        literals.emplace_back(static_cast<uint32_t>(literals.size()), l);
    }
    ir::Value chosen = b.const_u32(ir::kNone);
    for (size_t k = operands.size(); k-- > 0;) {
        const ir::Value number = b.const_u32(static_cast<uint32_t>(k));
        chosen = b.select(b.ieq(selector, operands[k]), number, chosen);
    }
    return chosen;
}

void begin_switch(Operation& op) {
    Walk& w = op.walk;
    ir::Builder& b = w.b;
    ir::Value selector = source_component(op, 0, Scalar::U32, 0);
    const Construct& c = w.plan.constructs[w.next_construct];
    if (!collect_literals(w, c)) selector = select_label(op, c, selector);
    Frame& f = open_frame(w);
    place_labels(w, c);
    ir::BlockId other = f.merge;
    for (uint32_t l = c.first_label; l != kNoIndex; l = w.plan.labels[l].next)
        if (is_default(w, l)) other = w.flow.label_blocks[l];
    w.flow.cases.clear();
    for (const auto& [literal, label] : w.flow.literals)
        if (w.flow.label_blocks[label] != other) w.flow.cases.push_back({literal, w.flow.label_blocks[label]});
    save(w, c);
    f.header = b.current_block();
    f.next_label = c.first_label;
    if (other == f.merge) add_edge(w, c, f.merge_edges, EdgeTarget::Merge);
    if (c.falls_through)
        for (uint32_t k = c.writes; k < c.writes + c.num_writes; ++k)
            w.joins.of_writes[k].entry = composed(w, w.plan.writes[k], Scalar::Void);
    b.set_selection_merge(f.merge);
    b.switch_on(selector, other, w.flow.cases);
    w.reachable = false;
    enter_region(w);
}

/// CASE or DEFAULT: its block is reached from the header and perhaps by fall-through.
void begin_label(Walk& w) {
    ir::Builder& b = w.b;
    Frame& f = w.flow.frames.back();
    const ir::BlockId block = w.flow.label_blocks[f.next_label];
    f.next_label = w.plan.labels[f.next_label].next;
    if (block == ir::kNone || b.is_started(block)) return;
    const Construct& c = construct_of(w, f);
    leave_region(w, f.outer_region);
    enter_region(w);
    if (!w.reachable) {
        restore(w, c);
        b.start_block(block);
        w.reachable = true;
        return;
    }
    const auto first = w.joins.values.size();
    for (uint32_t k = c.writes; k < c.writes + c.num_writes; ++k) {
        const ir::Value entry = w.joins.of_writes[k].entry;
        const bool constant = w.b.is_plain_constant(entry);
        const ir::Value value = composed(w, w.plan.writes[k], constant ? Scalar::Void : b.type_of(entry).scalar);
        w.joins.values.push_back(value);
    }
    const ir::BlockId above = b.current_block();
    b.branch(block);
    b.start_block(block);
    for (uint32_t k = 0; k < c.num_writes; ++k) {
        const Write& write = w.plan.writes[c.writes + k];
        const ir::Value value = w.joins.values[first + k];
        ir::Value entry = w.joins.of_writes[c.writes + k].entry;
        if (w.b.is_plain_constant(entry)) entry = b.bitcast(entry, b.type_of(value).scalar);
        const ir::Incoming edges[2] = {{entry, f.header}, {value, above}};
        const ir::Value both = entry == value ? entry : b.phi(b.type_of(value), edges);
        set_cells(w, write, both);
    }
    w.joins.values.resize(first);
}

// ---- KILL

void kill(Walk& w) {
    if (w.capabilities.demote) {
        w.b.emit(ir::Op::Demote, ir::kVoid, {});
        return;
    }
    const Ref killed = constant_ref(w, 1);
    write_slot(w, w.plan.slots.killed, 1, &killed);
}

void kill_where(Walk& w, ir::Value condition) {
    ir::Builder& b = w.b;
    if (!w.capabilities.demote) {
        const ir::Value before = killed_flag(w);
        const Ref killed{b.select(condition, b.const_u32(1), before), 0};
        write_slot(w, w.plan.slots.killed, 1, &killed);
        return;
    }
    const Conditional conditional = begin_conditional(w, condition);
    kill(w);
    end_conditional(w, conditional);
}

/// KILL_IF: kills if any of the four components is below 0; NaN and −0 are not below 0.
void kill_if(Operation& op, ir::Value predicate = ir::kNone) {
    Walk& w = op.walk;
    ir::Builder& b = w.b;
    const tgsi::Operand& o = op.program.srcs(op.instruction)[0];
    uint8_t comps[4];
    size_t n = 0;
    for (uint8_t c = 0, seen = 0; c < 4; ++c) {
        const auto bit = static_cast<uint8_t>(1u << o.component(c));
        if (!(seen & bit)) comps[n++] = c;
        seen |= bit;
    }
    const ir::Value value = source(op, 0, Scalar::F32, std::span<const uint8_t>(comps, n));
    const ir::Value below = b.any(b.folt(value, b.zero(b.type_of(value))));
    kill_where(w, predicate == ir::kNone ? below : b.land(predicate, below));
}

void call(Operation& op) {
    op.b.call(op.walk.ir_functions[op.walk.plan.function_of_label[op.instruction.label]], {});
}

Frame* innermost(Walk& w, bool loop_only) {
    for (size_t k = w.flow.frames.size(); k-- > 0;) {
        const ConstructKind kind = construct_of(w, w.flow.frames[k]).kind;
        if (kind == ConstructKind::Loop || (!loop_only && kind == ConstructKind::Switch)) return &w.flow.frames[k];
    }
    return nullptr;
}

}  // namespace

void lower_exit(Walk& w) {
    if (!w.reachable) return;
    ir::Builder& b = w.b;
    if (w.in_main && !w.plan.wrap) finish_invocation(w);
    b.ret();
    w.reachable = false;
}

ir::Value killed_flag(Walk& w) {
    Ref killed;
    read_slot(w, w.plan.slots.killed, kFirst, &killed);
    return gather(w, std::span<const Ref>(&killed, 1), Scalar::U32);
}

void finish_invocation(Walk& w) {
    ir::Builder& b = w.b;
    if (w.plan.kills) {
        const ir::Value flag = killed_flag(w);
        const ir::BlockId then = b.create_block(), merge = b.create_block();
        b.set_selection_merge(merge);
        b.branch_if(b.is_nonzero(flag), then, merge);
        b.start_block(then);
        b.kill();
        b.start_block(merge);
    }
    if (w.program.stage == tgsi::Stage::Fragment && !w.options.io_buffers) discard_by_state(w);
    store_outputs(w);
}

namespace {

/// Flow under a predicate: what leaves, calls or kills. The checker refuses a predicate on everything else.
void lower_predicated(Operation& op) {
    Walk& w = op.walk;
    const tgsi::Instruction& i = op.instruction;
    if (i.op == Opcode::NOP) return;
    tgsi::Instruction bare = i;
    bare.has_predicate = false;
    Operation inner = op.with(bare, op.mask);
    const ir::Value condition = predicate_condition(w, i);
    const bool kills = i.op == Opcode::KILL || i.op == Opcode::DEMOTE || i.op == Opcode::KILP;
    if (kills) return kill_where(w, condition);
    if (i.op == Opcode::KILL_IF || i.op == Opcode::KIL) return kill_if(inner, condition);
    const Conditional conditional = begin_conditional(w, condition);
    lower_flow(inner);
    end_conditional(w, conditional);
}

}  // namespace

void lower_flow(Operation& op) {
    Walk& w = op.walk;
    if (op.instruction.has_predicate) return lower_predicated(op);
    switch (op.instruction.op) {
        case Opcode::IF:
        case Opcode::IFC:
        case Opcode::UIF:
            return begin_if(op);
        case Opcode::ELSE:
            return begin_else(w);
        case Opcode::ENDIF:
        case Opcode::ENDSWITCH:
            leave_to_merge(w, w.flow.frames.back());
            return close_frame(w);
        case Opcode::BGNLOOP:
            return begin_loop(w);
        case Opcode::ENDLOOP:
            return end_loop(w);
        case Opcode::SWITCH:
            return begin_switch(op);
        case Opcode::CASE:
        case Opcode::DEFAULT:
            return begin_label(w);
        case Opcode::BRK:
            return leave_to_merge(w, *innermost(w, false));
        case Opcode::CONT:
            return leave_to_continue(w, *innermost(w, true));
        case Opcode::BREAKC: {
            const Conditional conditional = begin_conditional(w, x_is_nonzero(op));
            leave_to_merge(w, *innermost(w, false));
            return end_conditional(w, conditional);
        }
        case Opcode::RET:
            return lower_exit(w);
        case Opcode::CAL:
            return call(op);
        case Opcode::CALLNZ: {
            const Conditional conditional = begin_conditional(w, x_is_nonzero(op));
            call(op);
            return end_conditional(w, conditional);
        }
        case Opcode::KILL:
        case Opcode::DEMOTE:
        case Opcode::KILP:
            return kill(w);
        case Opcode::KILL_IF:
        case Opcode::KIL:
            return kill_if(op);
        default:
            return;
    }
}

}  // namespace tgsi2spv::lower
