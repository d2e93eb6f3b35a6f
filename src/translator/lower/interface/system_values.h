// The device's system values in the form that TGSI defines.
#pragma once

#include "lower/walk/walk.h"

namespace tgsi2spv::lower {

/// Loads a system value, declared as SV or (`as_input`) as IN: four components. False if no system value has that
/// meaning.
bool load_system_value(Walk& walk, tgsi::Semantic semantic, bool as_input, Ref* out);
bool is_system_value(tgsi::Stage stage, tgsi::Semantic semantic);
ir::Value load_builtin(Walk& walk, ir::BuiltIn builtin, ir::Type type);
/// FRAG: the colour at this pixel, and at this sample of a multisampled target, from the input attachment with its
/// number. `variable`: kNoIndex, or that of an earlier read.
ir::Value read_attachment(Walk& walk, uint32_t color, bool multisampled, uint32_t& variable);
/// COMP: the size of a work group.
void set_block_size(Walk& walk);
/// A dimension of the work group: fixed by the text, otherwise a specialization constant.
ir::Value block_size(Walk& walk, int c);

}  // namespace tgsi2spv::lower
