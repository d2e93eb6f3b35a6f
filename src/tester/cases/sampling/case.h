// One pipeline of the sampling matrix: a form in a few states, as a program with inputs and permitted answers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "api/convert.h"
#include "cases/sampling/states.h"
#include "reference/case/inputs.h"
#include "reference/case/options.h"

namespace tgsi2spv::difftest {

struct SamplingCase {
    const Form& form;
    std::span<const SamplingState> states;  ///< texture k and sampler k belong to state k
    std::vector<reference::MessageLane> lanes{};
    std::vector<std::vector<uint8_t>> beyond{};  ///< 1 for each call and lane whose handle refers to no descriptor
    reference::Inputs inputs{};
    std::string text{};  ///< the text of a form that has a line
};

/// Draws textures, samplers and lanes at random, and makes the program in `context`: TGSI text if the form has a line,
/// otherwise a carrier. An error is our own bug: the text does not parse.
std::string prepare(SamplingCase& c, api::Context& context, uint64_t seed);

/// The permitted values of one word: OUT register, lane, component.
struct PermittedWord {
    int32_t reg = 0;
    uint32_t state = 0;  ///< the instruction's state (the first one if lanes choose)
    uint32_t lane = 0;
    uint8_t component = 0;
    bool half = false;  ///< a half in the low 16 bits; `value` holds the float before narrowing
    reference::Component value;
};
/// Returns every word that the case writes, according to the judge, or why it cannot run the case.
tl::expected<std::vector<PermittedWord>, std::string> judge(const SamplingCase& c, const api::Context& context,
                                                            const reference::Options& options);
bool permits(const PermittedWord& permitted, uint32_t got);

/// Returns the maximum number of states in one pipeline of the form. If lanes choose among them, they have the same
/// texel kind.
uint32_t states_a_case(const Form& form);
inline bool lanes_choose(const Form& form) {
    return form.sampler_by_lane || form.texture_by_lane || form.message.bindless;
}

}  // namespace tgsi2spv::difftest
