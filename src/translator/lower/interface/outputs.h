// Outputs of VERT, TESS_EVAL, GEOM and FRAG, and transform feedback. (TESS_CTRL's are in vertices.h.)
#pragma once

#include <cstdint>
#include <span>

#include "lower/variables/outputs.h"

namespace tgsi2spv::lower {

bool prepare_outputs(Context& context);
/// Producers pack several arrays into one semantic; each register then has different components. Chains the registers
/// that share a variable, in the order of their declarations; `masks` has the components that each writes.
void join_outputs(Context& context, std::span<const uint8_t> masks);
/// Stores OUT registers to the output variables of one stream.
void store_registers(Context& context, uint32_t stream);
/// Captures the outputs that Options::stream_outputs lists (stream_output.cpp).
bool prepare_stream_outputs(Context& context);

}  // namespace tgsi2spv::lower
