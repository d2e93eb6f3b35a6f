// Creation of resources: what the guest may ask for, and what it gets.
#pragma once

#include "renderer/state/state.h"

namespace tgsi2spv::host {

struct Host;

/// The image of a resource whose request has been checked, cleared.
Problem make_image(Host& host, Resource& resource);

Problem create_resource(Host& host, const virgl::ResourceRequest& request, std::shared_ptr<virgl::SharedMemory> memory);

}  // namespace tgsi2spv::host
