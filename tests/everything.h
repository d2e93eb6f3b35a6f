// Options of the C API for tests whose texts need features.
#pragma once

#include "tgsi2spv/tgsi2spv.hpp"

namespace tgsi2spv {

/// A device with everything, and Vulkan 1.2.
inline const tgsi2spv_options everything = [] {
    static const tgsi2spv_device_caps device = device_with_everything();
    auto options = make<tgsi2spv_options>();
    options.device = &device;
    options.target = TGSI2SPV_TARGET_VULKAN_1_2;
    return options;
}();

}  // namespace tgsi2spv
