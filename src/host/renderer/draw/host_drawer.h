// The floor of draws: the ways that they may take on this device.
#pragma once

#include <memory>
#include <utility>

#include "renderer/draw/ways.h"
#include "renderer/emulate/host_emulator.h"

namespace tgsi2spv::host {

struct HostDrawer : HostEmulator {
    HostDrawer(std::unique_ptr<vk::Device> the_device, const HostOptions& the_options)
        : HostEmulator(std::move(the_device), the_options), ways({device->report(), device->extras()}) {}
    Ways ways;
};

}  // namespace tgsi2spv::host
