#include "renderer/draw/shader_blend.h"

#include "renderer/draw/optional_state.h"
#include "renderer/state/convert.h"
#include "renderer/state/state.h"

namespace tgsi2spv::host {

namespace {

uint8_t range_of(const FormatInfo& format) {
    if (format.has(kFloat)) return TGSI2SPV_BLEND_UNBOUNDED;
    return format.has(kSnorm) ? TGSI2SPV_BLEND_SNORM : TGSI2SPV_BLEND_UNORM;
}

/// Whether the equation has anything of the target. Factors and operation, as in ShaderBlend.
bool reads_target(const std::array<uint8_t, 3>& equation) {
    const auto [src, dst, op] = equation;
    return op == VK_BLEND_OP_MIN || op == VK_BLEND_OP_MAX || dst != VK_BLEND_FACTOR_ZERO ||
           src == VK_BLEND_FACTOR_DST_COLOR || src == VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR ||
           src == VK_BLEND_FACTOR_DST_ALPHA || src == VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA ||
           src == VK_BLEND_FACTOR_SRC_ALPHA_SATURATE;
}

}  // namespace

gpu::ColorReads color_reads_of(const gpu::Extras& extras) {
    if (extras.ordered_reads.rasterizationOrderColorAttachmentAccess == 0) return gpu::ColorReads::AfterBarriers;
    return extras.local_read.dynamicRenderingLocalRead != 0 ? gpu::ColorReads::None : gpu::ColorReads::InOrder;
}

VkImageUsageFlags color_target_usage(const gpu::Device& device) {
    constexpr VkImageUsageFlags kColor = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    return device.report().features.dualSrcBlend != 0 ? kColor : kColor | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
}

ShaderBlend shader_blend(const gpu::Device& device, const Bindings& context) {
    const Framebuffer& f = context.framebuffer;
    const Shader* const frag = context.stage(virgl::Stage::Frag).shader.get();
    if (frag == nullptr || !frag->writes_second_color || f.colors.empty() || f.colors[0] == nullptr ||
        context.blend->logic_op_enable)
        return {};
    const FormatInfo& format = *f.colors[0]->format;
    if ((device.format(format.vulkan).optimalTilingFeatures & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT) == 0)
        return {};
    if (f.samples > 1 && device.report().features.sampleRateShading == 0) return {};
    const VkColorBlendEquationEXT e = equation_of(context.blend->targets[0], format);
    const auto three = [](VkBlendFactor src, VkBlendFactor dst, VkBlendOp op) {
        return std::array{static_cast<uint8_t>(src), static_cast<uint8_t>(dst), static_cast<uint8_t>(op)};
    };
    const uint8_t target = f.samples > 1 ? TGSI2SPV_BLEND_TARGET_SAMPLE : TGSI2SPV_BLEND_TARGET_PIXEL;
    return {.target = target,
            .range = range_of(format),
            .color = three(e.srcColorBlendFactor, e.dstColorBlendFactor, e.colorBlendOp),
            .alpha = three(e.srcAlphaBlendFactor, e.dstAlphaBlendFactor, e.alphaBlendOp)};
}

bool blends_one_by_one(const gpu::Device& device, const Bindings& context) {
    if (device.report().features.dualSrcBlend != 0 ||
        color_reads_of(device.extras()) != gpu::ColorReads::AfterBarriers || context.rasterizer->discard)
        return false;
    const virgl::BlendTarget& t = context.blend->targets[0];
    if (!t.enable || !reads_second_source(t)) return false;
    const ShaderBlend blend = shader_blend(device, context);
    return blend.is_on() && (reads_target(blend.color) || reads_target(blend.alpha));
}

tgsi2spv_blend options_of(const ShaderBlend& blend) {
    return {blend.target,   blend.range,    blend.color[0], blend.color[1],
            blend.color[2], blend.alpha[0], blend.alpha[1], blend.alpha[2]};
}

}  // namespace tgsi2spv::host
