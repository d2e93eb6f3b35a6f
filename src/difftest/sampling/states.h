// What a form of the texture pages is run with: the textures and samplers of every kind, filter and wrap mode, and
// lanes whose parameters make texels, levels and layers differ.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "difftest/random.h"
#include "difftest/sampling/forms.h"
#include "reference/message.h"
#include "reference/run.h"

namespace tgsi2spv::difftest {

enum class TexelKind : uint8_t { Float, Unorm8, Depth, Sint, Uint };

/// One texture with its sampler.
struct SamplingState {
    TexelKind kind{};
    reference::Filter filter{};
    reference::Wrap wrap{};
    reference::MipFilter mip{};
    reference::Compare compare = reference::Compare::None;
};
/// `linear REPEAT float`
std::string describe(const SamplingState& state);

/// The states that are legal for the form: every kind × filter × wrap mode. Filters between levels and compare
/// operators follow one another.
std::vector<SamplingState> states_of(const Form& form);

reference::Texture make_texture(const Form& form, const SamplingState& state, Random& random);
reference::SamplerState make_sampler(const SamplingState& state, Random& random);

/// Quads of FRAG with all that any form reads; floats are halves already where the form's parameters are.
std::vector<reference::MessageLane> make_lanes(const Form& form, uint32_t quads, Random& random);

/// Where the registers of a message say, the parameters of each lane as words of IN.
void place_inputs(const sampling::Message& message, std::span<const reference::MessageLane> lanes,
                  reference::Inputs& inputs);

uint16_t half_of(float x);
float float_of_half(uint16_t half);

}  // namespace tgsi2spv::difftest
