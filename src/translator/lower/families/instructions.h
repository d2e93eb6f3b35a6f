// One instruction of the text: the steps for every opcode before its family lowers it.
#pragma once

#include <cstdint>

#include "lower/context/context.h"

namespace tgsi2spv::lower {

void lower_instruction(Context& context, uint32_t pc);

}  // namespace tgsi2spv::lower
