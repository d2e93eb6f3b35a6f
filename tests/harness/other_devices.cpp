// The harness on devices that are not available here: with less than the software devices have, or with other features.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/other_devices.h"
#include "harness_shaders/copy_vert.h"
#include "harness_shaders/quads_frag.h"
#include "harness_shaders/square_comp.h"

namespace tgsi2spv::harness {
namespace {

using test::Pretend;
using testing::ElementsAre;
using testing::IsEmpty;

/// VUID-VkDeviceCreateInfo-robustBufferAccess-10247: most devices forbid this together with robustBufferAccess.
TEST_F(OtherDevices, NothingIsUpdatedAfterBinding) {
    Pretend pretend;
    pretend.features = [](VkPhysicalDeviceFeatures2& f) {
        for (auto* s = static_cast<VkBaseOutStructure*>(f.pNext); s != nullptr; s = s->pNext)
            if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES) {
                auto& f12 = *static_cast<VkPhysicalDeviceVulkan12Features*>(static_cast<void*>(s));
                f12.descriptorBindingUniformBufferUpdateAfterBind = VK_TRUE;
                f12.descriptorBindingSampledImageUpdateAfterBind = VK_TRUE;
                f12.descriptorBindingStorageImageUpdateAfterBind = VK_TRUE;
                f12.descriptorBindingStorageBufferUpdateAfterBind = VK_TRUE;
                f12.descriptorBindingUniformTexelBufferUpdateAfterBind = VK_TRUE;
                f12.descriptorBindingStorageTexelBufferUpdateAfterBind = VK_TRUE;
            }
    };
    uint32_t enabled = 99;
    pretend.create_device = [&](const VkDeviceCreateInfo& info) {
        const auto* f = test::find_structure<VkPhysicalDeviceVulkan12Features>(
            info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
        enabled = f->descriptorBindingUniformBufferUpdateAfterBind + f->descriptorBindingSampledImageUpdateAfterBind +
                  f->descriptorBindingStorageImageUpdateAfterBind + f->descriptorBindingStorageBufferUpdateAfterBind +
                  f->descriptorBindingUniformTexelBufferUpdateAfterBind +
                  f->descriptorBindingStorageTexelBufferUpdateAfterBind;
        return VK_ERROR_INITIALIZATION_FAILED;
    };
    EXPECT_FALSE(Device::create(*instance_, info_));
    EXPECT_EQ(enabled, 0u);
}

/// Features of extensions are enabled where offered; those that are part of Vulkan 1.3 are enabled only once.
TEST_F(OtherDevices, ShadingRatesAndRobustImagesAreEnabled) {
    Pretend pretend;
    pretend.more_extensions = {VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME, VK_EXT_IMAGE_ROBUSTNESS_EXTENSION_NAME};
    bool rate = false, robust = false;
    pretend.create_device = [&](const VkDeviceCreateInfo& info) {
        rate = test::find_structure<VkPhysicalDeviceFragmentShadingRateFeaturesKHR>(
                   info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_FEATURES_KHR) != nullptr;
        robust = test::find_structure<VkPhysicalDeviceImageRobustnessFeatures>(
                     info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_ROBUSTNESS_FEATURES) != nullptr;
        const std::vector<std::string> names(info.ppEnabledExtensionNames,
                                             info.ppEnabledExtensionNames + info.enabledExtensionCount);
        EXPECT_THAT(names, testing::IsSupersetOf(
                               {VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME, VK_EXT_IMAGE_ROBUSTNESS_EXTENSION_NAME}));
        return VK_ERROR_INITIALIZATION_FAILED;
    };
    info_.api_version = VK_API_VERSION_1_2;
    EXPECT_FALSE(Device::create(*instance_, info_));
    EXPECT_TRUE(rate);
    EXPECT_TRUE(robust);
    info_.api_version = VK_API_VERSION_1_3;
    EXPECT_FALSE(Device::create(*instance_, info_));
    EXPECT_TRUE(rate);
    EXPECT_FALSE(robust);  // part of Vulkan13Features
}

TEST_F(OtherDevices, MemoryThatIsShortIsAskedForTwice) {
    Pretend pretend;
    uint32_t calls = 0, fail_from = 1, fail_to = 1;
    pretend.allocate = [&] {
        calls++;
        return calls >= fail_from && calls <= fail_to ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_SUCCESS;
    };
    const auto made = device();
    auto out = run(*made, squares());
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_THAT(out->buffers[0], ElementsAre(1, 4, 9, 16));
    EXPECT_EQ(calls, 2u);
    fail_from = 0;
    fail_to = ~0u;
    auto job = squares();
    job.buffers[0].words.resize(size_t{4} << 20);
    out = run(*made, job);
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().failure, Failure::Memory);
    EXPECT_EQ(calls, 4u);
    EXPECT_FALSE(made->lost);
    fail_to = 0;  // the next job succeeds
    out = run(*made, squares());
    ASSERT_TRUE(out) << out.error().message;
}

TEST_F(OtherDevices, MemoryThatACompilerLacksIsItsOwnFailure) {
    Pretend pretend;
    uint32_t calls = 0;
    const auto made = device();
    pretend.compile = [&] {
        calls++;
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    };
    const auto out = run(*made, squares());
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().failure, Failure::CompilerMemory);
    EXPECT_EQ(calls, 2u);
}

TEST_F(OtherDevices, ADeviceIsLostByAnyCall) {
    Pretend pretend;
    const auto made = device();
    pretend.allocate = [] { return VK_ERROR_DEVICE_LOST; };
    const auto out = run(*made, squares());
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().failure, Failure::Lost);
    EXPECT_TRUE(made->lost);
    EXPECT_FALSE(run(*made, squares()));
}

/// Vulkan, "Lost Device": the objects of a lost device may be destroyed as usual, and must be before the instance.
TEST_F(OtherDevices, ALostDeviceIsDestroyedBeforeItsInstance) {
    Pretend pretend;
    pretend.wait = [] { return VK_ERROR_DEVICE_LOST; };
    {
        const auto made = device();
        EXPECT_FALSE(run(*made, squares()));
        EXPECT_TRUE(made->lost);
    }
    instance_.reset();
    EXPECT_EQ(pretend.destroyed_devices, 1u);
    EXPECT_EQ(pretend.destroyed_instances, 1u);
}

TEST_F(OtherDevices, ADeviceThatIsStillAtWorkIsLeftWithItsInstance) {
    Pretend pretend;
    pretend.wait = [] { return VK_TIMEOUT; };
    {
        const auto made = device();
        const auto out = run(*made, squares());
        ASSERT_FALSE(out);
        EXPECT_EQ(out.error().failure, Failure::Timeout);
    }
    instance_.reset();
    EXPECT_EQ(pretend.destroyed_devices, 0u);
    EXPECT_EQ(pretend.destroyed_instances, 0u);
    EXPECT_EXIT(vulkan::end_process_if_left(3), testing::ExitedWithCode(3), "");
}

/// Returns a job with a combined texture of the given format and a linear sampler.
Job sampled(VkFormat format, uint32_t texel_bytes) {
    Job job;
    job.compute.words = square_comp;
    job.buffers = {{{1, 2, 3, 4}, true}};
    Image image;
    image.format = format;
    image.texel_bytes = texel_bytes;
    image.data = {std::vector<uint8_t>(texel_bytes)};
    job.images = {image};
    job.views = {ImageView{}};
    Sampler sampler;
    sampler.mag_filter = VK_FILTER_LINEAR;
    job.samplers = {sampler};
    job.descriptors = {{0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {0}, {}},
                       {0, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, {0}, {0}}};
    return job;
}

TEST_F(OtherDevices, LinearFiltersNeedTheFormatsFeature) {
    Pretend pretend;
    pretend.format = [](VkFormat f, VkFormatProperties& p) {
        if (f == VK_FORMAT_R32G32B32A32_SFLOAT)
            p.optimalTilingFeatures &= ~VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
    };
    const auto made = device();
    EXPECT_EQ(missing(*made, sampled(VK_FORMAT_R8G8B8A8_UNORM, 4)), "ran");
    auto job = sampled(VK_FORMAT_R32G32B32A32_SFLOAT, 16);
    EXPECT_EQ(missing(*made, job), "linear filters of format R32G32B32A32Sfloat");
    // The same with a separate sampler.
    auto apart = job;
    apart.descriptors = {{0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {0}, {}},
                         {0, 1, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, {0}, {}},
                         {0, 2, VK_DESCRIPTOR_TYPE_SAMPLER, {0}, {}}};
    EXPECT_EQ(missing(*made, apart), "linear filters of format R32G32B32A32Sfloat");
    apart.images[0].format = VK_FORMAT_R32G32B32A32_UINT;
    EXPECT_EQ(missing(*made, apart), "ran");
    job.samplers[0].mag_filter = VK_FILTER_NEAREST;
    EXPECT_EQ(missing(*made, job), "ran");
    job.samplers[0].mip_filter = VK_SAMPLER_MIPMAP_MODE_LINEAR;
    EXPECT_EQ(missing(*made, job), "linear filters of format R32G32B32A32Sfloat");
}

TEST_F(OtherDevices, BorderColoursAreGivenTheFormatThatIsKnown) {
    Pretend pretend;
    pretend.features = [](VkPhysicalDeviceFeatures2& f) {
        for (auto* s = static_cast<VkBaseOutStructure*>(f.pNext); s != nullptr; s = s->pNext)
            if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_FEATURES_EXT)
                static_cast<VkPhysicalDeviceCustomBorderColorFeaturesEXT*>(static_cast<void*>(s))
                    ->customBorderColorWithoutFormat = VK_FALSE;
    };
    const auto made = device();
    auto job = sampled(VK_FORMAT_R8G8B8A8_UNORM, 4);
    job.samplers[0].wrap[0] = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
    job.samplers[0].border_color = {0.25f, 0.5f, 0.75f, 1};
    EXPECT_EQ(missing(*made, job), "ran");
    EXPECT_THAT(pretend.border_formats, ElementsAre(VK_FORMAT_R8G8B8A8_UNORM));
    job.descriptors[1] = {0, 1, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, {0}, {}};
    job.descriptors.push_back({0, 2, VK_DESCRIPTOR_TYPE_SAMPLER, {0}, {}});
    EXPECT_EQ(missing(*made, job), "customBorderColorWithoutFormat");
}

/// Vulkan, "Instruction/Sampler/Image View Validation": the colour is of the view's type, also where it is not used.
TEST_F(OtherDevices, BorderColoursAreOfTheTypeThatTheJobNames) {
    using Words = std::array<uint32_t, 4>;
    Pretend pretend;
    const auto made = device();
    const auto colour = [&](Job job, std::optional<Words> integers, VkSamplerAddressMode wrap) {
        job.samplers[0].mag_filter = VK_FILTER_NEAREST;
        job.samplers[0].wrap[1] = wrap;
        job.samplers[0].border_color = {1, 1, 1, 1};
        job.samplers[0].integer_border = integers;
        pretend.border_colours.clear();
        EXPECT_EQ(missing(*made, job), "ran");
        return pretend.border_colours.size() == 1 ? pretend.border_colours[0] : VK_BORDER_COLOR_MAX_ENUM;
    };
    const auto integers = sampled(VK_FORMAT_R8G8B8A8_UINT, 4), floats = sampled(VK_FORMAT_R8G8B8A8_UNORM, 4);
    constexpr auto kBorder = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER, kRepeat = VK_SAMPLER_ADDRESS_MODE_REPEAT;
    EXPECT_EQ(colour(floats, std::nullopt, kBorder), VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE);
    EXPECT_EQ(colour(floats, std::nullopt, kRepeat), VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK);
    EXPECT_EQ(colour(integers, Words{0, 0, 0, 0}, kBorder), VK_BORDER_COLOR_INT_TRANSPARENT_BLACK);
    EXPECT_EQ(colour(integers, Words{0, 0, 0, 1}, kBorder), VK_BORDER_COLOR_INT_OPAQUE_BLACK);
    EXPECT_EQ(colour(integers, Words{1, 1, 1, 1}, kBorder), VK_BORDER_COLOR_INT_OPAQUE_WHITE);
    EXPECT_EQ(colour(integers, Words{1, 1, 1, 1}, kRepeat), VK_BORDER_COLOR_INT_TRANSPARENT_BLACK);
    EXPECT_THAT(pretend.border_formats, IsEmpty());
    EXPECT_EQ(colour(integers, Words{1, 0, ~0u, 1}, kBorder), VK_BORDER_COLOR_INT_CUSTOM_EXT);
    EXPECT_THAT(pretend.border_formats, ElementsAre(VK_FORMAT_R8G8B8A8_UINT));
    EXPECT_THAT(pretend.custom_borders, ElementsAre(Words{1, 0, ~0u, 1}));
    // VUID-VkSamplerCustomBorderColorCreateInfoEXT-format-07605: a format of the other type is not named.
    EXPECT_EQ(colour(floats, Words{2, 0, 0, 1}, kBorder), VK_BORDER_COLOR_INT_CUSTOM_EXT);
    EXPECT_EQ(pretend.border_formats.back(), VK_FORMAT_UNDEFINED);
}

TEST_F(OtherDevices, TexelsAreCopiedFromWholeMultiplesOfTheirSize) {
    Pretend pretend;
    const auto made = device();
    auto job = sampled(VK_FORMAT_R32G32B32_SFLOAT, 12);
    VkImageFormatProperties properties{};
    if (vkGetPhysicalDeviceImageFormatProperties(info_.handle, VK_FORMAT_R32G32B32_SFLOAT, VK_IMAGE_TYPE_2D,
                                                 VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_SAMPLED_BIT, 0,
                                                 &properties) != VK_SUCCESS)
        GTEST_SKIP() << info_.name << " has no images of three words a texel";
    job.samplers[0].mag_filter = VK_FILTER_NEAREST;
    job.images[0].width = job.images[0].height = 8;
    job.images[0].levels = 4;
    job.images[0].data.clear();
    job.images[0].data.emplace_back();
    EXPECT_EQ(missing(*made, job), "ran");
    ASSERT_EQ(pretend.copies.size(), 4u);
    for (const auto offset : pretend.copies) EXPECT_EQ(offset % 12, 0u) << offset;
}

TEST_F(OtherDevices, TexelBuffersAreHeldAgainstTheMostElements) {
    Pretend pretend;
    pretend.limits = [](VkPhysicalDeviceLimits& l) { l.maxTexelBufferElements = 100; };
    const auto made = device();
    auto job = squares();
    job.buffers.push_back({std::vector<uint32_t>(101), false});
    job.texel_views = {{1, VK_FORMAT_R32_UINT, false, 400, 4}};
    job.descriptors.push_back({0, 1, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, {0}, {}});
    EXPECT_EQ(missing(*made, job), "ran");
    job.texel_views[0].bytes = 404;
    EXPECT_EQ(missing(*made, job), "maxTexelBufferElements of 101 (the device has 100)");
}

TEST_F(OtherDevices, StorageImagesOfSeveralSamplesNeedTheFeatureBeforeTheyAreMade) {
    Pretend pretend;
    pretend.features = [](VkPhysicalDeviceFeatures2& f) { f.features.shaderStorageImageMultisample = VK_FALSE; };
    const auto made = device();
    auto job = squares();
    Image image;
    image.samples = 4;
    image.storage = true;
    job.images = {image};
    uint32_t allocations = 0;
    pretend.allocate = [&] {
        allocations++;
        return VK_SUCCESS;
    };
    EXPECT_EQ(missing(*made, job), "shaderStorageImageMultisample");
    job.images[0].storage = false;
    job.images[0].data = {std::vector<uint8_t>(64)};
    EXPECT_EQ(missing(*made, job), "shaderStorageImageMultisample");
    EXPECT_EQ(allocations, 1u);  // of the arena
}

/// 5 has the bits of 1 and 4, which devices have, but is not a valid number of samples.
TEST_F(OtherDevices, NumbersOfSamplesAreSingleBits) {
    const auto made = device();
    auto job = squares();
    Image image;
    image.samples = 5;
    job.images = {image};
    EXPECT_EQ(missing(*made, job), "5 samples in format R32G32B32A32Sfloat");
    Job draw;
    draw.vertex.words = quad_vertex_shader();
    draw.samples = 5;
    EXPECT_EQ(missing(*made, draw), "framebuffers of 5 samples");
    draw.samples = 0;
    EXPECT_EQ(missing(*made, draw), "framebuffers of 0 samples");
    draw.samples = 4;
    EXPECT_EQ(missing(*made, draw), "ran");
}

/// Samples of images are written and read by a dispatch over a storage buffer.
TEST_F(OtherDevices, SamplesOfImagesAreHeldAgainstTheLimitsOfDispatches) {
    Pretend pretend;
    uint32_t groups = 0, range = 0;
    pretend.limits = [&](VkPhysicalDeviceLimits& l) {
        groups = l.maxComputeWorkGroupCount[0] = 4;
        range = l.maxStorageBufferRange = 1024;
    };
    const auto made = device();
    auto job = squares();
    Image image;
    image.format = VK_FORMAT_R32_UINT;
    image.texel_bytes = 4;
    image.width = image.height = 8;
    image.samples = 4;
    image.readback = true;
    job.images = {image};
    EXPECT_EQ(missing(*made, job), "ran");  // 256 samples: four groups of 64
    job.images[0].width = 9;
    EXPECT_EQ(missing(*made, job), "maxStorageBufferRange of 1152 (the device has 1024)");
    job.images[0].format = VK_FORMAT_R8_UINT;
    job.images[0].texel_bytes = 1;
    EXPECT_EQ(missing(*made, job), "maxComputeWorkGroupCount of 5 (the device has 4)");
    EXPECT_EQ(groups, 4u);
    EXPECT_EQ(range, 1024u);
}

/// Each stage needs the feature for its own module.
TEST_F(OtherDevices, StoresNeedTheFeatureOfTheirStage) {
    Pretend pretend;
    bool vertex = false, fragment = true;
    pretend.features = [&](VkPhysicalDeviceFeatures2& f) {
        f.features.vertexPipelineStoresAndAtomics = vertex;
        f.features.fragmentStoresAndAtomics = fragment;
    };
    Job stores;
    stores.vertex = {copy_vert, {{3, 10}}};
    stores.push_constants = {4};
    stores.buffers = {{{1, 2, 3, 4}, false}, {std::vector<uint32_t>(12), true}};
    stores.descriptors = {{0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {0}, {}},
                          {0, 7, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {1}, {}}};
    Job quads;
    quads.vertex.words = quad_vertex_shader();
    quads.fragment = {quads_frag, {{0, 2}}};
    quads.width = quads.height = 2;
    quads.viewport_width = quads.viewport_height = 4;
    quads.buffers = {{std::vector<uint32_t>(4), false}, {std::vector<uint32_t>(16), true}};
    quads.descriptors = {{1, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {0}, {}},
                         {1, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {1}, {}}};
    Job both = quads;
    both.vertex = stores.vertex;
    both.push_constants = stores.push_constants;
    both.buffers.insert(both.buffers.end(), stores.buffers.begin(), stores.buffers.end());
    both.descriptors.push_back({0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {2}, {}});
    both.descriptors.push_back({0, 7, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {3}, {}});
    {
        const auto made = device();
        EXPECT_EQ(missing(*made, stores), "vertexPipelineStoresAndAtomics");
        EXPECT_EQ(missing(*made, quads), "ran");
        EXPECT_EQ(missing(*made, both), "vertexPipelineStoresAndAtomics");
    }
    vertex = true;
    fragment = false;
    const auto made = device();
    EXPECT_EQ(missing(*made, stores), "ran");
    EXPECT_EQ(missing(*made, quads), "fragmentStoresAndAtomics");
    EXPECT_EQ(missing(*made, both), "fragmentStoresAndAtomics");
    // A module without storage needs neither, for any bindings of the job.
    Job none = quads;
    none.fragment = {};
    EXPECT_EQ(missing(*made, none), "ran");
}

TEST_F(OtherDevices, CapturesAreHeldAgainstTheNumberOfTheirBuffers) {
    Pretend pretend;
    pretend.properties = [](VkPhysicalDeviceProperties2& p) {
        for (auto* s = static_cast<VkBaseOutStructure*>(p.pNext); s != nullptr; s = s->pNext)
            if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_PROPERTIES_EXT)
                static_cast<VkPhysicalDeviceTransformFeedbackPropertiesEXT*>(static_cast<void*>(s))
                    ->maxTransformFeedbackBuffers = 1;
    };
    const auto made = device();
    if (!made->report().transform_feedback) GTEST_SKIP() << info_.name << " has no transform feedback";
    Job job;
    job.vertex.words = quad_vertex_shader();
    job.buffers = {{std::vector<uint32_t>(64), true}};
    job.captures = {0, 0};
    EXPECT_EQ(missing(*made, job), "maxTransformFeedbackBuffers of 2 (the device has 1)");
}

TEST_F(OtherDevices, DescriptorsAreHeldAgainstEveryLimit) {
    using L = VkPhysicalDeviceLimits;
    struct Row {
        uint32_t L::*limit;
        VkDescriptorType type;
        const char* name;
    };
    const Row kRows[] = {
        {&L::maxPerStageResources, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, "maxPerStageResources"},
        {&L::maxDescriptorSetStorageBuffers, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, "maxDescriptorSetStorageBuffers"},
        {&L::maxDescriptorSetUniformBuffers, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, "maxDescriptorSetUniformBuffers"},
    };
    for (const Row& row : kRows) {
        Pretend pretend;
        pretend.limits = [&](L& l) { l.*row.limit = 3; };
        const auto made = device();
        auto job = squares();
        const auto add = [&] {
            const auto i = static_cast<uint32_t>(job.buffers.size());
            job.buffers.push_back({{1, 2, 3, 4}, false});
            job.descriptors.push_back({0, i, row.type, {i}, {}});
        };
        // The shader itself has one storage buffer.
        for (uint32_t i = row.type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER ? 1 : 0; i < 3; i++) add();
        EXPECT_EQ(missing(*made, job), "ran");
        add();
        EXPECT_EQ(missing(*made, job), std::string(row.name) + " of 4 (the device has 3)");
    }
    Pretend pretend;
    pretend.limits = [](L& l) { l.maxStorageBufferRange = 64; };
    const auto made = device();
    auto job = squares();
    EXPECT_EQ(missing(*made, job), "ran");
    job.buffers[0].words.resize(17);
    EXPECT_EQ(missing(*made, job), "maxStorageBufferRange of 68 (the device has 64)");
}

/// Draws a triangle with attributes; the harness checks the vertex shader's module last.
TEST_F(OtherDevices, DrawsAreHeldAgainstEveryLimit) {
    Pretend pretend;
    pretend.limits = [](VkPhysicalDeviceLimits& l) {
        l.maxVertexInputAttributes = l.maxVertexInputBindings = 2;
        l.maxFramebufferHeight = l.maxViewportDimensions[1] = 64;
        l.maxColorAttachments = 1;
    };
    const auto made = device();
    Job job;
    job.vertex.words = quad_vertex_shader();
    job.width = job.height = job.viewport_width = job.viewport_height = 64;
    EXPECT_EQ(missing(*made, job), "ran");
    auto other = job;
    other.attributes = {{2, VK_FORMAT_R32_SFLOAT, 4, {}}};
    EXPECT_EQ(missing(*made, other), "maxVertexInputAttributes of 3 (the device has 2)");
    other.attributes.assign(3, {0, VK_FORMAT_R32_SFLOAT, 4, {}});
    EXPECT_EQ(missing(*made, other), "maxVertexInputBindings of 3 (the device has 2)");
    other = job;
    other.height = 65;
    EXPECT_EQ(missing(*made, other), "maxFramebufferHeight of 65 (the device has 64)");
    other = job;
    other.viewport_height = 65;
    EXPECT_EQ(missing(*made, other), "maxViewportDimensions[1] of 65 (the device has 64)");
    other = job;
    other.attachments.resize(2);
    EXPECT_EQ(missing(*made, other), "maxColorAttachments of 2 (the device has 1)");
}

}  // namespace
}  // namespace tgsi2spv::harness
