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
    std::shared_ptr<LinkedProgram> kernels;  ///< program of kernels.h; null before the first
    // The current piece's; kept for the next one of the same client.
    const void* owner = nullptr;
    std::shared_ptr<vk::Buffer> inputs;    ///< records of VERT's attributes
    std::shared_ptr<vk::Buffer> vertices;  ///< records that VERT wrote, then those of TESS_EVAL
    std::shared_ptr<vk::Buffer> patches;   ///< records that TESS_CTRL wrote
    std::shared_ptr<vk::Buffer> emitted;   ///< records that GEOM wrote
    std::shared_ptr<vk::Buffer> counts, list, totals;
    std::map<std::pair<uint64_t, uint32_t>, Shared<Shader>> generated;  ///< shaders by find_generated()'s arguments
};

/// Primitives that were drawn one by one, by commands that may be small: a batch holds those of many.
struct DrawnOneByOne {
    size_t vertices = 0;  ///< vertices since the last batch that was submitted for their sake
    uint64_t batch = 0;   ///< number of that batch
};

struct HostEmulator : HostRecorder {
    using HostRecorder::HostRecorder;
    Emulation emulation;
    DrawnOneByOne one_by_one;
};

}  // namespace tgsi2spv::host
