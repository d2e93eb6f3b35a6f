// Depth and stencil: packed words of the guest, separate aspects of Vulkan.
#pragma once

#include <cstddef>
#include <span>

#include "renderer/state/formats.h"

namespace tgsi2spv::host {

/// From a row of the guest's texels to 4 bytes of depth each (24 bits, or a float for Z32 and Z32S8) and a byte of
/// stencil each (null: no stencil).
void unpack_depth(Conversion conversion, std::span<const std::byte> texels, std::byte* depth, std::byte* stencil);
/// The reverse. Unused bits become 0.
void pack_depth(Conversion conversion, const std::byte* depth, const std::byte* stencil, std::span<std::byte> texels);

}  // namespace tgsi2spv::host
