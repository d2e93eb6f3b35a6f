// One pipeline of the sampling matrix: a form on a few states, as a program with its inputs and with what is permitted.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "api/convert.h"
#include "difftest/sampling/states.h"
#include "reference/run.h"

namespace tgsi2spv::difftest {

struct SamplingCase {
    const Form& form;
    std::span<const SamplingState> states;  ///< texture and sampler k are state k's
    std::vector<reference::MessageLane> lanes{};
    std::vector<std::vector<uint8_t>> beyond{};  ///< by call and lane: the handle names no descriptor
    reference::Inputs inputs{};
    std::string text{};  ///< of a form that has a line
};

/// Draws textures, samplers and lanes, and makes the program in `context`: TGSI text where the form has a line, else a
/// carrier. An error is a mistake of ours: the text does not parse.
std::string prepare(SamplingCase& c, api::Context& context, uint64_t seed);

/// What one word of a lane may be: OUT register, lane, component.
struct PermittedWord {
    int32_t reg = 0;
    uint32_t state = 0;  ///< the state of the instruction (the first where lanes choose)
    uint32_t lane = 0;
    uint8_t component = 0;
    bool half = false;  ///< a half in the low 16 bits; `value` holds the float before it was narrowed
    reference::Component value;
};
/// Every word that the case writes, by the judge.
std::vector<PermittedWord> judge(const SamplingCase& c, const api::Context& context, const reference::Options& options,
                                 std::string& error);
bool permits(const PermittedWord& permitted, uint32_t got);

/// How many states stand in one pipeline of the form; they are of one kind where lanes choose among them.
uint32_t states_a_case(const Form& form);
inline bool lanes_choose(const Form& form) {
    return form.sampler_by_lane || form.texture_by_lane || form.message.bindless;
}

}  // namespace tgsi2spv::difftest
