// The capabilities for guests (virgl/caps.h), from the device's and this host's features. A guest never uses a feature
// that is not offered.
#pragma once

#include <functional>

#include "renderer/state/formats.h"
#include "virgl/caps.h"
#include "vk/device.h"

namespace tgsi2spv::host {

struct FormatOffer {
    VkFormatFeatureFlags image = 0, buffer = 0;
    VkSampleCountFlags samples = VK_SAMPLE_COUNT_1_BIT;  ///< sample counts of 2D images that are drawn to
};

/// The input of the caps.
struct DeviceOffers {
    const vulkan::DeviceReport& report;
    const vk::Extras& extras;
    std::function<FormatOffer(VkFormat)> format;
};

/// The offers of a device, which must outlive them.
DeviceOffers offers_of(const vk::Device& device);

Depth24 depth24_of(const DeviceOffers& offers);

virgl::CapsV2 make_caps(const DeviceOffers& offers, uint64_t memory_limit);

/// How many viewports draws have.
uint32_t viewports_of(const vulkan::DeviceReport& report);
/// Viewports that guests see: a device with one draws a pass for each (layers.cpp).
uint32_t seen_viewports(const vulkan::DeviceReport& report);
/// Whether anisotropic filtering is used. Not on lavapipe: it crashes on 1D textures, filters hundreds of texels for
/// each lane of a cube, and takes six times as long for a frame of SuperTuxKart (docs/driver-bugs.md).
bool is_anisotropic(const vulkan::DeviceReport& report);
/// Whether the device clamps depths, or FRAG may: it knows the depths of one viewport.
bool can_clamp_depth(const VkPhysicalDeviceFeatures& features);
/// How the device fetches attributes of a guest's format. Undefined: it does not, and they read 0.
FetchedFormat vertex_format(const vk::Device& device, uint32_t number);
/// The largest number of instances after which the device's attributes advance.
uint32_t largest_divisor(const vk::Extras& extras);
/// The library's constant buffer of state (tgsi2spv_state_buffer).
inline constexpr uint32_t kStateBuffer = 31;

}  // namespace tgsi2spv::host
