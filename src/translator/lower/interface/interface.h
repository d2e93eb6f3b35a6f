// The stage interface: its variables, and the loads and stores of a function.
#pragma once

#include "lower/walk/walk.h"

namespace tgsi2spv::lower {

/// Makes the interface variables; false if one of them has no place.
bool prepare_interface(Walk& walk);
/// At the start of each function: loads the inputs and system values that it reads.
void load_interface(Walk& walk, const FunctionPlan& plan);
/// At an exit of main.
void store_outputs(Walk& walk);

}  // namespace tgsi2spv::lower
