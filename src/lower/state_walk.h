// Where the walk asks for lower::State. Each function passes its argument on unchanged where the state is off.
#pragma once

#include "lower/interface.h"

namespace tgsi2spv::lower {

// ---- specialization constants (state_fragment.cpp)
/// A bool: whether specialization constant `id` is not 0.
ir::Value spec_flag(Walk& w, uint32_t id, bool by_default = false);
/// A bool: bit `n` of specialization constant `id`.
ir::Value spec_bit(Walk& w, uint32_t id, uint32_t default_bits, uint32_t n);
/// The variable of the state's constant buffer, made when first asked for.
uint32_t state_buffer_variable(Walk& w);
/// Red and blue change places where bit `n` of the constant says so.
ir::Value swapped_red_and_blue(Walk& w, uint32_t id, uint32_t n, ir::Value value);
/// Clamped to [0,1] where the constant says so.
ir::Value clamped_by(Walk& w, uint32_t id, ir::Value value);

/// A bool: PIPE_FUNC `function` (u32) of two floats.
ir::Value compared(Walk& w, ir::Value function, ir::Value x, ir::Value y);

// ---- before rasterization (state_vertex.cpp)
/// Sets the type of the variable of IN[reg] of VERT.
void set_attribute_type(const Walk& w, uint32_t reg, ir::Variable& variable);
/// IN[reg] of VERT as the text reads it.
ir::Value fetched_attribute(Walk& w, uint32_t reg, ir::Value value);
/// POSITION as Vulkan takes it.
ir::Value clip_position(Walk& w, const Ref* refs);
/// An output that is interpolated.
ir::Value written_varying(Walk& w, const ir::Variable& variable, ir::Value value);
/// PointSize; `written` is what the text says, kNone where it says nothing.
ir::Value point_size(Walk& w, ir::Value written);
/// User planes become clip distances where the text writes none; finds what is held against them.
bool prepare_clip_planes(Walk& w);
/// Distance `number` of those that the text writes.
ir::Value enabled_distance(Walk& w, uint32_t number, ir::Value value);
/// Stores the vertex's distances from the user planes.
void store_plane_distances(Walk& w);

// ---- FRAG (state_fragment.cpp)
/// BCOLOR's variable beside COLOR's.
bool prepare_back_color(Walk& w, Locations& locations, const Declared& d);
/// The variable of the way along a stippled line.
bool prepare_line_stipple(Walk& w, Locations& locations);
/// COLOR[d.index] where the back is seen is `back` (x4).
void choose_facing_color(Walk& w, ir::Value back, Ref* out);
/// An input that may be the place in a point sprite.
void replace_by_sprite(Walk& w, const Declared& d, Ref* out);
/// The row in a point, downwards or upwards.
ir::Value sprite_row(Walk& w, ir::Value row);
/// The row of the fragment's centre, counted from where the text and the state say.
ir::Value fragment_row(Walk& w, ir::Value row, bool text_says_lower_left);
/// A column or row, at the pixel's centre as the text and the state have it.
ir::Value pixel_place(Walk& w, ir::Value place, bool text_says_integer);
/// COLOR[index] in its target.
ir::Value target_color(Walk& w, uint32_t index, ir::Value value);
/// SampleMask; `written` is what the text says, kNone where it says nothing.
ir::Value sample_mask(Walk& w, ir::Value written);
/// Alpha test and stipples: ends invocations that fail.
void discard_by_state(Walk& w);

}  // namespace tgsi2spv::lower
