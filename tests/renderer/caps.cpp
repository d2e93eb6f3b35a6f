// Capabilities for guests, compared with lavapipe 22.3's, and with features taken away.
#include "renderer/state/caps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

namespace tgsi2spv::host {
namespace {

using testing::Each;
using testing::ElementsAre;
using virgl::CapsV2;

constexpr VkFormatFeatureFlags kEverything =
    VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT |
    VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT | VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT;
constexpr uint64_t kMemory = uint64_t{2048} << 20;

void fill_limits(VkPhysicalDeviceLimits& l) {
    l.maxImageDimension2D = 16384;
    l.maxImageDimension3D = 4096;
    l.maxImageDimensionCube = 32768;
    l.maxImageArrayLayers = 2048;
    l.maxTexelBufferElements = 1u << 27;
    l.maxUniformBufferRange = 65536;
    l.maxPerStageDescriptorSamplers = 32;
    l.maxPerStageDescriptorSampledImages = 128;
    l.maxPerStageDescriptorUniformBuffers = 15;
    l.maxPerStageDescriptorStorageBuffers = 32;
    l.maxPerStageDescriptorStorageImages = 64;
    l.maxDescriptorSetStorageBuffers = 256;
    l.maxVertexInputAttributes = l.maxVertexInputBindings = 32;
    l.maxVertexInputBindingStride = 2048;
    l.maxVertexOutputComponents = l.maxFragmentInputComponents = 128;
    l.maxTessellationControlPerVertexOutputComponents = 128;
    l.maxTessellationControlPerPatchOutputComponents = 128;
    l.maxTessellationEvaluationOutputComponents = 128;
    l.maxGeometryOutputVertices = l.maxGeometryTotalOutputComponents = 1024;
    l.maxComputeSharedMemorySize = 32768;
    l.maxComputeWorkGroupInvocations = 1024;
    for (uint32_t i = 0; i < 3; i++) {
        l.maxComputeWorkGroupCount[i] = 65535;
        l.maxComputeWorkGroupSize[i] = 1024;
    }
    l.maxSamplerLodBias = l.maxSamplerAnisotropy = 16;
    l.maxViewports = 16;
    l.minTexelBufferOffsetAlignment = l.minUniformBufferOffsetAlignment = l.minStorageBufferOffsetAlignment = 16;
    l.minTexelOffset = l.minTexelGatherOffset = -32;
    l.maxTexelOffset = l.maxTexelGatherOffset = 31;
    l.framebufferColorSampleCounts = l.framebufferDepthSampleCounts = l.framebufferStencilSampleCounts =
        l.sampledImageColorSampleCounts = VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT;
    l.maxColorAttachments = 8;
    l.timestampComputeAndGraphics = VK_TRUE;
    l.pointSizeRange[1] = 255;
    l.lineWidthRange[0] = 1;
    l.lineWidthRange[1] = 255;
}

/// A device as lavapipe 22.3 is, and every format does everything.
struct Double {
    vulkan::DeviceReport report;
    vk::Extras extras;
    FormatOffer format{kEverything, VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT | VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT,
                       VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_4_BIT};
    VkFormat special = VK_FORMAT_UNDEFINED;  ///< does this instead:
    FormatOffer special_offer;

    Double() {
        fill_limits(report.limits);
        VkPhysicalDeviceFeatures& f = report.features;
        for (VkBool32* feature :
             {&f.independentBlend, &f.imageCubeArray, &f.depthClamp, &f.depthBiasClamp, &f.shaderFloat64,
              &f.tessellationShader, &f.geometryShader, &f.sampleRateShading, &f.shaderCullDistance, &f.dualSrcBlend,
              &f.wideLines, &f.samplerAnisotropy, &f.vertexPipelineStoresAndAtomics, &f.multiDrawIndirect,
              &f.pipelineStatisticsQuery, &f.robustBufferAccess, &f.multiViewport})
            *feature = VK_TRUE;
        report.info.name = "llvmpipe (LLVM 15.0.6, 256 bits)";
        report.features11.shaderDrawParameters = VK_TRUE;
        report.features12.samplerMirrorClampToEdge = report.features12.drawIndirectCount = VK_TRUE;
        report.features12.shaderOutputLayer = report.features12.shaderOutputViewportIndex = VK_TRUE;
        report.stencil_export = report.transform_feedback = report.geometry_streams = true;
        report.robust_buffer_access2 = true;
        report.max_transform_feedback_buffers = 4;
        report.subgroup.supportedOperations = VK_SUBGROUP_FEATURE_VOTE_BIT;
        report.subgroup.supportedStages = VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_COMPUTE_BIT;
        extras.non_seamless.nonSeamlessCubeMap = extras.depth_clip.depthClipEnable = VK_TRUE;
        extras.divisor.vertexAttributeInstanceRateDivisor = VK_TRUE;
        extras.portability.triangleFans = extras.portability.samplerMipLodBias = VK_TRUE;
    }

    CapsV2 caps() const {
        const auto offer = [this](VkFormat f) { return f == special ? special_offer : format; };
        return make_caps({report, extras, offer}, kMemory);
    }
    bool flag(uint32_t flag) const { return (caps().v1.flags & flag) != 0; }
    bool bit(uint32_t bit) const { return (caps().capability_bits & bit) != 0; }
    bool bit_v2(uint32_t bit) const { return (caps().capability_bits_v2 & bit) != 0; }
};

TEST(Caps, OfLavapipe) {
    const CapsV2 c = Double().caps();
    EXPECT_EQ(c.v1.max_version, 2u);
    EXPECT_EQ(c.v1.flags, 0xffffffffu & ~virgl::kCapColorClamping);
    EXPECT_EQ(c.v1.glsl_level, 460u);
    EXPECT_EQ(c.v1.max_texture_array_layers, 2048u);
    EXPECT_EQ(c.v1.max_streamout_buffers, 4u);
    EXPECT_EQ(c.v1.max_dual_source_render_targets, 1u);
    EXPECT_EQ(c.v1.max_render_targets, 8u);
    EXPECT_EQ(c.v1.max_samples, 4u);
    EXPECT_EQ(c.v1.prim_mask, 0x7c7bu);
    EXPECT_EQ(c.v1.max_tbo_size, 1u << 27);
    EXPECT_EQ(c.v1.max_uniform_blocks, 15u);
    EXPECT_EQ(c.v1.max_viewports, 16u);
    EXPECT_EQ(c.v1.max_texture_gather_components, 4u);
    EXPECT_EQ(c.min_aliased_point_size, 1);
    EXPECT_EQ(c.max_aliased_point_size, 255);
    EXPECT_EQ(c.max_smooth_point_size, 255);
    EXPECT_EQ(c.max_aliased_line_width, 255);
    EXPECT_EQ(c.max_texture_lod_bias, 16);
    EXPECT_EQ(c.max_geom_output_vertices, 1024u);
    EXPECT_EQ(c.max_geom_total_output_components, 1024u);
    EXPECT_EQ(c.max_vertex_outputs, 32u);
    EXPECT_EQ(c.max_vertex_attribs, 32u);
    EXPECT_EQ(c.max_shader_patch_varyings, 32u);
    EXPECT_EQ(c.min_texel_offset, -32);
    EXPECT_EQ(c.max_texture_gather_offset, 31);
    EXPECT_EQ(c.texture_buffer_offset_alignment, 16u);
    EXPECT_EQ(c.uniform_buffer_offset_alignment, 16u);
    EXPECT_EQ(c.shader_buffer_offset_alignment, 16u);
    EXPECT_EQ(c.max_vertex_attrib_stride, 2048u);
    EXPECT_EQ(c.max_shader_buffer_frag_compute, 16u);
    EXPECT_EQ(c.max_shader_buffer_other_stages, 16u);
    EXPECT_EQ(c.max_shader_image_frag_compute, 16u);
    EXPECT_EQ(c.max_shader_image_other_stages, 16u);
    EXPECT_EQ(c.max_image_samples, 0u);
    EXPECT_EQ(c.max_compute_work_group_invocations, 1024u);
    EXPECT_EQ(c.max_compute_shared_memory_size, 32768u);
    EXPECT_THAT(c.max_compute_grid_size, Each(65535u));
    EXPECT_THAT(c.max_compute_block_size, Each(1024u));
    EXPECT_EQ(c.max_texture_2d_size, 16384u);
    EXPECT_EQ(c.max_texture_3d_size, 2048u);
    EXPECT_EQ(c.max_texture_cube_size, 16384u);
    EXPECT_EQ(c.max_combined_shader_buffers, 32u);
    EXPECT_THAT(c.max_atomic_counters, Each(0u));
    EXPECT_EQ(c.host_feature_check_version, 22u);
    EXPECT_EQ(c.max_video_memory, 2048u);
    EXPECT_EQ(c.max_anisotropy, 1) << "docs/driver-bugs.md";
    EXPECT_EQ(c.max_texture_samplers, 32u);
    EXPECT_THAT(c.max_const_buffer_size, Each(64512u));
    EXPECT_EQ(c.max_uniform_block_size, 65536u);
    EXPECT_EQ(c.max_tcs_outputs, 32u);
    EXPECT_EQ(c.max_tes_outputs, 32u);
    EXPECT_THAT(c.max_shader_storage_blocks, Each(16u));
    EXPECT_EQ(c.supported_readback_formats.words, c.v1.sampler.words);
    EXPECT_EQ(std::string_view(c.renderer.data()), "LLVMPIPE (LLVM 15.0.6, 256 bits)");
}

// Bits that make guests send commands which the host does not take.
TEST(Caps, NeverOffered) {
    const CapsV2 c = Double().caps();
    EXPECT_EQ(c.capability_bits & (virgl::kCapHostIsGles | virgl::kCapArbBufferStorage | virgl::kCapGuestMayInitLog |
                                   virgl::kCapAppTweakSupport | virgl::kCap3dAstc | virgl::kCapBgraSrgbIsEmulated),
              0u);
    EXPECT_EQ(c.capability_bits_v2 & (virgl::kCapBlendEquation | virgl::kCapUntypedResource | virgl::kCapDifferentGpu |
                                      virgl::kCapImplicitMsaa | virgl::kCapCopyTransferBothDirections |
                                      virgl::kCapScanoutUsesGbm | virgl::kCapSso | virgl::kCapResourceLayout),
              0u);
    EXPECT_EQ(c.num_video_caps, 0u);
}

// A feature that is hidden takes its caps with it, and only these.
TEST(Caps, WithoutAFeature) {
    const auto without = [](VkBool32 VkPhysicalDeviceFeatures::*feature) {
        Double device;
        device.report.features.*feature = VK_FALSE;
        return device;
    };
    using F = VkPhysicalDeviceFeatures;
    const uint32_t all = Double().caps().v1.flags;
    const auto lost = [&](VkBool32 F::*feature) { return all & ~without(feature).caps().v1.flags; };
    EXPECT_EQ(lost(&F::independentBlend), virgl::kCapIndepBlendEnable | virgl::kCapIndepBlendFunc);
    EXPECT_EQ(lost(&F::imageCubeArray), virgl::kCapCubeMapArray);
    EXPECT_EQ(lost(&F::depthClamp), virgl::kCapDepthClipDisable);
    Double one_viewport;
    one_viewport.report.features.depthClamp = one_viewport.report.features.multiViewport = VK_FALSE;
    EXPECT_TRUE(one_viewport.flag(virgl::kCapDepthClipDisable)) << "FRAG clamps";
    EXPECT_EQ(lost(&F::depthBiasClamp), virgl::kCapPolygonOffsetClamp);
    EXPECT_EQ(lost(&F::sampleRateShading), virgl::kCapHasSampleShading);
    EXPECT_EQ(lost(&F::shaderCullDistance), virgl::kCapHasCull);
    for (const auto feature : {&F::shaderFloat64, &F::tessellationShader})
        EXPECT_EQ(lost(feature), 0u) << "it is emulated";
    EXPECT_EQ(without(&F::dualSrcBlend).caps().v1.max_dual_source_render_targets, 1u) << "FRAG blends";
    Double narrow;
    narrow.report.limits.maxFragmentInputComponents = 68;
    EXPECT_EQ(narrow.caps().max_vertex_outputs, 18u) << "POSITION, and what FRAG takes";
    Double other = without(&F::samplerAnisotropy);
    other.report.info.name = "another device";
    EXPECT_EQ(other.caps().max_anisotropy, 1);
    other.report.features.samplerAnisotropy = VK_TRUE;
    EXPECT_EQ(other.caps().max_anisotropy, 16);
    EXPECT_EQ(without(&F::wideLines).caps().max_aliased_line_width, 1);
    EXPECT_FALSE(without(&F::multiDrawIndirect).bit(virgl::kCapMultiDrawIndirect));
    EXPECT_FALSE(without(&F::sampleRateShading).bit(virgl::kCapSetMinSamples));
    EXPECT_FALSE(without(&F::pipelineStatisticsQuery).bit_v2(virgl::kCapPipelineStatisticsQuery));
}

/// Targets are fetched from copies, whose samples FRAG has to read one by one.
TEST(Caps, FramebufferFetch) {
    EXPECT_TRUE(Double().bit(virgl::kCapTgsiFbfetch));
    Double device;
    device.report.features.sampleRateShading = VK_FALSE;
    EXPECT_FALSE(device.bit(virgl::kCapTgsiFbfetch));
    device.report.limits.framebufferColorSampleCounts = VK_SAMPLE_COUNT_1_BIT;
    EXPECT_TRUE(device.bit(virgl::kCapTgsiFbfetch)) << "no target has several samples";
    device = Double();
    device.report.limits.sampledImageColorSampleCounts = VK_SAMPLE_COUNT_1_BIT;
    EXPECT_FALSE(device.bit(virgl::kCapTgsiFbfetch));
    device = Double();
    device.report.limits.maxPerStageDescriptorSampledImages = device.report.limits.maxPerStageDescriptorSamplers;
    EXPECT_FALSE(device.bit(virgl::kCapTgsiFbfetch)) << "guests use them all";
}

/// Stages that the host emulates.
TEST(Caps, StagesAndStreamOutputNeedStoresOfVertexShaders) {
    Double device;
    device.report.features.geometryShader = device.report.features.tessellationShader = VK_FALSE;
    device.report.limits.maxTessellationControlPerVertexOutputComponents = 0;
    device.report.limits.maxTessellationControlPerPatchOutputComponents = 0;
    device.report.limits.maxTessellationEvaluationOutputComponents = 0;
    device.report.transform_feedback = device.report.geometry_streams = false;
    device.report.max_transform_feedback_buffers = 0;
    const CapsV2 c = device.caps();
    EXPECT_EQ(c.v1.glsl_level, 460u);
    EXPECT_EQ(c.v1.prim_mask, 0x7c7bu);
    EXPECT_EQ(c.max_tcs_outputs, 32u);
    EXPECT_EQ(c.max_tes_outputs, 32u);
    EXPECT_EQ(c.max_shader_patch_varyings, 30u);
    EXPECT_EQ(c.v1.max_streamout_buffers, 4u);
    EXPECT_EQ(c.max_geom_output_vertices, 256u);
    EXPECT_TRUE(device.bit(virgl::kCapTransformFeedback3));
}

TEST(Caps, WithoutAStage) {
    Double device;
    device.report.features.shaderFloat64 = device.report.features.tessellationShader = VK_FALSE;
    EXPECT_EQ(device.caps().v1.glsl_level, 460u) << "both are emulated";
    device.report.features.sampleRateShading = VK_FALSE;
    EXPECT_EQ(device.caps().v1.glsl_level, 330u) << "GL_ARB_gpu_shader5 interpolates at samples";

    device = Double();
    device.report.features.multiViewport = VK_FALSE;
    EXPECT_EQ(device.caps().v1.max_viewports, 16u) << "a pass for each";

    device = Double();
    device.report.geometry_streams = false;
    EXPECT_TRUE(device.bit(virgl::kCapTransformFeedback3)) << "emulated";

    device = Double();
    device.report.features.vertexPipelineStoresAndAtomics = VK_FALSE;
    const CapsV2 c = device.caps();
    EXPECT_EQ(c.max_shader_buffer_other_stages, 16u);
    EXPECT_EQ(c.max_shader_image_other_stages, 16u);
    EXPECT_THAT(c.max_shader_storage_blocks, Each(16));
}

TEST(Caps, WithoutAnExtension) {
    Double device;
    device.extras = {};
    EXPECT_FALSE(device.flag(virgl::kCapSeamlessCubeMapPerTexture));
    EXPECT_TRUE(device.flag(virgl::kCapVertexElementInstanceDivisor)) << "emulated";
    EXPECT_TRUE(device.flag(virgl::kCapDepthClipDisable)) << "clamping without clipping needs no extension";
    EXPECT_EQ(device.caps().v1.prim_mask, 0x7c3bu);  // no fans
    EXPECT_EQ(device.caps().max_texture_lod_bias, 0);
    device.report.stencil_export = false;
    EXPECT_FALSE(device.flag(virgl::kCapShaderStencilExport));
    device.report.features12 = {};
    EXPECT_FALSE(device.flag(virgl::kCapMirrorClamp));
    EXPECT_FALSE(device.bit(virgl::kCapIndirectParams));
    EXPECT_FALSE(device.bit_v2(virgl::kCapVsVertexLayer | virgl::kCapVsViewportIndex | virgl::kCapMirrorClampToEdge |
                               virgl::kCapMirrorClampV2));
    device.report.robust_buffer_access2 = false;
    EXPECT_TRUE(device.bit(virgl::kCapRobustBufferAccess));
    device.report.features.robustBufferAccess = VK_FALSE;
    EXPECT_FALSE(device.bit(virgl::kCapRobustBufferAccess));
    device.report.subgroup.supportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
    EXPECT_FALSE(device.bit_v2(virgl::kCapGroupVote));
}

TEST(Caps, SamplesAreThoseThatAllTargetsHave) {
    Double device;
    device.report.limits.framebufferColorSampleCounts = 1 | 2 | 4 | 8 | 64;
    device.report.limits.framebufferDepthSampleCounts = 1 | 2 | 4 | 64;
    EXPECT_EQ(device.caps().v1.max_samples, 4u) << "stencil has no more";
    device.report.limits.framebufferStencilSampleCounts = 1 | 2 | 64;
    EXPECT_EQ(device.caps().v1.max_samples, 2u) << "guests know at most 16";
    EXPECT_TRUE(device.bit(virgl::kCapTxqs));
    device.report.limits.framebufferStencilSampleCounts = 1;
    EXPECT_EQ(device.caps().v1.max_samples, 1u);
    EXPECT_FALSE(device.flag(virgl::kCapTextureMultisample));
}

// A byte a sample: x and y of its place in sixteenths (Vulkan's standard places, the first two of each count).
TEST(Caps, PlacesOfSamples) {
    Double device;
    auto words = device.caps().sample_locations;
    const auto place = [&](uint32_t word, uint32_t sample) {
        return words[word + sample / 4] >> (sample % 4 * 8) & 0xff;
    };
    const auto at = [](double x, double y) {
        return static_cast<uint32_t>(x * 16) << 4 | static_cast<uint32_t>(y * 16);
    };
    EXPECT_EQ(place(0, 0), at(0.375, 0.125)) << "the device has four samples, of which the guest sees two";
    EXPECT_FALSE(device.bit(virgl::kCapTxqs)) << "which shaders would count";
    auto& limits = device.report.limits;
    limits.framebufferColorSampleCounts = limits.framebufferDepthSampleCounts = limits.framebufferStencilSampleCounts =
        0x1f;
    words = device.caps().sample_locations;
    EXPECT_EQ(place(0, 0), at(0.75, 0.75));
    EXPECT_EQ(place(0, 1), at(0.25, 0.25));
    EXPECT_EQ(place(1, 0), at(0.375, 0.125));
    EXPECT_EQ(place(1, 1), at(0.875, 0.375));
    EXPECT_EQ(place(1, 3), at(0.625, 0.875));
    EXPECT_EQ(place(2, 0), at(0.5625, 0.3125));
    EXPECT_EQ(place(2, 7), at(0.9375, 0.0625));
    EXPECT_EQ(place(4, 0), at(0.5625, 0.5625));
    EXPECT_EQ(place(4, 13), at(0.9375, 0.25));
    EXPECT_EQ(place(4, 15), at(0.0625, 0.0));
}

/// Which masks a format is in: s sampler, r render, z depth and stencil, m multisample, v vertex, c scan-out.
std::string masks(const CapsV2& c, uint32_t number) {
    std::string in;
    for (const auto& [mask, letter] :
         {std::pair{&c.v1.sampler, 's'}, std::pair{&c.v1.render, 'r'}, std::pair{&c.v1.depth_stencil, 'z'},
          std::pair{&c.supported_multisample_formats, 'm'}, std::pair{&c.v1.vertex_buffer, 'v'},
          std::pair{&c.scanout, 'c'}})
        if (has(*mask, number)) in += letter;
    return in;
}

TEST(Caps, MasksOfFormats) {
    const CapsV2 c = Double().caps();
    const std::pair<uint32_t, const char*> expected[] = {
        {0, "m"},     {1, "srmc"},   {2, "srmc"}, {3, "s"},    {7, "srm"},    {9, "srm"}, {12, "srm"},
        {16, "szm"},  {17, "szm"},   {19, "szm"}, {23, "szm"}, {30, "s"},     {36, ""},   {52, ""},
        {56, "srm"},  {100, "srmc"}, {105, "s"},  {119, ""},   {124, "srmv"}, {125, "s"}, {136, "s"},
        {180, "srm"}, {233, "srm"},  {255, "s"},  {412, ""},
    };
    for (const auto& [number, mask] : expected) EXPECT_EQ(masks(c, number), mask) << number;
}

TEST(Caps, FormatsThatTheDeviceLacks) {
    Double device;
    const auto offer = [&](VkFormat format, FormatOffer what) {
        device.special = format;
        device.special_offer = what;
        return device.caps();
    };
    EXPECT_EQ(masks(offer(VK_FORMAT_R16_UNORM, {}), 48), "");
    EXPECT_EQ(masks(offer(VK_FORMAT_R16_UNORM, {VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT}), 48), "s");
    // A format that cannot blend is not a colour target, unless it has integers or floats of 32 bits.
    constexpr VkFormatFeatureFlags kNoBlend =
        VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT;
    EXPECT_EQ(masks(offer(VK_FORMAT_R16_UNORM, {kNoBlend}), 48), "s");
    EXPECT_EQ(masks(offer(VK_FORMAT_R16_SFLOAT, {kNoBlend}), 91), "s");
    EXPECT_EQ(masks(offer(VK_FORMAT_R32_SFLOAT, {kNoBlend}), 28), "sr");
    EXPECT_EQ(masks(offer(VK_FORMAT_R32_UINT, {kNoBlend}), 193), "sr");
    EXPECT_EQ(
        masks(offer(VK_FORMAT_R8G8B8A8_UNORM, {kEverything, 0, VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_2_BIT}), 67),
        "src")
        << "not the offered count of samples";
    EXPECT_EQ(masks(offer(VK_FORMAT_R32G32B32_SFLOAT, {kEverything}), 30), "") << "only of buffers";
}

TEST(Caps, DepthOf24BitsIsOfferedWithoutIt) {
    Double device;
    device.special = VK_FORMAT_D24_UNORM_S8_UINT;
    EXPECT_FALSE(depth24_of({device.report, device.extras, [](VkFormat) { return FormatOffer{}; }}).d24_s8);
    const CapsV2 c = device.caps();
    EXPECT_EQ(masks(c, 19), "szm");
    EXPECT_EQ(masks(c, 20), "szm");
    EXPECT_EQ(masks(c, 136), "s");
    device.special_offer = {VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT, 0, VK_SAMPLE_COUNT_1_BIT};
    EXPECT_EQ(masks(device.caps(), 19), "szm") << "it is not sampled";
}

}  // namespace
}  // namespace tgsi2spv::host
