// Creation of resources: checks of the guest's request, and the resulting image.
#pragma once

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct Host;

/// The image of a resource whose request has been checked, cleared.
Problem make_image(Host& host, Resource& resource);

Problem create_resource(Host& host, const virgl::ResourceRequest& request, std::shared_ptr<virgl::SharedMemory> memory);

// Buffers in memory that the guest keeps mapped.
Problem describe_buffer(Host& host, const virgl::DescribeBuffer& command);
bool maps(Host& host, const std::shared_ptr<virgl::SharedMemory>& memory);
/// What has been described under `number`; the description is gone after it.
Problem create_mapped(Host& host, uint32_t handle, uint64_t number, std::shared_ptr<virgl::SharedMemory> memory);

}  // namespace tgsi2spv::host
