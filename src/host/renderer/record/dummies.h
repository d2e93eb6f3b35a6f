// Zeros for shaders to read where the guest has not bound a matching resource, on devices without null descriptors.
#pragma once

#include <volk.h>

#include <memory>

#include "renderer/state/problem.h"
#include "vk/object.h"

namespace tgsi2spv::host {

struct HostRecorder;
struct Descriptor;

/// The content of a descriptor without a resource, in the member for its type.
struct Dummy {
    std::shared_ptr<vk::Image> image;
    std::shared_ptr<vk::Buffer> buffer;
    VkImageView view = VK_NULL_HANDLE;
    VkBufferView texels = VK_NULL_HANDLE;
};

/// The shared dummy buffers: one that no shader writes, as large as any uniform buffer, and a small one for stores.
/// Null where the device has null descriptors.
struct DummyBuffers {
    std::shared_ptr<vk::Buffer> zeros, stores;
    const void* owner = nullptr;  ///< the client whose shaders have stored
    VkBuffer vertices() const { return zeros == nullptr ? VK_NULL_HANDLE : zeros->handle(); }
};

/// False if memory is short. Nothing is made if the device has null descriptors.
bool make_dummy_buffers(HostRecorder& host);
/// Before shaders of the host's client run: they must not read what another one's have stored.
void clear_stores(HostRecorder& host);
/// Fills `descriptor.dummy` with a dummy image. Ends the rendering scope. Unsupported: the device has no such image.
Problem make_dummy(HostRecorder& host, Descriptor& descriptor);

}  // namespace tgsi2spv::host
