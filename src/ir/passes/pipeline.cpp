#include "ir/passes/pipeline.h"

#include "ir/passes/dead_code.h"
#include "ir/passes/fold.h"
#include "ir/passes/trivial_phis.h"
#include "ir/passes/value_numbering.h"

#if TGSI2SPV_VERIFY
#include <cstdio>
#include <cstdlib>

#include "ir/print.h"
#include "ir/verify.h"
#endif

namespace tgsi2spv::ir {
namespace {

/// A pass that breaks a rule is a mistake of ours that no input excuses: builds that verify stop at it.
void check([[maybe_unused]] const Module& module, [[maybe_unused]] const char* after) {
#if TGSI2SPV_VERIFY
    const auto broken = verify(module);
    if (!broken) return;
    std::fprintf(stderr, "%s\nafter %s: %s\n", print(module).c_str(), after, describe(module, *broken).c_str());
    std::abort();
#endif
}

}  // namespace

void optimise(Module& module, const PassOptions& options, PassMemory& memory) {
    check(module, "lowering");
    fill_constant_table(module, memory.constants);
    // Lowering makes a phi for whatever a loop or a branch may write, before it knows whether it does. They go first:
    // while they stand, nothing sees that the value beyond the loop is the value before it.
    if (options.trivial_phis) {
        for (Function& f : module.functions) remove_trivial_phis(f, memory);
        check(module, "trivial phis");
    }
    // Folding before numbering: it brings instructions into one form (constants second, negations gone), so that more
    // of them are equal.
    if (options.fold) {
        for (Function& f : module.functions) fold(module, f, memory);
        check(module, "fold");
    }
    if (options.value_numbering) {
        for (Function& f : module.functions) number_values(module, f, memory);
        check(module, "value numbering");
    }
    // Equal values that came to a phi along different edges are one value now.
    if (options.trivial_phis && options.value_numbering) {
        for (Function& f : module.functions) remove_trivial_phis(f, memory);
        check(module, "trivial phis");
    }
    // Last: everything before it only leaves things unused. It renumbers, and closes the gaps.
    if (options.dead_code) {
        remove_dead_code(module, memory);
        check(module, "dead code");
    }
}

}  // namespace tgsi2spv::ir
