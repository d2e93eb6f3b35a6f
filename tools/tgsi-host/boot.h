// Firmware and boot loaders have no driver of a machine's screen and keyboard: they show and read QEMU's own. The
// process that started the machine passes both on, by a socket.
#pragma once

#include <chrono>
#include <vector>

#include "machine/vhost/part.h"
#include "machine/virtio_gpu/machine.h"

namespace tools {

/// Writes a line for each key and each event of the pointer, and one that asks for a picture, four times a second while
/// viewers wait for one. The answer is two words, the width and the height (0: no new picture), and three bytes (RGB)
/// for each pixel.
class BootScreen final : public tgsi2spv::vhost::Part {
  public:
    BootScreen(tgsi2spv::process::Descriptor socket, tgsi2spv::virtio_gpu::Machine& machine,
               tgsi2spv::process::Log& log)
        : socket_(std::move(socket)), machine_(machine), log_(log) {}
    /// Who does not read them loses them.
    void press(uint32_t code, uint32_t down);
    /// A position up to 32767 each way, and RFB's buttons.
    void point(uint32_t x, uint32_t y, uint32_t buttons);

    void add_waits(std::vector<pollfd>& waits) const override { waits.push_back({socket_.number(), POLLIN, 0}); }
    int time_to_wait() const override;
    void serve(std::span<const pollfd> waits) override;

  private:
    using Clock = std::chrono::steady_clock;
    bool asks() const;
    void receive();
    void show(uint32_t width, uint32_t height);
    bool say(const std::string& line);

    tgsi2spv::process::Descriptor socket_;
    tgsi2spv::virtio_gpu::Machine& machine_;
    tgsi2spv::process::Log& log_;
    std::vector<uint8_t> in_;
    uint64_t skip_ = 0;  ///< bytes that are still to come of a picture without room
    bool asked_ = false, told_ = false;
    Clock::time_point next_{};
};

}  // namespace tools
