// What shaders read where the guest has bound nothing that fits, on devices without null descriptors: zeros.
#pragma once

#include <volk.h>

#include <memory>

#include "gpu/object.h"

namespace tgsi2spv::host {

struct Host;
struct Descriptor;

/// What a descriptor has in place of nothing, in whichever of the members its type reads.
struct Dummy {
    std::shared_ptr<gpu::Image> image;
    std::shared_ptr<gpu::Buffer> buffer;
    VkImageView view = VK_NULL_HANDLE;
    VkBufferView texels = VK_NULL_HANDLE;
};

/// The buffers that all share: one that no shader writes, as large as any uniform buffer, and a small one for stores.
/// Null where the device has null descriptors.
struct DummyBuffers {
    std::shared_ptr<gpu::Buffer> zeros, stores;
    VkBuffer vertices() const { return zeros == nullptr ? VK_NULL_HANDLE : zeros->handle(); }
};

/// False if there is no memory. Nothing is made where the device has null descriptors.
bool make_dummy_buffers(Host& host);
/// Fills `descriptor.dummy` likewise. Ends the rendering scope.
bool make_dummy(Host& host, Descriptor& descriptor);

}  // namespace tgsi2spv::host
