// The order of the passes.
#pragma once

#include <optional>
#include <string>

#include "ir/passes/memory.h"

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
    /// Floats fit the integers that they become wherever a conversion stands: it may stand where it did not. Else what
    /// stands behind a condition stays there (FToS, FToU: undefined behaviour of what does not fit).
    bool speculate_conversions = true;
    /// Leave no gaps where dead code was (passes/dead_code.h). What becomes of the module is the same either way.
    bool compact = true;
    /// Verify before the passes and after each (verify.h). The default is the build option TGSI2SPV_VERIFY: builds
    /// with tests verify, releases, the library alone and benchmarks do not.
    bool verify = TGSI2SPV_VERIFY != 0;
};

/// Makes a verified module shorter. It stays verified, and gives no result that Vulkan would not have let it give
/// before. Linear in the size of the module; allocates only what `memory` does not hold yet. With
/// PassOptions::verify: the first rule that a pass broke, and which pass; the module is then of no use.
std::optional<std::string> optimise(Module& module, const PassOptions& options, PassMemory& memory);

}  // namespace tgsi2spv::ir
