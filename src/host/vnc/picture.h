// The link to the machine's process, in a viewer's process: pictures and events. The other end is a Watcher.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "virtio_gpu/viewers.h"
#include "vtest/socket.h"

namespace tgsi2spv::vnc {

/// RFB has lines of this length at most in libvncserver's buffer; the rest of a wider display is not seen.
inline constexpr uint32_t kMostWidth = 8184;

/// The first display.
struct Picture {
    uint32_t width = 0, height = 0;  ///< 0: it is off
    std::vector<uint32_t> pixels;
    virtio_gpu::Cursor cursor;
    bool size_stays = false;
};

/// The changes that a message made.
struct Change {
    bool size = false, cursor = false, pointer = false;
    virtio_gpu::Rect damage{};
};

class Link {
  public:
    explicit Link(vtest::Descriptor socket) : socket_(std::move(socket)) {}
    int socket() const { return socket_.number(); }
    /// Reads a message, which has begun to come. None: the machine has ended, or the message is wrong.
    std::optional<Change> receive(Picture& picture);
    void say(const virtio_gpu::ViewerEvent& event);

  private:
    bool read(void* to, size_t bytes);
    bool resize(Picture& picture, uint32_t width, uint32_t height);
    std::optional<Change> receive_update(Picture& picture, size_t bytes);

    vtest::Descriptor socket_;
};

}  // namespace tgsi2spv::vnc
