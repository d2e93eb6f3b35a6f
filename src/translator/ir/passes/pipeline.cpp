#include "ir/passes/pipeline.h"

#include <algorithm>

#include "ir/fold.h"
#include "ir/passes/dead_code.h"
#include "ir/passes/flow.h"
#include "ir/passes/trivial_phis.h"
#include "ir/passes/value_numbering.h"
#include "ir/verify.h"

namespace tgsi2spv::ir {
namespace {

/// A pass that breaks a rule is our bug, for any input.
std::optional<std::string> broken_rule(const Module& module, const PassOptions& options, PassMemory& memory,
                                       const char* after) {
    if (!options.verify) return std::nullopt;
    const auto rule = verify(module, memory.verify);
    if (!rule) return std::nullopt;
    return std::string("after ") + after + ": " + describe(module, *rule);
}

/// If a function was simplified during construction, only the values along back-edges were unknown when phis were
/// created: if no loop header has a trivial phi, there is none elsewhere.
bool may_have_trivial_phis(const Function& function) {
    return !function.simplified || std::any_of(function.blocks.begin(), function.blocks.end(), [&](const Block& b) {
        return b.merge == Merge::Loop && begins_with_trivial_phi(function, b);
    });
}

/// Trivial phis, folding, value numbering.
std::optional<std::string> shorten(Module& module, const PassOptions& options, PassMemory& memory) {
    // Lowering creates a phi for every register that a loop or a branch may write, before it knows whether it does.
    // These phis go first: they hide that the value after the loop equals the value before it. Folding comes before
    // numbering: it normalises instructions (constants second, negations removed), so that more of them are equal. All
    // three share one sweep. A function that was folded and numbered during construction needs it only if a phi was
    // removed.
    bool constants = false;
    auto know_constants = [&] {
        if (!constants) memory.constants.fill(module);
        constants = true;
    };
    if (!options.value_numbering) {
        if (options.trivial_phis)
            for (Function& f : module.functions) remove_trivial_phis(f, memory);
        if (options.fold) know_constants();
        if (options.fold)
            for (Function& f : module.functions) fold(module, f, memory);
        return broken_rule(module, options, memory, "trivial phis and folding");
    }
    for (Function& f : module.functions) {
        const bool phis = options.trivial_phis && may_have_trivial_phis(f) && find_trivial_phis(f, memory);
        if (f.simplified && !phis) continue;
        know_constants();
        if (!phis) start_renaming(f, memory);
        number_values(module, f, memory, {.folding = options.fold, .renamed = true});
        // Equal values that reached a phi along different edges are now one value.
        if (options.trivial_phis) remove_trivial_phis(f, memory);
    }
    return broken_rule(module, options, memory, "trivial phis, folding and value numbering");
}

}  // namespace

std::optional<std::string> optimise(Module& module, const PassOptions& options, PassMemory& memory) {
    if (auto b = broken_rule(module, options, memory, "lowering")) return b;
    if (auto b = shorten(module, options, memory)) return b;
    // The earlier passes only leave values unused. This pass renumbers, and closes the gaps.
    if (options.dead_code) {
        remove_dead_code(module, memory, options.compact);
        if (auto b = broken_rule(module, options, memory, "dead code")) return b;
    }
    // Flow comes after dead code: only then are unneeded sides of selections empty. The two passes after it clean up
    // its leftovers (the values of removed edges).
    if (options.flow) {
        bool changed = false;
        for (Function& f : module.functions) changed |= simplify_flow(module, f, memory, options.speculate_conversions);
        if (auto b = broken_rule(module, options, memory, "flow")) return b;
        if (changed && options.trivial_phis)
            for (Function& f : module.functions) remove_trivial_phis(f, memory);
        if (changed && options.dead_code)
            remove_dead_code(module, memory, options.compact);
        else if (options.compact)
            close_gaps(module, memory);
        if (auto b = broken_rule(module, options, memory, "dead code after flow")) return b;
    }
    return std::nullopt;
}

}  // namespace tgsi2spv::ir
