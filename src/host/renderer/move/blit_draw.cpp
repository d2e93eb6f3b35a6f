#include "renderer/move/copy.h"
#include "renderer/record/program.h"
#include "renderer/state/convert.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

#include "harness_shaders/blit_clamped_int_frag.h"
#include "harness_shaders/blit_clamped_int_volume_frag.h"
#include "harness_shaders/blit_clamped_uint_frag.h"
#include "harness_shaders/blit_clamped_uint_volume_frag.h"
#include "harness_shaders/blit_depth_frag.h"
#include "harness_shaders/blit_depth_ms_frag.h"
#include "harness_shaders/blit_float_frag.h"
#include "harness_shaders/blit_float_ms_frag.h"
#include "harness_shaders/blit_int_frag.h"
#include "harness_shaders/blit_int_ms_frag.h"
#include "harness_shaders/blit_int_volume_frag.h"
#include "harness_shaders/blit_stencil_bits_frag.h"
#include "harness_shaders/blit_stencil_bits_ms_frag.h"
#include "harness_shaders/blit_stencil_frag.h"
#include "harness_shaders/blit_stencil_ms_frag.h"
#include "harness_shaders/blit_uint_frag.h"
#include "harness_shaders/blit_uint_ms_frag.h"
#include "harness_shaders/blit_uint_volume_frag.h"
#include "harness_shaders/blit_vert.h"
#include "harness_shaders/blit_volume_frag.h"
#include "harness_shaders/copy_ms_frag.h"
#include "renderer/record/host_recorder.h"
#include "renderer/record/pipeline.h"
#include "renderer/state/resource.h"
#include "renderer/state/sampler.h"

namespace tgsi2spv::host {
namespace {

/// In the order of words_of().
enum class Kind : uint8_t {
    Float,
    Volume,
    FloatSamples,
    Int,
    IntVolume,
    IntSamples,
    Uint,
    UintVolume,
    UintSamples,
    Depth,
    DepthSamples,
    Stencil,
    StencilSamples,
    EachSample,
    StencilBits,  ///< a draw for each bit, without VK_EXT_shader_stencil_export
    StencilBitsSamples,
    ClampedInt,  ///< of unsigned integers
    ClampedIntVolume,
    ClampedUint,  ///< of signed integers
    ClampedUintVolume,
};

std::span<const uint32_t> words_of(Kind kind) {
    const std::span<const uint32_t> words[] = {blit_float_frag,        blit_volume_frag,
                                               blit_float_ms_frag,     blit_int_frag,
                                               blit_int_volume_frag,   blit_int_ms_frag,
                                               blit_uint_frag,         blit_uint_volume_frag,
                                               blit_uint_ms_frag,      blit_depth_frag,
                                               blit_depth_ms_frag,     blit_stencil_frag,
                                               blit_stencil_ms_frag,   copy_ms_frag,
                                               blit_stencil_bits_frag, blit_stencil_bits_ms_frag,
                                               blit_clamped_int_frag,  blit_clamped_int_volume_frag,
                                               blit_clamped_uint_frag, blit_clamped_uint_volume_frag};
    return words[static_cast<size_t>(kind)];
}

constexpr VkShaderStageFlags kPushStages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
struct Push {
    float source[4];
    float slice;
    int32_t samples;   ///< number of samples, or of the sample
    uint32_t bit = 0;  ///< the one of a stencil that is drawn; 0: all texels
};

/// One aspect of a blit: its source view and its attachment.
struct Pass {
    Kind kind;
    VkImageAspectFlags aspect;
    VkFormat format;  ///< format of the attachment
    uint32_t samples;
    uint32_t mask;  ///< colour components
    bool blend;
    uint32_t sample = 0;  ///< sample of kinds that keep samples apart
};

bool keeps_samples(Kind kind) {
    return kind == Kind::IntSamples || kind == Kind::UintSamples || kind == Kind::DepthSamples ||
           kind == Kind::StencilSamples || kind == Kind::EachSample || kind == Kind::StencilBitsSamples;
}

bool is_by_bits(Kind kind) {
    return kind == Kind::StencilBits || kind == Kind::StencilBitsSamples;
}

/// Null: memory is short.
std::shared_ptr<LinkedProgram> program_of_blits(HostRecorder& host) {
    if (host.blits != nullptr) return host.blits;
    auto program = std::make_shared<LinkedProgram>(host.device->handle(), host.budget);
    program->name = "a blit";
    program->modules.push_back({virgl::Stage::Frag, VK_SHADER_STAGE_FRAGMENT_BIT});
    program->descriptors[0].push_back({.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, .stage = virgl::Stage::Frag});
    if (make_layouts(host, *program, {kPushStages, 0, sizeof(Push)})) return nullptr;
    return host.blits = std::move(program);
}

VkPipelineDepthStencilStateCreateInfo depth_stencil_of(const Pass& pass) {
    const bool depth = pass.aspect == VK_IMAGE_ASPECT_DEPTH_BIT;
    const VkStencilOpState replace{
        VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_REPLACE, VK_COMPARE_OP_ALWAYS, 0xff, 0xff, 0};
    return {.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
            .depthTestEnable = depth,
            .depthWriteEnable = depth,
            .depthCompareOp = VK_COMPARE_OP_ALWAYS,
            .stencilTestEnable = pass.aspect == VK_IMAGE_ASPECT_STENCIL_BIT,
            .front = replace,
            .back = replace};
}

VkPipelineColorBlendAttachmentState blend_of(const Pass& pass) {
    return {pass.blend ? VK_TRUE : VK_FALSE,
            VK_BLEND_FACTOR_SRC_ALPHA,
            VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
            VK_BLEND_OP_ADD,
            VK_BLEND_FACTOR_SRC_ALPHA,
            VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
            VK_BLEND_OP_ADD,
            pass.mask};
}

VkResult make_pipeline(HostRecorder& host, const LinkedProgram& program, const Pass& pass, VkPipeline& pipeline) {
    const VkShaderModule vertex = make_module(*host.device, blit_vert),
                         fragment = make_module(*host.device, words_of(pass.kind));
    const VkPipelineShaderStageCreateInfo stages[] = {{.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                       .stage = VK_SHADER_STAGE_VERTEX_BIT,
                                                       .module = vertex,
                                                       .pName = "main"},
                                                      {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                       .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
                                                       .module = fragment,
                                                       .pName = "main"}};
    const bool color = pass.aspect == VK_IMAGE_ASPECT_COLOR_BIT;
    VkPipelineVertexInputStateCreateInfo input{.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP};
    VkPipelineViewportStateCreateInfo viewport{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1, .scissorCount = 1};
    VkPipelineRasterizationStateCreateInfo rasterization{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    const VkSampleMask samples = keeps_samples(pass.kind) ? 1U << pass.sample : ~0U;
    VkPipelineMultisampleStateCreateInfo multisample{
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = static_cast<VkSampleCountFlagBits>(pass.samples),
        .pSampleMask = &samples};
    const VkPipelineDepthStencilStateCreateInfo depth_stencil = depth_stencil_of(pass);
    const VkPipelineColorBlendAttachmentState over = blend_of(pass);
    VkPipelineColorBlendStateCreateInfo blend{.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                              .attachmentCount = color ? 1U : 0U,
                                              .pAttachments = &over};
    const VkDynamicState states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR,
                                     VK_DYNAMIC_STATE_STENCIL_WRITE_MASK, VK_DYNAMIC_STATE_STENCIL_REFERENCE};
    VkPipelineDynamicStateCreateInfo dynamic{.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                                             .dynamicStateCount = is_by_bits(pass.kind) ? 4U : 2U,
                                             .pDynamicStates = states};
    VkGraphicsPipelineCreateInfo info{.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                      .stageCount = 2,
                                      .pStages = stages,
                                      .pVertexInputState = &input,
                                      .pInputAssemblyState = &assembly,
                                      .pViewportState = &viewport,
                                      .pRasterizationState = &rasterization,
                                      .pMultisampleState = &multisample,
                                      .pDepthStencilState = &depth_stencil,
                                      .pColorBlendState = &blend,
                                      .pDynamicState = &dynamic,
                                      .layout = program.layout};
    vk::Targets targets{.color_count = color ? 1U : 0U, .samples = pass.samples};
    (color ? targets.colors[0] : targets.depth_stencil) = pass.format;
    const vk::PipelineTargets described(host.stream.passes(), targets, info);
    VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
    if (described.complete && vertex != VK_NULL_HANDLE && fragment != VK_NULL_HANDLE)
        result = vkCreateGraphicsPipelines(program.device, host.pipeline_cache.use(), 1, &info, nullptr, &pipeline);
    vkDestroyShaderModule(program.device, vertex, nullptr);
    vkDestroyShaderModule(program.device, fragment, nullptr);
    return result;
}

std::shared_ptr<const Pipeline> find_pipeline(HostRecorder& host, LinkedProgram& program, const Pass& pass) {
    const std::vector<uint32_t> key{static_cast<uint32_t>(pass.kind), static_cast<uint32_t>(pass.format),
                                    pass.samples | pass.sample << 8, pass.mask | (pass.blend ? 16U : 0U), pass.aspect};
    const auto make = [&](VkPipeline& pipeline) { return make_pipeline(host, program, pass, pipeline); };
    return find_pipeline(host, program, key, std::ref(make));
}

bool is_volume(const Resource& resource) {
    return resource.image->info().type == VK_IMAGE_TYPE_3D;
}

Kind color_kind(const FormatInfo& format, const FormatInfo& to, const Resource& dst, const Resource& src) {
    const bool samples = src.image->info().samples != VK_SAMPLE_COUNT_1_BIT;
    const bool volume = is_volume(src);
    if (format.has(kUint) && to.has(kSint)) return volume ? Kind::ClampedIntVolume : Kind::ClampedInt;
    if (format.has(kSint) && to.has(kUint)) return volume ? Kind::ClampedUintVolume : Kind::ClampedUint;
    if (format.has(kUint)) return samples ? Kind::UintSamples : volume ? Kind::UintVolume : Kind::Uint;
    if (format.has(kSint)) return samples ? Kind::IntSamples : volume ? Kind::IntVolume : Kind::Int;
    if (volume) return Kind::Volume;
    if (!samples) return Kind::Float;
    return src.image->info().samples == dst.image->info().samples ? Kind::EachSample : Kind::FloatSamples;
}

/// The format in which a pass reads the source.
VkFormat source_format(const HostState& host, const virgl::Blit& blit, const Resource& src, const Pass& pass) {
    return pass.aspect == VK_IMAGE_ASPECT_COLOR_BIT ? format_info(blit.src.format, host.depth24)->vulkan
                                                    : src.image->info().format;
}

VkImageView source_view(HostState& host, const virgl::Blit& blit, const Resource& src, const Pass& pass) {
    const FormatInfo& format = *format_info(blit.src.format, host.depth24);
    const bool color = pass.aspect == VK_IMAGE_ASPECT_COLOR_BIT;
    using S = virgl::Swizzle;
    constexpr std::array kIdentity = {S::X, S::Y, S::Z, S::W}, kAlpha = {S::W, S::W, S::W, S::W};
    const bool to_alpha = color && is_alpha_only(*format_info(blit.dst.format, host.depth24));
    const auto view = host.stream.view(
        src.image, {.type = is_volume(src) ? VK_IMAGE_VIEW_TYPE_3D : VK_IMAGE_VIEW_TYPE_2D_ARRAY,
                    .format = source_format(host, blit, src, pass),
                    .aspects = pass.aspect,
                    .first_level = blit.src.level,
                    .levels = 1,
                    .first_layer = 0,
                    .layers = is_volume(src) ? 1 : src.layers(),
                    .swizzle = color ? to_vulkan(compose(format, to_alpha ? kAlpha : kIdentity)) : VkComponentMapping{},
                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT});
    return view.value_or(VK_NULL_HANDLE);
}

vk::Scope scope_of(HostState& host, const virgl::Blit& blit, const Resource& dst, const Pass& pass, uint32_t layer) {
    const bool color = pass.aspect == VK_IMAGE_ASPECT_COLOR_BIT;
    const VkExtent3D extent = dst.extent(blit.dst.level);
    const bool line = dst.image->info().type == VK_IMAGE_TYPE_1D;
    const auto view = host.stream.view(dst.image, {.type = line ? VK_IMAGE_VIEW_TYPE_1D : VK_IMAGE_VIEW_TYPE_2D,
                                                   .format = pass.format,
                                                   .aspects = color ? pass.aspect : dst.image->aspects(),
                                                   .first_level = blit.dst.level,
                                                   .first_layer = layer,
                                                   .usage = color ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
                                                                  : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT});
    vk::Attachment attachment{.view = view.value_or(VK_NULL_HANDLE), .format = pass.format, .image = dst.image};
    vk::Scope scope{.area = {{0, 0}, {extent.width, extent.height}}};
    if (color) {
        scope.colors.push_back(std::move(attachment));
    } else {
        if ((dst.image->aspects() & VK_IMAGE_ASPECT_DEPTH_BIT) != 0) scope.depth = attachment;
        if ((dst.image->aspects() & VK_IMAGE_ASPECT_STENCIL_BIT) != 0) scope.stencil = attachment;
    }
    return scope;
}

/// The pixels [first, second) of the destination whose centres show the source's texels [0, whole).
std::pair<int32_t, int32_t> shown(int32_t dst, int32_t dst_size, int32_t src, int32_t src_size, uint32_t whole) {
    const auto at = [&](double texel) { return dst + (texel - src) * dst_size / src_size; };
    // Scaled boxes reach beyond all images, and beyond 32 bits.
    const auto pixel = [](double end) { return static_cast<int32_t>(std::ceil(std::clamp(end, -1e6, 1e6) - 0.5)); };
    const double a = at(0), b = at(whole);
    return {pixel(std::min(a, b)), pixel(std::max(a, b))};
}

/// The destination's rectangle, and its part inside the images and the scissor.
std::pair<VkViewport, VkRect2D> target_of(const virgl::Blit& blit, const Resource& dst, const Resource& src) {
    const int32_t left = std::min(blit.dst.x, blit.dst.x + blit.dst.width),
                  top = std::min(blit.dst.y, blit.dst.y + blit.dst.height);
    const int32_t right = std::max(blit.dst.x, blit.dst.x + blit.dst.width),
                  bottom = std::max(blit.dst.y, blit.dst.y + blit.dst.height);
    const VkViewport viewport{static_cast<float>(left),
                              static_cast<float>(top),
                              static_cast<float>(int64_t{right} - left),
                              static_cast<float>(int64_t{bottom} - top),
                              0,
                              1};
    const VkExtent3D extent = dst.extent(blit.dst.level), from = src.extent(blit.src.level);
    const auto columns = shown(blit.dst.x, blit.dst.width, blit.src.x, blit.src.width, from.width);
    const auto rows = shown(blit.dst.y, blit.dst.height, blit.src.y, blit.src.height, from.height);
    int32_t x = std::max({left, columns.first, 0}), y = std::max({top, rows.first, 0});
    int32_t x1 = std::min({right, columns.second, static_cast<int32_t>(extent.width)});
    int32_t y1 = std::min({bottom, rows.second, static_cast<int32_t>(extent.height)});
    if (blit.scissor_enable) {
        x = std::max<int32_t>(x, blit.scissor.min_x);
        y = std::max<int32_t>(y, blit.scissor.min_y);
        x1 = std::min<int32_t>(x1, blit.scissor.max_x);
        y1 = std::min<int32_t>(y1, blit.scissor.max_y);
    }
    const auto width = static_cast<uint32_t>(std::max(x1 - x, 0)), height = static_cast<uint32_t>(std::max(y1 - y, 0));
    return {viewport, {{x, y}, {width, height}}};
}

/// The source's rectangle in the direction of the destination, which the viewport has from left to right.
Push push_of(const virgl::Blit& blit, uint32_t samples) {
    auto x0 = static_cast<float>(blit.src.x), x1 = static_cast<float>(blit.src.x + blit.src.width);
    auto y0 = static_cast<float>(blit.src.y), y1 = static_cast<float>(blit.src.y + blit.src.height);
    if (blit.dst.width < 0) std::swap(x0, x1);
    if (blit.dst.height < 0) std::swap(y0, y1);
    return {{x0, y0, x1, y1}, 0, static_cast<int32_t>(samples)};
}

/// Whether the device has viewports so large.
bool permits(const VkPhysicalDeviceLimits& limits, const VkViewport& v) {
    const float *most = limits.viewportBoundsRange, right = v.x + v.width, bottom = v.y + v.height;
    return v.width <= static_cast<float>(limits.maxViewportDimensions[0]) &&
           v.height <= static_cast<float>(limits.maxViewportDimensions[1]) && std::min(v.x, v.y) >= most[0] &&
           std::max(right, bottom) <= most[1];
}

/// Cuts the viewport to the part that is drawn, and the source's rectangle to what is shown there.
void cut(const virgl::Blit& blit, const VkRect2D& part, VkViewport& viewport, float* source) {
    const auto at = [](int32_t dst, int32_t dst_size, int32_t src, int32_t src_size, double pixel) {
        return static_cast<float>(src + (pixel - dst) * src_size / dst_size);
    };
    const double x = part.offset.x, y = part.offset.y, x1 = x + part.extent.width, y1 = y + part.extent.height;
    // One pixel alone may show the middle of more texels than a float has.
    const double in_x = part.extent.width == 1 ? 0.5 : 0, in_y = part.extent.height == 1 ? 0.5 : 0;
    source[0] = at(blit.dst.x, blit.dst.width, blit.src.x, blit.src.width, x + in_x);
    source[1] = at(blit.dst.y, blit.dst.height, blit.src.y, blit.src.height, y + in_y);
    source[2] = at(blit.dst.x, blit.dst.width, blit.src.x, blit.src.width, x1 - in_x);
    source[3] = at(blit.dst.y, blit.dst.height, blit.src.y, blit.src.height, y1 - in_y);
    viewport = {
        static_cast<float>(x), static_cast<float>(y), static_cast<float>(x1 - x), static_cast<float>(y1 - y), 0, 1};
}

/// Whether the device can draw the pass to the destination.
bool can_draw_to(const HostState& host, const Resource& dst, const Pass& pass) {
    const bool color = pass.aspect == VK_IMAGE_ASPECT_COLOR_BIT;
    const VkFormatFeatureFlags features = host.device->format(pass.format).optimalTilingFeatures;
    VkFormatFeatureFlags needed =
        color ? VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT : VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT;
    if (pass.blend) needed |= VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT;
    const VkImageUsageFlags usage =
        color ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    return (features & needed) == needed && (dst.image->info().usage & usage) != 0 && has_target_views(*dst.image);
}

/// The draws of one layer. A stencil by bits: one for zeros everywhere, and one for each bit.
void record_draws(VkCommandBuffer commands, VkPipelineLayout layout, Kind kind, Push push) {
    const auto draw = [&] {
        vkCmdPushConstants(commands, layout, kPushStages, 0, sizeof push, &push);
        vkCmdDraw(commands, 4, 1, 0, 0);
    };
    if (!is_by_bits(kind)) return draw();
    for (const uint32_t bit : {0x00U, 0x01U, 0x02U, 0x04U, 0x08U, 0x10U, 0x20U, 0x40U, 0x80U}) {
        push.bit = bit;
        vkCmdSetStencilWriteMask(commands, VK_STENCIL_FACE_FRONT_AND_BACK, bit == 0 ? 0xff : bit);
        vkCmdSetStencilReference(commands, VK_STENCIL_FACE_FRONT_AND_BACK, bit);
        draw();
    }
}

/// A descriptor set with the source. Null: memory is short.
VkDescriptorSet set_of_source(HostRecorder& host, const LinkedProgram& program, const virgl::Blit& blit,
                              const Resource& src, const Pass& pass) {
    const VkDescriptorSet set = host.stream.descriptor_set(program.set_layouts[0], 1);
    virgl::CreateSamplerState sampler{};
    sampler.wrap_s = sampler.wrap_t = sampler.wrap_r = virgl::Wrap::ClampToEdge;
    sampler.mip_filter = virgl::MipFilter::None;
    sampler.min_filter = sampler.mag_filter = blit.filter;
    const bool filtered = filters(host, source_format(host, blit, src, pass));
    const VkDescriptorImageInfo image{find_sampler(host, sampler, {.filters = filtered}),
                                      source_view(host, blit, src, pass), VK_IMAGE_LAYOUT_GENERAL};
    if (set == VK_NULL_HANDLE || image.sampler == VK_NULL_HANDLE || image.imageView == VK_NULL_HANDLE)
        return VK_NULL_HANDLE;
    const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                     .dstSet = set,
                                     .descriptorCount = 1,
                                     .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                     .pImageInfo = &image};
    vkUpdateDescriptorSets(host.device->handle(), 1, &write, 0, nullptr);
    return set;
}

/// Where a pass draws, in each layer.
struct Place {
    VkViewport viewport{};
    VkRect2D scissor{};
};

Problem draw_layer(HostRecorder& host, const virgl::Blit& blit, const Resource& dst, const Resource& src,
                   const Pass& pass, const Place& place, uint32_t layer, const Push& push) {
    const auto program = program_of_blits(host);
    const auto pipeline = program == nullptr ? nullptr : find_pipeline(host, *program, pass);
    if (pipeline == nullptr) return Problem::NoMemory;
    if (pipeline->handle == VK_NULL_HANDLE) return Problem::None;
    const VkDescriptorSet set = set_of_source(host, *program, blit, src, pass);
    if (set == VK_NULL_HANDLE) return Problem::NoMemory;
    host.recorded = {};  // this pipeline and its static state come in place of what was recorded
    host.stream.end_scope();
    host.stream.order({vk::reads(src.image), vk::writes(dst.image)});
    const vk::Scope scope = scope_of(host, blit, dst, pass, layer);
    if (scope.colors.empty() ? (scope.depth.view == VK_NULL_HANDLE && scope.stencil.view == VK_NULL_HANDLE)
                             : scope.colors[0].view == VK_NULL_HANDLE)
        return Problem::NoMemory;
    if (!host.stream.begin_scope(scope)) return Problem::NoMemory;
    const VkCommandBuffer commands = host.stream.commands_in_scope();
    bind_pipeline(host, VK_PIPELINE_BIND_POINT_GRAPHICS, program, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, program->layout, 0, 1, &set, 0, nullptr);
    vkCmdSetViewport(commands, 0, 1, &place.viewport);
    vkCmdSetScissor(commands, 0, 1, &place.scissor);
    record_draws(commands, program->layout, pass.kind, push);
    host.stream.end_scope();
    return Problem::None;
}

Problem run(HostRecorder& host, const virgl::Blit& blit, const Resource& dst, const Resource& src, const Pass& pass) {
    if (!can_draw_to(host, dst, pass)) return Problem::Unsupported;
    auto [viewport, scissor] = target_of(blit, dst, src);
    if (scissor.extent.width == 0 || scissor.extent.height == 0) return Problem::None;
    const uint32_t samples = src.image->info().samples;
    Push push = push_of(blit, keeps_samples(pass.kind) ? std::min(pass.sample, samples - 1) : samples);
    // Nor has a float all texels of larger rectangles.
    const bool is_large = std::ranges::any_of(push.source, [](float end) { return std::abs(end) > 32768; });
    if (is_large || !permits(host.device->report().limits, viewport)) cut(blit, scissor, viewport, push.source);
    const Place place{viewport, scissor};
    const auto layers = static_cast<uint32_t>(std::abs(blit.dst.depth));
    const auto slices = static_cast<float>(std::abs(blit.src.depth));
    const auto first = static_cast<float>(std::min(blit.src.z, blit.src.z + blit.src.depth));
    const auto bottom = static_cast<uint32_t>(std::min(blit.dst.z, blit.dst.z + blit.dst.depth));
    const bool reversed = (blit.src.depth < 0) != (blit.dst.depth < 0);
    for (uint32_t i = 0; i < layers; i++) {
        const uint32_t layer = bottom + (reversed ? layers - 1 - i : i);
        // The middle of the slices that this layer shows.
        push.slice = first + (static_cast<float>(i) + 0.5F) * slices / static_cast<float>(layers) - 0.5F;
        if (!is_volume(src)) push.slice = std::max(push.slice, 0.0F);
        const auto draw = [&] { return draw_layer(host, blit, dst, src, pass, place, layer, push); };
        if (const Problem p = or_reclaim(host, draw)) return p;
    }
    return Problem::None;
}

/// One sample after the other, where they stay apart: an invocation for each would take sampleRateShading.
Problem run_samples(HostRecorder& host, const virgl::Blit& blit, const Resource& dst, const Resource& src, Pass pass) {
    const uint32_t passes = keeps_samples(pass.kind) ? pass.samples : 1;
    for (; pass.sample < passes; pass.sample++)
        if (const Problem p = run(host, blit, dst, src, pass)) return p;
    return Problem::None;
}

}  // namespace

Problem blit_by_drawing(HostRecorder& host, const virgl::Blit& blit, const Resource& dst, const Resource& src) {
    if (src.image->info().type == VK_IMAGE_TYPE_1D) return Problem::Unsupported;
    const FormatInfo& from = *format_info(blit.src.format, host.depth24);
    const FormatInfo& to = *format_info(blit.dst.format, host.depth24);
    const uint32_t samples = dst.image->info().samples;
    const bool ms = src.image->info().samples != VK_SAMPLE_COUNT_1_BIT;
    if ((blit.mask & virgl::kBlitColor) != 0 && (src.image->aspects() & VK_IMAGE_ASPECT_COLOR_BIT) != 0) {
        if (from.has(kUint | kSint) != to.has(kUint | kSint)) return Problem::Incompatible;
        // glCopyTexImage of OpenGL, not of OpenGL ES, and not of several samples.
        if (from.has(kUint) != to.has(kUint) && ms) return Problem::Unsupported;
        const uint32_t mask = write_mask(to, blit.mask & virgl::kBlitColor);
        return run_samples(
            host, blit, dst, src,
            {color_kind(from, to, dst, src), VK_IMAGE_ASPECT_COLOR_BIT, to.vulkan, samples, mask, blit.alpha_blend});
    }
    const VkImageAspectFlags both = src.image->aspects() & dst.image->aspects();
    const VkFormat format = dst.image->info().format;
    if ((blit.mask & virgl::kBlitDepth) != 0 && (both & VK_IMAGE_ASPECT_DEPTH_BIT) != 0)
        if (const Problem p = run_samples(
                host, blit, dst, src,
                {ms ? Kind::DepthSamples : Kind::Depth, VK_IMAGE_ASPECT_DEPTH_BIT, format, samples, 0, false}))
            return p;
    if ((blit.mask & virgl::kBlitStencil) != 0 && (both & VK_IMAGE_ASPECT_STENCIL_BIT) != 0) {
        const bool whole = host.device->report().stencil_export;
        const Kind kind =
            whole ? (ms ? Kind::StencilSamples : Kind::Stencil) : (ms ? Kind::StencilBitsSamples : Kind::StencilBits);
        return run_samples(host, blit, dst, src, {kind, VK_IMAGE_ASPECT_STENCIL_BIT, format, samples, 0, false});
    }
    return Problem::None;
}

}  // namespace tgsi2spv::host
