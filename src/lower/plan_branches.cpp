// Which constructs BRA enters or leaves: those cannot stay constructs (branches.cpp).
#include <algorithm>

#include "lower/plan.h"

namespace tgsi2spv::lower {
namespace {

using tgsi::Opcode;

/// The constructs of one function. A construct is flat if it holds a BRA or a target of one, or an exit to the outside
/// of itself that goes to a flat construct: so flat ones stand in flat ones only.
struct Flat {
    const tgsi::Program& program;
    Plan& p;
    const FunctionPlan& f;
    std::vector<uint32_t> parent{}, first_exit{};  ///< by construct of the function
    std::vector<uint32_t> inside{};                ///< by instruction of the function: the construct around it
    struct Exit {
        uint32_t from = 0;  ///< the construct around BRK, BREAKC, CONT
        uint32_t next = kNoIndex;
    };
    std::vector<Exit> exits{};
    std::vector<uint32_t> work{};

    Construct& at(uint32_t c) { return p.constructs[f.first_construct + c]; }

    void gather() {
        parent.assign(f.num_constructs, kNoIndex);
        first_exit.assign(f.num_constructs, kNoIndex);
        inside.assign(f.end - f.begin + 1, kNoIndex);
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

    /// `c` and all around it, up to one that is flat already.
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

}  // namespace

void find_flat_constructs(const tgsi::Program& program, Plan& plan) {
    for (const FunctionPlan& f : plan.functions)
        if (f.branches) Flat{program, plan, f}.run();
}

}  // namespace tgsi2spv::lower
