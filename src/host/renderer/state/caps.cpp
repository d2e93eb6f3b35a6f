#include "renderer/state/caps.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>

namespace tgsi2spv::host {
namespace {

using virgl::CapsV1;
using virgl::CapsV2;

// The version of the protocol's features: 22 makes guests believe everything below, without protocol 3.
constexpr uint32_t kFeatureVersion = 22;

// Places of samples in sixteenths of a pixel, x in the high and y in the low half of a byte, the first sample in the
// lowest one: of 2, 4, 8 and 16 samples (Vulkan, "Standard sample locations").
constexpr std::array<uint32_t, 8> kSampleLocations{0x0000'44cc, 0xae2a'e662, 0x53d9'7b95, 0xf1bf'173d,
                                                   0xc75a'7599, 0xb3db'ad36, 0x2c42'816e, 0x10ef'f408};

/// Sample counts of which every target has one; guests know at most 16.
VkSampleCountFlags samples_of(const DeviceOffers& offers) {
    const VkPhysicalDeviceLimits& l = offers.report.limits;
    return l.framebufferColorSampleCounts & l.framebufferDepthSampleCounts & l.framebufferStencilSampleCounts & 0x1f;
}

uint32_t most_of(VkSampleCountFlags samples) {
    return samples != 0 ? std::bit_floor(samples) : 1;
}

/// An image has the next higher count that the device offers; a guest sees its first samples.
std::array<uint32_t, 8> sample_locations(VkSampleCountFlags offered) {
    std::array<uint32_t, 8> locations{};
    for (uint32_t count = 2; count <= 16; count *= 2) {
        uint32_t real = count;
        while (real < 16 && (offered & real) == 0) real *= 2;
        std::memcpy(&locations[count / 4], &kSampleLocations[real / 4], count);
    }
    return locations;
}

/// Formats of 8 bits a component, for display.
bool is_shown(VkFormat format) {
    return format == VK_FORMAT_B8G8R8A8_UNORM || format == VK_FORMAT_R8G8B8A8_UNORM ||
           format == VK_FORMAT_B8G8R8A8_SRGB || format == VK_FORMAT_R8G8B8A8_SRGB;
}

void add_format(const FormatInfo& format, const FormatOffer& offer, CapsV2& caps) {
    // Guests know which formats vertex buffers may have, except for this one.
    if (format.vulkan == VK_FORMAT_B10G11R11_UFLOAT_PACK32 && (offer.buffer & VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT) != 0)
        set(caps.v1.vertex_buffer, format.number);
    if (format.has(kVertexOnly)) return;
    if (format.has(kBufferOnly)) {
        if ((offer.buffer & VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT) != 0) set(caps.v1.sampler, format.number);
        return;
    }
    if ((offer.image & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) != 0) set(caps.v1.sampler, format.number);
    // OpenGL 3.0 needs targets of 32-bit floats, which some devices do not blend (V3D).
    const bool is_float32 =
        format.vulkan >= VK_FORMAT_R32_UINT && format.vulkan <= VK_FORMAT_R32G32B32A32_SFLOAT && format.has(kFloat);
    const bool blends =
        (offer.image & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT) != 0 || format.has(kUint | kSint) || is_float32;
    const bool target = !format.has(kSampleOnly | kDepthStencil) && blends &&
                        (offer.image & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT) != 0;
    if (target) set(caps.v1.render, format.number);
    const bool depth = format.has(kDepthStencil) && !format.has(kViewOnly) &&
                       (offer.image & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT) != 0;
    if (depth) set(caps.v1.depth_stencil, format.number);
    if ((target || depth) && (offer.samples & caps.v1.max_samples) != 0 && caps.v1.max_samples > 1)
        set(caps.supported_multisample_formats, format.number);
    if (target && format.conversion == Conversion::None && is_shown(format.vulkan)) set(caps.scanout, format.number);
}

uint32_t flags_of(const DeviceOffers& offers, VkSampleCountFlags samples) {
    const VkPhysicalDeviceFeatures& f = offers.report.features;
    const VkPhysicalDeviceLimits& l = offers.report.limits;
    uint32_t flags = virgl::kCapStartInstance | virgl::kCapPrimitiveRestart | virgl::kCapBlendEqSep |
                     virgl::kCapInstanceId | virgl::kCapSeamlessCubeMap | virgl::kCapUbo | virgl::kCapPolyStipple |
                     virgl::kCapTextureQueryLod | virgl::kCapFragmentCoordConventions | virgl::kCapConditionalRender |
                     virgl::kCapConditionalRenderInverted | virgl::kCapOcclusionQuery | virgl::kCapHasIndirectDraw |
                     virgl::kCapDerivativeControl | virgl::kCapStreamoutPauseResume |
                     virgl::kCapTransformFeedbackOverflowQuery | virgl::kCapHasTessellationShaders |
                     virgl::kCapHasFp64 | virgl::kCapVertexElementInstanceDivisor;
    const auto add = [&](bool offered, uint32_t flag) { flags |= offered ? flag : 0; };
    add(f.independentBlend != 0, virgl::kCapIndepBlendEnable | virgl::kCapIndepBlendFunc);
    add(offers.extras.non_seamless.nonSeamlessCubeMap != 0, virgl::kCapSeamlessCubeMapPerTexture);
    add(can_clamp_depth(f), virgl::kCapDepthClipDisable);
    add(f.depthBiasClamp != 0, virgl::kCapPolygonOffsetClamp);
    add(offers.report.features12.samplerMirrorClampToEdge != 0, virgl::kCapMirrorClamp);
    add(l.timestampComputeAndGraphics != 0, virgl::kCapTimerQuery);
    add(most_of(samples) > 1 && (l.sampledImageColorSampleCounts & ~VK_SAMPLE_COUNT_1_BIT) != 0,
        virgl::kCapTextureMultisample);
    add(f.imageCubeArray != 0, virgl::kCapCubeMapArray);
    add(offers.report.stencil_export, virgl::kCapShaderStencilExport);
    add(f.sampleRateShading != 0, virgl::kCapHasSampleShading);
    add(f.shaderCullDistance != 0, virgl::kCapHasCull);
    return flags;
}

/// The largest version whose shaders the device runs. From 4.00 on, guests have GL_ARB_gpu_shader5, which interpolates
/// at samples; for what else OpenGL 4.0 needs, they look at other capabilities.
uint32_t glsl_level(const DeviceOffers& offers) {
    return offers.report.features.sampleRateShading != 0 ? 460 : 330;
}

/// Points, lines, line strips, triangles, strips, fans, and the primitives of the stages; the guest converts the rest.
uint32_t primitives_of(const DeviceOffers& offers) {
    uint32_t mask = 0;
    using enum virgl::Primitive;
    const auto add = [&](virgl::Primitive p) { mask |= 1U << static_cast<uint32_t>(p); };
    for (const auto p : {Points, Lines, LineStrip, Triangles, TriangleStrip, LinesAdjacency, LineStripAdjacency,
                         TrianglesAdjacency, TriangleStripAdjacency, Patches})
        add(p);
    if (offers.extras.portability.triangleFans != 0) add(TriangleFan);
    return mask;
}

void set_v1_limits(const DeviceOffers& offers, VkSampleCountFlags samples, CapsV1& caps) {
    const VkPhysicalDeviceLimits& l = offers.report.limits;
    caps.glsl_level = glsl_level(offers);
    caps.max_texture_array_layers = l.maxImageArrayLayers;
    caps.max_streamout_buffers =
        offers.report.transform_feedback
            ? std::min(offers.report.max_transform_feedback_buffers, virgl::kMaxStreamoutTargets)
            : virgl::kMaxStreamoutTargets;
    // Programs rely on 1, for any maxFragmentDualSrcAttachments.
    caps.max_dual_source_render_targets = 1;
    caps.max_render_targets = std::min(l.maxColorAttachments, virgl::kMaxColorBuffers);
    caps.max_samples = most_of(samples);
    caps.prim_mask = primitives_of(offers);
    caps.max_tbo_size = l.maxTexelBufferElements;
    // OpenGL 4.3 requires 15 in all, which is lavapipe's limit: none is reserved for the library's state buffer.
    caps.max_uniform_blocks = std::min(l.maxPerStageDescriptorUniformBuffers, kStateBuffer);
    caps.max_viewports = seen_viewports(offers.report);
    caps.max_texture_gather_components = 4;
}

void set_rasterizer_limits(const DeviceOffers& offers, VkSampleCountFlags samples, CapsV2& caps) {
    const VkPhysicalDeviceLimits& l = offers.report.limits;
    // Vulkan's minima are at most 1, and may be 0, which is not a valid size in OpenGL.
    caps.min_aliased_point_size = caps.min_smooth_point_size = 1;
    caps.min_aliased_line_width = caps.min_smooth_line_width = 1;
    caps.max_aliased_point_size = caps.max_smooth_point_size = l.pointSizeRange[1];  // smooth ones are not smooth
    const bool wide = offers.report.features.wideLines != 0;
    caps.max_aliased_line_width = caps.max_smooth_line_width = wide ? l.lineWidthRange[1] : 1;
    caps.sample_locations = sample_locations(samples);
}

void set_texture_limits(const DeviceOffers& offers, CapsV2& caps) {
    const VkPhysicalDeviceLimits& l = offers.report.limits;
    caps.max_texture_lod_bias = offers.extras.portability.samplerMipLodBias != 0 ? l.maxSamplerLodBias : 0;
    caps.min_texel_offset = l.minTexelOffset;
    caps.max_texel_offset = static_cast<int32_t>(l.maxTexelOffset);
    caps.min_texture_gather_offset = l.minTexelGatherOffset;
    caps.max_texture_gather_offset = static_cast<int32_t>(l.maxTexelGatherOffset);
    caps.max_texture_2d_size = l.maxImageDimension2D;
    caps.max_texture_3d_size = std::min(l.maxImageDimension3D, 2048U);
    caps.max_texture_cube_size = std::min(l.maxImageDimensionCube, l.maxImageDimension2D);
    caps.max_anisotropy = is_anisotropic(offers.report) ? std::min(l.maxSamplerAnisotropy, 16.0F) : 1;
    caps.max_texture_samplers = std::min(l.maxPerStageDescriptorSamplers, virgl::kMaxSamplerStates);
}

void set_buffer_limits(const DeviceOffers& offers, CapsV2& caps) {
    const VkPhysicalDeviceLimits& l = offers.report.limits;
    caps.texture_buffer_offset_alignment = static_cast<uint32_t>(l.minTexelBufferOffsetAlignment);
    caps.uniform_buffer_offset_alignment = static_cast<uint32_t>(l.minUniformBufferOffsetAlignment);
    caps.shader_buffer_offset_alignment = static_cast<uint32_t>(l.minStorageBufferOffsetAlignment);
    caps.max_vertex_attrib_stride = std::min(l.maxVertexInputBindingStride, 2048U);
    const uint32_t bytes = std::min(l.maxUniformBufferRange, 65536U);
    caps.max_uniform_block_size = bytes;
    // An entry for each stage: VERT, FRAG, GEOM, TESS_CTRL, TESS_EVAL, COMP. Mesa adds constants of its own.
    caps.max_const_buffer_size.fill(bytes - 1024);
}

void set_stage_limits(const DeviceOffers& offers, CapsV2& caps) {
    const VkPhysicalDeviceLimits& l = offers.report.limits;
    const VkPhysicalDeviceFeatures& f = offers.report.features;
    // Guests have no number of FRAG's inputs, of which POSITION is none: programs fit their varyings into VERT's
    // outputs.
    caps.max_vertex_outputs = std::min({l.maxVertexOutputComponents / 4, l.maxFragmentInputComponents / 4 + 1, 32U});
    caps.max_vertex_attribs =
        std::min({l.maxVertexInputAttributes, l.maxVertexInputBindings, virgl::kMaxVertexElements});
    // Emulated stages have what most devices have; a last draw has TESS_EVAL's outputs as VERT's.
    const bool geometry = f.geometryShader != 0, tessellation = f.tessellationShader != 0;
    caps.max_geom_output_vertices = geometry ? l.maxGeometryOutputVertices : 256;
    caps.max_geom_total_output_components = geometry ? l.maxGeometryTotalOutputComponents : 1024;
    caps.max_shader_patch_varyings = tessellation ? l.maxTessellationControlPerPatchOutputComponents / 4 : 30;
    caps.max_tcs_outputs = tessellation ? l.maxTessellationControlPerVertexOutputComponents / 4 : 32;
    caps.max_tes_outputs = tessellation ? l.maxTessellationEvaluationOutputComponents / 4 : caps.max_vertex_outputs;
}

/// Storage buffers, images and workgroups.
void set_compute_limits(const DeviceOffers& offers, CapsV2& caps) {
    const VkPhysicalDeviceLimits& l = offers.report.limits;
    // Guests have 32 in all.
    const uint32_t buffers = std::min(l.maxPerStageDescriptorStorageBuffers, virgl::kMaxShaderBuffers / 2);
    const uint32_t images = std::min(l.maxPerStageDescriptorStorageImages, virgl::kMaxShaderImages / 2);
    // Emulated stages have four more, of records.
    const uint32_t most_before = std::max(l.maxPerStageDescriptorStorageBuffers, 4U) - 4;
    const VkPhysicalDeviceFeatures& f = offers.report.features;
    const bool emulated = f.vertexPipelineStoresAndAtomics == 0 || f.geometryShader == 0 || f.tessellationShader == 0 ||
                          f.multiViewport == 0 || !offers.report.transform_feedback;
    const uint32_t before = emulated ? std::min(buffers, most_before) : buffers;
    caps.max_shader_buffer_frag_compute = buffers;
    caps.max_shader_buffer_other_stages = before;
    caps.max_shader_image_frag_compute = caps.max_shader_image_other_stages = images;
    caps.max_shader_storage_blocks = {before, buffers, before, before, before, buffers};
    caps.max_combined_shader_buffers = std::min(l.maxDescriptorSetStorageBuffers, virgl::kMaxShaderBuffers);
    caps.max_compute_work_group_invocations = l.maxComputeWorkGroupInvocations;
    caps.max_compute_shared_memory_size = l.maxComputeSharedMemorySize;
    std::ranges::copy(l.maxComputeWorkGroupCount, caps.max_compute_grid_size.begin());
    std::ranges::copy(l.maxComputeWorkGroupSize, caps.max_compute_block_size.begin());
}

uint32_t capability_bits(const DeviceOffers& offers, VkSampleCountFlags samples) {
    uint32_t bits = virgl::kCapTgsiInvariant | virgl::kCapTextureView | virgl::kCapCopyImage | virgl::kCapTgsiPrecise |
                    virgl::kCapTextureBarrier | virgl::kCapTgsiComponents | virgl::kCapSrgbWriteControl |
                    virgl::kCapTransfer | virgl::kCapFboMixedColorFormats | virgl::kCapIndirectInputAddr |
                    virgl::kCapCopyTransfer | virgl::kCapClipHalfz | virgl::kCapComputeShader |
                    virgl::kCapMemoryBarrier | virgl::kCapFbNoAttach | virgl::kCapQbo | virgl::kCapBindCommandArgs |
                    virgl::kCapClearTexture | virgl::kCapTransformFeedback3;
    const auto add = [&](bool offered, uint32_t bit) { bits |= offered ? bit : 0; };
    add(offers.report.robust_buffer_access2 || offers.report.features.robustBufferAccess != 0,
        virgl::kCapRobustBufferAccess);
    add(offers.report.features.sampleRateShading != 0, virgl::kCapSetMinSamples);
    // A shader that queries the samples of a texture gets the device's number.
    add(std::has_single_bit(samples + 1), virgl::kCapTxqs);
    add(offers.report.shader_clock, virgl::kCapShaderClock);
    // Where targets have several samples, each is read by an invocation of its own. One texture is bound more.
    const VkPhysicalDeviceLimits& l = offers.report.limits;
    add((samples & ~l.sampledImageColorSampleCounts) == 0 &&
            (most_of(samples) == 1 || offers.report.features.sampleRateShading != 0) &&
            l.maxPerStageDescriptorSampledImages > std::min(l.maxPerStageDescriptorSamplers, virgl::kMaxSamplerStates),
        virgl::kCapTgsiFbfetch);
    add(offers.report.features.multiDrawIndirect != 0, virgl::kCapMultiDrawIndirect);
    add(offers.report.features.multiDrawIndirect != 0 && offers.report.features12.drawIndirectCount != 0,
        virgl::kCapIndirectParams);
    return bits;
}

uint32_t capability_bits_v2(const DeviceOffers& offers) {
    uint32_t bits = virgl::kCapVideoMemory | virgl::kCapStringMarker | virgl::kCapTextureShadowLod;
    const auto add = [&](bool offered, uint32_t bit) { bits |= offered ? bit : 0; };
    add(offers.report.features12.samplerMirrorClampToEdge != 0,
        virgl::kCapMirrorClampToEdge | virgl::kCapMirrorClampV2);
    add(offers.report.features12.shaderOutputLayer != 0, virgl::kCapVsVertexLayer);
    add(offers.report.features12.shaderOutputViewportIndex != 0, virgl::kCapVsViewportIndex);
    add(offers.report.features.pipelineStatisticsQuery != 0, virgl::kCapPipelineStatisticsQuery);
    add(offers.report.features11.shaderDrawParameters != 0, virgl::kCapDrawParameters);
    VkShaderStageFlags voters = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT;
    if (offers.report.features.geometryShader != 0) voters |= VK_SHADER_STAGE_GEOMETRY_BIT;
    if (offers.report.features.tessellationShader != 0)
        voters |= VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT | VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
    add((offers.report.subgroup.supportedOperations & VK_SUBGROUP_FEATURE_VOTE_BIT) != 0 &&
            (offers.report.subgroup.supportedStages & voters) == voters,
        virgl::kCapGroupVote);
    return bits;
}

/// X's glamor refuses devices named "llvmpipe", which it takes for software.
void set_renderer(const std::string& name, CapsV2& caps) {
    std::string disguised = name;
    if (const auto at = disguised.find("llvmpipe"); at != std::string::npos)
        std::ranges::transform(disguised.substr(at, 8), disguised.begin() + static_cast<std::ptrdiff_t>(at),
                               [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    std::strncpy(caps.renderer.data(), disguised.c_str(), caps.renderer.size() - 1);
}

FormatOffer offer_of(const vk::Device& device, VkFormat format) {
    const VkFormatProperties& p = device.format(format);
    FormatOffer offer{p.optimalTilingFeatures, p.bufferFeatures};
    VkImageFormatProperties image{};
    for (const auto& [feature, usage] :
         {std::pair{VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT},
          std::pair{VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT}})
        if ((offer.image & feature) != 0 &&
            vkGetPhysicalDeviceImageFormatProperties(device.physical(), format, VK_IMAGE_TYPE_2D,
                                                     VK_IMAGE_TILING_OPTIMAL, usage, 0, &image) == VK_SUCCESS)
            offer.samples = image.sampleCounts;
    return offer;
}

}  // namespace

DeviceOffers offers_of(const vk::Device& device) {
    return {device.report(), device.extras(), [&device](VkFormat format) { return offer_of(device, format); }};
}

Depth24 depth24_of(const DeviceOffers& offers) {
    constexpr VkFormatFeatureFlags kNeeded =
        VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT;
    const auto has = [&](VkFormat format) { return (offers.format(format).image & kNeeded) == kNeeded; };
    return {has(VK_FORMAT_X8_D24_UNORM_PACK32), has(VK_FORMAT_D24_UNORM_S8_UINT), has(VK_FORMAT_D32_SFLOAT_S8_UINT)};
}

uint32_t viewports_of(const vulkan::DeviceReport& report) {
    return report.features.multiViewport != 0 ? std::min(report.limits.maxViewports, virgl::kMaxViewports) : 1;
}

uint32_t seen_viewports(const vulkan::DeviceReport& report) {
    return report.features.multiViewport != 0 ? viewports_of(report) : virgl::kMaxViewports;
}

virgl::CapsV2 make_caps(const DeviceOffers& offers, uint64_t memory_limit) {
    CapsV2 caps{};
    const VkSampleCountFlags samples = samples_of(offers);
    caps.v1.max_version = 2;
    caps.v1.flags = flags_of(offers, samples);
    set_v1_limits(offers, samples, caps.v1);
    const Depth24 depth24 = depth24_of(offers);
    for (uint32_t number = 0; number < 512; number++)
        if (const FormatInfo* format = format_info(number, depth24); format != nullptr)
            add_format(*format, offers.format(format->vulkan), caps);
    set(caps.supported_multisample_formats, 0);
    caps.supported_readback_formats = caps.v1.sampler;
    set_rasterizer_limits(offers, samples, caps);
    set_texture_limits(offers, caps);
    set_buffer_limits(offers, caps);
    set_stage_limits(offers, caps);
    set_compute_limits(offers, caps);
    caps.host_feature_check_version = kFeatureVersion;
    caps.capability_bits = capability_bits(offers, samples);
    caps.capability_bits_v2 = capability_bits_v2(offers);
    caps.max_video_memory = static_cast<uint32_t>(memory_limit >> 20);
    set_renderer(offers.report.info.name, caps);
    return caps;
}

bool is_anisotropic(const vulkan::DeviceReport& report) {
    return report.features.samplerAnisotropy != 0 && vulkan::driver_of(report.info.name) != vulkan::Driver::Lavapipe;
}

bool can_clamp_depth(const VkPhysicalDeviceFeatures& features) {
    return features.depthClamp != 0 || features.multiViewport == 0;
}

uint32_t largest_divisor(const vk::Extras& extras) {
    // The least of maxVertexAttribDivisor (Vulkan, "Required Limits").
    return extras.divisor.vertexAttributeInstanceRateDivisor != 0 ? 0xffff : 1;
}

FetchedFormat vertex_format(const vk::Device& device, uint32_t number) {
    const FormatInfo* const info = format_info(number);
    if (info == nullptr) return {};
    const auto fetches = [&](VkFormat format) {
        return (device.format(format).bufferFeatures & VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT) != 0;
    };
    if (fetches(info->vulkan)) return fetched_as_it_is(*info);
    const auto ways = other_ways_to_fetch(*info);
    const auto way = std::ranges::find_if(ways, fetches, &FetchedFormat::vulkan);
    return way == ways.end() ? FetchedFormat{} : *way;
}

}  // namespace tgsi2spv::host
