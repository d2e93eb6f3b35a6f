// The order of the passes.
#pragma once

#include <optional>
#include <string>

#include "ir/pass_memory.h"

#ifndef TGSI2SPV_VERIFY
#define TGSI2SPV_VERIFY 0
#endif

namespace tgsi2spv::ir {

struct PassOptions {
    bool trivial_phis = true;
    bool fold = true;
    bool value_numbering = true;
    bool dead_code = true;
    bool flow = true;
    /// Every float that is converted to an integer fits, so conversions may be speculated. Otherwise conversions under
    /// a condition stay there (FToS, FToU: undefined behaviour if the value does not fit).
    bool speculate_conversions = true;
    /// Leave no gaps in place of dead code (passes/dead_code.h). The emitted module is the same either way.
    bool compact = true;
    /// Verify before the passes and after each (verify.h). The default is the build option TGSI2SPV_VERIFY: builds with
    /// tests verify; releases, library-only builds and benchmarks do not.
    bool verify = TGSI2SPV_VERIFY != 0;
};

/// Makes a verified module shorter. The module stays valid, and gives only results that Vulkan also permitted before.
/// Linear in the size of the module; allocates only memory that `memory` does not hold yet. With PassOptions::verify:
/// returns the first rule that a pass broke, and the pass; the module is then unusable.
std::optional<std::string> optimise(Module& module, const PassOptions& options, PassMemory& memory);

}  // namespace tgsi2spv::ir
