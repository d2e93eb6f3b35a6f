// The roof: a renderer with all floors.
#pragma once

#include <memory>

#include "renderer/draw/host_drawer.h"
#include "renderer/missing.h"

namespace tgsi2spv::host {

struct Host : HostDrawer {
    Host(std::unique_ptr<vk::Device> device, const HostOptions& options);
    ~Host();

    Missing missing;
    bool complete = false;  ///< all objects that every guest needs could be made
};

}  // namespace tgsi2spv::host
