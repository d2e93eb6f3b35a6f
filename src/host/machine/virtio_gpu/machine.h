// One virtual machine's graphics: the front end's messages, both rings, the display's socket and the device, and other
// parts of the machine, in one loop of one thread. Only requests have a thread of their own (turns.h).
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "machine/vhost/part.h"
#include "machine/vhost/session.h"
#include "machine/virtio_gpu/device.h"
#include "process/progress.h"

namespace tgsi2spv::virtio_gpu {

class Machine {
  public:
    /// A null renderer: 2D only.
    Machine(process::Descriptor socket, std::unique_ptr<virgl::MachineRenderer> renderer, process::Log& log,
            const Limits& limits = {});
    /// Does the pending work, or waits for some: `timeout` in milliseconds, -1 forever. False: the front end is gone.
    bool step(int timeout, process::Progress& progress);
    /// Runs until the front end is gone. Returns whether it closed the connection regularly.
    bool run(process::Progress& progress);

    Display& display() { return device_.display(); }
    /// Whether the guest has a driver of the device.
    bool is_driven() const { return rings_[kControl].runs(); }
    /// Served by the same loop from now on; it lives longer than this.
    void add(vhost::Part& part) { parts_.push_back(&part); }
    /// Asks the guest to take this size for its first display, now or when its driver starts next. False: the front end
    /// does not tell the guest now.
    bool ask_for_size(uint32_t width, uint32_t height);

  private:
    int time_to_wait(int timeout) const;
    void wait_for_parts();
    void serve_parts();
    void serve_rings();

    process::Log& log_;
    vhost::Memory memory_;
    std::array<vhost::Ring, vhost::kQueues> rings_;
    Device device_;
    vhost::Session session_;
    std::array<bool, vhost::kQueues> logged_{};  ///< rings whose failure the log has
    bool more_ = false;                          ///< requests that are known to wait
    bool takes_sizes_ = true;                    ///< the front end tells the guest
    std::vector<vhost::Part*> parts_;
    std::vector<pollfd> waits_;     ///< those of the machine, and then those of parts
    std::vector<size_t> parts_at_;  ///< place of each part's first one
};

}  // namespace tgsi2spv::virtio_gpu
