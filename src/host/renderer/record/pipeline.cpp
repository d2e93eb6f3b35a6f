#include "renderer/record/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "renderer/record/host_recorder.h"
#include "renderer/record/module_state.h"
#include "renderer/record/program.h"
#include "renderer/record/vertices.h"
#include "renderer/state/caps.h"
#include "renderer/state/convert.h"
#include "renderer/state/stats.h"
#include "vk/names.h"

namespace tgsi2spv::host {
namespace {

uint32_t word(float value) {
    return std::bit_cast<uint32_t>(value);
}

uint32_t texture_value(uint32_t id, const StageBindings& stage) {
    if (id < TGSI2SPV_SPEC_VIEW_SWIZZLE || id >= TGSI2SPV_SPEC_VIEW_SWIZZLE + 32) return 0;
    const SamplerView* view = stage.views[id - TGSI2SPV_SPEC_VIEW_SWIZZLE].get();
    return view != nullptr ? view->packed_swizzle.value_or(kIdentitySwizzle) : kIdentitySwizzle;
}

/// The value of a specialization constant (tgsi2spv_spec) from the state that all stages share.
uint32_t state_value(uint32_t id, const Bindings& context) {
    const auto& r = *context.rasterizer;
    const auto& d = *context.depth_stencil;
    switch (id) {
        case TGSI2SPV_SPEC_FRAMEBUFFER_HEIGHT:
            return word(static_cast<float>(context.framebuffer.height));
        case TGSI2SPV_SPEC_TARGET_SAMPLES:
            return context.framebuffer.seen_samples;
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
        case TGSI2SPV_SPEC_ALPHA_TO_ONE:
            return 1;  // where FRAG has it (ModuleState)
        case TGSI2SPV_SPEC_SAMPLE_MASK:
            return UINT32_MAX;
        case TGSI2SPV_SPEC_SAMPLE_MASK_IGNORED:
            return 1;  // only modules that ignore it have these
        default:
            break;
    }
    if (id >= TGSI2SPV_SPEC_TESS_DEFAULT_OUTER && id < TGSI2SPV_SPEC_TESS_DEFAULT_OUTER + 4)
        return word(context.tess.outer[id - TGSI2SPV_SPEC_TESS_DEFAULT_OUTER]);
    if (id >= TGSI2SPV_SPEC_TESS_DEFAULT_INNER && id < TGSI2SPV_SPEC_TESS_DEFAULT_INNER + 2)
        return word(context.tess.inner[id - TGSI2SPV_SPEC_TESS_DEFAULT_INNER]);
    if (id >= TGSI2SPV_SPEC_BLEND_COLOR && id < TGSI2SPV_SPEC_BLEND_COLOR + 4)
        return word(context.blend_color[id - TGSI2SPV_SPEC_BLEND_COLOR]);
    if (id >= TGSI2SPV_SPEC_DEPTH_NEAR && id <= TGSI2SPV_SPEC_OFFSET_UNIT) return shader_depth_value(id, context);
    return 0;
}

// The words of a key, before the values of the specialization constants.
enum KeyWord : size_t {
    kTopology,
    kDepthStencilFormat,
    kSampleShading,
    kPatchVertices,  // 0: dynamic
    kColorCount,
    kColorFormats,
    kKeyWords = kColorFormats + 8
};

/// Structures of the pieces of OptionalState, chained where the device has them. Not to be moved.
struct OptionalStructures {
    VkPipelineViewportDepthClipControlCreateInfoEXT clip_control{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_DEPTH_CLIP_CONTROL_CREATE_INFO_EXT};
    VkPipelineViewportStateCreateInfo viewport{.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    VkPipelineRasterizationDepthClipStateCreateInfoEXT depth_clip{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_DEPTH_CLIP_STATE_CREATE_INFO_EXT};
    VkPipelineRasterizationProvokingVertexStateCreateInfoEXT provoking{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT};
    VkPipelineRasterizationLineStateCreateInfoEXT lines{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT};
    VkPipelineRasterizationStateCreateInfo rasterization{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    VkPipelineMultisampleStateCreateInfo multisample{.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    VkPipelineDepthStencilStateCreateInfo depth{.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
    VkPipelineColorBlendAttachmentState targets[virgl::kMaxColorBuffers] = {};
    VkPipelineColorBlendStateCreateInfo blend{.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                              .pAttachments = targets};
};

void fill_rasterization(OptionalStructures& structures, const vk::Device& device, const OptionalState& state) {
    const vk::Extras& extras = device.extras();
    if (extras.clip_control.depthClipControl != 0) structures.viewport.pNext = &structures.clip_control;
    structures.clip_control.negativeOneToOne = state.depth_from_minus_one;
    const auto chain = [&](bool offered, auto& structure) {
        if (offered) structure.pNext = std::exchange(structures.rasterization.pNext, &structure);
    };
    chain(extras.depth_clip.depthClipEnable != 0, structures.depth_clip);
    chain(extras.provoking.provokingVertexLast != 0, structures.provoking);
    chain(extras.lines.bresenhamLines != 0, structures.lines);
    structures.depth_clip.depthClipEnable = state.depth_clip;
    structures.provoking.provokingVertexMode = static_cast<VkProvokingVertexModeEXT>(state.provoking_vertex);
    structures.lines.lineRasterizationMode = static_cast<VkLineRasterizationModeEXT>(state.line_mode);
    structures.lines.stippledLineEnable = state.line_stippled;
    structures.lines.lineStippleFactor = state.line_stipple[0];
    structures.lines.lineStipplePattern = static_cast<uint16_t>(state.line_stipple[1]);
    structures.rasterization.depthClampEnable = state.depth_clamp;
    structures.rasterization.polygonMode = static_cast<VkPolygonMode>(state.polygon_mode);
    structures.rasterization.rasterizerDiscardEnable = state.discard;
    structures.rasterization.depthBiasEnable = state.depth_bias;
    structures.rasterization.cullMode = state.cull_mode;
    structures.rasterization.frontFace = static_cast<VkFrontFace>(state.front_face);
}

void fill_depth(OptionalStructures& structures, const OptionalState& state) {
    structures.depth.depthTestEnable = state.depth_test;
    structures.depth.depthWriteEnable = state.depth_write;
    structures.depth.depthCompareOp = static_cast<VkCompareOp>(state.depth_compare);
    structures.depth.stencilTestEnable = state.stencil_test;
    structures.depth.front = stencil_operations(state, VK_STENCIL_FACE_FRONT_BIT);
    structures.depth.back = stencil_operations(state, VK_STENCIL_FACE_BACK_BIT);
}

void fill_output(OptionalStructures& structures, const OptionalState& state, uint32_t targets) {
    structures.multisample.rasterizationSamples = static_cast<VkSampleCountFlagBits>(state.samples);
    structures.multisample.pSampleMask = &state.sample_mask;
    structures.multisample.alphaToCoverageEnable = state.alpha_to_coverage;
    structures.multisample.alphaToOneEnable = state.alpha_to_one;
    structures.blend.attachmentCount = targets;
    structures.blend.logicOpEnable = state.logic_op_enable;
    structures.blend.logicOp = static_cast<VkLogicOp>(state.logic_op);
    for (size_t i = 0; i < virgl::kMaxColorBuffers; i++) {
        const VkColorBlendEquationEXT& e = state.equations[i];
        structures.targets[i] = {state.blends[i], e.srcColorBlendFactor, e.dstColorBlendFactor,
                                 e.colorBlendOp,  e.srcAlphaBlendFactor, e.dstAlphaBlendFactor,
                                 e.alphaBlendOp,  state.write_masks[i]};
    }
}

/// Stages with their specialization constants, whose values are in the key. Not to be moved.
struct Stages {
    std::vector<std::vector<VkSpecializationMapEntry>> entries;
    std::vector<VkSpecializationInfo> values;
    std::vector<VkPipelineShaderStageCreateInfo> stages;
    bool patches = false;
};

/// Values follow the key's other words, stage by stage. A pipeline that discards has no FRAG.
Stages describe_stages(const LinkedProgram& program, const std::vector<uint32_t>& key, bool discards) {
    Stages s;
    s.entries.resize(program.modules.size());
    s.values.resize(program.modules.size());
    size_t next = kKeyWords;
    for (size_t i = 0; i < program.modules.size(); i++) {
        const StageModule& m = program.modules[i];
        for (const uint32_t id : m.spec_ids)
            s.entries[i].push_back({id, static_cast<uint32_t>(4 * s.entries[i].size()), 4});
        const size_t n = m.spec_ids.size();
        s.values[i] = {static_cast<uint32_t>(n), s.entries[i].data(), 4 * n, key.data() + next};
        next += n;
        if (discards && m.flag == VK_SHADER_STAGE_FRAGMENT_BIT) continue;
        s.patches |= m.flag == VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
        s.stages.push_back({.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                            .stage = m.flag,
                            .module = m.module,
                            .pName = "main",
                            .pSpecializationInfo = &s.values[i]});
    }
    return s;
}

vk::Targets targets_of(const HostRecorder& host, const LinkedProgram& program, const std::vector<uint32_t>& key) {
    vk::Targets targets{.color_count = key[kColorCount],
                        .depth_stencil = static_cast<VkFormat>(key[kDepthStencilFormat]),
                        .samples = host.recorded.optional.samples,
                        .color_reads = program.color_reads};
    for (size_t i = 0; i < targets.colors.size(); i++)
        targets.colors[i] = static_cast<VkFormat>(key[kColorFormats + i]);
    return targets;
}

VkResult create_pipeline(HostRecorder& host, const Bindings& context, const LinkedProgram& program,
                         const std::vector<uint32_t>& key, VkPipeline& pipeline) {
    const vk::Device& device = *host.device;
    const Stages stages =
        describe_stages(program, key, !device.extras().has_dynamic2 && host.recorded.optional.discard != 0);
    const FixedVertices vertices(describe_vertices(host, context, program));
    VkPipelineInputAssemblyStateCreateInfo assembly{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = static_cast<VkPrimitiveTopology>(key[kTopology]),
        .primitiveRestartEnable = device.extras().has_dynamic2 ? VK_FALSE : host.recorded.optional.restart};
    // OpenGL's origin, which decides on winding and on the coordinates of quads (Vulkan, "Tessellation").
    VkPipelineTessellationDomainOriginStateCreateInfo origin{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_DOMAIN_ORIGIN_STATE_CREATE_INFO,
        .domainOrigin = VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT};
    VkPipelineTessellationStateCreateInfo tessellation{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO,
        .pNext = &origin,
        .patchControlPoints = std::max(key[kPatchVertices], 1u)};
    OptionalStructures optional;
    fill_rasterization(optional, device, host.recorded.optional);
    fill_depth(optional, host.recorded.optional);
    fill_output(optional, host.recorded.optional, key[kColorCount]);
    if (program.reads_target && program.color_reads != vk::ColorReads::AfterBarriers)
        optional.blend.flags = VK_PIPELINE_COLOR_BLEND_STATE_CREATE_RASTERIZATION_ORDER_ATTACHMENT_ACCESS_BIT_EXT;
    optional.multisample.sampleShadingEnable = key[kSampleShading] != 0 && device.report().features.sampleRateShading;
    optional.multisample.minSampleShading = std::bit_cast<float>(key[kSampleShading]);
    std::vector<VkDynamicState> states;
    add_states(host.dynamic, stages.patches, states);
    if (!device.extras().has_dynamic)
        optional.viewport.viewportCount = optional.viewport.scissorCount = viewports_of(device.report());
    VkPipelineDynamicStateCreateInfo dynamic{.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                                             .dynamicStateCount = static_cast<uint32_t>(states.size()),
                                             .pDynamicStates = states.data()};
    VkGraphicsPipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                      .stageCount = static_cast<uint32_t>(stages.stages.size()),
                                      .pStages = stages.stages.data(),
                                      .pVertexInputState = &vertices.info,
                                      .pInputAssemblyState = &assembly,
                                      .pTessellationState = stages.patches ? &tessellation : nullptr,
                                      .pViewportState = &optional.viewport,
                                      .pRasterizationState = &optional.rasterization,
                                      .pMultisampleState = &optional.multisample,
                                      .pDepthStencilState = &optional.depth,
                                      .pColorBlendState = &optional.blend,
                                      .pDynamicState = &dynamic,
                                      .layout = program.layout};
    const vk::PipelineTargets targets(host.stream.passes(program.color_reads), targets_of(host, program, key), info);
    return targets.complete
               ? vkCreateGraphicsPipelines(device.handle(), host.pipeline_cache.use(), 1, &info, nullptr, &pipeline)
               : VK_ERROR_OUT_OF_HOST_MEMORY;
}

}  // namespace

std::shared_ptr<const Pipeline> find_pipeline(HostRecorder& host, LinkedProgram& program,
                                              const std::vector<uint32_t>& key, const MakePipeline& make) {
    if (const auto at = program.pipelines.find(key); at != program.pipelines.end()) {
        host.stats.counts.pipelines_found++;
        return at->second;
    }
    if (!make_room_for_pipeline(host, program)) return nullptr;
    auto pipeline = std::make_shared<Pipeline>(host.budget, program);
    const CompileTimer timer(host.stats);
    const VkResult result = make(pipeline->handle);
    timer.stop(program.name);
    // The next draw tries again.
    if (result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY) return nullptr;
    if (result == VK_SUCCESS)
        vk::name(*host.device, VK_OBJECT_TYPE_PIPELINE, pipeline->handle, "{}", program.name);
    else
        log_line(fmt::format("the driver refuses a pipeline of {}; work with it is skipped", program.name));
    return program.pipelines[key] = std::move(pipeline);
}

void make_key(const HostRecorder& host, const Bindings& context, const LinkedProgram& program,
              VkPrimitiveTopology topology, uint32_t patch_vertices, std::vector<uint32_t>& key) {
    key.assign(kKeyWords, 0);
    const vk::Extras& extras = host.device->extras();
    // Whether primitives may be restarted depends on the topology itself.
    const bool fixed = !extras.has_dynamic || !extras.has_dynamic2;
    // Tessellation and geometry shaders are compiled for one topology class.
    const bool any = extras.any_topology && !fixed && context.stage(virgl::Stage::Geom).shader == nullptr &&
                     context.stage(virgl::Stage::TessEval).shader == nullptr;
    key[kTopology] = any ? VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST : fixed ? topology : class_of(topology);
    if (extras.dynamic2.extendedDynamicState2PatchControlPoints == 0) key[kPatchVertices] = patch_vertices;
    const Framebuffer& f = context.framebuffer;
    if (f.depth != nullptr) key[kDepthStencilFormat] = f.depth->resource->image->info().format;
    if (context.min_samples > 1 && f.samples > 1 && context.rasterizer->multisample)
        key[kSampleShading] =
            word(std::min(1.0F, static_cast<float>(context.min_samples) / static_cast<float>(f.seen_samples)));
    key[kColorCount] = static_cast<uint32_t>(f.colors.size());
    for (size_t i = 0; i < f.colors.size(); i++)
        key[kColorFormats + i] = f.colors[i] == nullptr ? VK_FORMAT_UNDEFINED : f.colors[i]->format->vulkan;
    for (const StageModule& m : program.modules)
        for (const uint32_t id : m.spec_ids)
            key.push_back(id < TGSI2SPV_SPEC_VIEW_SWIZZLE ? state_value(id, context)
                                                          : texture_value(id, context.stage(m.stage)));
    if (program.color_reads != vk::ColorReads::None) key.push_back(host.recorded.optional.samples);
    append_fixed(host.dynamic, host.recorded.optional, key);
    if (extras.vertex_input.vertexInputDynamicState == 0) append_fixed(describe_vertices(host, context, program), key);
}

bool has_new_key(const HostRecorder& host) {
    const auto any = [&](auto... parts) { return host.recorded.changes.has(parts...); };
    using enum Dirty;
    return host.recorded.pipeline == nullptr ||
           any(Framebuffer, Blend, Rasterizer, DepthStencil, SampleMask, Tessellation, Shaders, Assembly) ||
           (host.recorded.module_state.clamp_depth && any(Viewports)) ||
           (host.recorded.module_state.blend.is_on() && any(BlendColor)) ||
           (host.device->extras().vertex_input.vertexInputDynamicState == 0 && any(Elements, VertexBuffers));
}

StateValues state_values(const Bindings& context) {
    StateValues values{};
    if (context.rasterizer == nullptr || context.depth_stencil == nullptr) return values;  // of a dispatch
    for (uint32_t id = 0; id < values.size(); id++)
        if ((kStateData >> id & 1) != 0) values[id] = state_value(id, context);
    return values;
}

std::shared_ptr<const Pipeline> find_pipeline(HostRecorder& host, const Bindings& context, LinkedProgram& program,
                                              const std::vector<uint32_t>& key) {
    const auto make = [&](VkPipeline& pipeline) { return create_pipeline(host, context, program, key, pipeline); };
    return find_pipeline(host, program, key, std::ref(make));
}

std::shared_ptr<const Pipeline> find_compute_pipeline(HostRecorder& host, const Bindings& context,
                                                      LinkedProgram& program, const std::array<uint32_t, 3>& block) {
    const StageModule& m = program.modules.front();
    std::vector<uint32_t> values;
    std::vector<VkSpecializationMapEntry> entries;
    for (const uint32_t id : m.spec_ids) {
        const bool of_block = id >= TGSI2SPV_SPEC_BLOCK_SIZE && id < TGSI2SPV_SPEC_BLOCK_SIZE + 3;
        entries.push_back({id, static_cast<uint32_t>(4 * values.size()), 4});
        const bool of_draw = m.stage != virgl::Stage::Comp && id < TGSI2SPV_SPEC_VIEW_SWIZZLE;  // of an emulation
        values.push_back(of_block  ? block[id - TGSI2SPV_SPEC_BLOCK_SIZE]
                         : of_draw ? state_value(id, context)
                                   : texture_value(id, context.stage(m.stage)));
    }
    const VkSpecializationInfo specialization{static_cast<uint32_t>(entries.size()), entries.data(), 4 * values.size(),
                                              values.data()};
    VkComputePipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                     .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                               .stage = m.flag,
                                               .module = m.module,
                                               .pName = "main",
                                               .pSpecializationInfo = &specialization},
                                     .layout = program.layout};
    const auto make = [&](VkPipeline& pipeline) {
        return vkCreateComputePipelines(host.device->handle(), host.pipeline_cache.use(), 1, &info, nullptr, &pipeline);
    };
    return find_pipeline(host, program, values, std::ref(make));
}

void bind_pipeline(HostState& host, VkPipelineBindPoint point, const std::shared_ptr<LinkedProgram>& program,
                   const std::shared_ptr<const Pipeline>& pipeline) {
    vkCmdBindPipeline(host.stream.commands_in_scope(), point, pipeline->handle);
    const auto hold = [&](const auto& object) {
        if (std::exchange(object->last_batch, host.stream.current()) != host.stream.current()) host.stream.keep(object);
    };
    hold(program);
    hold(pipeline);
}

}  // namespace tgsi2spv::host
