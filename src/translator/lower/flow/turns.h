// Options::max_iterations: one number for the whole invocation, in a variable, since loops in loops and calls of calls
// multiply. Each turn of a loop and each call of a subroutine counts; beyond the number, loops end at their headers and
// subroutines return at once (semantics, Flow).
#pragma once

#include "lower/context/context.h"
#include "lower/flow/flow.h"

namespace tgsi2spv::lower {

/// A loop's header: kNone without the option.
struct Turn {
    ir::Value before = ir::kNone;  ///< number of turns before this one
    ir::Value more = ir::kNone;    ///< bool: there is one more
};
Turn begin_turn(Context& context);
/// Ends the header and starts the body.
void start_turn(Context& context, const Turn& turn, ir::BlockId body, ir::BlockId merge);

/// After a loop's last block: adds the turns of one run to those of the loop around it, or of main, if constants tell
/// how many there are at most.
void count_turns(Context& context, const Frame& loop);
/// At the end of a function: nothing has to be counted if this is all, and all its loops together stay within the
/// budget.
void drop_budget(Context& context);

/// At the start of a subroutine.
void count_call(Context& context);

}  // namespace tgsi2spv::lower
