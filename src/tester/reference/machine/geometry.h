// EMIT and ENDPRIM.
#pragma once

#include "reference/machine/machine.h"

namespace tgsi2spv::reference {

/// EMIT in the lanes `here`; `stream` is the column of its operand, nullptr for stream 0.
void emit_vertex(Machine& machine, const Mask& here, const Value* stream);
/// ENDPRIM: does nothing without a vertex.
void end_primitive(Machine& machine, const Mask& here, const Value* stream);
/// One invocation after another; each starts its own primitives.
void collect_emissions(Machine& machine, Result& result);

}  // namespace tgsi2spv::reference
