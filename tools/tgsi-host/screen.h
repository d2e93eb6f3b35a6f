// A machine's screen, keyboard and pointer: viewers by VNC, screenshots, a picture for each flush.
#pragma once

#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "machine/agent/agent.h"
#include "machine/input/input.h"
#include "machine/virtio_gpu/machine.h"
#include "machine/virtio_gpu/viewers.h"

#include "tgsi-host/boot.h"
#include "tgsi-host/writer.h"

namespace tools {

struct ScreenArguments {
    std::string vnc, vnc_password;          ///< an address; a file
    std::string vnc_title = "tgsi-host";    ///< title of viewers' windows
    bool window = false, validate = false;  ///< a window of this desktop; its validation layer
    std::string device;                     ///< the window's, as the guest's
    std::string keyboard, pointer, agent;   ///< sockets, at which the monitor connects
    std::string boot_keys;                  ///< or who starts it
    std::string screenshot;
    /// These are of one machine.
    bool any() const {
        return window || !vnc.empty() || !keyboard.empty() || !pointer.empty() || !agent.empty() ||
               !boot_keys.empty() || !screenshot.empty();
    }
};

/// Files that are opened before a machine's process is confined.
struct ScreenFiles {
    tgsi2spv::process::Descriptor channel, window;                      ///< sockets of viewers' processes
    tgsi2spv::process::Descriptor keyboard, pointer, agent, boot_keys;  ///< listening; later connected
    std::unique_ptr<FileWriter> screenshot;
    tgsi2spv::process::Descriptor screenshot_signal;
};
/// Starts the server of viewers, too: before this process has used a driver. `viewer_bytes`: of the pictures in a
/// viewer's process; 0: it is not confined.
tl::expected<ScreenFiles, std::string> open_screen(const ScreenArguments& arguments, uint64_t viewer_bytes);
/// The monitor, which has connected its graphics, has connected the rest, too, or does so now.
void accept_inputs(const ScreenArguments& arguments, ScreenFiles& files, tgsi2spv::process::Log& log);

class MachineScreen {
  public:
    MachineScreen(tgsi2spv::virtio_gpu::Machine& machine, ScreenFiles files, tgsi2spv::process::Log& log);
    /// At the end, if the display still shows something.
    void take_screenshot();

  private:
    void handle_event(const tgsi2spv::virtio_gpu::ViewerEvent& event);
    void point(const tgsi2spv::virtio_gpu::ViewerEvent& event);
    void ask_for_size(uint32_t width, uint32_t height);

    class Screenshots;
    tgsi2spv::virtio_gpu::Machine& machine_;
    std::unique_ptr<tgsi2spv::virtio_gpu::Viewers> viewers_;
    std::unique_ptr<tgsi2spv::virtio_input::Input> keyboard_, pointer_;
    std::unique_ptr<tgsi2spv::vdagent::Agent> agent_;
    std::shared_ptr<Screenshots> screenshots_;
    std::unique_ptr<BootScreen> boot_;
    uint32_t buttons_ = 0;
};

/// Writes each flush of a machine's displays to PREFIXDISPLAY-NUMBER.png.
void write_flushes(tgsi2spv::virtio_gpu::Display& display, const std::string& prefix, tgsi2spv::process::Log& log);

}  // namespace tools
