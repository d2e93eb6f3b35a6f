// The floor of draws whose stages the device lacks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "renderer/emulate/kernels.h"
#include "renderer/record/host_recorder.h"

namespace tgsi2spv::host {

struct Emulation {
    std::shared_ptr<LinkedProgram> kernels;  ///< of kernels.h; null before the first
    // Of the current piece; kept for the next one of the same client.
    const void* owner = nullptr;
    std::shared_ptr<gpu::Buffer> inputs;    ///< records of VERT's attributes
    std::shared_ptr<gpu::Buffer> vertices;  ///< records that VERT wrote, then those of TESS_EVAL
    std::shared_ptr<gpu::Buffer> patches;   ///< records that TESS_CTRL wrote
    std::shared_ptr<gpu::Buffer> emitted;   ///< records that GEOM wrote
    std::shared_ptr<gpu::Buffer> counts, list, totals;
    struct {
        size_t vertices = 0;  ///< since the last batch that was submitted for their sake
        uint64_t batch = 0;   ///< that one
    } one_by_one;             ///< primitives that were drawn so
    std::map<std::pair<uint64_t, uint32_t>, Shared<Shader>> generated;  ///< by find_generated()'s arguments
    uint32_t made_primitives = 0;  ///< by the tessellation of the pieces of an instance so far
    uint64_t made_points = 0;      ///< by the tessellation of the command so far
    uint64_t passes = 0;           ///< of the command so far, to layers and viewports
    bool refused_patches = false;  ///< of the draw, for want of room
};

struct HostEmulator : HostRecorder {
    using HostRecorder::HostRecorder;
    Emulation emulation;
};

}  // namespace tgsi2spv::host
