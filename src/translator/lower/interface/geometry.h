// Functions for EMIT, if the text has too many of them (Plan::emit_functions): one for each stream.
#pragma once

#include "lower/walk/walk.h"

namespace tgsi2spv::lower {

void declare_emit_functions(Walk& walk);
void fill_emit_functions(Walk& walk);

/// How many vertices the invocation has emitted; Plan::counts_vertices.
ir::Value emitted_vertices(Walk& walk);

}  // namespace tgsi2spv::lower
