#include "renderer/record/dummies.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "renderer/record/descriptor_views.h"
#include "renderer/record/host_recorder.h"
#include "vk/move.h"

namespace tgsi2spv::host {
namespace {

constexpr VkDeviceSize kStoreBytes = 16;

std::shared_ptr<vk::Buffer> zeros(HostState& host, VkDeviceSize bytes, const char* name) {
    auto buffer = vk::Buffer::create(*host.device, host.memory, bytes);
    if (buffer == nullptr) return buffer;
    std::memset(buffer->mapped(), 0, buffer->size());
    buffer->set_name(name);
    return buffer;
}

VkFormat dummy_format(const Descriptor& descriptor) {
    if (descriptor.format != VK_FORMAT_UNDEFINED) return descriptor.format;
    if (descriptor.depth) return VK_FORMAT_D16_UNORM;
    switch (descriptor.component) {
        case TGSI2SPV_COMPONENT_UINT:
            return VK_FORMAT_R32_UINT;
        case TGSI2SPV_COMPONENT_INT:
            return VK_FORMAT_R32_SINT;
        default:
            return descriptor.dim == TGSI2SPV_IMAGE_BUFFER ? VK_FORMAT_R32_SFLOAT : VK_FORMAT_R8G8B8A8_UNORM;
    }
}

Problem make_image_dummy(HostState& host, Descriptor& descriptor, VkImageUsageFlags usage) {
    const bool cube = descriptor.dim == TGSI2SPV_IMAGE_CUBE;
    const vk::ImageInfo info{.type = image_type(descriptor),
                             .format = dummy_format(descriptor),
                             .layers = cube ? 6U : 1U,
                             .samples = descriptor.multisampled ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT,
                             .usage = usage | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                             .flags = cube ? VkImageCreateFlags{VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT} : 0};
    VkImageFormatProperties limits{};
    if (vkGetPhysicalDeviceImageFormatProperties(host.device->physical(), info.format, info.type,
                                                 VK_IMAGE_TILING_OPTIMAL, info.usage, info.flags,
                                                 &limits) != VK_SUCCESS ||
        (limits.sampleCounts & info.samples) == 0)
        return Problem::Unsupported;
    descriptor.dummy.image = vk::Image::create(*host.device, host.memory, info);
    if (descriptor.dummy.image == nullptr || !vk::begin_image(host.stream, descriptor.dummy.image))
        return Problem::NoMemory;
    descriptor.dummy.image->set_name("reads of nothing");
    const auto view = host.stream.view(descriptor.dummy.image, {.type = view_type(descriptor),
                                                                .format = info.format,
                                                                .aspects = vk::aspects_of(info.format),
                                                                .layers = info.layers,
                                                                .usage = usage});
    descriptor.dummy.view = view.value_or(VK_NULL_HANDLE);
    return descriptor.dummy.view == VK_NULL_HANDLE ? Problem::NoMemory : Problem::None;
}

}  // namespace

bool make_dummy_buffers(HostRecorder& host) {
    if (host.device->report().null_descriptor) return true;
    const uint32_t largest = std::min(host.device->report().limits.maxUniformBufferRange, 65536U);
    host.dummies.zeros = zeros(host, largest, "reads of nothing");
    host.dummies.stores = zeros(host, kStoreBytes, "stores to nothing");
    return host.dummies.zeros != nullptr && host.dummies.stores != nullptr;
}

void clear_stores(HostRecorder& host) {
    DummyBuffers& d = host.dummies;
    if (d.stores == nullptr || std::exchange(d.owner, host.client) == host.client) return;
    constexpr std::array<std::byte, kStoreBytes> kZeros{};
    [[maybe_unused]] const vk::Status done = vk::update_buffer(host.stream, d.stores, 0, kStoreBytes, kZeros.data());
}

Problem make_dummy(HostRecorder& host, Descriptor& descriptor) {
    if (host.device->report().null_descriptor) return Problem::None;
    switch (descriptor.type) {
        case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
        case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
            return make_image_dummy(host, descriptor, VK_IMAGE_USAGE_SAMPLED_BIT);
        case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
            return make_image_dummy(host, descriptor, VK_IMAGE_USAGE_STORAGE_BIT);
        case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
        case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
            descriptor.dummy.buffer = descriptor.writes ? host.dummies.stores : host.dummies.zeros;
            descriptor.dummy.texels = host.stream
                                          .view(descriptor.dummy.buffer,
                                                descriptor.type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER
                                                    ? VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT
                                                    : VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT,
                                                dummy_format(descriptor), 0, kStoreBytes)
                                          .value_or(VK_NULL_HANDLE);
            return descriptor.dummy.texels == VK_NULL_HANDLE ? Problem::NoMemory : Problem::None;
        case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
            descriptor.dummy.buffer = descriptor.writes ? host.dummies.stores : host.dummies.zeros;
            return Problem::None;
        case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
            descriptor.dummy.buffer = host.dummies.zeros;
            return Problem::None;
        default:
            return Problem::None;  // samplers
    }
}

}  // namespace tgsi2spv::host
