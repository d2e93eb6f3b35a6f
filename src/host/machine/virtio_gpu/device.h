// The device: takes requests from its rings, answers them, in the order of fences where they have one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "machine/vhost/session.h"
#include "machine/virtio_gpu/commands.h"
#include "machine/virtio_gpu/state.h"

namespace tgsi2spv::virtio_gpu {

class Device final : public vhost::Device {
  public:
    /// A null renderer: 2D only.
    Device(std::unique_ptr<virgl::MachineRenderer> renderer, const vhost::Memory& memory,
           std::span<vhost::Ring, 2> rings, process::Log& log, const Limits& limits = {});
    /// Waits for the job.
    ~Device() override;

    uint64_t features() const override;
    std::span<const std::byte> config() const override { return std::as_bytes(std::span(&config_, 1)); }
    void set_config(uint32_t offset, std::span<const std::byte> bytes) override;
    bool set_display(process::Descriptor socket) override {
        gpu_.display.connect(std::move(socket));
        return true;
    }
    void reset() override;

    /// Serves some requests of both queues. Returns whether there may be more. While a request takes long, the next
    /// ones wait in their rings.
    bool serve();
    /// Answers the requests that the device has completed since. Returns whether there were any.
    bool poll();
    /// Whether the device works on requests.
    bool busy() const { return held_ || gpu_.turns.has_job() || held_cursor_ || count_waiting() > 0; }
    Display& display() { return gpu_.display; }
    /// Asks the guest to take this size for its first display: once it looks into the config space.
    void wish(uint32_t width, uint32_t height);

  private:
    /// A request that was taken from its ring, and has no answer yet.
    struct Request {
        Queue queue = kControl;
        vhost::Chain chain;
        Command command;
        Answer answer;
        std::optional<uint64_t> fence;  ///< the answer waits for it
    };
    size_t count_waiting() const { return gpu_.pending.size() + gpu_.readings.size() + gpu_.cursors.size(); }
    bool serve_control();
    bool serve_cursor();
    bool take(Queue queue, Request& request);
    void begin(Request request);
    void execute_request();
    void give_answer(Request request);
    bool go_on();
    void collect();

    Gpu gpu_;
    std::optional<Request> executed_;     ///< the job of `turns` executes it
    std::optional<Request> held_cursor_;  ///< it waits for that job
    bool resets_ = false;                 ///< a reset waits for the end of that job
    virtio_gpu_config config_{};
    bool collected_ = false;  ///< answers, since poll()
    bool held_ = false;       ///< requests may wait for room in the device's queue
};

}  // namespace tgsi2spv::virtio_gpu
