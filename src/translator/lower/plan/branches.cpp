// Finds the constructs that BRA enters or leaves, which cannot stay constructs (branches.cpp), and the code that BRA
// may go to.
#include <algorithm>

#include "lower/plan/plan.h"

namespace tgsi2spv::lower {
namespace {

using tgsi::Opcode;

/// The constructs of one function. A construct is flat if it contains a BRA or a target of one, or an exit out of it to
/// a flat construct. So flat constructs are only inside flat ones.
struct Flat {
    const tgsi::Program& program;
    Plan& p;
    const FunctionPlan& f;
    std::pmr::vector<uint32_t>&parent = p.scratch.parents, &first_exit = p.scratch.first_exits,
    &inside = p.scratch.inside, &work = p.scratch.flat;
    std::pmr::vector<PlanScratch::Exit>& exits = p.scratch.exits;

    Construct& at(uint32_t c) { return p.constructs[f.first_construct + c]; }

    void gather() {
        parent.assign(f.num_constructs, kNoIndex);
        first_exit.assign(f.num_constructs, kNoIndex);
        inside.assign(f.end - f.begin + 1, kNoIndex);
        exits.clear();
        work.clear();
        uint32_t open = kNoIndex, next = 0;
        for (uint32_t pc = f.begin; pc < f.end; ++pc) {
            const Opcode op = program.instructions[pc].op;
            inside[pc - f.begin] = open;
            if (opens_construct(op)) {
                parent[next] = open;
                open = next++;
            } else if (closes_construct(op)) {
                open = parent[open];
            } else if (op == Opcode::BRK || op == Opcode::BREAKC || op == Opcode::CONT) {
                uint32_t target = open;
                while (at(target).kind == ConstructKind::If ||
                       (op == Opcode::CONT && at(target).kind == ConstructKind::Switch))
                    target = parent[target];
                exits.push_back({open, first_exit[target]});
                first_exit[target] = static_cast<uint32_t>(exits.size() - 1);
            }
        }
    }

    /// Marks `c` and all constructs around it, up to one that is already flat.
    void flatten(uint32_t c) {
        for (; c != kNoIndex && !at(c).flat; c = parent[c]) {
            at(c).flat = true;
            work.push_back(c);
        }
    }

    void run() {
        gather();
        for (uint32_t pc = f.begin; pc < f.end; ++pc) {
            const tgsi::Instruction& i = program.instructions[pc];
            if (i.op != Opcode::BRA) continue;
            flatten(inside[pc - f.begin]);
            if (i.label >= f.begin && i.label < f.end) flatten(inside[i.label - f.begin]);
        }
        while (!work.empty()) {
            const uint32_t c = work.back();
            work.pop_back();
            for (uint32_t e = first_exit[c]; e != kNoIndex; e = exits[e].next) flatten(exits[e].from);
        }
    }
};

/// The text between RETs outside constructs, END and ENDSUB: the code that the checker lets BRA go to. (For main the
/// checker knows more, but if main has BRA, nothing calls main's code.)
void find_regions(const tgsi::Program& program, std::pmr::vector<uint32_t>& region_of) {
    region_of.resize(program.instructions.size());
    uint32_t region = 0, depth = 0;
    for (uint32_t pc = 0; pc < region_of.size(); ++pc) {
        const tgsi::Instruction& i = program.instructions[pc];
        if (i.op == Opcode::BGNSUB && depth == 0) region = pc;
        region_of[pc] = region;
        depth += opens_construct(i.op) || i.op == Opcode::BGNSUB;
        depth -= (closes_construct(i.op) || i.op == Opcode::ENDSUB) && depth != 0;
        const bool leaves = i.op == Opcode::ENDSUB || (i.op == Opcode::RET && !i.has_predicate);
        if (i.op == Opcode::END || (leaves && depth == 0)) region = pc + 1;
    }
}

}  // namespace

void begin_where_branches_go(const tgsi::Program& program, Plan& plan, FunctionPlan& f) {
    uint32_t depth = 0, furthest = 0;
    for (uint32_t pc = f.label; pc < program.instructions.size(); ++pc) {
        const tgsi::Instruction& i = program.instructions[pc];
        if (depth == 0 && (i.op == Opcode::ENDSUB || i.op == Opcode::END)) return;
        if (depth == 0 && i.op == Opcode::RET && !i.has_predicate && pc >= furthest) return;
        depth += opens_construct(i.op);
        depth -= closes_construct(i.op) && depth != 0;
        if (i.op != Opcode::BRA) continue;
        furthest = std::max(furthest, i.label);
        if (i.label >= f.label) continue;
        if (plan.scratch.region_of.empty()) find_regions(program, plan.scratch.region_of);
        f.begin = plan.scratch.region_of[f.label];
        return;
    }
}

void find_flat_constructs(const tgsi::Program& program, Plan& plan) {
    for (const FunctionPlan& f : plan.functions)
        if (f.branches) Flat{program, plan, f}.run();
}

}  // namespace tgsi2spv::lower
