// A keyboard or a pointer of virtio-input (Virtio 1.2, 5.8). Codes and values are those of Linux's input events.
#pragma once

#include <linux/input.h>
#include <linux/virtio_input.h>

#include <array>
#include <bitset>
#include <cstdint>
#include <deque>
#include <span>

#include "machine/vhost/session.h"

namespace tgsi2spv::virtio_input {

enum class Kind : uint8_t { Keyboard, Pointer };
inline constexpr uint32_t kMostPosition = 32767;

/// Events that belong together, with a SYN_REPORT at the end.
struct Group {
    std::array<virtio_input_event, 4> events{};
    uint32_t size = 0;
    bool moves = false;  ///< it only moves the pointer: a newer group can replace it
};
void add(Group& group, uint32_t type, uint32_t code, uint32_t value);

class Device final : public vhost::Device {
  public:
    Device(Kind kind, const vhost::Memory& memory, std::span<vhost::Ring, 2> rings);

    uint64_t features() const override { return 0; }
    std::span<const std::byte> config() const override { return std::as_bytes(std::span(&config_, 1)); }
    void set_config(uint32_t offset, std::span<const std::byte> bytes) override;
    void reset() override;

    /// Whether the guest's driver runs.
    bool is_driven() const { return rings_[0].started(); }
    /// Presses or releases a key or button. Repeated calls and keys that it does not have are ignored.
    void key(uint32_t code, bool down);
    /// Moves the pointer; (0, 0) is the top left, kMostPosition the right and the bottom.
    void move(uint32_t x, uint32_t y);
    /// REL_WHEEL or REL_HWHEEL.
    void turn(uint32_t wheel, int32_t steps);
    /// Delivers as many events as the driver has buffers for. The driver's own events (LEDs) are ignored.
    void serve();
    /// Whether the driver's events may go on.
    bool has_more() const { return has_more_; }

  private:
    void select(uint8_t what, uint8_t of);
    bool is_key(uint32_t code) const;
    void push(Group group);
    void let_go();

    const Kind kind_;
    const vhost::Memory& memory_;
    const std::span<vhost::Ring, 2> rings_;
    virtio_input_config config_{};
    std::deque<Group> queue_;
    uint32_t given_ = 0;         ///< events of the first group that the guest has
    std::bitset<KEY_CNT> down_;  ///< the state after all queued events
    uint32_t x_ = 0, y_ = 0;
    bool has_more_ = false;
};

}  // namespace tgsi2spv::virtio_input
