// The pipelines of a job.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "harness/frame.h"
#include "harness/places.h"
#include "harness/requirements.h"
#include "vulkan/format_name.h"

namespace tgsi2spv::harness {

namespace {

/// Specialization data of one stage. It must outlive pipeline creation.
struct Specialization {
    std::vector<VkSpecializationMapEntry> entries;
    std::vector<uint32_t> values;
    VkSpecializationInfo info{};
};

Status make_stage(Frame& frame, const Shader& shader, VkShaderStageFlagBits stage, Specialization& spec,
                  VkPipelineShaderStageCreateInfo& out) {
    if (auto missing = missing_requirement(frame.device.report(), shader.words))
        return fail(Failure::Missing, *missing);
    auto info = make<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    info.codeSize = shader.words.size_bytes();
    info.pCode = shader.words.data();
    VkShaderModule module{};
    if (auto s = compiled(vkCreateShaderModule(frame.device.handle(), &info, nullptr, &module), "vkCreateShaderModule");
        !s)
        return s;
    frame.modules.push_back(module);
    out = make<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
    out.stage = stage;
    out.module = module;
    out.pName = "main";
    for (const auto& c : shader.constants) {
        spec.entries.push_back({c.id, static_cast<uint32_t>(spec.values.size() * sizeof(uint32_t)), sizeof(uint32_t)});
        spec.values.push_back(c.value);
    }
    if (!spec.entries.empty()) {
        spec.info.mapEntryCount = static_cast<uint32_t>(spec.entries.size());
        spec.info.pMapEntries = spec.entries.data();
        spec.info.dataSize = spec.values.size() * sizeof(uint32_t);
        spec.info.pData = spec.values.data();
        out.pSpecializationInfo = &spec.info;
    }
    return {};
}

bool has_second_source(const VkPipelineColorBlendAttachmentState& blend) {
    const VkBlendFactor factors[] = {blend.srcColorBlendFactor, blend.dstColorBlendFactor, blend.srcAlphaBlendFactor,
                                     blend.dstAlphaBlendFactor};
    return blend.blendEnable && std::any_of(std::begin(factors), std::end(factors), [](VkBlendFactor f) {
               return f >= VK_BLEND_FACTOR_SRC1_COLOR && f <= VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA;
           });
}

/// Checks vertex attributes; each has a binding of its own.
Status check_attributes(const Frame& frame) {
    const auto& limits = frame.device.report().limits;
    const auto& attributes = frame.job.attributes;
    if (auto s = within(attributes.size(), limits.maxVertexInputBindings, "maxVertexInputBindings"); !s) return s;
    for (const Attribute& a : attributes) {
        if (auto s = within(uint64_t{a.location} + 1, limits.maxVertexInputAttributes, "maxVertexInputAttributes"); !s)
            return s;
        if (auto s = within(a.stride, limits.maxVertexInputBindingStride, "maxVertexInputBindingStride"); !s) return s;
        VkFormatProperties properties{};
        vkGetPhysicalDeviceFormatProperties(frame.device.report().info.handle, a.format, &properties);
        if ((properties.bufferFeatures & VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT) == 0)
            return fail(Failure::Missing, fmt::format("vertex attributes of format {}", vulkan::format_name(a.format)));
    }
    return {};
}

Status check_stores(const VkPhysicalDeviceFeatures& features, const Shader& shader, VkShaderStageFlagBits stage) {
    const bool fragment = stage == VK_SHADER_STAGE_FRAGMENT_BIT;
    if ((fragment ? features.fragmentStoresAndAtomics : features.vertexPipelineStoresAndAtomics) != VK_FALSE) return {};
    if (!may_store(shader.words)) return {};
    return fail(Failure::Missing, fragment ? "fragmentStoresAndAtomics" : "vertexPipelineStoresAndAtomics");
}

/// The stages of a graphics pipeline. Their structs point to `specializations`.
struct Stages {
    static constexpr size_t kAll = 5;
    std::array<Specialization, kAll> specializations;
    std::array<VkPipelineShaderStageCreateInfo, kAll> infos;
    uint32_t count = 0;
};

Status make_stages(Frame& frame, Stages& out) {
    const Job& job = frame.job;
    // The stages under test come first, so that a missing feature is reported for them and not for a helper stage.
    const std::pair<const Shader*, VkShaderStageFlagBits> shaders[Stages::kAll] = {
        {&job.geometry, VK_SHADER_STAGE_GEOMETRY_BIT},
        {&job.tess_control, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT},
        {&job.tess_eval, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT},
        {&job.fragment, VK_SHADER_STAGE_FRAGMENT_BIT},
        {&job.vertex, VK_SHADER_STAGE_VERTEX_BIT},
    };
    for (const auto& [shader, stage] : shaders) {
        if (shader->words.empty()) continue;
        if (auto s = check_stores(frame.device.report().features, *shader, stage); !s) return s;
        if (auto s = make_stage(frame, *shader, stage, out.specializations[out.count], out.infos[out.count]); !s)
            return s;
        ++out.count;
    }
    return {};
}

// Each of the following holds the struct for the pipeline, `info`, and the structs that it points to.

struct VertexInput {
    std::vector<VkVertexInputBindingDescription> bindings;
    std::vector<VkVertexInputAttributeDescription> attributes;
    VkPipelineVertexInputStateCreateInfo info =
        make<VkPipelineVertexInputStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO);

    explicit VertexInput(const Job& job) {
        for (uint32_t i = 0; i < job.attributes.size(); i++) {
            bindings.push_back({i, job.attributes[i].stride, VK_VERTEX_INPUT_RATE_VERTEX});
            attributes.push_back({job.attributes[i].location, i, job.attributes[i].format, 0});
        }
        info.vertexBindingDescriptionCount = static_cast<uint32_t>(bindings.size());
        info.pVertexBindingDescriptions = bindings.data();
        info.vertexAttributeDescriptionCount = static_cast<uint32_t>(attributes.size());
        info.pVertexAttributeDescriptions = attributes.data();
    }
    VertexInput(const VertexInput&) = delete;
    VertexInput& operator=(const VertexInput&) = delete;
};

struct Tessellation {
    VkPipelineTessellationDomainOriginStateCreateInfo origin = make<VkPipelineTessellationDomainOriginStateCreateInfo>(
        VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_DOMAIN_ORIGIN_STATE_CREATE_INFO);
    VkPipelineTessellationStateCreateInfo info =
        make<VkPipelineTessellationStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO);

    explicit Tessellation(const Job& job) {
        info.patchControlPoints = job.patch_control_points;
        // TES_VERTEX_ORDER_CW follows OpenGL, where v points up in the domain. VertexOrderCw and VertexOrderCcw are
        // "defined relative to the orientation of the domain" (VkTessellationDomainOrigin), whose default origin is the
        // upper left.
        origin.domainOrigin = VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT;
        info.pNext = &origin;
    }
    Tessellation(const Tessellation&) = delete;
    Tessellation& operator=(const Tessellation&) = delete;
};

struct Viewports {
    std::vector<VkViewport> viewports;
    std::vector<VkRect2D> scissors;
    VkPipelineViewportStateCreateInfo info =
        make<VkPipelineViewportStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO);

    explicit Viewports(const Job& job)
        : viewports{{0, 0, static_cast<float>(job.viewport_width), static_cast<float>(job.viewport_height), 0, 1}} {
        viewports.insert(viewports.end(), job.more_viewports.begin(), job.more_viewports.end());
        scissors.assign(viewports.size(), {{0, 0}, {job.width, job.height}});
        info.viewportCount = info.scissorCount = static_cast<uint32_t>(viewports.size());
        info.pViewports = viewports.data();
        info.pScissors = scissors.data();
    }
    Viewports(const Viewports&) = delete;
    Viewports& operator=(const Viewports&) = delete;
};

struct Blending {
    std::vector<VkPipelineColorBlendAttachmentState> targets;
    VkPipelineColorBlendStateCreateInfo info =
        make<VkPipelineColorBlendStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO);

    explicit Blending(const Job& job) {
        for (const Attachment& a : job.attachments) {
            targets.push_back(a.blend.value_or(VkPipelineColorBlendAttachmentState{}));
            targets.back().colorWriteMask = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT |
                                            VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT;
        }
        info.attachmentCount = static_cast<uint32_t>(targets.size());
        info.pAttachments = targets.data();
    }
    Blending(const Blending&) = delete;
    Blending& operator=(const Blending&) = delete;
};

Status check_blending(const Frame& frame) {
    const auto& attachments = frame.job.attachments;
    const bool two_sources = std::any_of(attachments.begin(), attachments.end(),
                                         [](const Attachment& a) { return a.blend && has_second_source(*a.blend); });
    if (two_sources && !frame.device.report().features.dualSrcBlend) return fail(Failure::Missing, "dualSrcBlend");
    return {};
}

VkPipelineInputAssemblyStateCreateInfo assembly_of(const Job& job) {
    auto info =
        make<VkPipelineInputAssemblyStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO);
    info.topology = job.topology;
    info.primitiveRestartEnable = job.primitive_restart;
    return info;
}

VkPipelineRasterizationStateCreateInfo rasterization_of(const Job& job) {
    auto info =
        make<VkPipelineRasterizationStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO);
    info.rasterizerDiscardEnable = job.fragment.words.empty();
    info.polygonMode = VK_POLYGON_MODE_FILL;
    info.cullMode = VK_CULL_MODE_NONE;
    info.frontFace = VK_FRONT_FACE_CLOCKWISE;  // front faces with y pointing down
    info.lineWidth = 1;
    return info;
}

VkPipelineMultisampleStateCreateInfo multisampling_of(const Job& job) {
    auto info = make<VkPipelineMultisampleStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO);
    info.rasterizationSamples = static_cast<VkSampleCountFlagBits>(job.samples);
    return info;
}

VkPipelineDepthStencilStateCreateInfo depth_test_of(const DepthAttachment& depth) {
    auto info = make<VkPipelineDepthStencilStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO);
    info.depthTestEnable = VK_TRUE;
    info.depthWriteEnable = depth.write;
    info.depthCompareOp = depth.compare;
    info.stencilTestEnable = depth.stencil.has_value();
    info.front = info.back = {.failOp = VK_STENCIL_OP_KEEP,
                              .passOp = VK_STENCIL_OP_REPLACE,
                              .depthFailOp = VK_STENCIL_OP_KEEP,
                              .compareOp = VK_COMPARE_OP_ALWAYS,
                              .compareMask = 0xff,
                              .writeMask = 0xff,
                              .reference = 0};
    return info;
}

}  // namespace

std::vector<uint32_t> pipeline_key(const Job& job) {
    if (!job.attachments.empty() || job.depth || !job.input_attachments.empty() || !job.attributes.empty() ||
        !job.captures.empty() || !job.indices.empty() || !job.more_viewports.empty() || job.samples != 1)
        return {};
    std::vector<uint32_t> key{static_cast<uint32_t>(job.topology),
                              job.patch_control_points,
                              job.viewport_width,
                              job.viewport_height,
                              job.width,
                              job.height,
                              static_cast<uint32_t>(job.push_constants.size())};
    for (const auto& d : job.descriptors)
        key.insert(key.end(), {d.set, d.binding, static_cast<uint32_t>(d.type), static_cast<uint32_t>(d.items.size())});
    for (const Shader* s :
         {&job.vertex, &job.tess_control, &job.tess_eval, &job.geometry, &job.fragment, &job.compute}) {
        key.insert(key.end(),
                   {~0u, static_cast<uint32_t>(s->words.size()), static_cast<uint32_t>(s->constants.size())});
        for (const auto& c : s->constants) key.insert(key.end(), {c.id, c.value});
        key.insert(key.end(), s->words.begin(), s->words.end());
    }
    return key;
}

Status make_graphics_pipeline(Frame& frame) {
    const Job& job = frame.job;
    if (auto s = check_attributes(frame); !s) return s;
    Stages stages;
    if (auto s = make_stages(frame, stages); !s) return s;
    if (auto s = check_blending(frame); !s) return s;
    const VertexInput input(job);
    const auto assembly = assembly_of(job);
    const Tessellation tessellation(job);
    const Viewports viewports(job);
    const auto rasterization = rasterization_of(job);
    const auto multisampling = multisampling_of(job);
    const auto depth_test = depth_test_of(job.depth.value_or(DepthAttachment{}));
    const Blending blending(job);

    auto info = make<VkGraphicsPipelineCreateInfo>(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO);
    if (frame.tells_statistics) info.flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
    info.stageCount = stages.count;
    info.pStages = stages.infos.data();
    info.pVertexInputState = &input.info;
    info.pInputAssemblyState = &assembly;
    if (job.topology == VK_PRIMITIVE_TOPOLOGY_PATCH_LIST) info.pTessellationState = &tessellation.info;
    info.pViewportState = &viewports.info;
    info.pRasterizationState = &rasterization;
    info.pMultisampleState = &multisampling;
    if (job.depth) info.pDepthStencilState = &depth_test;
    info.pColorBlendState = &blending.info;
    info.layout = frame.pipeline_layout;
    info.renderPass = frame.render_pass;
    const auto result =
        vkCreateGraphicsPipelines(frame.device.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &frame.pipeline);
    return compiled(result, frame.pipeline, "vkCreateGraphicsPipelines");
}

Status make_compute_pipeline(Frame& frame) {
    Specialization spec;
    auto info = make<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
    if (frame.tells_statistics) info.flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
    if (auto s = make_stage(frame, frame.job.compute, VK_SHADER_STAGE_COMPUTE_BIT, spec, info.stage); !s) return s;
    info.layout = frame.pipeline_layout;
    const auto result =
        vkCreateComputePipelines(frame.device.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &frame.pipeline);
    return compiled(result, frame.pipeline, "vkCreateComputePipelines");
}

}  // namespace tgsi2spv::harness
