// The resources that a shader reads where the guest has bound none (dummies.h).
#pragma once

#include <volk.h>

#include <memory>

#include "vk/object.h"

namespace tgsi2spv::host {

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

}  // namespace tgsi2spv::host
