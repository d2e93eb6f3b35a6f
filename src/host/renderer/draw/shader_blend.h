// Dual-source blending on devices without dualSrcBlend: FRAG reads what its target has, and blends. Fragments come in
// the order of their primitives by VK_EXT_rasterization_order_attachment_access, or because each primitive is a draw.
#pragma once

#include <volk.h>

#include <array>
#include <compare>
#include <cstdint>

#include "gpu/device.h"
#include "gpu/scope.h"
#include "tgsi2spv/tgsi2spv.h"

namespace tgsi2spv::host {

struct Bindings;

/// The members of tgsi2spv_blend; all 0: the device blends.
struct ShaderBlend {
    uint8_t target = TGSI2SPV_BLEND_TARGET_NONE, range = 0;
    std::array<uint8_t, 3> color{}, alpha{};  ///< factors of source and target, operation

    bool is_on() const { return target != TGSI2SPV_BLEND_TARGET_NONE; }
    auto operator<=>(const ShaderBlend&) const = default;
};

/// How FRAG that blends reads its target, which without a render pass takes VK_KHR_dynamic_rendering_local_read.
gpu::ColorReads color_reads_of(const gpu::Extras& extras);
/// The usage of images and views that are colour targets.
VkImageUsageFlags color_target_usage(const gpu::Device& device);
/// How FRAG blends target 0 with two sources. Off: it does not, as the target is not there or not blended.
ShaderBlend shader_blend(const gpu::Device& device, const Bindings& context);
/// Whether FRAG has to see all of a primitive before it blends the next one.
bool blends_one_by_one(const gpu::Device& device, const Bindings& context);
tgsi2spv_blend options_of(const ShaderBlend& blend);

}  // namespace tgsi2spv::host
