// Generates inputs that exercise a shader. They follow from a seed, and are the same on every machine.
#pragma once

#include <cstdint>
#include <string_view>

#include "inputs/uses.h"
#include "reference/case/inputs.h"
#include "tgsi/program/program.h"
#include "tgsi/program/registers.h"

namespace tgsi2spv::difftest {

struct InputOptions {
    uint64_t seed = 0;
    uint32_t lanes = 16;  ///< a multiple of 4
    uint32_t framebuffer_width = 64;
    bool beyond = false;   ///< small buffers, out-of-range indices and texels, edge values in every lane
    bool tiny = false;     ///< with `beyond`: buffers of a few words (possibly none, if `wide`), textures of one or
                           ///< two texels
    bool wide = false;     ///< half of the integers, and some of those in constants, may be any word
    bool alone = false;    ///< COMP: one work group, which races with no other group
    bool limited = false;  ///< maxLod of samplers is the texture's last level, since some devices do not clamp to it
    bool blended = false;  ///< textures have all levels, and samplers blend two of them, so that a small fraction of
                           ///< a level shows
    bool one_level_offsets = false;  ///< no sampler blends levels or has a bias, as
                                     ///< lower::Options::offsets_read_one_level requires
    /// VERT: first numbers of the draw, not 0, so that no number equals a lane by chance.
    uint32_t base_vertex = 5, base_instance = 3;
    uint32_t variant = 0;  ///< 0: drawn at random. Otherwise bit 0 selects which of neighbouring images are smaller,
                           ///< and bit 1 makes COMP's grid one row
};

/// Returns the options for one of several input sets of a case. Every second set goes beyond shaders' expectations, and
/// half of the sets of either kind have words of any size. Two sets have one of each kind; eight sets cover everything.
InputOptions options_for_set(uint32_t number);

/// Returns a seed for case `number` of a shader. It depends on the shader's text without lines that start with `#`, and
/// not on its path: a comment can be changed without changing the inputs.
uint64_t case_seed(std::string_view text, uint64_t campaign_seed, uint32_t number);

/// Generates everything that a shader declares, except values that the engine computes itself. The last quarter of the
/// lanes also gets edge floats: ±0, ±inf, NaN, denormals, the largest.
reference::Inputs generate_inputs(const tgsi::Program& program, const tgsi::Registers& registers,
                                  const InputOptions& options);
/// The same, with find_uses(program), for several sets.
reference::Inputs generate_inputs(const tgsi::Program& program, const tgsi::Registers& registers, const Uses& uses,
                                  const InputOptions& options);

}  // namespace tgsi2spv::difftest
