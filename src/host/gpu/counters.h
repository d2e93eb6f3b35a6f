// What the stream has done, for whoever asks why a frame is slow. Counting costs an addition, so it is always done.
#pragma once

#include <chrono>
#include <cstdint>

namespace tgsi2spv::gpu {

struct Counters {
    uint64_t batches = 0;                  ///< command buffers that were submitted
    uint64_t scopes = 0;                   ///< rendering scopes
    uint64_t barriers = 0;                 ///< but for the one at the end of each batch
    uint64_t uploaded = 0, read_back = 0;  ///< bytes that the host wrote for the device, and read
    std::chrono::nanoseconds waited{};     ///< for the device
};

}  // namespace tgsi2spv::gpu
