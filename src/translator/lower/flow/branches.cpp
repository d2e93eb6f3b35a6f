// Functions that have BRA. Code that structured control flow cannot express becomes one loop over numbered pieces of
// code, in the order of the text. A lane skips every piece but the one it has to run next; that piece sets which piece
// is next.
//
//   next = 0, or where CAL enters
//   do {
//     if (next == 0) { piece 0; next = … }
//     if (next == 1) { piece 1; next = … }
//     …
//   } while (next != number of pieces)
//
// A chain of tests is used instead of a switch, so that lanes that jump forwards rejoin the others at the place where
// they meet in the text: implicit derivatives and votes after a label see the same lanes as they would after an ENDIF.
// Only constructs that a branch enters or leaves are flat (plan/branches.cpp): these are split into pieces here. All
// others stay constructs inside their piece. Registers live in memory.
#include "lower/flow/branches.h"

#include <algorithm>

#include "lower/context/regions.h"
#include "lower/flow/flow.h"
#include "lower/flow/turns.h"
#include "lower/operands/operands.h"
#include "lower/registers/predicates.h"

namespace tgsi2spv::lower {

using ir::Scalar;
using ir::Value;
using tgsi::Opcode;

namespace {

struct Branches {
    Context& w;
    const FunctionPlan& f;
    void (&lower_instruction)(Context& context, uint32_t pc);
    std::pmr::vector<uint32_t>& numbers = w.branches.numbers;
    std::pmr::vector<uint32_t>& open = w.branches.open;
    uint32_t pieces = 0;
    // The current piece.
    Value next = ir::kNone;     ///< the number of the next piece, from the loop or the piece before
    Value decided = ir::kNone;  ///< the new value from this piece; the text after that is then not reached
    Conditional guard{};
    ir::BlockId head = 0;  ///< the block that tests for the piece

    const Construct& construct(uint32_t c) const { return w.plan.constructs[c]; }

    // ---- numbers

    void mark(uint32_t pc) { numbers[pc - f.begin] = 0; }
    uint32_t piece(uint32_t pc) const { return numbers[pc - f.begin]; }

    /// A piece begins at every target of a jump, and after everything that may jump.
    void mark_construct(const Construct& construct) {
        mark(construct.first + 1);
        if (construct.kind == ConstructKind::If && construct.otherwise != kNoIndex) mark(construct.otherwise + 1);
        for (uint32_t l = construct.first_label; l != kNoIndex; l = w.plan.labels[l].next)
            mark(w.plan.labels[l].instruction);
        mark(behind(construct));
    }

    bool number() {
        numbers.assign(f.end - f.begin + 1, kNoIndex);
        open.clear();
        mark(f.begin);
        mark(f.label);
        uint32_t c = f.first_construct;
        for (uint32_t pc = f.begin; pc < f.end; ++pc) {
            const tgsi::Instruction& i = w.program.instructions[pc];
            if (opens_construct(i.op)) {
                const Construct& opened = construct(c);
                if (opened.flat) mark_construct(opened);
                c = opened.flat ? c + 1 : opened.next;
                if (!opened.flat) pc = opened.last;
            } else if (i.op == Opcode::BRA) {
                if (i.label < f.begin || i.label > f.end) {
                    fail(w, "unsupported-flow", i.position, "BRA jumps out of its subroutine");
                    return false;
                }
                mark(i.label);
            }
            if (i.op == Opcode::BREAKC || (i.has_predicate && tgsi::info(i.op).family == tgsi::Family::flow))
                mark(pc + 1);
        }
        for (uint32_t& n : std::span(numbers).first(f.end - f.begin))
            if (n != kNoIndex) n = pieces++;
        numbers.back() = pieces;  // the end
        return true;
    }

    // ---- pieces

    void open_piece(uint32_t number) {
        head = w.b.current_block();
        guard = begin_conditional(w, w.b.ieq(next, w.b.const_u32(number)));
        decided = ir::kNone;
        w.reachable = true;
    }

    void close_piece(uint32_t following) {
        ir::Builder& b = w.b;
        const bool goes_on = w.reachable;
        if (decided == ir::kNone) decided = b.const_u32(following);
        const ir::Incoming edges[2] = {{next, head}, {decided, goes_on ? b.current_block() : head}};
        end_conditional(w, guard);
        if (goes_on) next = b.phi(ir::u32(), edges);
    }

    // ---- jumps

    /// The target of the construct's BRK.
    static uint32_t behind(const Construct& construct) {
        return construct.kind == ConstructKind::Loop ? construct.last + 1 : construct.last;
    }

    const Construct& innermost_open(bool loop_only) const {
        return construct(innermost(w.plan.constructs, open, loop_only));
    }

    Value number_of(uint32_t pc) const { return w.b.const_u32(piece(pc)); }

    /// Jumps to `target`, under the instruction's condition if it has one; otherwise execution continues.
    void jump(uint32_t pc, uint32_t target) {
        const tgsi::Instruction& i = w.program.instructions[pc];
        ir::Builder& b = w.b;
        Operation op = begin_instruction(w, i);
        Value condition = i.has_predicate ? predicate_condition(w, i) : ir::kNone;
        if (i.op == Opcode::BREAKC) {
            const Value breaks = x_is_nonzero(op);
            condition = condition == ir::kNone ? breaks : b.land(condition, breaks);
        }
        decided = number_of(target);
        if (condition != ir::kNone) decided = b.select(condition, decided, number_of(pc + 1));
    }

    /// Chooses the first CASE that matches; register operands are read here, as in select_label().
    void choose_label(Operation& op, const Construct& construct) {
        ir::Builder& b = w.b;
        const Value selector = source_component(op, 0, Scalar::U32, 0);
        decided = number_of(construct.last);
        auto& cases = w.branches.cases;
        cases.clear();
        for (uint32_t l = construct.first_label; l != kNoIndex; l = w.plan.labels[l].next) {
            const uint32_t at = w.plan.labels[l].instruction;
            const tgsi::Instruction& label = w.program.instructions[at];
            if (label.op == Opcode::DEFAULT) {
                decided = number_of(at);
                continue;
            }
            Operation test = begin_instruction(w, label);
            cases.emplace_back(source_component(test, 0, Scalar::U32, 0), at);
        }
        for (size_t k = cases.size(); k-- > 0;) {
            const Value number = number_of(cases[k].second);
            decided = b.select(b.ieq(selector, cases[k].first), number, decided);
        }
    }

    // ---- instructions outside the constructs that are kept

    void open_flat(uint32_t pc, bool reached) {
        const tgsi::Instruction& i = w.program.instructions[pc];
        const uint32_t index = w.next_construct++;
        const Construct& c = construct(index);
        open.push_back(index);
        if (!reached || c.kind == ConstructKind::Loop) return;
        Operation op = begin_instruction(w, i);
        if (c.kind == ConstructKind::Switch) return choose_label(op, c);
        const Value otherwise = number_of(c.otherwise != kNoIndex ? c.otherwise + 1 : c.last);
        const Value condition = if_condition(op);
        decided = w.b.select(condition, number_of(pc + 1), otherwise);
    }

    /// True if the instruction is fully handled.
    bool flat_flow(uint32_t pc, bool reached) {
        const tgsi::Instruction& i = w.program.instructions[pc];
        switch (i.op) {
            case Opcode::ELSE:
                if (reached) decided = number_of(construct(open.back()).last);
                break;
            case Opcode::ENDLOOP:
                if (reached) decided = number_of(construct(open.back()).first + 1);
                open.pop_back();
                break;
            case Opcode::ENDIF:
            case Opcode::ENDSWITCH:
                open.pop_back();
                break;
            case Opcode::CASE:
            case Opcode::DEFAULT:
                break;
            case Opcode::BRA:
                if (reached) jump(pc, i.label);
                return true;
            case Opcode::BRK:
            case Opcode::BREAKC:
                if (reached) jump(pc, behind(innermost_open(false)));
                return true;
            case Opcode::CONT:
                if (reached) jump(pc, innermost_open(true).first + 1);
                return true;
            case Opcode::RET:
                if (reached) jump(pc, f.end);
                return true;
            default:
                return !reached;
        }
        return true;
    }

    void instruction(uint32_t& pc) {
        const Opcode op = w.program.instructions[pc].op;
        const bool reached = w.reachable && decided == ir::kNone;
        const bool stays = opens_construct(op) && !construct(w.next_construct).flat;
        if (w.flow.frames.empty()) {
            if (opens_construct(op) && !stays) return open_flat(pc, reached);
            if (stays && !reached) return pass_over(pc);
            if (!stays && flat_flow(pc, reached)) return;
        } else if (!w.reachable && !bounds_construct(op)) {
            if (opens_construct(op)) pass_over(pc);
            return;
        }
        lower_instruction(w, pc);
    }

    /// Skips a construct that is not reachable.
    void pass_over(uint32_t& pc) {
        const Construct& c = construct(w.next_construct);
        pc = c.last;
        w.next_construct = c.next;
    }

    void run() {
        ir::Builder& b = w.b;
        if (!number()) return;
        const ir::Incoming first{number_of(f.label), b.current_block()};
        const ir::BlockId header = b.create_block(), body = b.create_block();
        const ir::BlockId again = b.create_block(), merge = b.create_block();
        b.branch(header);
        b.start_block(header);
        const Value due = b.phi(ir::u32(), std::span(&first, 1), 2);
        const Turn turn = begin_turn(w);
        b.set_loop_merge(merge, again);
        start_turn(w, turn, body, merge);
        next = due;
        for (uint32_t pc = f.begin; pc < f.end && w.ok; ++pc) {
            if (piece(pc) != kNoIndex) {
                if (pc != f.begin) close_piece(piece(pc));
                open_piece(piece(pc));
            }
            instruction(pc);
        }
        if (!w.ok) return;
        close_piece(pieces);
        const Value done = b.ieq(next, b.const_u32(pieces));
        b.branch_if(done, merge, again);
        b.start_block(again);
        b.add_incoming(due, {next, again});
        b.branch(header);
        b.start_block(merge);
        w.reachable = true;
    }
};

}  // namespace

void lower_branches(Context& context, const FunctionPlan& plan,
                    void (&lower_instruction)(Context& context, uint32_t pc)) {
    Branches{context, plan, lower_instruction}.run();
}

}  // namespace tgsi2spv::lower
