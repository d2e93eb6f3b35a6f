// Inputs that make a shader do something: seeded, the same on every machine.
#pragma once

#include <cstdint>
#include <string_view>

#include "reference/run.h"
#include "tgsi/program.h"
#include "tgsi/registers.h"

namespace tgsi2spv::difftest {

struct InputOptions {
    uint64_t seed = 0;
    uint32_t lanes = 16;  ///< a multiple of 4
    uint32_t framebuffer_width = 64;
    bool beyond = false;     ///< small buffers, indices and texels that miss, edge values in every lane
    bool tiny = false;       ///< with `beyond`: buffers of a few words (none, if `wide`), textures of a texel or two
    bool wide = false;       ///< half of the integers are any word, and some of those in constants
    bool alone = false;      ///< COMP: one work group, which races with no other
    bool limited = false;    ///< samplers name the texture's last level, which some devices do not know by themselves
    bool blended = false;    ///< textures have all levels, and samplers mix two of them: a small part of a level shows
    bool one_level = false;  ///< no sampler mixes levels or has a bias, as lower::Options::offsets_read_one_level asks
    /// VERT: numbers that are not by chance a lane.
    uint32_t base_vertex = 5, base_instance = 3;
    uint32_t variant = 0;  ///< which of neighbouring images is the smaller one; 0: drawn
};

/// Options for one of several sets of a case: every second one goes beyond what shaders expect, half of them have words
/// of any size. Two sets have both kinds of each; eight have all there is.
InputOptions options_for_set(uint32_t number);

/// A seed for case `number` of a shader: depends on its text, not on where it stands.
uint64_t case_seed(std::string_view text, uint64_t campaign_seed, uint32_t number);

/// Everything that a shader declares is given, but for what the engine computes by itself. The last
/// quarter of the lanes also has edge floats: ±0, ±inf, NaN, denormals, the largest.
reference::Inputs generate_inputs(const tgsi::Program& program, const tgsi::Registers& registers,
                                  const InputOptions& options);

}  // namespace tgsi2spv::difftest
