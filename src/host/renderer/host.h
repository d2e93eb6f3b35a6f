// The roof: a renderer with all floors.
#pragma once

#include <memory>

#include "renderer/emulate/host_emulator.h"
#include "renderer/move/blit_draw.h"

namespace tgsi2spv::host {

struct Host : HostEmulator {
    Host(std::unique_ptr<gpu::Device> device, const HostOptions& options);
    ~Host();

    BlitPipelines blits;
    bool complete = false;  ///< all objects that every guest needs could be made
};

}  // namespace tgsi2spv::host
