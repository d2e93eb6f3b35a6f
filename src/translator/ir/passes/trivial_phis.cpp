#include "ir/passes/trivial_phis.h"

namespace tgsi2spv::ir {
namespace {

/// One replacement enables others: up a nest of loops in a backward sweep, down a chain of merges in a forward sweep.
/// Real code needs two rounds; the limit keeps any code linear, and leftover phis are still correct.
constexpr int kRounds = 8;

struct Phis {
    Function& f;
    PassMemory& memory;

    Value find(Value v) {
        auto& to = memory.renamed;
        if (is_constant(v) || to[v] == v) return v;
        while (to[v] != v && !is_constant(to[v])) {
            if (!is_constant(to[to[v]]))
                to[v] = to[to[v]];  // halve the path
            else
                return to[to[v]];
            v = to[v];
        }
        return to[v];
    }
    bool replace(uint32_t phi) {
        if (memory.renamed[phi] != phi) return false;
        Value only = kNone;
        const auto args = f.args_of(f.instructions[phi]);
        for (size_t a = 0; a < args.size(); a += 2) {
            const Value v = find(args[a]);
            if (v == phi || v == only) continue;
            if (only != kNone) return false;
            only = v;
        }
        if (only == kNone || (!is_constant(only) && only > phi)) return false;  // no path enters this loop
        memory.renamed[phi] = only;
        return true;
    }
};

}  // namespace

bool find_trivial_phis(Function& function, PassMemory& memory) {
    auto& phis = memory.list;
    phis.clear();
    bool loops = false;
    for (const Block& b : function.blocks) {
        loops |= b.merge == Merge::Loop;
        for (uint32_t i = b.first; function.instructions[i].op == Op::Phi; i++) phis.push_back(i);
    }
    if (phis.empty()) return false;
    start_renaming(function, memory);
    Phis pass{function, memory};
    bool any = false, changed = true;
    for (int round = 0; changed && round < kRounds; round++) {
        changed = false;
        for (const uint32_t phi : phis) changed |= pass.replace(phi);
        if (!loops) {  // everything that reaches a phi was processed before it
            any = changed;
            break;
        }
        for (size_t n = phis.size(); n-- > 0;) changed |= pass.replace(phis[n]);
        any |= changed;
    }
    if (!any) return false;
    for (const uint32_t phi : phis) memory.renamed[phi] = pass.find(phi);
    return true;
}

bool begins_with_trivial_phi(const Function& function, const Block& block) {
    for (uint32_t phi = block.first; function.instructions[phi].op == Op::Phi; phi++) {
        Value only = kNone;
        bool differ = false;
        const auto args = function.args_of(function.instructions[phi]);
        for (size_t a = 0; a < args.size(); a += 2) {
            if (args[a] == phi) continue;
            differ |= only != kNone && args[a] != only;
            only = args[a];
        }
        if (!differ) return true;
    }
    return false;
}

void remove_trivial_phis(Function& function, PassMemory& memory) {
    if (!find_trivial_phis(function, memory)) return;
    for (const Instruction& i : function.instructions) rename_arguments(function, i, memory);
}

}  // namespace tgsi2spv::ir
