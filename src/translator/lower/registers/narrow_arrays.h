// Arrays of registers hold only the components that something reads.
#pragma once

#include <cstdint>

#include "lower/context/context.h"

namespace tgsi2spv::lower {

/// Notes which components of TEMP registers in memory the text reads, in Arrays::reads and Arrays::read_by_index.
/// GLSL compilers print an array of floats as registers of which only x is used: four times the memory.
void note_reads(Context& context);

/// How many components, 1 to 4, an array of the TEMP registers [first, first + count) needs: up to the last one that is
/// read (they keep their places).
uint8_t needed_components(const Context& context, uint32_t first, uint32_t count);

}  // namespace tgsi2spv::lower
