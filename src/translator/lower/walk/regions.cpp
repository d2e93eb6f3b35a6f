#include "lower/walk/regions.h"

namespace tgsi2spv::lower {

void enter_region(Walk& walk) {
    walk.region = static_cast<uint32_t>(walk.open_regions.size());
    walk.open_regions.push_back(1);
}

void leave_region(Walk& walk, uint32_t outer) {
    walk.open_regions[walk.region] = 0;
    walk.region = outer;
}

Conditional begin_conditional(Walk& walk, ir::Value condition) {
    ir::Builder& b = walk.b;
    const ir::BlockId then = b.create_block();
    const Conditional c{b.create_block(), walk.region};
    b.set_selection_merge(c.merge);
    b.branch_if(condition, then, c.merge);
    b.start_block(then);
    enter_region(walk);
    return c;
}

void end_conditional(Walk& walk, const Conditional& conditional) {
    if (walk.reachable) walk.b.branch(conditional.merge);
    leave_region(walk, conditional.outer_region);
    walk.b.start_block(conditional.merge);
    walk.reachable = true;
}

}  // namespace tgsi2spv::lower
