// EMIT and ENDPRIM. If the text has too many EMITs (Plan::emit_functions), there is a function for each stream.
#pragma once

#include "lower/operands/operation.h"
#include "lower/walk/walk.h"

namespace tgsi2spv::lower {

/// EMIT, ENDPRIM
Outcome lower_geometry(Operation& op);

void declare_emit_functions(Walk& walk);
void fill_emit_functions(Walk& walk);

}  // namespace tgsi2spv::lower
