// How much was done, for the line of the log (stats.h).
#pragma once

#include <chrono>
#include <cstdint>

#include "vk/stream.h"

namespace tgsi2spv::host {

struct Counts {
    uint64_t frames = 0;  ///< frames that programs have shown: reads of windows' surfaces and scan-outs
    uint64_t draws = 0, dispatches = 0;
    uint64_t pipelines_made = 0, pipelines_found = 0;  ///< found: in the program's map, by the key
    // CPU time of the thread that serves, only if `on`. `record` has neither `decode` nor `compile`.
    std::chrono::nanoseconds decode{}, record{}, compile{};
};

struct Stats {
    bool on = false;
    Counts counts;
    // As of the last line.
    Counts told;
    vk::Counters told_stream;
    std::chrono::nanoseconds told_thread{}, told_process{};
    std::chrono::steady_clock::time_point last_line{};
};

}  // namespace tgsi2spv::host
