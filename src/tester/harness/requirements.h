// Checks a module's requirements against the device's features: drivers crash on modules that need more.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "harness/device.h"

namespace tgsi2spv::harness {

/// Whether the words are a SPIR-V header followed by complete instructions.
bool is_module(std::span<const uint32_t> words);

/// Returns the first requirement of the module that the device does not meet ("geometryShader"), or nothing.
std::optional<std::string> missing_requirement(const vulkan::DeviceReport& report, std::span<const uint32_t> words);

}  // namespace tgsi2spv::harness
