// The entry point: stage and execution modes, from the properties of the text.
#pragma once

#include "lower/context/context.h"

namespace tgsi2spv::lower {

/// False after a refusal: for properties that no module can have, or none for this device.
bool check_properties(Context& context);
/// Sets everything of Module::entry that the properties say; false after a refusal.
bool prepare_entry(Context& context);

}  // namespace tgsi2spv::lower
