// Gallium's enumerations as Vulkan's.
#pragma once

#include <volk.h>

#include "renderer/state/formats.h"
#include "virgl/commands.h"
#include "virgl/protocol.h"

namespace tgsi2spv::host {

/// Both have the same numbers in gallium and Vulkan.
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
/// The factor for a target whose alpha is in this channel.
VkBlendFactor to_vulkan(virgl::BlendFactor factor, AlphaIn alpha);
/// A factor of the alpha equation, for a target that has only alpha, in red.
VkBlendFactor to_vulkan_in_red(virgl::BlendFactor factor);
VkPrimitiveTopology to_vulkan(virgl::Primitive primitive);
VkComponentMapping to_vulkan(const std::array<virgl::Swizzle, 4>& swizzle);

/// The topology that represents its class (Vulkan, "Topology Class").
VkPrimitiveTopology class_of(VkPrimitiveTopology topology);

/// The blending of a target of this format.
VkColorBlendEquationEXT equation_of(const virgl::BlendTarget& target, const FormatInfo& format);
/// Whether a factor is one of the second colour.
bool reads_second_source(const virgl::BlendTarget& target);

}  // namespace tgsi2spv::host
