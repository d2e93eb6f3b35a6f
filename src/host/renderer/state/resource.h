// Creation of resources, from checked requests, and of the views of textures that are drawn to.
#pragma once

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct HostState;

/// The usage of images and views that are colour targets: FRAG blends where the device cannot (shader_blend.h).
VkImageUsageFlags color_target_usage(const vk::Device& device);
/// The image of a resource whose request has been checked, cleared.
Problem make_image(HostState& host, Resource& resource);

/// A texture for a copy of the resource's texels, with this image. Null: memory is short.
std::shared_ptr<Resource> make_texture_for_copy(HostState& host, const Resource& from, const vk::ImageInfo& info);

Problem create_resource(HostState& host, const virgl::ResourceRequest& request,
                        std::shared_ptr<virgl::SharedMemory> memory);

// Buffers in memory that the guest keeps mapped.
Problem describe_buffer(HostState& host, const virgl::DescribeBuffer& command);
bool maps(HostState& host, const std::shared_ptr<virgl::SharedMemory>& memory);
/// Makes the buffer that was described under `number`; the description is gone after it.
Problem create_mapped(HostState& host, uint32_t handle, uint64_t number, std::shared_ptr<virgl::SharedMemory> memory);

// Surfaces: views of textures that are drawn to.
/// The view of the surface's layers; null: no memory.
void make_view(HostState& host, Surface& surface);
/// Whether the device has views of the image to draw to: it may have none of slices.
bool has_target_views(const vk::Image& image);
Problem make_surface(HostState& host, const virgl::CreateSurface& command, Surface& surface);
/// A surface without a view because memory was short becomes one with a view.
Problem find_view(HostState& host, std::shared_ptr<const Surface>& surface);

}  // namespace tgsi2spv::host
