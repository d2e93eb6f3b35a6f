// What a module asks of a device, held against what the device offers: drivers crash where this is not done.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "vulkan/device.h"

namespace tgsi2spv::vulkan {

/// Whether the words are a header and whole instructions.
bool is_module(std::span<const uint32_t> words);

/// The first thing the module needs that the device lacks ("capability Geometry"), or nothing.
std::optional<std::string> missing_requirement(const DeviceReport& report, std::span<const uint32_t> words);

}  // namespace tgsi2spv::vulkan
