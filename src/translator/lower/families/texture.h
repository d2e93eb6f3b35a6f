// Shared by the texture files: one texture instruction with its message, its descriptors, and the operands that every
// class of message has. These files only read messages (sampling/message.h), which decide where each parameter comes
// from.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "lower/interface/resources.h"
#include "lower/operands/family.h"

namespace tgsi2spv::lower {

struct TextureAccess {
    Operation& op;
    const sampling::Message& m;
    ir::ImageType image;
    ResourceRef texture;
    ResourceRef sampler;                ///< SAMPLE family; otherwise its variable is kNone
    ir::Value resident = ir::kNone;     ///< sparse: a bool, true while no texel came from an unmapped page
    ir::Value beyond_pool = ir::kNone;  ///< bool: some index of a handle has no descriptor, so everything is 0
};

/// The arguments of an image instruction after its indices, in SPIR-V's order (ir::image_arguments).
struct ImageArgs {
    ir::Value values[10];
    size_t count = 0;
    void push(ir::Value v) { values[count++] = v; }
};

/// Emits an image instruction on the texture. If the device cannot index descriptors as the shader does, emits it once
/// for each descriptor, and the index selects one of the results. That needs no control flow, so derivatives stay
/// defined.
ir::Value issue(TextureAccess& access, ir::Op o, ir::Type type, ir::ImageOp image, const ImageArgs& args);

/// Combines parameters into one value, gathered in one step if they come from one operand. A parameter that is left out
/// is 0 (3D_SAMPLE: trailing parameters). Half parameters are widened to floats.
ir::Value parameters(TextureAccess& access, std::span<const sampling::Param> params, ir::Scalar scalar);
ir::Value parameter(TextureAccess& access, const sampling::Param& param, ir::Scalar scalar);

/// `n` components of an image instruction's result type: words if the view returns integers.
ir::Type texel_type(const TextureAccess& access, int n);
/// The components of the write mask from a vector of four, through the view's swizzle.
Outcome texel_result(TextureAccess& access, ir::Value four);

/// The number of levels of the texture; a rectangle has one (GL, rectangle textures).
ir::Value level_count(TextureAccess& access);
/// The level or sample `selector` if it is inside; otherwise the first one.
ir::Value first_unless(TextureAccess& access, ir::Value inside, ir::Value selector);
/// Width, height, depth and layers at an existing level, as u32; `level` is kNone if the image has no levels.
ir::Value image_size(TextureAccess& access, ir::Value level);
/// The same without layers.
ir::Value spatial_size(TextureAccess& access, ir::Value level);
/// The number of components that a size query of this image returns.
int size_components(const ir::ImageType& image);

/// One texture offset; its value may be known now or not.
struct Offset {
    bool known = false;
    int32_t words[3] = {};  ///< the offset's words, if known
    ir::Value value = ir::kNone;
    bool is_zero() const { return known && words[0] == 0 && words[1] == 0 && words[2] == 0; }
    bool within(int32_t lowest, int32_t highest) const;
};
Offset offset_of(TextureAccess& access, int i);
/// Its words as a value (u32, read as signed).
ir::Value offset_value(TextureAccess& access, const Offset& offset);
/// Float coordinates (but not the layer) moved by an offset in texels of `level`: the same as an image operand would
/// do.
ir::Value moved(TextureAccess& access, ir::Value coordinate, const Offset& offset, ir::Value level);

/// Coordinates and layer in SPIR-V's order, divided (TXP) and normalised (RECT).
ir::Value float_coordinate(TextureAccess& access, bool with_layer, const Offset* rect_offset);
/// The number of the smallest level that is read at the coordinates (without the layer), but for the sampler's bias and
/// limits.
ir::Value coarsest_level(TextureAccess& access, ir::Value coordinate);
/// The comparison reference, divided.
ir::Value reference(TextureAccess& access);

// lower::State (state_texture.cpp).
/// The texture holds no depth, so the shader does the comparison.
bool is_compared_in_shader(const Operation& op, const sampling::Message& message);
/// The result of the comparison, 1 or 0 for each texel.
ir::Value compared_texels(TextureAccess& access, ir::Value reference, ir::Value texels);
/// Coordinates and derivatives of this sampler may be in texels; they are then divided if the state says so.
bool may_be_unnormalized(const TextureAccess& access);
/// Whether GL_CLAMP, mirror clamp or mirror clamp to border applies to a coordinate of the sampler.
bool is_clamped(const TextureAccess& access);
/// The coordinates with them where they apply.
ir::Value clamped_coordinate(TextureAccess& access, ir::Value coordinate);
ir::Value normalized(TextureAccess& access, ir::Value texels);
/// The view's own swizzle, which comes before the instruction's: applied to a texel, or to the gathers of each
/// component.
bool is_view_swizzled(const TextureAccess& access);
ir::Value swizzled_view(TextureAccess& access, ir::Value four);
/// How many bits of the integers that a buffer has in the place of normalised numbers are not their sign: 16, 15; 0:
/// none.
uint32_t normalized_bits(const Operation& op, const sampling::Message& message);
ir::Value swizzled_gather(TextureAccess& access, ir::Value component, std::span<const ir::Value> gathers);

// Features that no opcode uses (texture_page.cpp).
/// Why the device cannot run the message's modifiers, or nullptr.
const char* missing_modifier(const TextureAccess& access);
/// The descriptors that a handle names: samplerPtr[31:20] | headerPtr[19:0].
void bind_handle(TextureAccess& access);
/// The negative logarithm of the coarse pixel's size: derivatives are too large by that size (3D_SAMPLE: CPS).
ir::Value coarse_bias(TextureAccess& access);
/// Offset `i` from a gather's packed registers.
ir::Value packed_offset(TextureAccess& access, int i);
/// The result in the form that the message wants, 0 beyond the pool; also writes destination 1.
Outcome finish_page(TextureAccess& access, Outcome outcome);

Outcome lower_sample(TextureAccess& access);
Outcome lower_gather(TextureAccess& access);
Outcome lower_fetch(TextureAccess& access);
Outcome lower_query(TextureAccess& access);
Outcome lower_lod_query(TextureAccess& access);
/// SAMPLE_POS, SAMPLE_INFO (texture_samples.cpp).
Outcome lower_sample_position(TextureAccess& access);
Outcome lower_sample_info(TextureAccess& access);

}  // namespace tgsi2spv::lower
