// Texels that Vulkan has otherwise than the guest: depth packed with stencil, and luminance with alpha.
#pragma once

#include <cstddef>
#include <span>

#include "renderer/state/formats.h"

namespace tgsi2spv::host {

/// From a row of the guest's texels to 4 bytes of depth each (24 bits, or a float from 0 to 1 for Z32Float, Z32 and
/// Z32S8) and a byte of stencil each (null: no stencil), or to four components, of which luminance is the first and
/// alpha the last.
void unpack_texels(Conversion conversion, std::span<const std::byte> texels, std::byte* texel, std::byte* stencil);
/// The reverse. Unused bits become 0.
void pack_texels(Conversion conversion, const std::byte* texel, const std::byte* stencil, std::span<std::byte> texels);

}  // namespace tgsi2spv::host
