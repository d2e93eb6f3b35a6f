// Regions of the structured flow. A load can be used again as long as the region that it was made in is open: until
// then its block dominates everything emitted.
#pragma once

#include <cstdint>

#include "lower/context/context.h"

namespace tgsi2spv::lower {

/// A value from a load or computation, and the region of the structured flow where it can be used again.
struct Cached {
    ir::Value value = ir::kNone;
    uint32_t region = 0;
};

/// The value, if there is one that can be used again; otherwise kNone.
inline ir::Value usable(const Context& context, const Cached& cached) {
    return cached.value != ir::kNone && context.open_regions[cached.region] ? cached.value : ir::kNone;
}

void enter_region(Context& context);
/// `outer` is the region to go back to; none at the end of a function.
void leave_region(Context& context, uint32_t outer = kNoIndex);

/// Code that a lane may skip, and that changes only registers in memory; it may leave a construct.
struct Conditional {
    ir::BlockId merge = 0;
    uint32_t outer_region = 0;
};
Conditional begin_conditional(Context& context, ir::Value condition);
void end_conditional(Context& context, const Conditional& conditional);

}  // namespace tgsi2spv::lower
