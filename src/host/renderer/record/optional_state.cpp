#include "renderer/record/optional_state.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "renderer/record/linked_program.h"
#include "renderer/record/shader_blend.h"
#include "renderer/state/convert.h"
#include "renderer/state/state.h"

namespace tgsi2spv::host {
namespace {

using Device = vk::Device;

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

constexpr bool kKeyed = true, kUnkeyed = false;

struct Row {
    VkDynamicState state;
    Parts parts;           ///< parts of the guest's state that change it
    size_t offset, bytes;  ///< place in OptionalState
    size_t with;           ///< place of a word that the command has as well
    bool keyed;            ///< it is in the pipeline's key where it is not dynamic
    bool (*is_dynamic)(const Device&);
    void (*record)(VkCommandBuffer, const OptionalState&);
};

using D = Dirty;
constexpr Parts kRasterizer = parts_of(D::Rasterizer, D::Framebuffer, D::Shaders, D::Assembly);
constexpr Parts kBlend = parts_of(D::Blend, D::Rasterizer, D::Framebuffer, D::Shaders, D::SampleMask);
constexpr Parts kViewports = parts_of(D::Viewports, D::Scissors, D::Framebuffer, D::Rasterizer);
constexpr Parts kDepthStencil = parts_of(D::DepthStencil);

#define MEMBER(name) offsetof(OptionalState, name), sizeof(OptionalState::name), offsetof(OptionalState, name)
#define MEMBER_WITH(name, with) \
    offsetof(OptionalState, name), sizeof(OptionalState::name), offsetof(OptionalState, with)
#define IF(condition) [](const Device& d) { return condition; }
#define DYNAMIC3(name, and_if) IF(d.extras().dynamic3.extendedDynamicState3##name != 0 && (and_if))
#define RECORD(call) [](VkCommandBuffer c, const OptionalState& s) { call; }

bool always(const Device&) {
    return true;
}
/// Part of pipelines: lavapipe 22.3 draws on with the operation of its pipeline (driver-bugs.md).
bool never(const Device&) {
    return false;
}

/// The validation layer misses the state of draws without attachments, where none is needed: there is always one.
uint32_t target_count(const OptionalState& state) {
    return std::max(state.targets, 1U);
}
VkSampleCountFlagBits samples_of(const OptionalState& state) {
    return static_cast<VkSampleCountFlagBits>(state.samples);
}

/// A command for the front and one for the back.
template <class Function>
void for_faces(const Function& function) {
    function(VK_STENCIL_FACE_FRONT_BIT, 0);
    function(VK_STENCIL_FACE_BACK_BIT, 1);
}
void record_stencil_ops(VkCommandBuffer commands, const OptionalState& state) {
    for_faces([&](VkStencilFaceFlagBits face, size_t) {
        const VkStencilOpState ops = stencil_operations(state, face);
        vkCmdSetStencilOp(commands, face, ops.failOp, ops.passOp, ops.depthFailOp, ops.compareOp);
    });
}

constexpr Row kRows[] = {
    {VK_DYNAMIC_STATE_POLYGON_MODE_EXT, kRasterizer, MEMBER(polygon_mode), kKeyed, DYNAMIC3(PolygonMode, true),
     RECORD(vkCmdSetPolygonModeEXT(c, static_cast<VkPolygonMode>(s.polygon_mode)))},
    {VK_DYNAMIC_STATE_DEPTH_CLAMP_ENABLE_EXT, kRasterizer, MEMBER(depth_clamp), kKeyed,
     DYNAMIC3(DepthClampEnable, d.report().features.depthClamp != 0),
     RECORD(vkCmdSetDepthClampEnableEXT(c, s.depth_clamp))},
    {VK_DYNAMIC_STATE_DEPTH_CLIP_ENABLE_EXT, kRasterizer, MEMBER(depth_clip), kKeyed,
     DYNAMIC3(DepthClipEnable, has_depth_clip(d)), RECORD(vkCmdSetDepthClipEnableEXT(c, s.depth_clip))},
    {VK_DYNAMIC_STATE_DEPTH_CLIP_NEGATIVE_ONE_TO_ONE_EXT, kRasterizer, MEMBER(depth_from_minus_one), kKeyed,
     DYNAMIC3(DepthClipNegativeOneToOne, d.extras().clip_control.depthClipControl != 0),
     RECORD(vkCmdSetDepthClipNegativeOneToOneEXT(c, s.depth_from_minus_one))},
    {VK_DYNAMIC_STATE_PROVOKING_VERTEX_MODE_EXT, kRasterizer, MEMBER(provoking_vertex), kKeyed,
     DYNAMIC3(ProvokingVertexMode, has_provoking_vertex(d)),
     RECORD(vkCmdSetProvokingVertexModeEXT(c, static_cast<VkProvokingVertexModeEXT>(s.provoking_vertex)))},
    {VK_DYNAMIC_STATE_LINE_RASTERIZATION_MODE_EXT, kRasterizer, MEMBER(line_mode), kKeyed,
     DYNAMIC3(LineRasterizationMode, has_line_modes(d)),
     RECORD(vkCmdSetLineRasterizationModeEXT(c, static_cast<VkLineRasterizationModeEXT>(s.line_mode)))},
    {VK_DYNAMIC_STATE_LINE_STIPPLE_ENABLE_EXT, kRasterizer, MEMBER(line_stippled), kKeyed,
     DYNAMIC3(LineStippleEnable, has_line_stipple(d)), RECORD(vkCmdSetLineStippleEnableEXT(c, s.line_stippled))},
    {VK_DYNAMIC_STATE_LINE_STIPPLE_EXT, kRasterizer, MEMBER(line_stipple), kKeyed, has_line_stipple,
     RECORD(vkCmdSetLineStippleEXT(c, s.line_stipple[0], static_cast<uint16_t>(s.line_stipple[1])))},
    {VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT, kBlend, MEMBER(samples), kKeyed,
     DYNAMIC3(RasterizationSamples, d.report().features13.dynamicRendering != 0),  // render passes have them
     RECORD(vkCmdSetRasterizationSamplesEXT(c, samples_of(s)))},
    {VK_DYNAMIC_STATE_SAMPLE_MASK_EXT, kBlend, MEMBER_WITH(sample_mask, samples), kKeyed, DYNAMIC3(SampleMask, true),
     RECORD(vkCmdSetSampleMaskEXT(c, samples_of(s), &s.sample_mask))},
    {VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT, kBlend, MEMBER(alpha_to_coverage), kKeyed,
     DYNAMIC3(AlphaToCoverageEnable, true), RECORD(vkCmdSetAlphaToCoverageEnableEXT(c, s.alpha_to_coverage))},
    {VK_DYNAMIC_STATE_ALPHA_TO_ONE_ENABLE_EXT, kBlend, MEMBER(alpha_to_one), kKeyed,
     DYNAMIC3(AlphaToOneEnable, d.report().features.alphaToOne != 0),
     RECORD(vkCmdSetAlphaToOneEnableEXT(c, s.alpha_to_one))},
    {VK_DYNAMIC_STATE_LOGIC_OP_ENABLE_EXT, kBlend, MEMBER(logic_op_enable), kKeyed,
     DYNAMIC3(LogicOpEnable, d.report().features.logicOp != 0), RECORD(vkCmdSetLogicOpEnableEXT(c, s.logic_op_enable))},
    {VK_DYNAMIC_STATE_LOGIC_OP_EXT, kBlend, MEMBER(logic_op), kKeyed, never, nullptr},
    {VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT, kBlend, MEMBER_WITH(blends, targets), kKeyed,
     DYNAMIC3(ColorBlendEnable, true), RECORD(vkCmdSetColorBlendEnableEXT(c, 0, target_count(s), s.blends.data()))},
    {VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT, kBlend, MEMBER_WITH(equations, targets), kKeyed,
     DYNAMIC3(ColorBlendEquation, true),
     RECORD(vkCmdSetColorBlendEquationEXT(c, 0, target_count(s), s.equations.data()))},
    {VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT, kBlend, MEMBER_WITH(write_masks, targets), kKeyed,
     DYNAMIC3(ColorWriteMask, true), RECORD(vkCmdSetColorWriteMaskEXT(c, 0, target_count(s), s.write_masks.data()))},
    {VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE, kRasterizer, MEMBER(discard), kKeyed, has_dynamic2,
     RECORD(vkCmdSetRasterizerDiscardEnable(c, s.discard))},
    {VK_DYNAMIC_STATE_DEPTH_BIAS_ENABLE, kRasterizer, MEMBER(depth_bias), kKeyed, has_dynamic2,
     RECORD(vkCmdSetDepthBiasEnable(c, s.depth_bias))},
    {VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE, parts_of(D::Assembly), MEMBER(restart), kKeyed, has_dynamic2,
     RECORD(vkCmdSetPrimitiveRestartEnable(c, s.restart))},
    {VK_DYNAMIC_STATE_CULL_MODE, kRasterizer, MEMBER(cull_mode), kKeyed, has_dynamic,
     RECORD(vkCmdSetCullMode(c, s.cull_mode))},
    {VK_DYNAMIC_STATE_FRONT_FACE, kRasterizer, MEMBER(front_face), kKeyed, has_dynamic,
     RECORD(vkCmdSetFrontFace(c, static_cast<VkFrontFace>(s.front_face)))},
    {VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE, kDepthStencil, MEMBER(depth_test), kKeyed, has_dynamic,
     RECORD(vkCmdSetDepthTestEnable(c, s.depth_test))},
    {VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE, kDepthStencil, MEMBER(depth_write), kKeyed, has_dynamic,
     RECORD(vkCmdSetDepthWriteEnable(c, s.depth_write))},
    {VK_DYNAMIC_STATE_DEPTH_COMPARE_OP, kDepthStencil, MEMBER(depth_compare), kKeyed, has_dynamic,
     RECORD(vkCmdSetDepthCompareOp(c, static_cast<VkCompareOp>(s.depth_compare)))},
    {VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE, kDepthStencil, MEMBER(stencil_test), kKeyed, has_dynamic,
     RECORD(vkCmdSetStencilTestEnable(c, s.stencil_test))},
    {VK_DYNAMIC_STATE_STENCIL_OP, kDepthStencil, MEMBER(stencil_ops), kKeyed, has_dynamic, record_stencil_ops},
    // The pipeline's key has the topology itself.
    {VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY, parts_of(D::Assembly), MEMBER(topology), kUnkeyed, has_dynamic,
     RECORD(vkCmdSetPrimitiveTopology(c, s.topology))},
    {VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT, kViewports, MEMBER(view.viewports), kUnkeyed, has_dynamic,
     RECORD(vkCmdSetViewportWithCount(c, s.viewport_count, s.view.viewports.data()))},
    {VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT, kViewports, MEMBER(view.scissors), kUnkeyed, has_dynamic,
     RECORD(vkCmdSetScissorWithCount(c, s.viewport_count, s.view.scissors.data()))},
    {VK_DYNAMIC_STATE_VIEWPORT, kViewports, MEMBER(view.viewports), kUnkeyed, IF(!has_dynamic(d)),
     RECORD(vkCmdSetViewport(c, 0, s.viewport_count, s.view.viewports.data()))},
    {VK_DYNAMIC_STATE_SCISSOR, kViewports, MEMBER(view.scissors), kUnkeyed, IF(!has_dynamic(d)),
     RECORD(vkCmdSetScissor(c, 0, s.viewport_count, s.view.scissors.data()))},
    // vertices.cpp records it.
    {VK_DYNAMIC_STATE_VERTEX_INPUT_EXT, 0, 0, 0, 0, kUnkeyed, IF(d.extras().vertex_input.vertexInputDynamicState != 0),
     nullptr},
    {VK_DYNAMIC_STATE_PATCH_CONTROL_POINTS_EXT, parts_of(D::Assembly), MEMBER(patch_vertices), kUnkeyed,
     IF(d.extras().dynamic2.extendedDynamicState2PatchControlPoints != 0),
     RECORD(if (s.patch_vertices != 0) vkCmdSetPatchControlPointsEXT(c, s.patch_vertices))},
    {VK_DYNAMIC_STATE_LINE_WIDTH, kRasterizer, MEMBER(line_width), kUnkeyed, always,
     RECORD(vkCmdSetLineWidth(c, s.line_width))},
    {VK_DYNAMIC_STATE_DEPTH_BIAS, kRasterizer, MEMBER(depth_bias_values), kUnkeyed, always,
     RECORD(vkCmdSetDepthBias(c, s.depth_bias_values[0], s.depth_bias_values[1], s.depth_bias_values[2]))},
    {VK_DYNAMIC_STATE_BLEND_CONSTANTS, parts_of(D::BlendColor), MEMBER(blend_constants), kUnkeyed, always,
     RECORD(vkCmdSetBlendConstants(c, s.blend_constants.data()))},
    {VK_DYNAMIC_STATE_STENCIL_COMPARE_MASK, kDepthStencil, MEMBER(stencil_compare_masks), kUnkeyed, always,
     RECORD(for_faces([&](auto face, size_t i) { vkCmdSetStencilCompareMask(c, face, s.stencil_compare_masks[i]); }))},
    {VK_DYNAMIC_STATE_STENCIL_WRITE_MASK, kDepthStencil, MEMBER(stencil_write_masks), kUnkeyed, always,
     RECORD(for_faces([&](auto face, size_t i) { vkCmdSetStencilWriteMask(c, face, s.stencil_write_masks[i]); }))},
    {VK_DYNAMIC_STATE_STENCIL_REFERENCE, parts_of(D::DepthStencil, D::StencilRef), MEMBER(stencil_references), kUnkeyed,
     always,
     RECORD(for_faces([&](auto face, size_t i) { vkCmdSetStencilReference(c, face, s.stencil_references[i]); }))},
};
static_assert(std::size(kRows) <= DynamicPieces().size());

constexpr Parts parts_in_rows() {
    Parts all = 0;
    for (const Row& row : kRows) all |= row.parts;
    return all;
}
constexpr Parts kInRows = parts_in_rows();
/// Vertex input and buffers, and what the library reads from its state buffer, are recorded elsewhere.
constexpr Parts kElsewhere = parts_of(D::Elements, D::VertexBuffers, D::Tessellation, D::StateBuffer);
static_assert((kInRows | kElsewhere) == (Parts{1} << static_cast<unsigned>(D::Count)) - 1);
#undef MEMBER
#undef MEMBER_WITH
#undef IF
#undef DYNAMIC3
#undef RECORD

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
    return (rasterizer.cull & virgl::kCullFront) != 0 ? rasterizer.fill_back : rasterizer.fill_front;
}

bool replaces_alpha(const Device& device, const virgl::CreateBlend& blend) {
    return blend.alpha_to_one && !blend.alpha_to_coverage && device.report().features.alphaToOne == 0;
}

DynamicPieces dynamic_pieces(const Device& device) {
    DynamicPieces pieces;
    for (size_t i = 0; i < std::size(kRows); i++) pieces.set(i, kRows[i].is_dynamic(device));
    return pieces;
}

void add_states(const DynamicPieces& dynamic, bool patches, std::vector<VkDynamicState>& states) {
    for (size_t i = 0; i < std::size(kRows); i++)
        if (dynamic[i] && (patches || kRows[i].state != VK_DYNAMIC_STATE_PATCH_CONTROL_POINTS_EXT))
            states.push_back(kRows[i].state);
}

void append_fixed(const DynamicPieces& dynamic, const OptionalState& state, std::vector<uint32_t>& key) {
    for (size_t i = 0; i < std::size(kRows); i++) {
        if (!kRows[i].keyed || dynamic[i]) continue;
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

void update_blend(OptionalState& state, const Device& device, const Bindings& context, const LinkedProgram& program) {
    const virgl::CreateBlend& b = *context.blend;
    const auto& features = device.report().features;
    const auto& colors = context.framebuffer.colors;
    const auto blends = [&](const Shared<Surface>& color) {
        return color == nullptr || (device.format(color->format->vulkan).optimalTilingFeatures &
                                    VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT) != 0;
    };
    const bool all_blend = std::ranges::all_of(colors, blends);
    // VUID-RuntimeSpirv-Fragment-06427
    const bool dual = device_blends_two_sources(device, context) && program.outputs >> 1 == 0;
    for (uint32_t i = 0; i < virgl::kMaxColorBuffers; i++) {
        const uint32_t like = features.independentBlend != 0 ? i : 0;
        const virgl::BlendTarget& t = b.targets[b.independent ? like : 0];
        const FormatInfo* format = like < colors.size() && colors[like] != nullptr ? colors[like]->format : nullptr;
        state.blends[i] = t.enable && format != nullptr && !format->has(kUint | kSint) && !b.logic_op_enable &&
                          (features.independentBlend != 0 ? blends(colors[like]) : all_blend) &&
                          (!reads_second_source(t) || dual);
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
    state.targets = static_cast<uint32_t>(colors.size());
    state.samples = context.framebuffer.samples;
    state.sample_mask = context.sample_mask;
    for (uint32_t n = context.framebuffer.seen_samples; n > 1 && n < state.samples; n *= 2)
        state.sample_mask = (state.sample_mask & ((1U << n) - 1)) * (1 + (1U << n));
}

void record_pieces(VkCommandBuffer commands, const DynamicPieces& dynamic, const Changes& changes,
                   const OptionalState& state, std::optional<OptionalState>& before) {
    if (!changes.has_some(kInRows)) return;
    const auto differs = [&](size_t offset, size_t bytes) {
        const auto *now = reinterpret_cast<const std::byte*>(&state) + offset,
                   *then = reinterpret_cast<const std::byte*>(&*before) + offset;
        return bytes == sizeof(uint32_t) ? std::memcmp(now, then, sizeof(uint32_t)) != 0
                                         : std::memcmp(now, then, bytes) != 0;
    };
    for (size_t i = 0; i < std::size(kRows); i++) {
        const Row& row = kRows[i];
        if (!changes.has_some(row.parts) || !dynamic[i]) continue;
        if (!before || differs(row.with, sizeof(uint32_t)) || differs(row.offset, row.bytes))
            row.record(commands, state);
    }
    before = state;
}

}  // namespace tgsi2spv::host
