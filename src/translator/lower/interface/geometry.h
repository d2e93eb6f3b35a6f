// EMIT and ENDPRIM. If the text has too many EMITs (Plan::emit_functions), there is a function for each stream.
#pragma once

#include "lower/context/context.h"
#include "lower/operands/operation.h"

namespace tgsi2spv::lower {

/// EMIT, ENDPRIM
Outcome lower_geometry(Operation& op);

void declare_emit_functions(Context& context);
void fill_emit_functions(Context& context);

}  // namespace tgsi2spv::lower
