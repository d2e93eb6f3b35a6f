// Finds which registers written by a construct of main are read afterwards, working backwards from the end of the text:
// a register that is not read needs no phi. If in doubt, a register counts as read: so do all registers that a loop
// writes, at the edge back to its header.
#include "lower/plan/plan.h"

namespace tgsi2spv::lower {
namespace {

using tgsi::Family;
using tgsi::File;
using tgsi::Opcode;

struct Liveness {
    const tgsi::Program& program;
    Plan& p;
    const bool loops_are_guarded;
    const uint32_t tracked;   ///< the number of slots of TEMP and ADDR; the others always count as read
    uint8_t* live = nullptr;  ///< components of each slot that may be read from here on
    uint32_t closed = 0;      ///< constructs of Plan::closed that are still ahead
    std::pmr::vector<uint32_t>& open = p.scratch.open;

    // ---- operands
    void read(File file, int32_t index, uint8_t components) {
        const uint32_t slot = slot_of(p.slots, file, index);
        if (slot < tracked) live[slot] |= components;
    }
    void read(const tgsi::Relative* r) {
        if (r != nullptr) read(r->file, r->index, static_cast<uint8_t>(1u << r->component));
    }
    void read_indices(const tgsi::Operand& operand) {
        if (!operand.dim_is_relative && !operand.index_is_relative) return;
        read(program.dim_relative(operand));
        read(program.index_relative(operand));
    }
    /// `whole`: the operation may use components that the swizzle does not name.
    void read(const tgsi::Operand& operand, bool whole) {
        read_indices(operand);  // registers that an index selects live in memory
        if (operand.file == File::Temp || operand.file == File::Address)
            read(operand.file, operand.index, whole ? 0xf : kSelected[operand.swizzle]);
    }
    /// True if the instruction certainly writes its whole destination after reading the sources, and does nothing else.
    static bool only_computes(const tgsi::Instruction& instruction, const tgsi::OpcodeInfo& row) {
        if (instruction.num_dst != 1 || instruction.has_predicate || row.is_wide) return false;
        switch (row.family) {
            case Family::arithmetic:
            case Family::compare:
            case Family::integer:
            case Family::convert:
            case Family::texture:
                return true;
            default:
                return false;
        }
    }
    void pass(const tgsi::Instruction& instruction, const tgsi::OpcodeInfo& row) {
        const tgsi::Operand* o = program.operands.data() + instruction.first_operand;
        const tgsi::Operand* const sources = o + instruction.num_dst;
        const bool reads_registers_whole = row.family == Family::texture || row.family == Family::memory;
        for (; o != sources; ++o) {
            const uint32_t slot = o->index_is_relative ? kNoIndex : slot_of(p.slots, o->file, o->index);
            if (slot < tracked && !p.in_memory[slot] && only_computes(instruction, row)) {
                live[slot] &= static_cast<uint8_t>(~o->write_mask);
            } else if (row.family == Family::memory) {
                read(*o, true);  // an operand of STORE may be a handle
            } else {
                read_indices(*o);
            }
        }
        const tgsi::Operand* const end =
            sources + instruction.num_src + instruction.num_offsets + instruction.has_predicate;
        for (; o != end; ++o) read(*o, reads_registers_whole);
    }

    // ---- constructs
    template <class F>
    void each_write(const Construct& construct, F&& visit) {
        for (uint32_t k = construct.writes; k < construct.writes + construct.num_writes; ++k)
            if (p.writes[k].slot < tracked) visit(p.writes[k], live[p.writes[k].slot]);
    }

    /// At the end of a construct: records the registers read after it.
    void leave() {
        const uint32_t next = p.scratch.closed[--closed];
        const Construct& c = p.constructs[next];
        if (breaks_at_end(program, c)) jump(p.constructs[innermost(p.constructs, open, false)], &Write::after);
        open.push_back(next);
        const bool loop = c.kind == ConstructKind::Loop;
        each_write(c, [&](Write& w, uint8_t& now) {
            w.after = now;
            w.other = 0;
            if (loop) now = w.header;
        });
    }
    void pass_else() {
        each_write(p.constructs[open.back()], [](Write& w, uint8_t& now) {
            w.other = now;
            now = w.after;
        });
    }
    void enter(const tgsi::Instruction& instruction) {
        const Construct& c = p.constructs[open.back()];
        open.pop_back();
        each_write(c, [&](Write& w, uint8_t& now) {
            switch (c.kind) {
                case ConstructKind::If:
                    now |= c.otherwise != kNoIndex ? w.other : w.after;
                    break;
                case ConstructKind::Loop:
                    if (loops_are_guarded) now |= w.after;
                    w.header = now;
                    break;
                case ConstructKind::Switch:
                    now = c.has_default ? w.other : static_cast<uint8_t>(w.other | w.after);
                    break;
            }
        });
        // The operands of the CASEs are compared here.
        for (uint32_t l = c.first_label; l != kNoIndex; l = p.labels[l].next) {
            const tgsi::Instruction& label = program.instructions[p.labels[l].instruction];
            pass(label, tgsi::info(label.op));
        }
        pass(instruction, tgsi::info(instruction.op));
    }
    /// Adds the registers read at the target. The text after the jump is not read on this path. But a construct around
    /// it that writes none of these registers would not know that they are read on other paths.
    void jump(const Construct& construct, uint8_t Write::*there) {
        each_write(construct, [&](Write& w, uint8_t& now) { now |= w.*there; });
    }

    void pass_flow(const tgsi::Instruction& instruction, const tgsi::OpcodeInfo& row) {
        if (closes_construct(instruction.op)) return leave();
        if (opens_construct(instruction.op)) return enter(instruction);
        switch (instruction.op) {
            case Opcode::ELSE:
                return pass_else();
            case Opcode::CASE:
            case Opcode::DEFAULT:
                return each_write(p.constructs[open.back()], [](Write& w, uint8_t& now) { w.other |= now; });
            case Opcode::BRK:
            case Opcode::BREAKC:
                jump(p.constructs[innermost(p.constructs, open, false)], &Write::after);
                break;
            case Opcode::CONT:
                jump(p.constructs[innermost(p.constructs, open, true)], &Write::header);
                break;
            default:
                break;  // RET reads OUT alone; the text after it reads at least that
        }
        pass(instruction, row);
    }
    void sweep() {
        const FunctionPlan& f = p.functions[0];
        p.scratch.live.assign(tracked, 0);
        live = p.scratch.live.data();
        closed = f.num_constructs;
        open.clear();
        const uint32_t first = p.constructs[f.first_construct].first;
        for (uint32_t pc = f.end; pc-- > first;) {
            if (p.is_dropped(pc)) continue;
            const tgsi::Instruction& i = program.instructions[pc];
            const tgsi::OpcodeInfo& row = tgsi::info(i.op);
            if (row.family == Family::flow)
                pass_flow(i, row);
            else
                pass(i, row);
        }
    }
};

}  // namespace

bool breaks_at_end(const tgsi::Program& program, const Construct& construct) {
    if (construct.kind != ConstructKind::If || construct.otherwise == kNoIndex) return false;
    const auto arm_breaks = [&](uint32_t end) {
        const auto is = [&](uint32_t back, Opcode op) {
            return end > construct.first + back && program.instructions[end - back].op == op &&
                   !program.instructions[end - back].has_predicate;
        };
        if (!is(1, Opcode::ENDIF)) return false;
        const uint32_t brk = is(2, Opcode::ELSE) ? 3 : 2;
        return is(brk, Opcode::BRK) && (is(brk + 1, Opcode::UIF) || is(brk + 1, Opcode::IF));
    };
    return arm_breaks(construct.otherwise) && arm_breaks(construct.last);
}

void find_live_writes(const tgsi::Program& program, bool loops_are_guarded, Plan& plan) {
    // PUSHA and POPA name no register; with BRA all registers live in memory.
    if (plan.writes.empty() || plan.stack || plan.functions[0].branches) return;
    Liveness{program, plan, loops_are_guarded, plan.slots.output}.sweep();
}

}  // namespace tgsi2spv::lower
