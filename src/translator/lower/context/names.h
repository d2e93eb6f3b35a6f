// Names of variables, for debuggers and reflection.
#pragma once

#include <cstdint>
#include <string_view>

#include "ir/module.h"

namespace tgsi2spv::lower {

/// `CONST[2]`: the name of most variables.
ir::Name indexed(std::string_view word, uint32_t index);

}  // namespace tgsi2spv::lower
