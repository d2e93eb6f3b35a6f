// Where the walk uses lower::State. If the state is off, each function returns its argument unchanged.
#pragma once

#include <cstdint>

#include "lower/context/context.h"
#include "lower/state/spec_constants.h"

namespace tgsi2spv::lower {

struct Declared;
struct Locations;

// ---- specialization constants, or words of the state buffer in their place (state/fragment.cpp)
/// The scalar `id` of spec_constants.h.
ir::Value state_value(Context& context, ir::Type type, uint32_t id, uint32_t default_bits);
/// A bool: whether that value is not 0.
ir::Value state_flag(Context& context, uint32_t id, bool by_default = false);
/// A bool: bit `n` of that value.
ir::Value state_bit(Context& context, uint32_t id, uint32_t default_bits, uint32_t n);
/// The variable of the state's constant buffer, made on first use.
uint32_t state_buffer_variable(Context& context);
/// Swaps red and blue if bit `n` of the constant is set.
ir::Value swapped_red_and_blue(Context& context, uint32_t id, uint32_t n, ir::Value value);
/// Clamped to [0,1] if the constant is set.
ir::Value clamped_by(Context& context, uint32_t id, ir::Value value);

/// A bool: compares two floats with PIPE_FUNC `function` (u32).
ir::Value compared(Context& context, ir::Value function, ir::Value x, ir::Value y);

// ---- before rasterization (state/vertex.cpp)
/// Makes the variable of VERT's IN[reg], or two, one after the other, for doubles. Its location is its number; each
/// attribute of doubles moves those after it by one.
void add_attribute(Context& context, uint32_t reg);
/// The value of VERT's IN[reg] as the text reads it.
ir::Value fetched_attribute(Context& context, uint32_t reg);
/// VS_WINDOW_SPACE_POSITION: POSITION is in pixels, and no viewport, depth range or user plane applies.
bool is_window_space(const Context& context);
/// Makes the varying of z where the linkage has one, in the last stage or FRAG, and FRAG's variable of the depth
/// (state/depth.cpp).
void prepare_depth(Context& context);
/// The position for the rasterizer: if z goes to FRAG, it is stored for it, and a depth that does not clip is in its
/// place.
ir::Value unclipped_position(Context& context, ir::Value position);
/// At the start of FRAG's main: computes the depth, if FRAG does.
void start_depth(Context& context);
/// The depth that FRAG has computed.
ir::Value own_depth(Context& context);
/// A depth that the text writes.
ir::Value written_depth(Context& context, ir::Value depth);
/// POSITION as Vulkan expects it.
ir::Value clip_position(Context& context, const Ref* refs);
/// State::one_layer: whether this stage has it.
bool has_one_layer(const Context& context);
/// The position, or one outside of the picture if the vertex is not for the chosen layer and viewport.
ir::Value chosen_position(Context& context, ir::Value position);
/// The value to store to an interpolated output.
ir::Value written_varying(Context& context, const ir::Variable& variable, ir::Value value);
/// PointSize; `written` is the value from the text, kNone if it writes none.
ir::Value point_size(Context& context, ir::Value written);
/// How many user planes such a stage tests, if it has a position.
uint32_t planes_of(const tgsi::Program& program, const State& state, uint32_t written_distances);
/// Turns user planes into clip distances if the text writes none; finds the register that is tested against them.
bool prepare_clip_planes(Context& context);
/// The value of distance `number`, one that the text writes.
ir::Value enabled_distance(Context& context, uint32_t number, ir::Value value);
/// Stores the vertex's distances to the user planes.
void store_plane_distances(Context& context);

// ---- FRAG (state/fragment.cpp)
/// Makes BCOLOR's variable, in addition to COLOR's.
bool prepare_back_color(Context& context, Locations& locations, const Declared& declared);

/// The colour in `out`, or `back` (x4) on back faces.
void choose_facing_color(Context& context, ir::Value back, Ref* out);
/// Replaces an input that may be the position within a point sprite.
void replace_by_sprite(Context& context, const Declared& declared, Ref* out);
/// The row within a point, counted downwards or upwards.
ir::Value sprite_row(Context& context, ir::Value row);
/// The row of the fragment's centre, counted from the end that the text and the state choose.
ir::Value fragment_row(Context& context, ir::Value row, bool text_says_lower_left);
/// A column or row, at the pixel centre that the text and the state choose.
ir::Value pixel_place(Context& context, ir::Value place, bool text_says_integer);
/// The value of COLOR[index] for its target.
ir::Value target_color(Context& context, uint32_t index, ir::Value value);
/// COLOR[0] as State::blend blends it with COLOR[1] (kNone: there is none) and what the target has; both are values
/// for the target (state/blend.cpp).
ir::Value blended_color(Context& context, ir::Value first, ir::Value second);
/// SampleMask; `written` is the value from the text, kNone if it writes none.
ir::Value sample_mask(Context& context, ir::Value written);

/// SAMPLEID and SAMPLEMASK as the text knows them (State::seen_samples).
ir::Value seen_sample(Context& context, ir::Value id);
ir::Value seen_samples(Context& context, ir::Value mask);
/// Alpha test and stipples: terminates the invocations that fail.
void discard_by_state(Context& context);

}  // namespace tgsi2spv::lower
