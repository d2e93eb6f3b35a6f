// Texts made from the opcode table: they contain what damaged texts of real producers seldom do.
#pragma once

#include <string>

#include "damage.h"

namespace fuzz {

/// A shader of any stage: declarations of every file, a few instructions of any opcode with operands of nearly the
/// right kinds.
std::string shaped(Random& random);

}  // namespace fuzz
