// Texture messages executed on the CPU, with all answers that Vulkan permits ("Image Operations" of the Vulkan
// specification; semantics: Textures). The interpreter evaluates the parameters; everything after that is here.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "reference/numbers/value.h"
#include "reference/run.h"
#include "sampling/message.h"

namespace tgsi2spv::reference {

/// The texture and sampler that the operands of one lane select. Indices may differ between lanes.
struct TextureBinding {
    const Texture* texture = nullptr;            ///< nullptr: nothing is bound
    std::array<uint8_t, 4> swizzle{0, 1, 2, 3};  ///< swizzle of the view (View::swizzle)
    const SamplerState* sampler = nullptr;       ///< nullptr: the default state; fetches and queries do not read it
    bool known = true;                           ///< false: the index is not known, so neither is the result
    bool border_is_of_floats = false;            ///< true also for views of integers: undefined (border.h)
};

/// Binds the resources at these indices: the texture through its view. For TEX and its like the index of SAMP implies
/// that of SVIEW (newest edition, Declaration Sampler View); a handle alone names a texture.
void bind(const Inputs& inputs, const sampling::Message& message, uint32_t texture, uint32_t sampler,
          TextureBinding& binding);

/// The parameters of a message in one lane, read by name (sampling::Message says where they come from).
struct TextureLane {
    bool wants = false;       ///< the lane executes the instruction: it needs the result
    bool takes_part = false;  ///< its coordinates are valid for the derivatives of its quad (helpers too)
    TextureBinding binding;
    Value coord[3], layer, reference, divisor, lod, bias;
    Value ddx[3], ddy[3];
    Value sample_index, component;
    Value offsets[4][3];  ///< used if the offsets are not immediate
};

/// Fills the parameters that `message` uses. read(source, component) is the value of that component of a source operand
/// (after swizzle and modifiers), read_offset(i, axis) that of an offset operand.
template <class Read, class ReadOffset>
void read_parameters(const sampling::Message& message, TextureLane& lane, Read&& read, ReadOffset&& read_offset) {
    auto fetch = [&](const sampling::Param& p, Value& v) {
        if (p.present()) v = read(p.source, p.component);
    };
    for (int c = 0; c < 3; ++c) {
        fetch(message.coord[c], lane.coord[c]);
        fetch(message.ddx[c], lane.ddx[c]);
        fetch(message.ddy[c], lane.ddy[c]);
    }
    fetch(message.layer, lane.layer);
    fetch(message.reference, lane.reference);
    fetch(message.divisor, lane.divisor);
    fetch(message.lod, lane.lod);
    fetch(message.bias, lane.bias);
    fetch(message.sample_index, lane.sample_index);
    fetch(message.component, lane.component);
    if (message.offsets == sampling::Offsets::None || message.offsets_are_immediate) return;
    for (int i = 0; i < (message.offsets == sampling::Offsets::Ptp ? 4 : 1); ++i)
        for (int axis = 0; axis < message.surface.offsets; ++axis) lane.offsets[i][axis] = read_offset(i, axis);
}

/// Executes `message` for all lanes; results[i] belongs to lanes[i] and is written if the lane wants it (components
/// outside message.channel_mask are unspecified). Lanes of FRAG come in quads: (x,y) (x+1,y) (x,y+1) (x+1,y+1). In
/// other stages a message has no implicit derivative and the order of the lanes means nothing.
void execute(const sampling::Message& message, std::span<const TextureLane> lanes, const Options& options,
             std::span<std::array<Value, 4>> results);

}  // namespace tgsi2spv::reference
