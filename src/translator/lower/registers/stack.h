// The stack of PUSHA and POPA, which the oldest edition has: 8 entries of four words per lane (semantics: Flow).
#pragma once

#include <cstdint>

#include "lower/context/context.h"

namespace tgsi2spv::lower {

/// The variables of the stack; kNoIndex if the text has none.
struct Stack {
    uint32_t entries = kNoIndex, depth = kNoIndex;
};

void prepare_stack(Context& context);
/// PUSHA of four words; a push on a full stack is dropped.
void push_to_stack(Context& context, ir::Value words);
/// POPA; an empty stack gives 0.
ir::Value pop_from_stack(Context& context);

}  // namespace tgsi2spv::lower
