// The device: takes requests from its rings, answers them, in the order of fences where they have one.
#pragma once

#include <memory>
#include <span>

#include "machine/gpu/state.h"
#include "machine/vhost/session.h"

namespace tgsi2spv::virtio_gpu {

class Device final : public vhost::Device {
  public:
    /// A null renderer: 2D only.
    Device(std::unique_ptr<virgl::MachineRenderer> renderer, const vhost::Memory& memory,
           std::span<vhost::Ring, 2> rings, process::Log& log, const Limits& limits = {});

    uint64_t features() const override;
    std::span<const std::byte> config() const override { return std::as_bytes(std::span(&config_, 1)); }
    void set_config(uint32_t offset, std::span<const std::byte> bytes) override;
    bool set_display(process::Descriptor socket) override {
        gpu_.display.connect(std::move(socket));
        return true;
    }
    void reset() override { virtio_gpu::reset(gpu_); }

    /// Serves some requests of both queues. Returns whether there may be more.
    bool serve();
    /// Answers the requests that the device has completed since. Returns whether there were any.
    bool poll();
    /// Whether the device works on requests.
    bool busy() const { return held_ || count_waiting() > 0; }
    Display& display() { return gpu_.display; }
    /// Asks the guest to take this size for its first display: once it looks into the config space.
    void wish(uint32_t width, uint32_t height);

  private:
    size_t count_waiting() const { return gpu_.pending.size() + gpu_.readings.size() + gpu_.cursors.size(); }
    bool serve_control();
    bool serve_cursor();

    Gpu gpu_;
    virtio_gpu_config config_{};
    bool held_ = false;  ///< requests may wait for room in the device's queue
};

}  // namespace tgsi2spv::virtio_gpu
