#include "host/caps.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "host/formats.h"

namespace tgsi2spv::host {
namespace {

using virgl::CapsV1;
using virgl::CapsV2;

// The version of the protocol's features: 22 makes guests believe everything below, without protocol 3.
constexpr uint32_t kFeatureVersion = 22;

bool supports_samples(const gpu::Device& device, const FormatInfo& format) {
    const VkImageUsageFlags usage =
        format.has(kDepthStencil) ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    VkImageFormatProperties p{};
    return vkGetPhysicalDeviceImageFormatProperties(device.physical(), format.vulkan, VK_IMAGE_TYPE_2D,
                                                    VK_IMAGE_TILING_OPTIMAL, usage, 0, &p) == VK_SUCCESS &&
           (p.sampleCounts & ~VK_SAMPLE_COUNT_1_BIT) != 0;
}

void add_format(const gpu::Device& device, const FormatInfo& f, CapsV2& caps) {
    VkFormatProperties p{};
    vkGetPhysicalDeviceFormatProperties(device.physical(), f.vulkan, &p);
    const VkFormatFeatureFlags image = p.optimalTilingFeatures;
    if (f.has(kVertexOnly)) return;
    if (f.has(kBufferOnly)) {
        if ((p.bufferFeatures & VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT) != 0) set(caps.v1.sampler, f.number);
        return;
    }
    const bool depth = f.has(kDepthStencil) && !f.has(kViewOnly);
    if ((image & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) != 0) set(caps.v1.sampler, f.number);
    const bool blends = (image & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT) != 0 || f.has(kUint | kSint);
    const bool target =
        !f.has(kSampleOnly | kDepthStencil) && blends && (image & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT) != 0;
    if (target) set(caps.v1.render, f.number);
    const bool depth_target = depth && (image & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT) != 0;
    if (depth_target) set(caps.v1.depth_stencil, f.number);
    if ((target || depth_target) && supports_samples(device, f)) set(caps.supported_multisample_formats, f.number);
    if (target && f.block_bytes == 4) set(caps.scanout, f.number);
}

uint32_t flags_of(const gpu::Device& device) {
    const VkPhysicalDeviceFeatures& f = device.report().features;
    uint32_t flags = virgl::kCapStartInstance | virgl::kCapPrimitiveRestart | virgl::kCapBlendEqSep |
                     virgl::kCapInstanceId | virgl::kCapVertexElementInstanceDivisor | virgl::kCapSeamlessCubeMap |
                     virgl::kCapUbo | virgl::kCapPolyStipple | virgl::kCapTextureQueryLod |
                     virgl::kCapFragmentCoordConventions;
    const auto add = [&](bool offered, uint32_t flag) { flags |= offered ? flag : 0; };
    add(f.independentBlend != 0, virgl::kCapIndepBlendEnable | virgl::kCapIndepBlendFunc);
    add(device.extras().non_seamless.nonSeamlessCubeMap != 0, virgl::kCapSeamlessCubeMapPerTexture);
    add(f.depthClamp != 0 && device.extras().depth_clip.depthClipEnable != 0, virgl::kCapDepthClipDisable);
    add(f.depthBiasClamp != 0, virgl::kCapPolygonOffsetClamp);
    add(device.report().features12.samplerMirrorClampToEdge != 0, virgl::kCapMirrorClamp);
    return flags;
}

void set_limits(const gpu::Device& device, CapsV2& c) {
    const VkPhysicalDeviceLimits& l = device.report().limits;
    CapsV1& v1 = c.v1;
    v1.max_texture_array_layers = l.maxImageArrayLayers;
    v1.max_dual_source_render_targets = device.report().features.dualSrcBlend != 0 ? 1 : 0;
    v1.max_render_targets = std::min(l.maxColorAttachments, virgl::kMaxColorBuffers);
    v1.max_samples = 1;
    // Points, lines, line strips, triangles, strips, fans; the guest converts the rest.
    v1.prim_mask = 1U << 0 | 1U << 1 | 1U << 3 | 1U << 4 | 1U << 5 | 1U << 6;
    v1.max_uniform_blocks = std::min(l.maxPerStageDescriptorUniformBuffers, virgl::kMaxConstantBuffers) - 1;
    v1.max_viewports = 1;
    v1.max_texture_gather_components = 4;
    c.min_aliased_point_size = l.pointSizeRange[0];
    c.max_aliased_point_size = l.pointSizeRange[1];
    c.min_smooth_point_size = c.max_smooth_point_size = 1;
    const bool wide = device.report().features.wideLines != 0;
    c.min_aliased_line_width = c.min_smooth_line_width = wide ? l.lineWidthRange[0] : 1;
    c.max_aliased_line_width = c.max_smooth_line_width = wide ? l.lineWidthRange[1] : 1;
    c.max_texture_lod_bias = l.maxSamplerLodBias;
    c.max_vertex_outputs = std::min(l.maxVertexOutputComponents / 4, 32U);
    c.max_vertex_attribs = std::min({l.maxVertexInputAttributes, l.maxVertexInputBindings, virgl::kMaxVertexElements});
    c.min_texel_offset = l.minTexelOffset;
    c.max_texel_offset = static_cast<int32_t>(l.maxTexelOffset);
    c.min_texture_gather_offset = l.minTexelGatherOffset;
    c.max_texture_gather_offset = static_cast<int32_t>(l.maxTexelGatherOffset);
    c.texture_buffer_offset_alignment = static_cast<uint32_t>(l.minTexelBufferOffsetAlignment);
    c.uniform_buffer_offset_alignment = static_cast<uint32_t>(l.minUniformBufferOffsetAlignment);
    c.shader_buffer_offset_alignment = static_cast<uint32_t>(l.minStorageBufferOffsetAlignment);
    c.max_vertex_attrib_stride = std::min(l.maxVertexInputBindingStride, 2048U);
    c.max_texture_2d_size = l.maxImageDimension2D;
    c.max_texture_3d_size = std::min(l.maxImageDimension3D, 2048U);
    c.max_texture_cube_size = l.maxImageDimensionCube;
    c.max_anisotropy = device.report().features.samplerAnisotropy != 0 ? std::min(l.maxSamplerAnisotropy, 16.0F) : 1;
    c.max_texture_samplers = std::min(l.maxPerStageDescriptorSamplers, virgl::kMaxSamplerStates);
    c.max_uniform_block_size = std::min(l.maxUniformBufferRange, 65536U);
    c.max_const_buffer_size = {c.max_uniform_block_size, c.max_uniform_block_size};
}

/// X's glamor refuses devices named "llvmpipe", which it takes for software.
void set_renderer(const std::string& name, CapsV2& caps) {
    std::string disguised = name;
    if (const auto at = disguised.find("llvmpipe"); at != std::string::npos)
        std::ranges::transform(disguised.substr(at, 8), disguised.begin() + static_cast<std::ptrdiff_t>(at),
                               [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    std::strncpy(caps.renderer.data(), disguised.c_str(), caps.renderer.size() - 1);
}

}  // namespace

virgl::CapsV2 make_caps(const gpu::Device& device, uint64_t memory_limit) {
    CapsV2 caps{};
    caps.v1.max_version = 2;
    for (uint32_t number = 0; number < 512; number++)
        if (const FormatInfo* format = format_info(number); format != nullptr) add_format(device, *format, caps);
    set(caps.supported_multisample_formats, 0);
    caps.supported_readback_formats = caps.v1.sampler;
    caps.v1.flags = flags_of(device);
    caps.v1.glsl_level = 120;
    set_limits(device, caps);
    caps.host_feature_check_version = kFeatureVersion;
    caps.capability_bits = virgl::kCapTgsiInvariant | virgl::kCapTextureView | virgl::kCapCopyImage |
                           virgl::kCapTgsiPrecise | virgl::kCapTextureBarrier | virgl::kCapTgsiComponents |
                           virgl::kCapSrgbWriteControl | virgl::kCapTransfer | virgl::kCapFboMixedColorFormats |
                           virgl::kCapIndirectInputAddr | virgl::kCapCopyTransfer | virgl::kCapClipHalfz |
                           virgl::kCapRobustBufferAccess;
    caps.capability_bits_v2 = virgl::kCapVideoMemory | virgl::kCapStringMarker;
    if (device.report().features12.samplerMirrorClampToEdge != 0)
        caps.capability_bits_v2 |= virgl::kCapMirrorClampToEdge;
    caps.max_video_memory = static_cast<uint32_t>(memory_limit >> 20);
    set_renderer(device.report().info.name, caps);
    return caps;
}

}  // namespace tgsi2spv::host
