#include "renderer/state/convert.h"

namespace tgsi2spv::host {

VkStencilOp to_vulkan(virgl::StencilOp op) {
    constexpr VkStencilOp kOps[] = {VK_STENCIL_OP_KEEP,
                                    VK_STENCIL_OP_ZERO,
                                    VK_STENCIL_OP_REPLACE,
                                    VK_STENCIL_OP_INCREMENT_AND_CLAMP,
                                    VK_STENCIL_OP_DECREMENT_AND_CLAMP,
                                    VK_STENCIL_OP_INCREMENT_AND_WRAP,
                                    VK_STENCIL_OP_DECREMENT_AND_WRAP,
                                    VK_STENCIL_OP_INVERT};
    return kOps[static_cast<size_t>(op)];
}

VkLogicOp to_vulkan(virgl::LogicOp op) {
    constexpr VkLogicOp kOps[] = {
        VK_LOGIC_OP_CLEAR,       VK_LOGIC_OP_NOR,        VK_LOGIC_OP_AND_INVERTED, VK_LOGIC_OP_COPY_INVERTED,
        VK_LOGIC_OP_AND_REVERSE, VK_LOGIC_OP_INVERT,     VK_LOGIC_OP_XOR,          VK_LOGIC_OP_NAND,
        VK_LOGIC_OP_AND,         VK_LOGIC_OP_EQUIVALENT, VK_LOGIC_OP_NO_OP,        VK_LOGIC_OP_OR_INVERTED,
        VK_LOGIC_OP_COPY,        VK_LOGIC_OP_OR_REVERSE, VK_LOGIC_OP_OR,           VK_LOGIC_OP_SET,
    };
    return kOps[static_cast<size_t>(op)];
}

namespace {

VkBlendFactor destination_alpha(AlphaIn alpha) {
    if (alpha == AlphaIn::Nowhere) return VK_BLEND_FACTOR_ONE;
    return alpha == AlphaIn::Red ? VK_BLEND_FACTOR_DST_COLOR : VK_BLEND_FACTOR_DST_ALPHA;
}

VkBlendFactor inverse_destination_alpha(AlphaIn alpha) {
    if (alpha == AlphaIn::Nowhere) return VK_BLEND_FACTOR_ZERO;
    return alpha == AlphaIn::Red ? VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR : VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA;
}

}  // namespace

VkBlendFactor to_vulkan(virgl::BlendFactor factor, AlphaIn alpha) {
    using F = virgl::BlendFactor;
    if (factor == F::DstAlpha) return destination_alpha(alpha);
    if (factor == F::InvDstAlpha) return inverse_destination_alpha(alpha);
    if (factor == F::SrcAlphaSaturate && alpha == AlphaIn::Nowhere) return VK_BLEND_FACTOR_ZERO;
    // A row for the low bits of the number; bit 4: the inverse.
    constexpr VkBlendFactor kFactors[][2] = {{VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE},  // no factor has it
                                             {VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ZERO},
                                             {VK_BLEND_FACTOR_SRC_COLOR, VK_BLEND_FACTOR_ONE_MINUS_SRC_COLOR},
                                             {VK_BLEND_FACTOR_SRC_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA},
                                             {VK_BLEND_FACTOR_DST_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA},
                                             {VK_BLEND_FACTOR_DST_COLOR, VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR},
                                             {VK_BLEND_FACTOR_SRC_ALPHA_SATURATE, VK_BLEND_FACTOR_ONE},
                                             {VK_BLEND_FACTOR_CONSTANT_COLOR, VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR},
                                             {VK_BLEND_FACTOR_CONSTANT_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA},
                                             {VK_BLEND_FACTOR_SRC1_COLOR, VK_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR},
                                             {VK_BLEND_FACTOR_SRC1_ALPHA, VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA}};
    const auto number = static_cast<uint32_t>(factor);
    return kFactors[number & 15][number >> 4];
}

VkBlendFactor to_vulkan_in_red(virgl::BlendFactor factor) {
    using F = virgl::BlendFactor;
    switch (factor) {
        case F::SrcAlphaSaturate:
            return VK_BLEND_FACTOR_ONE;
        case F::ConstColor:
            return VK_BLEND_FACTOR_CONSTANT_ALPHA;
        case F::InvConstColor:
            return VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA;
        case F::Src1Color:
            return VK_BLEND_FACTOR_SRC1_ALPHA;
        case F::InvSrc1Color:
            return VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA;
        default:
            return to_vulkan(factor, AlphaIn::Red);
    }
}

VkPrimitiveTopology to_vulkan(virgl::Primitive primitive) {
    constexpr VkPrimitiveTopology kNone = VK_PRIMITIVE_TOPOLOGY_MAX_ENUM;  // the guest converts it, as the caps ask
    constexpr VkPrimitiveTopology kTopologies[] = {VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
                                                   VK_PRIMITIVE_TOPOLOGY_LINE_LIST,
                                                   kNone,  // line loop
                                                   VK_PRIMITIVE_TOPOLOGY_LINE_STRIP,
                                                   VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                                                   VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                   VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN,
                                                   kNone,  // quads
                                                   kNone,  // quad strip
                                                   kNone,  // polygon
                                                   VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY,
                                                   VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY,
                                                   VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY,
                                                   VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY,
                                                   VK_PRIMITIVE_TOPOLOGY_PATCH_LIST};
    return kTopologies[static_cast<size_t>(primitive)];
}

VkPrimitiveTopology class_of(VkPrimitiveTopology topology) {
    switch (topology) {
        case VK_PRIMITIVE_TOPOLOGY_POINT_LIST:
        case VK_PRIMITIVE_TOPOLOGY_PATCH_LIST:
            return topology;
        case VK_PRIMITIVE_TOPOLOGY_LINE_LIST:
        case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
        case VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY:
        case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY:
            return VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
        default:
            return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    }
}

VkComponentMapping to_vulkan(const std::array<virgl::Swizzle, 4>& swizzle) {
    constexpr VkComponentSwizzle kSwizzles[] = {VK_COMPONENT_SWIZZLE_R,    VK_COMPONENT_SWIZZLE_G,
                                                VK_COMPONENT_SWIZZLE_B,    VK_COMPONENT_SWIZZLE_A,
                                                VK_COMPONENT_SWIZZLE_ZERO, VK_COMPONENT_SWIZZLE_ONE};
    const auto of = [&](size_t i) { return kSwizzles[static_cast<size_t>(swizzle[i])]; };
    return {of(0), of(1), of(2), of(3)};
}

VkColorBlendEquationEXT equation_of(const virgl::BlendTarget& t, const FormatInfo& format) {
    if (is_alpha_only(format)) {
        const VkBlendFactor src = to_vulkan_in_red(t.alpha_src), dst = to_vulkan_in_red(t.alpha_dst);
        return {src, dst, to_vulkan(t.alpha_op), src, dst, to_vulkan(t.alpha_op)};
    }
    const AlphaIn alpha = alpha_in(format);
    return {to_vulkan(t.color_src, alpha), to_vulkan(t.color_dst, alpha), to_vulkan(t.color_op),
            to_vulkan(t.alpha_src, alpha), to_vulkan(t.alpha_dst, alpha), to_vulkan(t.alpha_op)};
}

bool reads_second_source(const virgl::BlendTarget& target) {
    using F = virgl::BlendFactor;
    const auto is_second = [](F f) {
        return f == F::Src1Color || f == F::Src1Alpha || f == F::InvSrc1Color || f == F::InvSrc1Alpha;
    };
    return is_second(target.color_src) || is_second(target.color_dst) || is_second(target.alpha_src) ||
           is_second(target.alpha_dst);
}

}  // namespace tgsi2spv::host
