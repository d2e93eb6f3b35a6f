#include "ir/passes/pipeline.h"

#include <algorithm>

#include "ir/passes/dead_code.h"
#include "ir/passes/flow.h"
#include "ir/passes/fold.h"
#include "ir/passes/trivial_phis.h"
#include "ir/passes/value_numbering.h"
#include "ir/verify.h"

namespace tgsi2spv::ir {
namespace {

/// A pass that breaks a rule is a mistake of ours that no input excuses.
std::optional<std::string> broken(const Module& module, const PassOptions& options, PassMemory& memory,
                                  const char* after) {
    if (!options.verify) return std::nullopt;
    const auto rule = verify(module, memory.memory);
    if (!rule) return std::nullopt;
    return std::string("after ") + after + ": " + describe(module, *rule);
}

/// Where a function was simplified as it was built, only what comes back along a loop was not known when its phis were
/// made: without a trivial one among those there is no other.
bool may_have_trivial_phis(const Function& f) {
    return !f.simplified || std::any_of(f.blocks.begin(), f.blocks.end(), [&](const Block& b) {
        return b.merge == Merge::Loop && begins_with_trivial_phi(f, b);
    });
}

/// Trivial phis, folding, value numbering.
std::optional<std::string> shorten(Module& module, const PassOptions& options, PassMemory& memory) {
    // Lowering makes a phi for whatever a loop or a branch may write, before it knows whether it does. They go first:
    // while they stand, nothing sees that the value beyond the loop is the value before it. Folding before numbering:
    // it brings instructions into one form (constants second, negations gone), so that more of them are equal.
    // All three take one sweep, which a function that was folded and numbered as it was built needs only if a phi went.
    bool constants = false;
    auto know_constants = [&] {
        if (!constants) fill_constant_table(module, memory.constants);
        constants = true;
    };
    if (!options.value_numbering) {
        if (options.trivial_phis)
            for (Function& f : module.functions) remove_trivial_phis(f, memory);
        if (options.fold) know_constants();
        if (options.fold)
            for (Function& f : module.functions) fold(module, f, memory);
        return broken(module, options, memory, "trivial phis and folding");
    }
    for (Function& f : module.functions) {
        const bool phis = options.trivial_phis && may_have_trivial_phis(f) && find_trivial_phis(f, memory);
        if (f.simplified && !phis) continue;
        know_constants();
        if (!phis) start_renaming(f, memory);
        number_values(module, f, memory, {.folding = options.fold, .renamed = true});
        // Equal values that came to a phi along different edges are one value now.
        if (options.trivial_phis) remove_trivial_phis(f, memory);
    }
    return broken(module, options, memory, "trivial phis, folding and value numbering");
}

}  // namespace

std::optional<std::string> optimise(Module& module, const PassOptions& options, PassMemory& memory) {
    if (auto b = broken(module, options, memory, "lowering")) return b;
    if (auto b = shorten(module, options, memory)) return b;
    // Everything before it only leaves things unused. It renumbers, and closes the gaps.
    if (options.dead_code) {
        remove_dead_code(module, memory, options.compact);
        if (auto b = broken(module, options, memory, "dead code")) return b;
    }
    // Flow after dead code: a side of a selection that nothing needs is empty only then. What it leaves behind (the
    // values of edges that are gone) is for the two passes after it.
    if (options.flow) {
        bool changed = false;
        for (Function& f : module.functions) changed |= simplify_flow(module, f, memory, options.speculate_conversions);
        if (auto b = broken(module, options, memory, "flow")) return b;
        if (changed && options.trivial_phis)
            for (Function& f : module.functions) remove_trivial_phis(f, memory);
        if (changed && options.dead_code)
            remove_dead_code(module, memory, options.compact);
        else if (options.compact)
            close_gaps(module, memory);
        if (auto b = broken(module, options, memory, "dead code after flow")) return b;
    }
    return std::nullopt;
}

}  // namespace tgsi2spv::ir
