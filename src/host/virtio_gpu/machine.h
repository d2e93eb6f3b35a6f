// One virtual machine's graphics: the front end's messages, both rings, the display's socket and the device, in one
// loop of one thread.
#pragma once

#include <array>
#include <memory>

#include "vhost/session.h"
#include "virtio_gpu/device.h"
#include "vtest/progress.h"

namespace tgsi2spv::virtio_gpu {

class Machine {
  public:
    /// A null renderer: 2D only.
    Machine(vtest::Descriptor socket, std::unique_ptr<virgl::SharedRenderer> renderer, vtest::Log& log,
            const Limits& limits = {});
    /// Does the pending work, or waits for some: `timeout` in milliseconds, -1 forever. False: the front end is gone.
    bool step(int timeout, vtest::Progress& progress);
    /// Runs until the front end is gone. Returns whether it closed the connection regularly.
    bool run(vtest::Progress& progress);

  private:
    int time_to_wait(int timeout) const;

    vtest::Log& log_;
    vhost::Memory memory_;
    std::array<vhost::Ring, vhost::kQueues> rings_;
    Device device_;
    vhost::Session session_;
    std::array<bool, vhost::kQueues> logged_{};  ///< whether the log has the reason of a broken ring
    bool more_ = false;                          ///< requests that are known to wait
};

}  // namespace tgsi2spv::virtio_gpu
