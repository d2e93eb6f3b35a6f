// One viewer of a machine, which speaks RFB (VNC), served by libvncserver in its own process: its input can harm only
// that process, and only that process waits if it does not read.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "process/log.h"
#include "process/progress.h"
#include "process/socket.h"

namespace tgsi2spv::vnc {

/// Of all viewers' processes: passwords are tried one at a time, and a wrong one makes all of them wait.
struct Guesses {
    std::atomic<int64_t> next{0};  ///< when the next one may be tried, in milliseconds of a clock that does not jump
};

struct ViewerOptions {
    std::string password;  ///< empty: none is asked for
    Guesses* guesses = nullptr;
    /// Called once the viewer's socket is set up, before a byte of it is read.
    std::function<void()> confine;
};

/// Serves it until it leaves, or the machine ends. `channel`: Viewers'. Returns whether it ended regularly.
bool serve_viewer(process::Descriptor viewer, int channel, const ViewerOptions& options, process::Progress& progress,
                  process::Log& log);

}  // namespace tgsi2spv::vnc
