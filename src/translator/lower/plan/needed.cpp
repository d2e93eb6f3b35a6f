// Finds unneeded values in a text with loops: those that reach no output, no memory and no control flow. They are
// skipped before anything is planned. For a register that a loop writes, plan/liveness.cpp does not know whether
// anything reads it, so each construct inside would cost a phi for each such register. Without loops it does know, and
// dead code is removed later.
#include <algorithm>

#include "lower/plan/plan.h"
#include "tgsi/program/stage.h"
#include "tgsi/program/survey.h"

namespace tgsi2spv::lower {
namespace {

using tgsi::Family;
using tgsi::File;
using tgsi::Opcode;

/// Loops are swept until nothing new is found; if that takes more sweeps, the whole text is kept.
constexpr int kMaxSweeps = 8;

/// Goes over main from its end to its beginning. If something that is needed reads a component of a register, that
/// component is needed on all paths before it; the sweep does not ask which of several writes it reads. A construct is
/// needed if something inside it is needed, or if it controls something that is.
struct Needed {
    const tgsi::Program& program;
    Plan& p;
    const bool turns_count;         ///< Options::max_iterations: those of each loop matter to the loops after it
    uint8_t* registers = nullptr;   ///< needed components of each slot
    tgsi::FileSet whole_files = 0;  ///< files of which every register is needed
    bool changed = false;
    std::pmr::vector<uint32_t>& open = p.scratch.open;

    // ---- registers
    void need(File file, int32_t index, uint8_t components) {
        const uint32_t slot = slot_of(p.slots, file, index);
        if (slot == kNoIndex || (components & ~registers[slot]) == 0) return;
        registers[slot] |= components;
        changed = true;
    }
    void need_file(File file) {
        if (tgsi::contains(whole_files, file)) return;
        whole_files |= tgsi::file_set({file});
        for (int32_t i = 0; slot_of(p.slots, file, i) != kNoIndex; ++i) need(file, i, 0xf);
    }
    void need_indices(const tgsi::Operand& operand) {
        for (const tgsi::Relative* r : {program.dim_relative(operand), program.index_relative(operand)})
            if (r != nullptr) need(r->file, r->index, static_cast<uint8_t>(1u << r->component));
    }
    void need_operand(const tgsi::Operand& operand, bool whole) {
        if (operand.index_is_relative || operand.dim_is_relative) need_indices(operand);
        if (operand.index_is_relative && has_slots(operand.file))
            need_file(operand.file);
        else
            need(operand.file, operand.index, whole ? 0xf : kSelected[operand.swizzle]);
    }
    void need_sources(const tgsi::Instruction& instruction, Family family) {
        for (const tgsi::Operand& o : program.dsts(instruction)) {
            if (family == Family::memory)
                need_operand(o, true);  // an operand of STORE may be a handle
            else if (o.index_is_relative || o.dim_is_relative)
                need_indices(o);
        }
        // These may use components that the swizzle does not name.
        const bool whole = family == Family::texture || family == Family::memory;
        for (const tgsi::Operand& o : program.all_operands(instruction).subspan(instruction.num_dst))
            need_operand(o, whole);
    }
    bool is_written_for_something(const tgsi::Operand& operand) const {
        if (operand.file == File::Output || operand.index_is_relative || operand.dim_is_relative) return true;
        const uint32_t slot = slot_of(p.slots, operand.file, operand.index);
        return slot == kNoIndex || (registers[slot] & operand.write_mask) != 0;
    }
    bool is_needed(const tgsi::Instruction& instruction, Family family) const {
        if (family == Family::memory || family == Family::io || family == Family::subgroup || instruction.num_dst == 0)
            return true;
        if (has_vertices(program.stage, File::Output) && reads_outputs(instruction)) return true;
        const auto destinations = program.dsts(instruction);
        return std::any_of(destinations.begin(), destinations.end(),
                           [&](const tgsi::Operand& o) { return is_written_for_something(o); });
    }
    /// Outputs of TESS_CTRL: other invocations write them, and a loop may wait for that.
    bool reads_outputs(const tgsi::Instruction& instruction) const {
        const auto sources = program.srcs(instruction);
        return std::any_of(sources.begin(), sources.end(),
                           [](const tgsi::Operand& o) { return o.file == File::Output; });
    }

    // ---- constructs
    bool is_needed(uint32_t construct) const { return p.scratch.needed_constructs[construct] != 0; }
    void need_construct(uint32_t construct) {
        if (is_needed(construct)) return;
        p.scratch.needed_constructs[construct] = 1;
        changed = true;
    }
    /// Whether and how often this instruction is executed matters. So do all constructs around it, at once: exits of
    /// the outer ones are still ahead. Those around a needed construct are needed already.
    void need_place() {
        for (size_t k = open.size(); k-- > 0 && !is_needed(open[k]);) need_construct(open[k]);
    }
    void leave_by(const tgsi::Instruction& instruction, uint32_t construct) {
        if (!is_needed(construct)) return;
        need_place();
        need_sources(instruction, Family::flow);
    }
    /// The beginning of the open construct.
    void enter(const tgsi::Instruction& instruction) {
        const uint32_t index = open.back();
        const Construct& c = p.constructs[index];
        open.pop_back();
        // A loop without an exit runs forever: the text after it must not run instead.
        if (c.kind == ConstructKind::Loop && (c.breaks == 0 || turns_count)) need_construct(index);
        if (!is_needed(index)) return;
        need_place();
        need_sources(instruction, Family::flow);
        for (uint32_t l = c.first_label; l != kNoIndex; l = p.labels[l].next)
            need_sources(program.instructions[p.labels[l].instruction], Family::flow);
    }
    void pass_flow(const tgsi::Instruction& instruction) {
        switch (instruction.op) {
            case Opcode::BRK:
            case Opcode::BREAKC:
                return leave_by(instruction, innermost(p.constructs, open, false));
            case Opcode::CONT:
                return leave_by(instruction, innermost(p.constructs, open, true));
            case Opcode::RET:
            case Opcode::KILL:
            case Opcode::DEMOTE:
            case Opcode::KILL_IF:
            case Opcode::KIL:
            case Opcode::KILP:
                need_place();
                return need_sources(instruction, Family::flow);
            default:
                break;
        }
    }

    /// False if it takes too long.
    bool sweep() {
        const FunctionPlan& f = p.functions[0];
        uint32_t closed = f.num_constructs;  // constructs of Plan::closed that are still ahead
        uint32_t loops = 0, loop = kNoIndex,
                 closed_at_loop = 0;  // open loops; the end of the outermost, `closed` there
        int sweeps = 0;               // over that
        open.clear();
        for (uint32_t pc = f.end; pc-- > f.begin;) {
            const tgsi::Instruction& i = program.instructions[pc];
            const Family family = tgsi::info(i.op).family;
            if (family != Family::flow) {
                const bool needed = is_needed(i, family);
                p.dropped[pc] = !needed;
                if (!needed) continue;
                need_place();
                need_sources(i, family);
            } else if (closes_construct(i.op)) {
                if (i.op == Opcode::ENDLOOP && loops++ == 0) {
                    changed = false;
                    if (pc < loop) sweeps = 0;
                    loop = pc;
                    closed_at_loop = closed;
                }
                open.push_back(p.scratch.closed[--closed]);
            } else if (opens_construct(i.op)) {
                enter(i);
                if (i.op != Opcode::BGNLOOP || --loops != 0 || !changed) continue;
                // One iteration may read values of the previous one: sweep again, with the facts found so far.
                if (++sweeps == kMaxSweeps) return false;
                closed = closed_at_loop;
                pc = loop + 1;
            } else {
                pass_flow(i);
            }
        }
        return true;
    }
};

}  // namespace

bool drop_unneeded(const tgsi::Program& program, bool turns_count, Plan& plan) {
    if (plan.functions.size() != 1 || plan.functions[0].branches || plan.stack) return false;
    if (std::none_of(plan.constructs.begin(), plan.constructs.end(),
                     [](const Construct& c) { return c.kind == ConstructKind::Loop; }))
        return false;
    plan.dropped.assign(program.instructions.size(), 0);
    plan.scratch.needed_constructs.assign(plan.constructs.size(), 0);
    plan.scratch.live.assign(plan.slots.count, 0);
    Needed needed{program, plan, turns_count};
    needed.registers = plan.scratch.live.data();
    if (!needed.sweep()) return false;
    for (uint32_t c = 0; c < plan.constructs.size();) {
        const Construct& construct = plan.constructs[c];
        if (plan.scratch.needed_constructs[c] != 0) {
            ++c;
            continue;
        }
        std::fill(plan.dropped.begin() + construct.first, plan.dropped.begin() + construct.last + 1, uint8_t{1});
        c = construct.next;
    }
    plan.drops = std::find(plan.dropped.begin(), plan.dropped.end(), 1) != plan.dropped.end();
    return plan.drops;
}

}  // namespace tgsi2spv::lower
