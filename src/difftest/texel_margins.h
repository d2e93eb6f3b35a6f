// Textures that are part of a larger one: what stands beside and behind them is marks. Internal to bind.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reference/run.h"
#include "spirv/reflect.h"

namespace tgsi2spv::difftest {

/// Twice as large in each direction that images of the type have, array layers included; `deeper`: with a level more.
reference::Texture with_margins(const reference::Texture& t, const ir::ImageType& image, bool deeper);

/// Of a level of with_margins() the texels of `t`, where the marks are as they were.
std::optional<std::vector<uint32_t>> without_margins(const std::vector<uint32_t>& words, const reference::Texture& t,
                                                     const ir::ImageType& image, uint32_t level);

}  // namespace tgsi2spv::difftest
