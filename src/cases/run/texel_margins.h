// Places textures into larger ones, whose remaining texels are marks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reference/run.h"
#include "spirv/reflect.h"

namespace tgsi2spv::difftest {

/// The larger texture's size, as powers of two: for width and height, and for depth and layers. In small textures an
/// error of one texel is often half of the texture.
inline constexpr uint32_t kPlaneMargin = 2, kDepthMargin = 1;

/// Returns the texture inside a texture that is larger in each direction that images of the type have, including array
/// layers; if `deeper`, with one more level.
reference::Texture with_margins(const reference::Texture& texture, const ir::ImageType& image, bool deeper);

/// Returns the texels of a texture from a level of with_margins(), or nothing if a mark was overwritten.
std::optional<std::vector<uint32_t>> without_margins(const std::vector<uint32_t>& words,
                                                     const reference::Texture& texture, const ir::ImageType& image,
                                                     uint32_t level);

}  // namespace tgsi2spv::difftest
