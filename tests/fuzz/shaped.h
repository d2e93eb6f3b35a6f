// Texts made from the opcode table: they contain forms that damaged texts of real producers seldom have.
#pragma once

#include <string>

#include "damage.h"

namespace fuzz {

/// Returns a shader of any stage: declarations of every file, and a few instructions of any opcode with operands of
/// mostly the right kinds.
std::string shaped(Random& random);

}  // namespace fuzz
