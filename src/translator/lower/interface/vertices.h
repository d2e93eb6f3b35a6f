// Arrays over vertices: IN[v][i] of GEOM, TESS_CTRL and TESS_EVAL, and TESS_CTRL's outputs, OUT[v][i] and OUT[i].
#pragma once

#include <cstdint>
#include <span>

#include "lower/context/context.h"

namespace tgsi2spv::lower {

struct Locations;

/// Makes the variables of IN[v][i].
bool prepare_vertex_inputs(Context& context, Locations& locations);
/// Makes the variables of TESS_CTRL's OUT[v][i] and OUT[i].
bool prepare_patch_outputs(Context& context);
/// Stores zeros to all outputs of TESS_CTRL. Other invocations see them after a barrier.
void clear_patch_outputs(Context& context);
bool read_interface(Context& context, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out);
bool write_interface(Context& context, const tgsi::Operand& operand, uint8_t mask, const Ref* refs);
/// IN[`index`] of stages without arrays over vertices (io_buffers.cpp).
void read_indexed_input(Context& context, const tgsi::Operand& operand, ir::Value index, ir::Value inside,
                        std::span<const uint8_t> comps, Ref* out);

inline constexpr InterfaceOperands kInterfaceOperands{read_interface, write_interface, read_indexed_input};

}  // namespace tgsi2spv::lower
