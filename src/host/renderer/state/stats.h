// Why a frame is slow: what was done, how long it took, and a line of the log about it each second.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "vk/stream.h"

namespace tgsi2spv::host {

struct HostState;

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

/// CPU time of this thread, and of all threads of this process.
std::chrono::nanoseconds thread_time();
std::chrono::nanoseconds process_time();

/// Turns the clocks on; the first line comes in a second.
void start_stats(Stats& stats);
/// Writes a line if the last one is a second old, or `now` and there is something to tell.
void tell_stats(HostState& host, bool now = false);

/// Counts a pipeline, and times what its driver does at once (lavapipe compiles later, as it draws).
class CompileTimer {
  public:
    explicit CompileTimer(Stats& stats)
        : stats_(stats), start_(stats.on ? thread_time() : std::chrono::nanoseconds{}) {}
    /// With a line for a pipeline that is made after the first frames: these stutter. `what`: as "shaders 7, 9".
    void stop(std::string_view what) const;

  private:
    Stats& stats_;
    std::chrono::nanoseconds start_;
};

}  // namespace tgsi2spv::host
