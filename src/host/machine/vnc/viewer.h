// One viewer of a machine, which speaks RFB (VNC), served by libvncserver in its own process: its input can harm only
// that process, and only that process waits if it does not read.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "process/log.h"
#include "process/progress.h"
#include "process/socket.h"

namespace tgsi2spv::vnc {

/// Of all viewers' processes: the answers to wrong passwords have turns. The right one does not wait for them.
struct Guesses {
    std::atomic<int64_t> next{0};  ///< the next turn, in milliseconds of a clock that does not jump
};

/// Viewers learn for so long that the machine has ended.
inline constexpr std::chrono::seconds kToShowTheEnd{10};

struct ViewerOptions {
    std::string password;  ///< empty: none is asked for
    Guesses* guesses = nullptr;
    pid_t server = 0;  ///< the parent process: the kernel ends this one with it
    /// Called once the viewer's socket is set up, before a byte of it is read. False: it is not served.
    std::function<bool()> confine;
    std::string title = "tgsi-host";  ///< the viewer's window shows it
};

/// Serves it until it leaves, or the machine ends. `channel`: Viewers'. Returns whether it ended regularly.
bool serve_viewer(process::Descriptor viewer, int channel, const ViewerOptions& options, process::Progress& progress,
                  process::Log& log);

}  // namespace tgsi2spv::vnc
