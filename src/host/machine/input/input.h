// A keyboard or a pointer of a machine (QEMU's vhost-user-input), which its monitor has connected by a socket.
#pragma once

#include <array>

#include "machine/input/device.h"
#include "machine/vhost/part.h"
#include "machine/vhost/session.h"
#include "process/log.h"

namespace tgsi2spv::virtio_input {

class Input final : public vhost::Part {
  public:
    Input(process::Descriptor socket, Kind kind, process::Log& log)
        : device_(kind, memory_, rings_), session_(std::move(socket), device_, memory_, rings_, log) {}

    void add_waits(std::vector<pollfd>& waits) const override;
    int time_to_wait() const override { return device_.has_more() ? 0 : -1; }
    void serve(std::span<const pollfd> waits) override;
    Device& device() { return device_; }

  private:
    vhost::Memory memory_;
    std::array<vhost::Ring, vhost::kQueues> rings_;
    Device device_;
    vhost::Session session_;
    bool connected_ = true;
};

}  // namespace tgsi2spv::virtio_input
