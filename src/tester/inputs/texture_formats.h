// Formats of generated textures, and texels that fit into them.
#pragma once

#include <cstdint>

#include "inputs/random.h"
#include "tgsi/tables/names.h"
#include "tgsi/tables/types.h"

namespace tgsi2spv::difftest {

/// Returns a format (tgsi/tables/formats.h) that a texture of this shape may have on every Vulkan device, if a view
/// declares that it returns values of this type. Half of all float textures have 32 bits, whose texels show most.
uint16_t draw_format(Random& random, const tgsi::TargetShape& shape, tgsi::ReturnType type);

/// Returns the largest integer drawn for a texel of an integer format, at most 1000.
int32_t largest_texel(uint16_t format);

/// Returns a component of a texel: a word that `encode_texels` takes.
uint32_t draw_texel(Random& random, uint16_t format);

}  // namespace tgsi2spv::difftest
