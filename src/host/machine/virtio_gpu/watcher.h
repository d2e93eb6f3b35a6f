// Sends the displays' pictures by a socket: to the front end (QEMU's docs/interop/vhost-user-gpu.rst), or to a viewer's
// process. Nothing here ever waits for them. So no message is queued: pending changes are state, newer state replaces
// older, and the next messages are made when the socket has room for them, each as a whole.
#pragma once

#include <linux/virtio_gpu.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "machine/virtio_gpu/pixels.h"
#include "process/socket.h"

namespace tgsi2spv::virtio_gpu {

inline constexpr uint32_t kScanouts = VIRTIO_GPU_MAX_SCANOUTS;
inline constexpr uint32_t kCursorExtent = 64;

struct Cursor {
    uint32_t x = 0, y = 0, hot_x = 0, hot_y = 0;
    bool visible = false;
    std::array<uint32_t, kCursorExtent * kCursorExtent> pixels{};
};

/// A display as it was last flushed.
struct Screen {
    uint32_t width = 0, height = 0;            ///< 0: it is off
    uint32_t last_width = 0, last_height = 0;  ///< size while it is or was on: viewers keep it
    std::vector<uint32_t> pixels;
    Cursor cursor;
};
using Screens = std::array<Screen, kScanouts>;

/// Messages are a header of three words (request, flags, bytes) and so many bytes.
enum DisplayRequest : uint32_t {
    kGetDisplayInfo = 3,
    kCursorPos = 4,
    kCursorPosHide = 5,
    kCursorUpdate = 6,
    kScanout = 7,
    kUpdate = 8,
    // Only to viewers:
    kSizeStays = 0x100,  ///< the guest cannot be asked for another size
    kText = 0x101,       ///< a program of the guest has copied it: its bytes, and the text in whole words
    kWhole = 0x102,      ///< the updates before it are one picture, from now on
};
inline constexpr size_t kDisplayHeaderBytes = 12;

class Watcher {
  public:
    Watcher() = default;
    enum class Kind : uint8_t { FrontEnd, Viewer };
    /// Knows nothing yet.
    Watcher(process::Descriptor socket, const Screens& screens, Kind kind);

    int socket() const { return socket_.number(); }
    void close() { *this = Watcher(); }
    /// Whether there is something to send that the socket had no room for.
    bool waits_for_room() const { return at_ < out_.size(); }

    void forget(uint32_t scanout) { updates_[scanout] = {}; }
    // Notes a change.
    void resized(uint32_t scanout);
    void damaged(uint32_t scanout, const Rect& where);
    void cursor_changed(uint32_t scanout) { updates_[scanout].cursor_changed = true; }
    void cursor_moved(uint32_t scanout) { updates_[scanout].cursor_moved = true; }
    /// Queues an empty message ahead of pending changes; only the latest is kept.
    void say(DisplayRequest request) { word_ = request; }
    /// Queues a text in the same way; only the latest is kept.
    void say_text(const std::string& text) { text_ = text; }

    /// Sends as much as the socket has room for. False: the other end is gone.
    bool send(const Screens& screens);

  private:
    /// Changes of a display that the other end does not know yet.
    struct Updates {
        bool resized = false, cursor_moved = false, cursor_changed = false;
        Rect damage{};
    };
    bool make_messages(const Screens& screens);
    bool make_screen_messages(const Screen& screen, uint32_t scanout);
    void make_size(uint32_t scanout, uint32_t width, uint32_t height);
    void make_updates(const Screen& screen, uint32_t scanout);
    void make_update(const Screen& screen, uint32_t scanout, const Rect& r);
    void begin(uint32_t request, size_t bytes);
    void add(std::span<const uint32_t> words);

    process::Descriptor socket_;
    Kind kind_ = Kind::FrontEnd;
    std::array<Updates, kScanouts> updates_{};
    uint32_t turn_ = 0;  ///< whose message is next: none waits for ever
    uint32_t word_ = 0;
    std::string text_;
    std::vector<std::byte> out_;  ///< messages
    size_t at_ = 0, end_ = 0;     ///< sent bytes of out_, and the end of its last message
};

}  // namespace tgsi2spv::virtio_gpu
