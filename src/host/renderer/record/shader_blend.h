// Dual-source blending on devices without dualSrcBlend, and logic operations on those without logicOp: FRAG reads what
// its target has, and combines. Fragments come in the order of their primitives by
// VK_EXT_rasterization_order_attachment_access, or because each primitive is a draw.
#pragma once

#include <volk.h>

#include <array>
#include <cstdint>

#include "tgsi2spv/tgsi2spv.h"
#include "vk/device.h"
#include "vk/scope.h"

namespace tgsi2spv::host {

struct Bindings;

/// The members of tgsi2spv_blend and tgsi2spv_logic; all 0: the device blends.
struct ShaderBlend {
    uint8_t target = TGSI2SPV_BLEND_TARGET_NONE, range = 0;
    std::array<uint8_t, 3> color{}, alpha{};  ///< factors of source and target, operation
    uint8_t logic = 0;                        ///< 1 + VkLogicOp, in place of these
    std::array<uint8_t, 4> bits{};            ///< with `logic`

    bool is_on() const { return target != TGSI2SPV_BLEND_TARGET_NONE; }
    bool operator==(const ShaderBlend&) const = default;
};

/// How FRAG that blends reads its target, which without a render pass takes VK_KHR_dynamic_rendering_local_read.
vk::ColorReads color_reads_of(const vk::Extras& extras);
/// Whether the device blends target 0 with two sources.
bool device_blends_two_sources(const vk::Device& device, const Bindings& context);
/// How FRAG blends target 0 with two sources, or by a logic operation. Off: the device does, or the target is not there
/// or not blended.
ShaderBlend shader_blend(const vk::Device& device, const Bindings& context);
/// The operation for which FRAG reads target 0, if the device cannot combine by itself. None: the equation has nothing
/// of the target, or FRAG could not read it.
enum class TargetReads : uint8_t { None, TwoSources, LogicOp };
TargetReads target_reads(const vk::Device& device, const Bindings& context);
tgsi2spv_blend options_of(const ShaderBlend& blend);
tgsi2spv_logic logic_of(const ShaderBlend& blend);

}  // namespace tgsi2spv::host
