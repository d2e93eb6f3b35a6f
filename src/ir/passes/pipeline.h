// The order of the passes.
#pragma once

#include "ir/passes/memory.h"

namespace tgsi2spv::ir {

struct PassOptions {
    bool trivial_phis = true;
    bool fold = true;
    bool value_numbering = true;
    bool dead_code = true;
};

/// Makes a verified module shorter. It stays verified, and gives no result that Vulkan would not have let it give
/// before. Linear in the size of the module; allocates only what `memory` does not hold yet.
void optimise(Module& module, const PassOptions& options, PassMemory& memory);

}  // namespace tgsi2spv::ir
