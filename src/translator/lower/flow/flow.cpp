// Structured control flow. Nesting is a stack of frames, never recursion; unreachable text is skipped.
#include "lower/flow/flow.h"

#include <algorithm>
#include <cassert>

#include "lower/context/guarded.h"
#include "lower/context/regions.h"
#include "lower/context/values.h"
#include "lower/flow/turns.h"
#include "lower/interface/interface.h"
#include "lower/interface/system_values.h"
#include "lower/registers/cells.h"
#include "lower/registers/predicates.h"
#include "lower/state/state_context.h"
#include "lower/variables/inputs.h"

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

/// Whether a value follows from words of constant buffers alone. `loads`: becomes true if it follows from one. Looks at
/// a chain of at most `depth` definitions.
bool is_of_constants(const ir::Builder& b, ir::Value value, int depth, bool& loads) {
    if (ir::is_constant(value)) return true;
    const ir::Instruction& i = b.instruction(value);
    if (depth == 0 || i.op == ir::Op::Phi) return false;
    if (i.op == ir::Op::Load) {
        if (b.module().variables[i.aux].kind != ir::VariableKind::ConstantBuffer) return false;
        loads = true;
    }
    const auto args = b.args_of(value);
    return (loads || !args.empty()) &&
           std::ranges::all_of(args, [&](ir::Value a) { return is_of_constants(b, a, depth - 1, loads); });
}

/// Workarounds::branches_by_lane: the vertex is not the last of 2^32, the pixel has a place. Conditions that follow
/// from more than constants stay as they are, so that drivers can count the rounds of loops.
ir::Value by_lane(Context& context, ir::Value condition) {
    constexpr int kDepth = 8;
    bool loads = false;
    if (!context.options.workarounds.branches_by_lane || !is_of_constants(context.b, condition, kDepth, loads) ||
        !loads)
        return condition;
    ir::Builder& b = context.b;
    if (context.program.stage == tgsi::Stage::Vertex)
        return b.land(condition, b.ine(load_builtin(context, ir::BuiltIn::VertexIndex, ir::u32()), b.const_u32(~0U)));
    if (context.program.stage != tgsi::Stage::Fragment) return condition;
    const ir::Value place = b.extract(load_builtin(context, ir::BuiltIn::FragCoord, ir::f32(4)), 0);
    return b.land(condition, b.ine(b.bitcast(place, Scalar::U32), b.const_u32(~0U)));
}

const Construct& construct_of(Context& context, const Frame& frame) {
    return context.plan.constructs[frame.construct];
}

Frame& open_frame(Context& context) {
    context.flow.frames.push_back(
        {.construct = context.next_construct++, .outer_region = context.region, .merge = context.b.create_block()});
    const Construct& c = construct_of(context, context.flow.frames.back());
    for (uint32_t k = 0; k < c.num_writes; ++k) {
        Join& j = context.joins.of_writes[c.writes + k];
        j.merge = j.other = Scalar::Void;
        j.entry = ir::kNone;
    }
    return context.flow.frames.back();
}

/// If the current block is reachable, ends it with an edge to the construct's merge block.
void leave_to_merge(Context& context, Frame& frame) {
    if (!context.reachable) return;
    add_edge(context, construct_of(context, frame), frame.merge_edges, EdgeTarget::Merge);
    context.b.branch(frame.merge);
    context.reachable = false;
}

void close_frame(Context& context) {
    Frame& f = context.flow.frames.back();
    leave_region(context, f.outer_region);
    join(context, construct_of(context, f), f.merge_edges, EdgeTarget::Merge, f.merge);
    if (!context.reachable) context.b.unreachable();
    context.flow.frames.pop_back();
}

// ---- IF

Frame* innermost(Context& context, bool loop_only) {
    for (size_t k = context.flow.frames.size(); k-- > 0;) {
        const ConstructKind kind = construct_of(context, context.flow.frames[k]).kind;
        if (kind == ConstructKind::Loop || (!loop_only && kind == ConstructKind::Switch))
            return &context.flow.frames[k];
    }
    return nullptr;
}

/// Whether the construct is the last in an arm of the open one, and both arms end with such breaks: breaks_at_end().
bool is_late_break(const Context& context, uint32_t construct) {
    if (context.flow.frames.empty() || context.flow.frames.back().merge == ir::kNone) return false;
    const Construct& outer = context.plan.constructs[context.flow.frames.back().construct];
    const uint32_t after = context.plan.constructs[construct].last + 1;
    return (after == outer.otherwise || after == outer.last) && breaks_at_end(context.program, outer);
}

/// One of two breaks that become one after the arms; the text of this one is skipped.
void begin_late_break(Context& context, ir::Value condition) {
    Frame& outer = context.flow.frames.back();
    outer.breaks[outer.num_breaks++] = {condition, context.b.current_block()};
    context.flow.frames.push_back({.construct = context.next_construct++, .merge = ir::kNone});
    context.reachable = false;
}

/// After an IF whose arms both ended with a break on a condition.
void break_late(Context& context, const Frame& frame) {
    if (frame.num_breaks == 0) return;
    ir::Value condition = frame.breaks[0].value;
    if (frame.num_breaks == 2 && frame.breaks[1].value != condition)
        condition = context.b.phi(ir::boolean(), frame.breaks);
    const Conditional conditional = begin_conditional(context, condition);
    leave_to_merge(context, *innermost(context, false));
    end_conditional(context, conditional);
}

void end_if(Context& context) {
    const Frame frame = context.flow.frames.back();
    if (frame.merge == ir::kNone) {
        context.flow.frames.pop_back();
        context.reachable = true;
        return;
    }
    leave_to_merge(context, context.flow.frames.back());
    close_frame(context);
    break_late(context, frame);
}

void begin_if(Operation& op) {
    Context& w = op.context;
    ir::Builder& b = w.b;
    const ir::Value condition = by_lane(w, if_condition(op));
    if (is_late_break(w, w.next_construct)) return begin_late_break(w, condition);
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

void begin_else(Context& context) {
    Frame& f = context.flow.frames.back();
    if (f.merge == ir::kNone) return;  // of a late break
    leave_to_merge(context, f);
    leave_region(context, f.outer_region);
    restore(context, construct_of(context, f));
    context.b.start_block(f.other);
    context.reachable = true;
    enter_region(context);
}

// ---- loops

Scalar expected_type(const Write& write) {
    return (write.integer & write.mask) == write.mask ? Scalar::U32 : Scalar::F32;
}

void begin_loop(Context& context) {
    ir::Builder& b = context.b;
    Frame& f = open_frame(context);
    const Construct& c = construct_of(context, f);
    for (uint32_t k = c.writes; k < c.writes + c.num_writes; ++k)
        if (context.plan.writes[k].is_read_in_loop())
            context.joins.of_writes[k].entry =
                composed(context, context.plan.writes[k], expected_type(context.plan.writes[k]));
    const ir::BlockId before = b.current_block();
    f.header = b.create_block();
    f.other = b.create_block();
    b.branch(f.header);
    b.start_block(f.header);
    for (uint32_t k = c.writes; k < c.writes + c.num_writes; ++k) {
        const Write& write = context.plan.writes[k];
        if (!write.is_read_in_loop()) continue;
        Join& j = context.joins.of_writes[k];
        const ir::Incoming entry{j.entry, before};
        j.entry = b.phi(b.type_of(j.entry), std::span(&entry, 1), 2);
        set_cells(context, write, j.entry);
    }
    const ir::BlockId body = b.create_block();
    const Turn turn = begin_turn(context);
    if (turn.more != ir::kNone) add_edge(context, c, f.merge_edges, EdgeTarget::Merge);
    b.set_loop_merge(f.merge, f.other);
    start_turn(context, turn, body, f.merge);
    enter_region(context);
}

void leave_to_continue(Context& context, Frame& frame) {
    if (!context.reachable) return;
    add_edge(context, construct_of(context, frame), frame.continue_edges, EdgeTarget::Continue);
    context.b.branch(frame.other);
    context.reachable = false;
}

void end_loop(Context& context) {
    ir::Builder& b = context.b;
    Frame& f = context.flow.frames.back();
    const Construct& c = construct_of(context, f);
    leave_to_continue(context, f);
    join(context, c, f.continue_edges, EdgeTarget::Continue, f.other);
    // An unreachable continue block must still exist, and its edge may carry any value.
    for (uint32_t k = c.writes; k < c.writes + c.num_writes; ++k) {
        if (!context.plan.writes[k].is_read_in_loop()) continue;
        const ir::Value phi = context.joins.of_writes[k].entry;
        const ir::Type type = b.type_of(phi);
        const ir::Value value =
            context.reachable ? composed(context, context.plan.writes[k], type.scalar) : b.zero(type);
        b.add_incoming(phi, {value, f.other});
    }
    b.branch(f.header);
    count_turns(context, f);
    close_frame(context);
}

// ---- SWITCH

/// A CASE operand that is known from the text.
bool literal_of(Context& context, const tgsi::Instruction& instruction, uint32_t& literal) {
    const tgsi::Operand& o = context.program.srcs(instruction)[0];
    if (o.file != tgsi::File::Immediate || o.index_is_relative || o.dim_is_relative) return false;
    if (static_cast<size_t>(o.index) >= context.program.immediates.size()) return false;
    literal = context.program.immediates[static_cast<size_t>(o.index)].words[o.component(0)];
    if (o.absolute && (literal >> 31) != 0) literal = 0u - literal;
    if (o.negate) literal = 0u - literal;
    return true;
}

bool is_default(Context& context, uint32_t label) {
    return context.program.instructions[context.plan.labels[label].instruction].op == Opcode::DEFAULT;
}

/// The literals of all CASEs as pairs (literal, label); false if one is not an immediate.
bool collect_literals(Context& context, const Construct& construct) {
    auto& literals = context.flow.literals;
    literals.clear();
    for (uint32_t l = construct.first_label; l != kNoIndex; l = context.plan.labels[l].next) {
        if (is_default(context, l)) continue;
        uint32_t literal = 0;
        if (!literal_of(context, context.program.instructions[context.plan.labels[l].instruction], literal))
            return false;
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
void place_labels(Context& context, const Construct& construct) {
    auto& blocks = context.flow.label_blocks;
    const auto& literals = context.flow.literals;
    auto taken = literals.begin();
    for (uint32_t l = construct.first_label; l != kNoIndex;) {
        uint32_t end = l;
        bool any = false;
        uint32_t at = context.plan.labels[l].instruction;
        for (; end != kNoIndex && context.plan.labels[end].instruction == at;
             end = context.plan.labels[end].next, ++at) {
            any |= is_default(context, end);
            if (taken != literals.end() && taken->second == end) {
                any = true;
                ++taken;
            }
        }
        const ir::BlockId block = any ? context.b.create_block() : ir::kNone;
        for (; l != end; l = context.plan.labels[l].next) blocks[l] = block;
    }
}

/// For CASE operands that are registers. They are read here, at the SWITCH, which gives the same result: a lane that
/// reaches a CASE unmatched has written nothing since. The selector becomes the number of the label.
ir::Value select_label(Operation& op, const Construct& construct, ir::Value selector) {
    Context& w = op.context;
    ir::Builder& b = w.b;
    auto& literals = w.flow.literals;
    literals.clear();
    auto& operands = w.flow.case_operands;
    operands.clear();
    for (uint32_t l = construct.first_label; l != kNoIndex; l = w.plan.labels[l].next) {
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
    Context& w = op.context;
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
void begin_label(Context& context) {
    ir::Builder& b = context.b;
    Frame& f = context.flow.frames.back();
    const ir::BlockId block = context.flow.label_blocks[f.next_label];
    f.next_label = context.plan.labels[f.next_label].next;
    if (block == ir::kNone || b.is_started(block)) return;
    const Construct& c = construct_of(context, f);
    leave_region(context, f.outer_region);
    enter_region(context);
    if (!context.reachable) {
        restore(context, c);
        b.start_block(block);
        context.reachable = true;
        return;
    }
    const auto first = context.joins.values.size();
    for (uint32_t k = c.writes; k < c.writes + c.num_writes; ++k) {
        const ir::Value entry = context.joins.of_writes[k].entry;
        const bool constant = context.b.is_plain_constant(entry);
        const ir::Value value =
            composed(context, context.plan.writes[k], constant ? Scalar::Void : b.type_of(entry).scalar);
        context.joins.values.push_back(value);
    }
    const ir::BlockId above = b.current_block();
    b.branch(block);
    b.start_block(block);
    for (uint32_t k = 0; k < c.num_writes; ++k) {
        const Write& write = context.plan.writes[c.writes + k];
        const ir::Value value = context.joins.values[first + k];
        ir::Value entry = context.joins.of_writes[c.writes + k].entry;
        if (context.b.is_plain_constant(entry)) entry = b.bitcast(entry, b.type_of(value).scalar);
        const ir::Incoming edges[2] = {{entry, f.header}, {value, above}};
        const ir::Value both = entry == value ? entry : b.phi(b.type_of(value), edges);
        set_cells(context, write, both);
    }
    context.joins.values.resize(first);
}

// ---- KILL

void kill(Context& context) {
    if (context.capabilities.demote) {
        context.b.emit(ir::Op::Demote, ir::kVoid, {});
        return;
    }
    const Ref killed = constant_ref(context.b, 1);
    write_slot(context, context.plan.slots.killed, 1, &killed);
}

/// KILL_IF: kills if any of the four components is below 0; NaN and −0 are not below 0.
void kill_if(Operation& op, ir::Value predicate = ir::kNone) {
    Context& w = op.context;
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
    op.b.call(op.context.ir_functions[op.context.plan.function_of_label[op.instruction.label]], {});
}

}  // namespace

void kill_where(Context& context, ir::Value condition) {
    ir::Builder& b = context.b;
    if (!context.capabilities.demote) {
        const ir::Value before = killed_flag(context);
        const Ref killed{b.select(condition, b.const_u32(1), before), 0};
        write_slot(context, context.plan.slots.killed, 1, &killed);
        return;
    }
    const Conditional conditional = begin_conditional(context, condition);
    kill(context);
    end_conditional(context, conditional);
}

void clip_fragment(Context& context) {
    ir::Builder& b = context.b;
    ir::Value outside = b.const_bool(false);
    for (const uint32_t variable : context.inputs.distances.passed) {
        if (variable == kNoIndex) continue;
        const ir::Type type = b.module().variables[variable].element;
        const ir::Value distances = b.load(variable, {}, type);
        const ir::Value below = b.folt(distances, b.zero(type));
        outside = b.lor(outside, type.components == 1 ? below : b.any(below));
    }
    kill_where(context, outside);
}

void lower_exit(Context& context) {
    if (!context.reachable) return;
    ir::Builder& b = context.b;
    if (context.in_main && !context.plan.wrap) finish_invocation(context);
    b.ret();
    context.reachable = false;
}

ir::Value killed_flag(Context& context) {
    Ref killed;
    read_slot(context, context.plan.slots.killed, kFirst, &killed);
    return gather(context.b, std::span<const Ref>(&killed, 1), Scalar::U32);
}

ir::Value may_write(Context& context) {
    ir::Builder& b = context.b;
    ir::Value allowed = context.io.inside;  // kNone without io=buffers
    if (context.plan.kills) {
        const ir::Value killed = killed_flag(context);
        const ir::Value lives =
            ir::is_constant(killed) && b.constant(killed).words[0] == 0 ? ir::kNone : b.ieq(killed, b.const_u32(0));
        allowed = both(b, allowed, lives);
    }
    return allowed;
}

void finish_invocation(Context& context) {
    ir::Builder& b = context.b;
    if (context.plan.kills) {
        const ir::Value flag = killed_flag(context);
        const ir::BlockId then = b.create_block(), merge = b.create_block();
        b.set_selection_merge(merge);
        b.branch_if(b.is_nonzero(flag), then, merge);
        b.start_block(then);
        b.kill();
        b.start_block(merge);
    }
    if (context.program.stage == tgsi::Stage::Fragment && !context.options.io_buffers) discard_by_state(context);
    store_outputs(context);
}

namespace {

/// Flow under a predicate: jumps out, calls and kills. The checker refuses a predicate on everything else.
void lower_predicated(Operation& op) {
    Context& w = op.context;
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
    Context& w = op.context;
    if (op.instruction.has_predicate) return lower_predicated(op);
    switch (op.instruction.op) {
        case Opcode::IF:
        case Opcode::IFC:
        case Opcode::UIF:
            return begin_if(op);
        case Opcode::ELSE:
            return begin_else(w);
        case Opcode::ENDIF:
            return end_if(w);
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
