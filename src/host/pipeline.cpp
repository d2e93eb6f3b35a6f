#include "host/pipeline.h"

#include <bit>
#include <span>

#include "host/convert.h"

namespace tgsi2spv::host {
namespace {

uint32_t word(float value) {
    return std::bit_cast<uint32_t>(value);
}

uint32_t texture_value(uint32_t id, const StageBindings& stage) {
    if (id < TGSI2SPV_SPEC_VIEW_SWIZZLE || id >= TGSI2SPV_SPEC_VIEW_SWIZZLE + 32) return 0;
    const SamplerView* view = stage.views[id - TGSI2SPV_SPEC_VIEW_SWIZZLE].get();
    return view != nullptr ? view->letters.value_or(kIdentityLetters) : kIdentityLetters;
}

/// What the state that all stages share says for a specialization constant (tgsi2spv_spec).
uint32_t state_value(uint32_t id, const SubContext& c) {
    const auto& r = *c.rasterizer;
    const auto& d = *c.depth_stencil;
    switch (id) {
        case TGSI2SPV_SPEC_FRAMEBUFFER_HEIGHT:
            return word(static_cast<float>(c.framebuffer.height));
        case TGSI2SPV_SPEC_TARGET_SAMPLES:
            return c.framebuffer.samples;
        case TGSI2SPV_SPEC_ALPHA_FUNC:
            return static_cast<uint32_t>(d.alpha_func);
        case TGSI2SPV_SPEC_ALPHA_REFERENCE:
            return word(d.alpha_ref);
        case TGSI2SPV_SPEC_TWO_SIDED:
            return r.two_sided;
        case TGSI2SPV_SPEC_DEPTH_RANGE:
            return !r.clip_halfz;
        case TGSI2SPV_SPEC_CLIP_ENABLE:
            return r.clip_planes;
        case TGSI2SPV_SPEC_SPRITE_MASK:
            return r.point_quads ? r.sprite_mask : 0;
        case TGSI2SPV_SPEC_SPRITE_LOWER_LEFT:
            return r.sprite_origin_lower_left;
        case TGSI2SPV_SPEC_POINT_SIZE:
            return word(r.point_size);
        case TGSI2SPV_SPEC_POINT_SIZE_PER_VERTEX:
            return r.point_size_per_vertex;
        case TGSI2SPV_SPEC_POLYGON_STIPPLE:
            return r.poly_stipple;
        default:
            break;
    }
    if (id >= TGSI2SPV_SPEC_TESS_DEFAULT_OUTER && id < TGSI2SPV_SPEC_TESS_DEFAULT_OUTER + 4)
        return word(c.tess.outer[id - TGSI2SPV_SPEC_TESS_DEFAULT_OUTER]);
    if (id >= TGSI2SPV_SPEC_TESS_DEFAULT_INNER && id < TGSI2SPV_SPEC_TESS_DEFAULT_INNER + 2)
        return word(c.tess.inner[id - TGSI2SPV_SPEC_TESS_DEFAULT_INNER]);
    return 0;
}

constexpr VkDynamicState kAlwaysDynamic[] = {
    VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT,
    VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT,
    VK_DYNAMIC_STATE_LINE_WIDTH,
    VK_DYNAMIC_STATE_DEPTH_BIAS,
    VK_DYNAMIC_STATE_BLEND_CONSTANTS,
    VK_DYNAMIC_STATE_STENCIL_COMPARE_MASK,
    VK_DYNAMIC_STATE_STENCIL_WRITE_MASK,
    VK_DYNAMIC_STATE_STENCIL_REFERENCE,
    VK_DYNAMIC_STATE_CULL_MODE,
    VK_DYNAMIC_STATE_FRONT_FACE,
    VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY,
    VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE,
    VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE,
    VK_DYNAMIC_STATE_DEPTH_COMPARE_OP,
    VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE,
    VK_DYNAMIC_STATE_STENCIL_OP,
    VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE,
    VK_DYNAMIC_STATE_DEPTH_BIAS_ENABLE,
    VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE,
    VK_DYNAMIC_STATE_VERTEX_INPUT_EXT,
    VK_DYNAMIC_STATE_POLYGON_MODE_EXT,
    VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT,
    VK_DYNAMIC_STATE_SAMPLE_MASK_EXT,
    VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT,
    VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT,
    VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT,
    VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT,
};

std::vector<VkDynamicState> dynamic_states(const gpu::Device& device, bool patches) {
    std::vector<VkDynamicState> states(std::begin(kAlwaysDynamic), std::end(kAlwaysDynamic));
    const auto add = [&](bool can, std::initializer_list<VkDynamicState> which) {
        if (can) states.insert(states.end(), which);
    };
    add(can_set_depth_clamp(device), {VK_DYNAMIC_STATE_DEPTH_CLAMP_ENABLE_EXT});
    add(can_set_depth_clip(device), {VK_DYNAMIC_STATE_DEPTH_CLIP_ENABLE_EXT});
    add(can_set_alpha_to_one(device), {VK_DYNAMIC_STATE_ALPHA_TO_ONE_ENABLE_EXT});
    add(can_set_logic_op(device), {VK_DYNAMIC_STATE_LOGIC_OP_ENABLE_EXT, VK_DYNAMIC_STATE_LOGIC_OP_EXT});
    add(can_set_provoking_vertex(device), {VK_DYNAMIC_STATE_PROVOKING_VERTEX_MODE_EXT});
    add(can_set_line_mode(device), {VK_DYNAMIC_STATE_LINE_RASTERIZATION_MODE_EXT});
    add(can_set_line_stipple(device), {VK_DYNAMIC_STATE_LINE_STIPPLE_ENABLE_EXT, VK_DYNAMIC_STATE_LINE_STIPPLE_EXT});
    add(can_set_depth_range(device), {VK_DYNAMIC_STATE_DEPTH_CLIP_NEGATIVE_ONE_TO_ONE_EXT});
    add(patches && can_set_patch_vertices(device), {VK_DYNAMIC_STATE_PATCH_CONTROL_POINTS_EXT});
    return states;
}

// The words of a key, before the values of the specialization constants.
enum KeyWord : size_t {
    kTopology,
    kDepthFormat,
    kStencilFormat,
    kSampleShading,
    kPatchVertices,  // 0: dynamic
    kColorCount,
    kColorFormats,
    kKeyWords = kColorFormats + 8
};

}  // namespace

bool can_set_depth_clamp(const gpu::Device& d) {
    return d.report().features.depthClamp && d.extras().dynamic3.extendedDynamicState3DepthClampEnable;
}
bool can_set_depth_clip(const gpu::Device& d) {
    return d.extras().depth_clip.depthClipEnable && d.extras().dynamic3.extendedDynamicState3DepthClipEnable;
}
bool can_set_alpha_to_one(const gpu::Device& d) {
    return d.report().features.alphaToOne && d.extras().dynamic3.extendedDynamicState3AlphaToOneEnable;
}
bool can_set_logic_op(const gpu::Device& d) {
    return d.report().features.logicOp && d.extras().dynamic2.extendedDynamicState2LogicOp &&
           d.extras().dynamic3.extendedDynamicState3LogicOpEnable;
}
bool can_set_provoking_vertex(const gpu::Device& d) {
    return d.extras().provoking.provokingVertexLast && d.extras().dynamic3.extendedDynamicState3ProvokingVertexMode;
}
bool can_set_line_mode(const gpu::Device& d) {
    return d.extras().lines.rectangularLines && d.extras().lines.bresenhamLines &&
           d.extras().dynamic3.extendedDynamicState3LineRasterizationMode;
}
bool can_set_line_stipple(const gpu::Device& d) {
    return d.extras().lines.stippledBresenhamLines && d.extras().lines.stippledRectangularLines &&
           d.extras().dynamic3.extendedDynamicState3LineStippleEnable;
}
bool can_set_patch_vertices(const gpu::Device& d) {
    return d.extras().dynamic2.extendedDynamicState2PatchControlPoints != 0;
}
bool can_set_depth_range(const gpu::Device& d) {
    return d.extras().clip_control.depthClipControl &&
           d.extras().dynamic3.extendedDynamicState3DepthClipNegativeOneToOne;
}

std::vector<uint32_t> make_key(const Host& host, const SubContext& c, const LinkedProgram& program,
                               VkPrimitiveTopology topology, uint32_t patch_vertices) {
    std::vector<uint32_t> key(kKeyWords);
    key[kTopology] = class_of(topology);
    if (!can_set_patch_vertices(*host.device)) key[kPatchVertices] = patch_vertices;
    const Framebuffer& f = c.framebuffer;
    if (f.depth != nullptr) {
        const VkFormat format = f.depth->resource->image->info().format;
        const VkImageAspectFlags aspects = gpu::aspects_of(format);
        if ((aspects & VK_IMAGE_ASPECT_DEPTH_BIT) != 0) key[kDepthFormat] = format;
        if ((aspects & VK_IMAGE_ASPECT_STENCIL_BIT) != 0) key[kStencilFormat] = format;
    }
    if (c.min_samples > 1 && f.samples > 1)
        key[kSampleShading] = word(std::min(1.0F, static_cast<float>(c.min_samples) / static_cast<float>(f.samples)));
    key[kColorCount] = static_cast<uint32_t>(f.colors.size());
    for (size_t i = 0; i < f.colors.size(); i++)
        key[kColorFormats + i] = f.colors[i] == nullptr ? VK_FORMAT_UNDEFINED : f.colors[i]->format->vulkan;
    for (const StageModule& m : program.modules)
        for (const uint32_t id : m.spec_ids)
            key.push_back(id < TGSI2SPV_SPEC_VIEW_SWIZZLE ? state_value(id, c) : texture_value(id, c.stage(m.stage)));
    return key;
}

StateValues state_values(const SubContext& c) {
    StateValues values{};
    for (uint32_t id = 0; id < values.size(); id++)
        if ((kStateData >> id & 1) != 0) values[id] = state_value(id, c);
    return values;
}

VkPipeline find_pipeline(Host& host, LinkedProgram& program, const std::vector<uint32_t>& key) {
    const auto [at, created] = program.pipelines.try_emplace(key);
    if (!created) return at->second;
    const gpu::Device& device = *host.device;

    // Values follow the key's other words, stage by stage.
    size_t next = kKeyWords;
    std::vector<std::vector<VkSpecializationMapEntry>> entries(program.modules.size());
    std::vector<VkSpecializationInfo> values(program.modules.size());
    std::vector<VkPipelineShaderStageCreateInfo> stages;
    bool patches = false;
    for (size_t i = 0; i < program.modules.size(); i++) {
        const StageModule& m = program.modules[i];
        for (const uint32_t id : m.spec_ids)
            entries[i].push_back({id, static_cast<uint32_t>(4 * entries[i].size()), 4});
        const size_t n = m.spec_ids.size();
        values[i] = {static_cast<uint32_t>(n), entries[i].data(), 4 * n, key.data() + next};
        next += n;
        patches |= m.flag == VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
        stages.push_back({.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                          .stage = m.flag,
                          .module = m.module,
                          .pName = "main",
                          .pSpecializationInfo = &values[i]});
    }
    VkFormat colors[8];
    for (size_t i = 0; i < 8; i++) colors[i] = static_cast<VkFormat>(key[kColorFormats + i]);
    VkPipelineRenderingCreateInfo rendering{.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                            .colorAttachmentCount = key[kColorCount],
                                            .pColorAttachmentFormats = colors,
                                            .depthAttachmentFormat = static_cast<VkFormat>(key[kDepthFormat]),
                                            .stencilAttachmentFormat = static_cast<VkFormat>(key[kStencilFormat])};
    VkPipelineInputAssemblyStateCreateInfo assembly{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = static_cast<VkPrimitiveTopology>(key[kTopology])};
    // OpenGL's origin, which decides on winding and on the coordinates of quads (Vulkan, "Tessellation").
    VkPipelineTessellationDomainOriginStateCreateInfo origin{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_DOMAIN_ORIGIN_STATE_CREATE_INFO,
        .domainOrigin = VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT};
    VkPipelineTessellationStateCreateInfo tessellation{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO,
        .pNext = &origin,
        .patchControlPoints = std::max(key[kPatchVertices], 1u)};
    VkPipelineViewportStateCreateInfo viewport{.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    VkPipelineRasterizationStateCreateInfo rasterization{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    VkPipelineMultisampleStateCreateInfo multisample{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT,
        .sampleShadingEnable = key[kSampleShading] != 0 && device.report().features.sampleRateShading,
        .minSampleShading = std::bit_cast<float>(key[kSampleShading])};
    VkPipelineDepthStencilStateCreateInfo depth{.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
    VkPipelineColorBlendAttachmentState blends[8] = {};
    VkPipelineColorBlendStateCreateInfo blend{.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                              .attachmentCount = key[kColorCount],
                                              .pAttachments = blends};
    const std::vector<VkDynamicState> states = dynamic_states(device, patches);
    VkPipelineDynamicStateCreateInfo dynamic{.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                                             .dynamicStateCount = static_cast<uint32_t>(states.size()),
                                             .pDynamicStates = states.data()};
    VkGraphicsPipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                      .pNext = &rendering,
                                      .stageCount = static_cast<uint32_t>(stages.size()),
                                      .pStages = stages.data(),
                                      .pInputAssemblyState = &assembly,
                                      .pTessellationState = patches ? &tessellation : nullptr,
                                      .pViewportState = &viewport,
                                      .pRasterizationState = &rasterization,
                                      .pMultisampleState = &multisample,
                                      .pDepthStencilState = &depth,
                                      .pColorBlendState = &blend,
                                      .pDynamicState = &dynamic,
                                      .layout = program.layout};
    if (vkCreateGraphicsPipelines(device.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &at->second) != VK_SUCCESS) {
        at->second = VK_NULL_HANDLE;
        log_line("the driver refuses a pipeline; draws with it are skipped");
    }
    return at->second;
}

VkPipeline find_compute_pipeline(Host& host, const SubContext& c, LinkedProgram& program,
                                 const std::array<uint32_t, 3>& block) {
    const StageModule& m = program.modules.front();
    std::vector<uint32_t> values;
    std::vector<VkSpecializationMapEntry> entries;
    for (const uint32_t id : m.spec_ids) {
        const bool of_block = id >= TGSI2SPV_SPEC_BLOCK_SIZE && id < TGSI2SPV_SPEC_BLOCK_SIZE + 3;
        entries.push_back({id, static_cast<uint32_t>(4 * values.size()), 4});
        values.push_back(of_block ? block[id - TGSI2SPV_SPEC_BLOCK_SIZE] : texture_value(id, c.stage(m.stage)));
    }
    const auto [at, created] = program.pipelines.try_emplace(values);
    if (!created) return at->second;
    const VkSpecializationInfo specialization{static_cast<uint32_t>(entries.size()), entries.data(), 4 * values.size(),
                                              values.data()};
    VkComputePipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                     .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                               .stage = m.flag,
                                               .module = m.module,
                                               .pName = "main",
                                               .pSpecializationInfo = &specialization},
                                     .layout = program.layout};
    if (vkCreateComputePipelines(host.device->handle(), VK_NULL_HANDLE, 1, &info, nullptr, &at->second) != VK_SUCCESS) {
        at->second = VK_NULL_HANDLE;
        log_line("the driver refuses a compute pipeline; dispatches with it are skipped");
    }
    return at->second;
}

}  // namespace tgsi2spv::host
