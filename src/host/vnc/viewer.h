// One viewer of a machine, who speaks RFB (VNC), served by libvncserver in a process of its own: whatever it sends
// harms only that, and one that does not read makes only that wait.
#pragma once

#include <functional>
#include <string>

#include "vtest/log.h"
#include "vtest/socket.h"

namespace tgsi2spv::vnc {

struct ViewerOptions {
    std::string password;  ///< empty: none is asked for
    /// Called once the viewer's socket is set up, before a byte of it is read.
    std::function<void()> confine;
};

/// Serves it until it leaves, or the machine ends. `door`: Viewers'. Returns whether it ended as it should.
bool serve_viewer(vtest::Descriptor viewer, int door, const ViewerOptions& options, vtest::Log& log);

}  // namespace tgsi2spv::vnc
