// The data with which a form of the texture pages runs: textures and samplers of every kind, filter and wrap mode, and
// lanes whose parameters select different texels, levels and layers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cases/sampling/forms.h"
#include "inputs/random.h"
#include "reference/case/inputs.h"
#include "reference/textures/message.h"

namespace tgsi2spv::difftest {

enum class TexelKind : uint8_t { Float, Unorm8, Depth, Sint, Uint };

/// A texture with its sampler.
struct SamplingState {
    TexelKind kind{};
    reference::Filter filter{};
    reference::Wrap wrap{};
    reference::MipFilter mip{};
    reference::Compare compare = reference::Compare::None;
};
/// Returns `linear REPEAT float one level`, plus the compare operator if there is one.
std::string describe(const SamplingState& state);

/// Returns the valid states of the form: every kind × filter × wrap mode. Mip filters and compare operators change from
/// state to state.
std::vector<SamplingState> states_of(const Form& form);

reference::Texture make_texture(const Form& form, const SamplingState& state, Random& random);
reference::SamplerState make_sampler(const SamplingState& state, Random& random);

/// Returns quads of FRAG with values for all parameters of any form. Floats are rounded to halves if the form's
/// parameters are halves.
std::vector<reference::MessageLane> make_lanes(const Form& form, uint32_t quads, Random& random);

/// Stores the parameters of each lane as words of IN, in the registers that the message names.
void place_inputs(const sampling::Message& message, std::span<const reference::MessageLane> lanes,
                  reference::Inputs& inputs);

uint16_t half_of(float x);
float float_of_half(uint16_t half);

}  // namespace tgsi2spv::difftest
