// Options::max_iterations: one number for the whole invocation, in a variable, since loops in loops and calls of calls
// multiply. Each turn of a loop and each call of a subroutine counts; beyond the number, loops end at their headers and
// subroutines return at once (semantics, Flow).
#pragma once

#include "lower/walk/walk.h"

namespace tgsi2spv::lower {

/// A loop's header: kNone without the option.
struct Turn {
    ir::Value before = ir::kNone;  ///< how many came before
    ir::Value more = ir::kNone;    ///< whether there is one more
};
Turn begin_turn(Walk& walk);
/// Ends the header and starts the body.
void start_turn(Walk& walk, const Turn& turn, ir::BlockId body, ir::BlockId merge);

/// At the start of a subroutine.
void count_call(Walk& walk);

}  // namespace tgsi2spv::lower
