// Why a frame is slow: what was done, how long it took, and a line of the log about it each second.
#pragma once

#include <chrono>
#include <string_view>

#include "renderer/state/counts.h"

namespace tgsi2spv::host {

struct HostState;

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
