// The stage interface: its variables, and the loads and stores of a function.
#pragma once

#include "lower/context/context.h"

namespace tgsi2spv::lower {

/// Makes the interface variables; false if one of them has no place.
bool prepare_interface(Context& context);
/// At the start of each function: loads the inputs and system values that it reads.
void load_interface(Context& context, const FunctionPlan& plan);
/// At an exit of main.
void store_outputs(Context& context);

}  // namespace tgsi2spv::lower
