// The device's system values in the form that TGSI defines.
#pragma once

#include "lower/context/context.h"

namespace tgsi2spv::lower {

/// Loads a system value, declared as SV or (`as_input`) as IN: four components. False if no system value has that
/// meaning.
bool load_system_value(Context& context, tgsi::Semantic semantic, bool as_input, Ref* out);
bool is_system_value(tgsi::Stage stage, tgsi::Semantic semantic);
/// A builtin of the stage, or what stands for it in a compute shader (record_loads.h).
ir::Value load_builtin(Context& context, ir::BuiltIn builtin, ir::Type type);
/// COMP: the size of a work group.
void set_block_size(Context& context);
/// A dimension of the work group: fixed by the text, otherwise a specialization constant.
ir::Value block_size(Context& context, int c);

}  // namespace tgsi2spv::lower
