// The guest's pictures, and the socket that carries them to the front end (QEMU's docs/interop/vhost-user-gpu.rst). The
// front end's main loop waits for this process in other places: nothing here ever waits for it. So no message is
// queued: pending changes are state, newer state replaces older, and the next message is made when the socket has room
// for it.
#pragma once

#include <linux/virtio_gpu.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "virtio_gpu/pixels.h"
#include "vtest/log.h"
#include "vtest/socket.h"

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
    uint32_t width = 0, height = 0;  ///< 0: it is off
    std::vector<uint32_t> pixels;
    Cursor cursor;
    // Changes that the front end does not know yet.
    bool resized = false, cursor_moved = false, cursor_changed = false;
    Rect damage{};
};

class Display {
  public:
    explicit Display(vtest::Log& log) : log_(log) {}

    /// A front end that knows nothing yet; the one before is gone.
    void connect(vtest::Descriptor socket);
    int socket() const { return socket_.number(); }
    /// Whether there is something to send that the socket had no room for.
    bool waits_for_room() const { return at_ < out_.size(); }

    const Screen& screen(uint32_t scanout) const { return screens_[scanout]; }
    /// 0: off. The picture is black where the size is another one.
    void resize(uint32_t scanout, uint32_t width, uint32_t height);
    /// Puts a rectangle of texels into a picture, of rows without padding. Inside of it.
    void put(uint32_t scanout, const Rect& where, uint32_t format, std::span<const std::byte> texels);
    void set_cursor(uint32_t scanout, const Cursor& cursor);
    void move_cursor(uint32_t scanout, uint32_t x, uint32_t y, bool visible);

    /// Asks how large displays are; then info() has the answer, or, without a front end, the default sizes.
    void ask();
    std::optional<virtio_gpu_resp_display_info> info();

    /// Reads pending messages, and sends as much as the socket has room for.
    void receive();
    void send();

  private:
    void disconnect(const char* why);
    bool make_message();
    bool make_screen_message(uint32_t scanout);
    void make_update(uint32_t scanout);
    void begin(uint32_t request, size_t bytes);
    void add(std::span<const uint32_t> words);

    vtest::Log& log_;
    vtest::Descriptor socket_;
    std::array<Screen, kScanouts> screens_;
    uint32_t turn_ = 0;  ///< the display whose message is next: none waits forever
    enum class Asked : uint8_t { No, ToSend, Sent } asked_ = Asked::No;
    std::optional<virtio_gpu_resp_display_info> info_;
    std::vector<std::byte> out_, in_;
    size_t at_ = 0;  ///< of out_
};

}  // namespace tgsi2spv::virtio_gpu
