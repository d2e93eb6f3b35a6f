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

/// Not with several targets, which is an error in OpenGL (ARB_blend_func_extended, MAX_DUAL_SOURCE_DRAW_BUFFERS).
bool blends_two_sources(const SubContext& context) {
    const Shader* const frag = context.stage(virgl::Stage::Frag).shader.get();
    const virgl::BlendTarget& t = context.blend->targets[0];
    return t.enable && reads_second_source(t) && !context.blend->logic_op_enable && frag != nullptr &&
           frag->writes_second_color && context.framebuffer.colors.size() == 1;
}

}  // namespace

bool device_blends_two_sources(const gpu::Device& device, const SubContext& context) {
    return device.report().features.dualSrcBlend != 0 && blends_two_sources(context);
}

gpu::ColorReads color_reads_of(const gpu::Extras& extras) {
    if (extras.ordered_reads.rasterizationOrderColorAttachmentAccess == 0) return gpu::ColorReads::AfterBarriers;
    return extras.local_read.dynamicRenderingLocalRead != 0 ? gpu::ColorReads::None : gpu::ColorReads::InOrder;
}

VkImageUsageFlags color_target_usage(const gpu::Device& device) {
    constexpr VkImageUsageFlags kColor = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    return device.report().features.dualSrcBlend != 0 ? kColor : kColor | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
}

ShaderBlend shader_blend(const gpu::Device& device, const SubContext& context) {
    if (device.report().features.dualSrcBlend != 0 || !blends_two_sources(context)) return {};
    const Framebuffer& f = context.framebuffer;
    const FormatInfo& format = *f.colors[0]->format;
    // Slices of 3D images are no input attachments (VUID-VkDescriptorImageInfo-imageView-07795).
    if (f.colors[0]->resource->image->info().type == VK_IMAGE_TYPE_3D) return {};
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

bool blends_one_by_one(const gpu::Device& device, const SubContext& context) {
    if (color_reads_of(device.extras()) != gpu::ColorReads::AfterBarriers || context.rasterizer->discard) return false;
    const ShaderBlend blend = shader_blend(device, context);
    return blend.is_on() && (reads_target(blend.color) || reads_target(blend.alpha));
}

tgsi2spv_blend options_of(const ShaderBlend& blend) {
    return {blend.target,   blend.range,    blend.color[0], blend.color[1],
            blend.color[2], blend.alpha[0], blend.alpha[1], blend.alpha[2]};
}

}  // namespace tgsi2spv::host
