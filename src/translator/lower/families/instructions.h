// One instruction of the text: the steps for every opcode before its family lowers it.
#pragma once

#include <cstdint>

#include "lower/walk/walk.h"

namespace tgsi2spv::lower {

void lower_instruction(Walk& walk, uint32_t pc);

}  // namespace tgsi2spv::lower
