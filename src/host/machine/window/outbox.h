// Events on their way to the machine's process, for which the window's thread never waits: that has the desktop's keys.
#pragma once

#include <bitset>
#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "machine/virtio_gpu/viewers.h"

namespace tgsi2spv::window {

class Outbox {
  public:
    explicit Outbox(int socket) : socket_(socket) {}

    /// False: too many events wait. They are dropped, all keys and buttons are let go, and until the machine's process
    /// has read that, nothing is said.
    bool say(const virtio_gpu::ViewerEvent& event);
    /// A text of up to kMostText, before the events that wait. Only the latest is kept.
    void say_text(std::string text);
    /// Sends as much as the socket has room for. If the machine has ended, the link's next message tells it.
    void send();
    bool waits() const { return at_ < out_.size() || !events_.empty() || !text_.empty(); }

  private:
    static constexpr size_t kMostWaiting = 256;

    void let_go();
    bool begin_message();

    const int socket_;
    std::deque<virtio_gpu::ViewerEvent> events_;
    std::string text_;
    std::vector<std::byte> out_;  ///< a message
    size_t at_ = 0;               ///< its sent bytes
    std::bitset<virtio_gpu::kMostKeys> down_;
    virtio_gpu::ViewerEvent pointer_{virtio_gpu::ViewerEvent::Pointer, 0, 0, 0};  ///< the latest
    bool last_moves_ = false;  ///< the last event only moves the pointer
    bool dropped_ = false;     ///< too many events waited, and what let_go() said waits still
};

}  // namespace tgsi2spv::window
