#include "lower/context/regions.h"

namespace tgsi2spv::lower {

void enter_region(Context& context) {
    context.region = static_cast<uint32_t>(context.open_regions.size());
    context.open_regions.push_back(1);
}

void leave_region(Context& context, uint32_t outer) {
    context.open_regions[context.region] = 0;
    context.region = outer;
}

Conditional begin_conditional(Context& context, ir::Value condition) {
    ir::Builder& b = context.b;
    const ir::BlockId then = b.create_block();
    const Conditional c{b.create_block(), context.region};
    b.set_selection_merge(c.merge);
    b.branch_if(condition, then, c.merge);
    b.start_block(then);
    enter_region(context);
    return c;
}

void end_conditional(Context& context, const Conditional& conditional) {
    if (context.reachable) context.b.branch(conditional.merge);
    leave_region(context, conditional.outer_region);
    context.b.start_block(conditional.merge);
    context.reachable = true;
}

}  // namespace tgsi2spv::lower
