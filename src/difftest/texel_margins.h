// Textures that are part of a larger one: what stands beside and behind them is marks. Internal to bind.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reference/run.h"
#include "spirv/reflect.h"

namespace tgsi2spv::difftest {

/// Larger by so many powers of two: width and height, depth and layers. What is wrong by one is often wrong by half.
inline constexpr uint32_t kPlaneMargin = 2, kDepthMargin = 1;

/// Larger in each direction that images of the type have, array layers included; `deeper`: with a level more.
reference::Texture with_margins(const reference::Texture& t, const ir::ImageType& image, bool deeper);

/// Of a level of with_margins() the texels of `t`, where the marks are as they were.
std::optional<std::vector<uint32_t>> without_margins(const std::vector<uint32_t>& words, const reference::Texture& t,
                                                     const ir::ImageType& image, uint32_t level);

}  // namespace tgsi2spv::difftest
