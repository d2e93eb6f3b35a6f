// One instruction of the text: the steps for every opcode before its family lowers it.
#pragma once

#include <cstdint>

#include "lower/walk/operation.h"
#include "lower/walk/walk.h"

namespace tgsi2spv::lower {

void lower_instruction(Walk& walk, uint32_t pc);
/// Sets what is attached to everything emitted for an instruction: its place in the text, its precision.
Operation begin_instruction(Walk& walk, const tgsi::Instruction& instruction);

}  // namespace tgsi2spv::lower
