#include "renderer/draw/optional_state.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "renderer/draw/pipeline.h"
#include "renderer/state/convert.h"

namespace tgsi2spv::host {
namespace {

using Device = gpu::Device;

/// Whether the device offers the state at all; if it does not, the default stays.
bool has_depth_clip(const Device& device) {
    return device.extras().depth_clip.depthClipEnable != 0;
}
bool has_provoking_vertex(const Device& device) {
    return device.extras().provoking.provokingVertexLast != 0;
}
bool has_line_modes(const Device& device) {
    return device.extras().lines.rectangularLines != 0 && device.extras().lines.bresenhamLines != 0;
}
bool has_line_stipple(const Device& device) {
    return device.extras().lines.stippledBresenhamLines != 0 && device.extras().lines.stippledRectangularLines != 0;
}

bool has_dynamic(const Device& device) {
    return device.extras().has_dynamic;
}
bool has_dynamic2(const Device& device) {
    return device.extras().has_dynamic2;
}

struct Row {
    VkDynamicState state;
    size_t offset, bytes;  ///< in OptionalState
    bool (*is_dynamic)(const Device&);
};

#define MEMBER(name) offsetof(OptionalState, name), sizeof(OptionalState::name)
#define DYNAMIC3(name, and_if) \
    [](const Device& d) { return d.extras().dynamic3.extendedDynamicState3##name != 0 && (and_if); }

// In the order of Piece.
constexpr Row kRows[] = {
    {VK_DYNAMIC_STATE_POLYGON_MODE_EXT, MEMBER(polygon_mode), DYNAMIC3(PolygonMode, true)},
    {VK_DYNAMIC_STATE_DEPTH_CLAMP_ENABLE_EXT, MEMBER(depth_clamp),
     DYNAMIC3(DepthClampEnable, d.report().features.depthClamp != 0)},
    {VK_DYNAMIC_STATE_DEPTH_CLIP_ENABLE_EXT, MEMBER(depth_clip), DYNAMIC3(DepthClipEnable, has_depth_clip(d))},
    {VK_DYNAMIC_STATE_DEPTH_CLIP_NEGATIVE_ONE_TO_ONE_EXT, MEMBER(depth_from_minus_one),
     DYNAMIC3(DepthClipNegativeOneToOne, d.extras().clip_control.depthClipControl != 0)},
    {VK_DYNAMIC_STATE_PROVOKING_VERTEX_MODE_EXT, MEMBER(provoking_vertex),
     DYNAMIC3(ProvokingVertexMode, has_provoking_vertex(d))},
    {VK_DYNAMIC_STATE_LINE_RASTERIZATION_MODE_EXT, MEMBER(line_mode),
     DYNAMIC3(LineRasterizationMode, has_line_modes(d))},
    {VK_DYNAMIC_STATE_LINE_STIPPLE_ENABLE_EXT, MEMBER(line_stippled), DYNAMIC3(LineStippleEnable, has_line_stipple(d))},
    {VK_DYNAMIC_STATE_LINE_STIPPLE_EXT, MEMBER(line_stipple), has_line_stipple},
    {VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT, MEMBER(samples),
     DYNAMIC3(RasterizationSamples, d.report().features13.dynamicRendering != 0)},  // render passes have them
    {VK_DYNAMIC_STATE_SAMPLE_MASK_EXT, MEMBER(sample_mask), DYNAMIC3(SampleMask, true)},
    {VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT, MEMBER(alpha_to_coverage), DYNAMIC3(AlphaToCoverageEnable, true)},
    {VK_DYNAMIC_STATE_ALPHA_TO_ONE_ENABLE_EXT, MEMBER(alpha_to_one),
     DYNAMIC3(AlphaToOneEnable, d.report().features.alphaToOne != 0)},
    {VK_DYNAMIC_STATE_LOGIC_OP_ENABLE_EXT, MEMBER(logic_op_enable),
     DYNAMIC3(LogicOpEnable, d.report().features.logicOp != 0)},
    {VK_DYNAMIC_STATE_LOGIC_OP_EXT, MEMBER(logic_op),
     [](const Device& d) {
         return d.report().features.logicOp != 0 && d.extras().dynamic2.extendedDynamicState2LogicOp != 0;
     }},
    {VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT, MEMBER(blends), DYNAMIC3(ColorBlendEnable, true)},
    {VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT, MEMBER(equations), DYNAMIC3(ColorBlendEquation, true)},
    {VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT, MEMBER(write_masks), DYNAMIC3(ColorWriteMask, true)},
    {VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE, MEMBER(discard), has_dynamic2},
    {VK_DYNAMIC_STATE_DEPTH_BIAS_ENABLE, MEMBER(depth_bias), has_dynamic2},
    {VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE, MEMBER(restart), has_dynamic2},
    {VK_DYNAMIC_STATE_CULL_MODE, MEMBER(cull_mode), has_dynamic},
    {VK_DYNAMIC_STATE_FRONT_FACE, MEMBER(front_face), has_dynamic},
    {VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE, MEMBER(depth_test), has_dynamic},
    {VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE, MEMBER(depth_write), has_dynamic},
    {VK_DYNAMIC_STATE_DEPTH_COMPARE_OP, MEMBER(depth_compare), has_dynamic},
    {VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE, MEMBER(stencil_test), has_dynamic},
    {VK_DYNAMIC_STATE_STENCIL_OP, MEMBER(stencil_ops), has_dynamic},
    // The pipeline's key has the topology itself, and the number of viewports never changes.
    {VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY, 0, 0, has_dynamic},
    {VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT, 0, 0, has_dynamic},
    {VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT, 0, 0, has_dynamic},
    {VK_DYNAMIC_STATE_VERTEX_INPUT_EXT, 0, 0,
     [](const Device& d) { return d.extras().vertex_input.vertexInputDynamicState != 0; }},
    {VK_DYNAMIC_STATE_PATCH_CONTROL_POINTS_EXT, 0, 0,
     [](const Device& d) { return d.extras().dynamic2.extendedDynamicState2PatchControlPoints != 0; }},
};
static_assert(std::size(kRows) == static_cast<size_t>(Piece::Count));
#undef MEMBER
#undef DYNAMIC3

void update_lines(OptionalState& state, const Device& device, const Bindings& context, bool lines) {
    const virgl::CreateRasterizer& r = *context.rasterizer;
    // Smooth lines need extra features for multisampling or stipple: only where lines are drawn.
    const bool smooth =
        lines && r.line_smooth && device.extras().lines.smoothLines != 0 && context.framebuffer.samples == 1;
    const bool rectangular = r.line_smooth || (r.multisample && context.framebuffer.samples > 1);
    if (has_line_modes(device))
        state.line_mode = smooth        ? VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT
                          : rectangular ? VK_LINE_RASTERIZATION_MODE_RECTANGULAR_EXT
                                        : VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT;
    if (!has_line_stipple(device)) return;
    state.line_stippled = r.line_stipple && (!smooth || device.extras().lines.stippledSmoothLines != 0);
    state.line_stipple = {std::clamp<uint32_t>(r.stipple_factor, 1, 256), r.stipple_pattern};
}

}  // namespace

virgl::FillMode fill_mode(const virgl::CreateRasterizer& rasterizer) {
    return (rasterizer.cull & 1) != 0 ? rasterizer.fill_back : rasterizer.fill_front;
}

DynamicPieces::DynamicPieces(const Device& device) {
    for (size_t i = 0; i < std::size(kRows); i++) pieces_.set(i, kRows[i].is_dynamic(device));
}

void DynamicPieces::add_to(std::vector<VkDynamicState>& states, bool patches) const {
    for (size_t i = 0; i < std::size(kRows); i++)
        if (pieces_.test(i) && (patches || static_cast<Piece>(i) != Piece::PatchVertices))
            states.push_back(kRows[i].state);
}

void append_fixed(const DynamicPieces& dynamic, const OptionalState& state, std::vector<uint32_t>& key) {
    for (size_t i = 0; i < std::size(kRows); i++) {
        if (dynamic.has(static_cast<Piece>(i))) continue;
        const size_t at = key.size();
        key.resize(at + kRows[i].bytes / sizeof(uint32_t));
        std::memcpy(key.data() + at, reinterpret_cast<const std::byte*>(&state) + kRows[i].offset, kRows[i].bytes);
    }
}

void update_rasterizer(OptionalState& state, const Device& device, const Bindings& context,
                       VkPrimitiveTopology topology) {
    const virgl::CreateRasterizer& r = *context.rasterizer;
    const auto& features = device.report().features;
    state.discard = r.discard;
    state.cull_mode = r.cull;
    state.front_face = r.front_ccw ? VK_FRONT_FACE_COUNTER_CLOCKWISE : VK_FRONT_FACE_CLOCKWISE;
    const bool has_mode = fill_mode(r) != virgl::FillMode::Point || device.extras().portability.pointPolygons != 0;
    if (features.fillModeNonSolid != 0) state.polygon_mode = has_mode ? to_vulkan(fill_mode(r)) : VK_POLYGON_MODE_FILL;
    if (features.depthClamp != 0) state.depth_clamp = !r.depth_clip;
    if (has_depth_clip(device)) state.depth_clip = r.depth_clip;
    if (device.extras().clip_control.depthClipControl != 0) state.depth_from_minus_one = !r.clip_halfz;
    if (has_provoking_vertex(device))
        state.provoking_vertex =
            r.flatshade_first ? VK_PROVOKING_VERTEX_MODE_FIRST_VERTEX_EXT : VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT;
    update_lines(state, device, context, class_of(topology) == VK_PRIMITIVE_TOPOLOGY_LINE_LIST);
}

VkStencilOpState stencil_operations(const OptionalState& state, VkStencilFaceFlagBits face) {
    const auto& ops = state.stencil_ops[face == VK_STENCIL_FACE_FRONT_BIT ? 0 : 1];
    return {.failOp = static_cast<VkStencilOp>(ops[0]),
            .passOp = static_cast<VkStencilOp>(ops[1]),
            .depthFailOp = static_cast<VkStencilOp>(ops[2]),
            .compareOp = static_cast<VkCompareOp>(ops[3])};
}

void update_depth_stencil(OptionalState& state, const Bindings& context) {
    const virgl::CreateDepthStencilAlpha& d = *context.depth_stencil;
    state.depth_test = d.depth_enable;
    state.depth_write = d.depth_enable && d.depth_write;
    state.depth_compare = to_vulkan(d.depth_func);
    state.stencil_test = d.front.enable;
    const auto operations = [](const virgl::StencilFace& s) {
        return std::array<uint32_t, 4>{to_vulkan(s.fail), to_vulkan(s.depth_pass), to_vulkan(s.depth_fail),
                                       to_vulkan(s.func)};
    };
    state.stencil_ops = {operations(d.front), operations(d.back.enable ? d.back : d.front)};
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

void update_blend(OptionalState& state, const Device& device, const Bindings& context, const LinkedProgram& program) {
    const virgl::CreateBlend& b = *context.blend;
    const auto& features = device.report().features;
    const auto& colors = context.framebuffer.colors;
    const auto blends = [&](const Shared<Surface>& color) {
        return color == nullptr || (device.format(color->format->vulkan).optimalTilingFeatures &
                                    VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT) != 0;
    };
    const bool all_blend = std::ranges::all_of(colors, blends);
    // With a second source, FRAG writes it, and no more targets than the device blends so (OpenGL: undefined, an
    // error).
    const uint32_t most_dual = device.report().limits.maxFragmentDualSrcAttachments;
    const Shader* const frag = context.stage(virgl::Stage::Frag).shader.get();
    const bool dual =
        features.dualSrcBlend != 0 && program.outputs >> most_dual == 0 && frag != nullptr && frag->writes_second_color;
    for (uint32_t i = 0; i < virgl::kMaxColorBuffers; i++) {
        const uint32_t like = features.independentBlend != 0 ? i : 0;
        const virgl::BlendTarget& t = b.targets[b.independent ? like : 0];
        const FormatInfo* format = like < colors.size() && colors[like] != nullptr ? colors[like]->format : nullptr;
        state.blends[i] = t.enable && format != nullptr && !format->has(kUint | kSint) && !b.logic_op_enable &&
                          (features.independentBlend != 0 ? blends(colors[like]) : all_blend) &&
                          (!reads_second_source(t) || (dual && i < most_dual));
        state.equations[i] = state.blends[i] == VK_FALSE ? VkColorBlendEquationEXT{} : equation_of(t, *format);
        // Targets that FRAG does not write are undefined in Vulkan, but unchanged for guests.
        const bool written = format != nullptr && (program.outputs >> like & 1) != 0;
        state.write_masks[i] = written ? write_mask(*format, t.write_mask) : 0;
    }
    // Vulkan permits neither with Bresenham's lines, which single samples have.
    const bool multisampled = context.rasterizer->multisample && context.framebuffer.samples > 1;
    state.alpha_to_coverage = multisampled && b.alpha_to_coverage && (program.outputs & 1) != 0;
    if (features.alphaToOne != 0) state.alpha_to_one = multisampled && b.alpha_to_one;
    if (features.logicOp != 0) {
        state.logic_op_enable = b.logic_op_enable;
        state.logic_op = to_vulkan(b.logic_op);
    }
    state.samples = context.framebuffer.samples;
    state.sample_mask = context.sample_mask;
    for (uint32_t n = context.framebuffer.seen_samples; n > 1 && n < state.samples; n *= 2)
        state.sample_mask = (state.sample_mask & ((1U << n) - 1)) * (1 + (1U << n));
}

void record_rasterizer(VkCommandBuffer commands, const DynamicPieces& dynamic, const OptionalState& state,
                       const OptionalState* before) {
    using S = OptionalState;
    const auto has = [&](Piece piece, auto member) { return dynamic.has(piece) && differs(state, before, member); };
    if (has(Piece::PolygonMode, &S::polygon_mode))
        vkCmdSetPolygonModeEXT(commands, static_cast<VkPolygonMode>(state.polygon_mode));
    if (has(Piece::DepthClamp, &S::depth_clamp)) vkCmdSetDepthClampEnableEXT(commands, state.depth_clamp);
    if (has(Piece::DepthClip, &S::depth_clip)) vkCmdSetDepthClipEnableEXT(commands, state.depth_clip);
    if (has(Piece::DepthFromMinusOne, &S::depth_from_minus_one))
        vkCmdSetDepthClipNegativeOneToOneEXT(commands, state.depth_from_minus_one);
    if (has(Piece::ProvokingVertex, &S::provoking_vertex))
        vkCmdSetProvokingVertexModeEXT(commands, static_cast<VkProvokingVertexModeEXT>(state.provoking_vertex));
    if (has(Piece::LineMode, &S::line_mode))
        vkCmdSetLineRasterizationModeEXT(commands, static_cast<VkLineRasterizationModeEXT>(state.line_mode));
    if (has(Piece::LineStippled, &S::line_stippled)) vkCmdSetLineStippleEnableEXT(commands, state.line_stippled);
    if (has(Piece::LineStipple, &S::line_stipple))
        vkCmdSetLineStippleEXT(commands, state.line_stipple[0], static_cast<uint16_t>(state.line_stipple[1]));
}

void record_blend(VkCommandBuffer commands, const DynamicPieces& dynamic, const OptionalState& state, size_t targets,
                  const OptionalState* before) {
    using S = OptionalState;
    const auto has = [&](Piece piece, auto member) { return dynamic.has(piece) && differs(state, before, member); };
    // The validation layer misses the state of draws without attachments, where none is needed: there is always one.
    const auto count = std::max(static_cast<uint32_t>(targets), 1U);
    const auto samples = static_cast<VkSampleCountFlagBits>(state.samples);
    if (has(Piece::Blends, &S::blends)) vkCmdSetColorBlendEnableEXT(commands, 0, count, state.blends.data());
    if (has(Piece::Equations, &S::equations)) vkCmdSetColorBlendEquationEXT(commands, 0, count, state.equations.data());
    if (has(Piece::WriteMasks, &S::write_masks))
        vkCmdSetColorWriteMaskEXT(commands, 0, count, state.write_masks.data());
    if (has(Piece::AlphaToCoverage, &S::alpha_to_coverage))
        vkCmdSetAlphaToCoverageEnableEXT(commands, state.alpha_to_coverage);
    if (has(Piece::AlphaToOne, &S::alpha_to_one)) vkCmdSetAlphaToOneEnableEXT(commands, state.alpha_to_one);
    if (has(Piece::LogicOpEnable, &S::logic_op_enable)) vkCmdSetLogicOpEnableEXT(commands, state.logic_op_enable);
    if (has(Piece::LogicOp, &S::logic_op)) vkCmdSetLogicOpEXT(commands, static_cast<VkLogicOp>(state.logic_op));
    if (has(Piece::Samples, &S::samples)) vkCmdSetRasterizationSamplesEXT(commands, samples);
    if (has(Piece::SampleMask, &S::sample_mask) || has(Piece::SampleMask, &S::samples))
        vkCmdSetSampleMaskEXT(commands, samples, &state.sample_mask);
}

}  // namespace tgsi2spv::host
