// Creation of resources: what the guest may ask for, and what it gets.
#pragma once

#include "host/host.h"

namespace tgsi2spv::host {

/// New memory holds nothing that another client left there. Images: not of a compressed format.
void clear_image(Host& host, const std::shared_ptr<gpu::Image>& image);
void clear_buffer(Host& host, const std::shared_ptr<gpu::Buffer>& buffer);

/// The image of a resource whose request has been checked, cleared.
Problem make_image(Host& host, Resource& resource);

Problem create_resource(Host& host, const virgl::ResourceRequest& request, std::shared_ptr<virgl::SharedMemory> memory);

}  // namespace tgsi2spv::host
