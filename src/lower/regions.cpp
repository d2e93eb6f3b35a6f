#include "lower/regions.h"

namespace tgsi2spv::lower {

void enter_region(Walk& w) {
    w.region = static_cast<uint32_t>(w.open_regions.size());
    w.open_regions.push_back(1);
}

void leave_region(Walk& w, uint32_t outer) {
    w.open_regions[w.region] = 0;
    w.region = outer;
}

Conditional begin_conditional(Walk& w, ir::Value condition) {
    ir::Builder& b = w.b;
    const ir::BlockId then = b.create_block();
    const Conditional c{b.create_block(), w.region};
    b.set_selection_merge(c.merge);
    b.branch_if(condition, then, c.merge);
    b.start_block(then);
    enter_region(w);
    return c;
}

void end_conditional(Walk& w, const Conditional& c) {
    if (w.reachable) w.b.branch(c.merge);
    leave_region(w, c.outer_region);
    w.b.start_block(c.merge);
    w.reachable = true;
}

}  // namespace tgsi2spv::lower
