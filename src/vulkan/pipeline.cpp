// The render pass and the pipelines of a job.
#include <fmt/format.h>

#include <algorithm>

#include "vulkan/frame.h"
#include "vulkan/places.h"
#include "vulkan/requirements.h"

namespace tgsi2spv::vulkan {

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
    if (auto s = checked(vkCreateShaderModule(frame.device.handle(), &info, nullptr, &module), "vkCreateShaderModule");
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

VkAttachmentDescription described(VkFormat format, VkAttachmentLoadOp load, uint32_t samples = 1) {
    VkAttachmentDescription d{};
    d.format = format;
    d.samples = static_cast<VkSampleCountFlagBits>(samples);
    d.loadOp = load;
    d.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    d.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
    d.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
    d.finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    return d;
}

/// The least maxMultiviewViewCount that Vulkan allows.
constexpr uint32_t kMostViews = 6;

/// Checks the size of the drawn area, of which Vulkan guarantees only 4096 in each direction, and the number of
/// attachments.
Status check_area(const Frame& frame) {
    const auto& limits = frame.device.report().limits;
    const Job& job = frame.job;
    const struct {
        uint32_t used, limit;
        const char* name;
    } rows[] = {{job.width, limits.maxFramebufferWidth, "maxFramebufferWidth"},
                {job.height, limits.maxFramebufferHeight, "maxFramebufferHeight"},
                {job.viewport_width, limits.maxViewportDimensions[0], "maxViewportDimensions[0]"},
                {job.viewport_height, limits.maxViewportDimensions[1], "maxViewportDimensions[1]"},
                {job.layers, job.multiview ? kMostViews : limits.maxFramebufferLayers,
                 job.multiview ? "maxMultiviewViewCount" : "maxFramebufferLayers"},
                {static_cast<uint32_t>(job.more_viewports.size() + 1),
                 frame.device.report().features.multiViewport ? limits.maxViewports : 1, "maxViewports"}};
    if (job.multiview && !frame.device.report().features11.multiview) return fail(Failure::Missing, "multiview");
    for (const auto& row : rows)
        if (auto s = within(row.used, row.limit, row.name); !s) return s;
    return within(job.attachments.size(), std::min(limits.maxColorAttachments, limits.maxFragmentOutputAttachments),
                  "maxColorAttachments");
}

}  // namespace

/// The order of attachments is: colours, depth, input attachments, then the images that multisampled colours are
/// resolved to.
Status make_targets(Frame& frame) {
    if (auto s = check_area(frame); !s) return s;
    const Job& job = frame.job;
    const bool resolve = job.samples > 1;
    std::vector<VkAttachmentDescription> attachments;
    std::vector<VkImageView> views = resolve ? frame.multisampled_views : frame.attachment_views;
    auto add = [&](const VkAttachmentDescription& d, VkImageLayout layout) {
        attachments.push_back(d);
        return VkAttachmentReference{static_cast<uint32_t>(attachments.size() - 1), layout};
    };
    std::vector<VkAttachmentReference> references;
    for (const auto& a : job.attachments) {
        auto d = described(a.format, VK_ATTACHMENT_LOAD_OP_CLEAR, job.samples);
        if (resolve) d.finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
        references.push_back(add(d, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL));
    }
    VkAttachmentReference depth{};
    if (job.depth) {
        auto d = described(depth_format(*job.depth), VK_ATTACHMENT_LOAD_OP_CLEAR);
        if (job.depth->stencil) {
            d.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
            d.stencilStoreOp = VK_ATTACHMENT_STORE_OP_STORE;
        }
        depth = add(d, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
    }
    std::vector<VkAttachmentReference> inputs;
    for (const auto view : job.input_attachments) {
        if (view == kNoView) {
            inputs.push_back({VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_UNDEFINED});
            continue;
        }
        auto d = described(job.images[job.views[view].image].format, VK_ATTACHMENT_LOAD_OP_LOAD);
        d.initialLayout = d.finalLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
        inputs.push_back(add(d, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL));
        if (!frame.device.compiles_only()) views.push_back(frame.views[view]);
    }
    std::vector<VkAttachmentReference> resolves;
    if (resolve) {
        for (const auto& a : job.attachments)
            resolves.push_back(
                add(described(a.format, VK_ATTACHMENT_LOAD_OP_DONT_CARE), VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL));
        views.insert(views.end(), frame.attachment_views.begin(), frame.attachment_views.end());
    }
    VkSubpassDescription subpass{};
    subpass.inputAttachmentCount = static_cast<uint32_t>(inputs.size());
    subpass.pInputAttachments = inputs.data();
    subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
    subpass.colorAttachmentCount = static_cast<uint32_t>(references.size());
    subpass.pColorAttachments = references.data();
    if (resolve) subpass.pResolveAttachments = resolves.data();
    if (job.depth) subpass.pDepthStencilAttachment = &depth;
    VkSubpassDependency after{};
    after.srcSubpass = 0;
    after.dstSubpass = VK_SUBPASS_EXTERNAL;
    after.srcStageMask = VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT;
    after.dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT;
    after.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    after.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
    auto info = make<VkRenderPassCreateInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO);
    info.attachmentCount = static_cast<uint32_t>(attachments.size());
    info.pAttachments = attachments.data();
    info.subpassCount = 1;
    info.pSubpasses = &subpass;
    info.dependencyCount = 1;
    info.pDependencies = &after;
    const uint32_t view_mask = (1u << job.layers) - 1;
    auto views_of = make<VkRenderPassMultiviewCreateInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO);
    views_of.subpassCount = 1;
    views_of.pViewMasks = &view_mask;
    if (job.multiview) info.pNext = &views_of;
    const auto device = frame.device.handle();
    if (auto s = checked(vkCreateRenderPass(device, &info, nullptr, &frame.render_pass), "vkCreateRenderPass"); !s)
        return s;
    if (frame.device.compiles_only()) return {};
    auto fb = make<VkFramebufferCreateInfo>(VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO);
    fb.renderPass = frame.render_pass;
    fb.attachmentCount = static_cast<uint32_t>(views.size());
    fb.pAttachments = views.data();
    fb.width = job.width;
    fb.height = job.height;
    fb.layers = job.multiview ? 1 : job.layers;
    return checked(vkCreateFramebuffer(device, &fb, nullptr, &frame.framebuffer), "vkCreateFramebuffer");
}

namespace {

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
            return fail(Failure::Missing, fmt::format("vertex attributes of VkFormat {}", static_cast<int>(a.format)));
    }
    return {};
}

Status check_stores(const VkPhysicalDeviceFeatures& features, const Shader& shader, VkShaderStageFlagBits stage) {
    const bool fragment = stage == VK_SHADER_STAGE_FRAGMENT_BIT;
    if ((fragment ? features.fragmentStoresAndAtomics : features.vertexPipelineStoresAndAtomics) != VK_FALSE) return {};
    if (!may_store(shader.words)) return {};
    return fail(Failure::Missing, fragment ? "fragmentStoresAndAtomics" : "vertexPipelineStoresAndAtomics");
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
    const auto& job = frame.job;
    const auto& report = frame.device.report();
    const bool has_fragment = !job.fragment.words.empty();
    if (auto s = check_attributes(frame); !s) return s;
    // The stages under test come first, so that a missing feature is reported for them and not for a helper stage.
    const std::pair<const Shader*, VkShaderStageFlagBits> shaders[] = {
        {&job.geometry, VK_SHADER_STAGE_GEOMETRY_BIT},
        {&job.tess_control, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT},
        {&job.tess_eval, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT},
        {&job.fragment, VK_SHADER_STAGE_FRAGMENT_BIT},
        {&job.vertex, VK_SHADER_STAGE_VERTEX_BIT},
    };
    Specialization spec[std::size(shaders)];
    VkPipelineShaderStageCreateInfo stages[std::size(shaders)];
    uint32_t stage_count = 0;
    for (const auto& [shader, stage] : shaders) {
        if (shader->words.empty()) continue;
        if (auto s = check_stores(report.features, *shader, stage); !s) return s;
        if (auto s = make_stage(frame, *shader, stage, spec[stage_count], stages[stage_count]); !s) return s;
        ++stage_count;
    }

    std::vector<VkVertexInputBindingDescription> bindings;
    std::vector<VkVertexInputAttributeDescription> attributes;
    for (uint32_t i = 0; i < job.attributes.size(); i++) {
        bindings.push_back({i, job.attributes[i].stride, VK_VERTEX_INPUT_RATE_VERTEX});
        attributes.push_back({job.attributes[i].location, i, job.attributes[i].format, 0});
    }
    auto input = make<VkPipelineVertexInputStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO);
    input.vertexBindingDescriptionCount = static_cast<uint32_t>(bindings.size());
    input.pVertexBindingDescriptions = bindings.data();
    input.vertexAttributeDescriptionCount = static_cast<uint32_t>(attributes.size());
    input.pVertexAttributeDescriptions = attributes.data();
    auto assembly =
        make<VkPipelineInputAssemblyStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO);
    assembly.topology = job.topology;
    assembly.primitiveRestartEnable = job.primitive_restart;
    auto tessellation =
        make<VkPipelineTessellationStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO);
    tessellation.patchControlPoints = job.patch_control_points;
    // TES_VERTEX_ORDER_CW follows OpenGL, where v points up in the domain. VertexOrderCw and VertexOrderCcw are
    // "defined relative to the orientation of the domain" (VkTessellationDomainOrigin), whose default origin is the
    // upper left.
    auto origin = make<VkPipelineTessellationDomainOriginStateCreateInfo>(
        VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_DOMAIN_ORIGIN_STATE_CREATE_INFO);
    origin.domainOrigin = VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT;
    tessellation.pNext = &origin;
    std::vector<VkViewport> viewports{
        {0, 0, static_cast<float>(job.viewport_width), static_cast<float>(job.viewport_height), 0, 1}};
    viewports.insert(viewports.end(), job.more_viewports.begin(), job.more_viewports.end());
    const std::vector<VkRect2D> scissors(viewports.size(), {{0, 0}, {job.width, job.height}});
    auto view = make<VkPipelineViewportStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO);
    view.viewportCount = view.scissorCount = static_cast<uint32_t>(viewports.size());
    view.pViewports = viewports.data();
    view.pScissors = scissors.data();
    auto raster =
        make<VkPipelineRasterizationStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO);
    raster.rasterizerDiscardEnable = !has_fragment;
    raster.polygonMode = VK_POLYGON_MODE_FILL;
    raster.cullMode = VK_CULL_MODE_NONE;
    raster.frontFace = VK_FRONT_FACE_CLOCKWISE;  // what faces the viewer with y pointing down
    raster.lineWidth = 1;
    auto samples = make<VkPipelineMultisampleStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO);
    samples.rasterizationSamples = static_cast<VkSampleCountFlagBits>(job.samples);
    auto depth =
        make<VkPipelineDepthStencilStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO);
    if (job.depth) {
        depth.depthTestEnable = VK_TRUE;
        depth.depthWriteEnable = job.depth->write;
        depth.depthCompareOp = job.depth->compare;
        depth.stencilTestEnable = job.depth->stencil.has_value();
        depth.front = depth.back = {.failOp = VK_STENCIL_OP_KEEP,
                                    .passOp = VK_STENCIL_OP_REPLACE,
                                    .depthFailOp = VK_STENCIL_OP_KEEP,
                                    .compareOp = VK_COMPARE_OP_ALWAYS,
                                    .compareMask = 0xff,
                                    .writeMask = 0xff,
                                    .reference = 0};
    }
    std::vector<VkPipelineColorBlendAttachmentState> writes;
    for (const Attachment& a : job.attachments) {
        writes.push_back(a.blend.value_or(VkPipelineColorBlendAttachmentState{}));
        if (has_second_source(writes.back()) && !report.features.dualSrcBlend)
            return fail(Failure::Missing, "dualSrcBlend");
        writes.back().colorWriteMask =
            VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT | VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT;
    }
    auto blend = make<VkPipelineColorBlendStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO);
    blend.attachmentCount = static_cast<uint32_t>(writes.size());
    blend.pAttachments = writes.data();

    auto info = make<VkGraphicsPipelineCreateInfo>(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO);
    info.stageCount = stage_count;
    info.pStages = stages;
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
    if (job.topology == VK_PRIMITIVE_TOPOLOGY_PATCH_LIST) info.pTessellationState = &tessellation;
    info.pViewportState = &view;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &samples;
    if (job.depth) info.pDepthStencilState = &depth;
    info.pColorBlendState = &blend;
    info.layout = frame.pipeline_layout;
    info.renderPass = frame.render_pass;
    return checked(vkCreateGraphicsPipelines(frame.device.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &frame.pipeline),
                   "vkCreateGraphicsPipelines");
}

Status make_compute_pipeline(Frame& frame) {
    Specialization spec;
    auto info = make<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
    if (auto s = make_stage(frame, frame.job.compute, VK_SHADER_STAGE_COMPUTE_BIT, spec, info.stage); !s) return s;
    info.layout = frame.pipeline_layout;
    return checked(vkCreateComputePipelines(frame.device.handle(), VK_NULL_HANDLE, 1, &info, nullptr, &frame.pipeline),
                   "vkCreateComputePipelines");
}

}  // namespace tgsi2spv::vulkan
