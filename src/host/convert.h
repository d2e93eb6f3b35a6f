// Gallium's enumerations as Vulkan's.
#pragma once

#include <volk.h>

#include "virgl/commands.h"
#include "virgl/protocol.h"

namespace tgsi2spv::host {

/// Gallium counts both as Vulkan does.
inline VkCompareOp to_vulkan(virgl::CompareOp op) {
    return static_cast<VkCompareOp>(op);
}
inline VkBlendOp to_vulkan(virgl::BlendOp op) {
    return static_cast<VkBlendOp>(op);
}
inline VkPolygonMode to_vulkan(virgl::FillMode mode) {
    return static_cast<VkPolygonMode>(mode);
}
VkStencilOp to_vulkan(virgl::StencilOp op);
VkLogicOp to_vulkan(virgl::LogicOp op);
/// `opaque`: the target has no alpha, which reads as 1.
VkBlendFactor to_vulkan(virgl::BlendFactor factor, bool opaque);
VkPrimitiveTopology to_vulkan(virgl::Primitive primitive);
VkComponentSwizzle to_vulkan(virgl::Swizzle swizzle);

/// The topology that stands for all of its class (Vulkan, "Topology Class").
VkPrimitiveTopology class_of(VkPrimitiveTopology topology);

/// Whether a factor is one of the second colour.
bool reads_second_source(const virgl::BlendTarget& target);

}  // namespace tgsi2spv::host
