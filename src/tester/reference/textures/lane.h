// A lane's use of a texture: the texture and sampler that it selects, and the parameters of its message.
#pragma once

#include <array>
#include <cstdint>

#include "reference/case/inputs.h"
#include "reference/numbers/value.h"
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

}  // namespace tgsi2spv::reference
