#include "renderer/record/shader_blend.h"

#include <charconv>
#include <string_view>

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
bool blends_two_sources(const Bindings& context) {
    const Shader* const frag = context.stage(virgl::Stage::Frag).shader.get();
    const virgl::BlendTarget& t = context.blend->targets[0];
    return t.enable && reads_second_source(t) && !context.blend->logic_op_enable && frag != nullptr &&
           frag->writes_second_color && context.framebuffer.colors.size() == 1;
}

bool reads_target(VkLogicOp op) {
    return op != VK_LOGIC_OP_CLEAR && op != VK_LOGIC_OP_COPY && op != VK_LOGIC_OP_COPY_INVERTED &&
           op != VK_LOGIC_OP_SET;
}

/// Bits of a fixed-point target's components, by its name: a letter and its bits each. Others have those of the first.
std::array<uint8_t, 4> component_bits(std::string_view name) {
    std::array<uint8_t, 4> all{};
    for (size_t at = 0; at < name.find('_');) {
        const size_t component = std::string_view("RGBA").find(name[at]);
        uint8_t bits = 0;
        const char* const end = std::from_chars(name.data() + at + 1, name.data() + name.size(), bits).ptr;
        if (at == 0) all.fill(bits);
        if (component < 4) all[component] = bits;
        at = static_cast<size_t>(end - name.data());
    }
    return all;
}

/// OpenGL, "Logical Operation": floats and sRGB are not changed by one.
bool is_unorm(const FormatInfo& format) {
    return !format.has(kFloat | kSnorm | kUint | kSint | kSrgb);
}

/// The target that FRAG could blend itself. Null: none.
const FormatInfo* blended_target(const vk::Device& device, const Bindings& context) {
    const Framebuffer& f = context.framebuffer;
    const bool reads = f.samples == 1 || device.report().features.sampleRateShading != 0;
    const bool drawn = context.stage(virgl::Stage::Frag).shader != nullptr && !f.colors.empty();
    if (!reads || !drawn || f.colors[0] == nullptr) return nullptr;
    // Slices of 3D images are no input attachments (VUID-VkDescriptorImageInfo-imageView-07795).
    return f.colors[0]->resource->image->info().type == VK_IMAGE_TYPE_3D ? nullptr : f.colors[0]->format;
}

}  // namespace

bool device_blends_two_sources(const vk::Device& device, const Bindings& context) {
    return device.report().features.dualSrcBlend != 0 && blends_two_sources(context);
}

vk::ColorReads color_reads_of(const vk::Extras& extras) {
    if (extras.ordered_reads.rasterizationOrderColorAttachmentAccess == 0) return vk::ColorReads::AfterBarriers;
    return extras.local_read.dynamicRenderingLocalRead != 0 ? vk::ColorReads::None : vk::ColorReads::InOrder;
}

namespace {

/// `computes`: by a logic operation, else with two sources.
ShaderBlend blend_of(const vk::Device& device, const Bindings& context, bool computes) {
    const FormatInfo* const format = blended_target(device, context);
    if (format == nullptr) return {};
    const uint8_t target = context.framebuffer.samples > 1 ? TGSI2SPV_BLEND_TARGET_SAMPLE : TGSI2SPV_BLEND_TARGET_PIXEL;
    if (computes && !is_unorm(*format)) return {};
    if (computes)
        return {.target = target,
                .logic = static_cast<uint8_t>(1 + to_vulkan(context.blend->logic_op)),
                .bits = component_bits(format->name)};
    if ((device.format(format->vulkan).optimalTilingFeatures & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT) == 0)
        return {};
    const VkColorBlendEquationEXT e = equation_of(context.blend->targets[0], *format);
    const auto three = [](VkBlendFactor src, VkBlendFactor dst, VkBlendOp op) {
        return std::array{static_cast<uint8_t>(src), static_cast<uint8_t>(dst), static_cast<uint8_t>(op)};
    };
    return {.target = target,
            .range = range_of(*format),
            .color = three(e.srcColorBlendFactor, e.dstColorBlendFactor, e.colorBlendOp),
            .alpha = three(e.srcAlphaBlendFactor, e.dstAlphaBlendFactor, e.alphaBlendOp)};
}

}  // namespace

ShaderBlend shader_blend(const vk::Device& device, const Bindings& context) {
    const VkPhysicalDeviceFeatures& features = device.report().features;
    const bool computes = context.blend->logic_op_enable && features.logicOp == 0;
    const bool blends = features.dualSrcBlend == 0 && blends_two_sources(context);
    return computes || blends ? blend_of(device, context, computes) : ShaderBlend{};
}

TargetReads target_reads(const vk::Device& device, const Bindings& context) {
    const bool computes = context.blend->logic_op_enable;
    if (!computes && !blends_two_sources(context)) return TargetReads::None;
    const ShaderBlend blend = blend_of(device, context, computes);
    if (blend.logic != 0)
        return reads_target(static_cast<VkLogicOp>(blend.logic - 1)) ? TargetReads::LogicOp : TargetReads::None;
    return blend.is_on() && (reads_target(blend.color) || reads_target(blend.alpha)) ? TargetReads::TwoSources
                                                                                     : TargetReads::None;
}

tgsi2spv_logic logic_of(const ShaderBlend& blend) {
    tgsi2spv_logic logic{.op = blend.logic, .bits = 0};
    for (uint32_t c = 0; c < 4; c++) logic.bits |= uint32_t{blend.bits[c]} << 8 * c;
    return logic;
}

tgsi2spv_blend options_of(const ShaderBlend& blend) {
    return {blend.target,   blend.range,    blend.color[0], blend.color[1],
            blend.color[2], blend.alpha[0], blend.alpha[1], blend.alpha[2]};
}

}  // namespace tgsi2spv::host
