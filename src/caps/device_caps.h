// A Vulkan device as a user of the library describes it.
#pragma once

#include "tgsi2spv/tgsi2spv_device.h"
#include "vulkan/report.h"

namespace tgsi2spv {

/// What decides about capabilities, and the limits that linking respects. Other limits are compared with the finished
/// module.
tgsi2spv_device_caps caps_of(const vulkan::DeviceReport& report);

}  // namespace tgsi2spv
