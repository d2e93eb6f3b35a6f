// What guests are told (virgl/caps.h), from what the device offers and this host draws. A guest never uses what it is
// not offered, so an unfinished host is a correct one that offers less.
#pragma once

#include <functional>

#include "gpu/device.h"
#include "host/formats.h"
#include "virgl/caps.h"

namespace tgsi2spv::host {

/// How much of OpenGL the host draws.
enum class Level : uint8_t {
    Gl21,
    Gl33,  ///< and queries, multisampling, texture buffers, geometry shaders, stream output, two colours for blending
    All,  ///< and tessellation, sample shading, doubles, viewports, indirect draws, storage buffers and images, compute
};
/// What is drawn so far.
inline constexpr Level kDrawn = Level::Gl21;

struct FormatOffer {
    VkFormatFeatureFlags image = 0, buffer = 0;
    VkSampleCountFlags samples = VK_SAMPLE_COUNT_1_BIT;  ///< of 2D images that are drawn to
};

/// What caps are made of.
struct DeviceOffers {
    const vulkan::DeviceReport& report;
    const gpu::Extras& extras;
    std::function<FormatOffer(VkFormat)> format;
};

/// The offers of a device, which must outlive them.
DeviceOffers offers_of(const gpu::Device& device);

Depth24 depth24_of(const DeviceOffers& offers);

virgl::CapsV2 make_caps(const DeviceOffers& offers, Level level, uint64_t memory_limit);

}  // namespace tgsi2spv::host
