// The link to the machine's process, in a viewer's process: pictures and events. The other end is a Watcher.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "machine/virtio_gpu/viewers.h"
#include "process/socket.h"

namespace tgsi2spv::virtio_gpu {

/// RFB has lines of this length at most in libvncserver's buffer. The rest of a wider display is not seen.
inline constexpr uint32_t kMostWidth = 8184;

/// The first display.
struct Picture {
    uint32_t width = 0, height = 0;  ///< 0: it is off, and stays black in its size
    uint32_t columns = 0, rows = 0;  ///< size of the part that is seen
    std::vector<uint32_t> pixels;    ///< pixels of that part
    Rect pieces{};                   ///< have come of a picture of which others have not: not to be shown yet
    Cursor cursor;
    bool size_stays = false;
    std::string text;  ///< text that a program of the guest has copied
};

/// The changes that a message made.
struct Change {
    bool size = false, cursor = false, pointer = false, text = false;
    Rect damage{};
};

/// 0: it is off. False: a size that no display has.
bool resize(Picture& picture, uint32_t width, uint32_t height);

/// Events that tell the machine a text that the viewer has copied, of up to kMostText: its size, then its bytes.
std::vector<ViewerEvent> text_message(const std::string& text);

class Link {
  public:
    explicit Link(process::Descriptor socket) : socket_(std::move(socket)) {}
    int socket() const { return socket_.number(); }
    /// Reads a message, which has begun to come. None: the machine has ended, or the message is wrong.
    std::optional<Change> receive(Picture& picture);
    void say(const ViewerEvent& event) { send(std::as_bytes(std::span(&event, 1))); }
    void say_text(const std::string& text) {
        const auto units = text_message(text);
        send(std::as_bytes(std::span(units)));
    }

  private:
    bool read(void* to, size_t bytes) {
        return process::read_all(socket(), {static_cast<std::byte*>(to), bytes}) == process::Got::All;
    }
    /// If the machine has ended, the next read fails, too.
    void send(std::span<const std::byte> bytes) { process::write_all(socket(), bytes); }
    std::optional<Change> receive_update(Picture& picture, size_t bytes);
    std::optional<Change> receive_text(Picture& picture, size_t bytes);

    process::Descriptor socket_;
};

}  // namespace tgsi2spv::virtio_gpu
