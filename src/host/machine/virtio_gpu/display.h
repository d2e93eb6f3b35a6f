// The guest's pictures, and those who watch them: the front end, which also knows how large displays are, and viewers.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "machine/virtio_gpu/watcher.h"
#include "process/log.h"

namespace tgsi2spv::virtio_gpu {

class Display {
  public:
    /// The limit of all pictures, each with one that is being sent. Each viewer's process has another one of the first
    /// display, with one that is being sent: these have the same limit for themselves.
    explicit Display(process::Log& log, uint64_t most_bytes = UINT64_MAX) : log_(log), most_bytes_(most_bytes) {}

    /// A front end that knows nothing yet; the one before is gone.
    void connect(process::Descriptor socket);
    int socket() const { return front_.socket(); }
    bool waits_for_room() const { return front_.waits_for_room(); }

    const Screen& screen(uint32_t scanout) const { return screens_[scanout]; }
    /// Whether there is memory for this size.
    bool has_room(uint32_t scanout, uint32_t width, uint32_t height) const {
        uint64_t texels = uint64_t{width} * height;
        for (uint32_t i = 0; i < kScanouts; i++)
            if (i != scanout) texels += screens_[i].pixels.size();
        return 2 * texels * kPixelBytes <= most_bytes_;
    }
    /// 0: off. The picture is black where the size is another one. Viewers whose pictures have no room are closed.
    void resize(uint32_t scanout, uint32_t width, uint32_t height);
    /// The front end's own picture of the first display, while the guest shows none there: only viewers are told.
    /// (A machine that is paused has no running rings either, and goes on with its picture.)
    void show_own(uint32_t width, uint32_t height, std::vector<uint32_t> pixels);
    bool takes_own() const { return own_ || screens_[0].width == 0; }
    process::Log& log() { return log_; }
    /// Puts a rectangle of texels into a picture, of rows without padding. Inside of it.
    void put(uint32_t scanout, const Rect& where, uint32_t format, std::span<const std::byte> texels);
    void set_cursor(uint32_t scanout, const Cursor& cursor);
    void move_cursor(uint32_t scanout, uint32_t x, uint32_t y, bool visible);

    /// Asks how large displays are; then info() has the answer, or, without a front end, the default sizes.
    void ask();
    std::optional<virtio_gpu_resp_display_info> info();
    /// From now on, the first display shall have this size, whatever the front end says; 0: it has none.
    void wish(uint32_t width, uint32_t height) { wish_ = {0, 0, width, height}; }

    /// Reads pending messages, and sends as much as the socket has room for.
    void receive();
    void send();

    /// Adds one. False: there is no memory for its picture, and the log says so.
    bool add_viewer(process::Descriptor socket);
    /// The caller calls send(), and removes those that are gone.
    std::vector<Watcher>& viewers() { return viewers_; }
    const Screens& screens() const { return screens_; }
    /// Called after each flush.
    std::function<void(uint32_t scanout)> on_flush;

  private:
    bool has_room_for(size_t viewers) const {
        return 2 * viewers * screens_[0].last_width * screens_[0].last_height * kPixelBytes <= most_bytes_;
    }
    bool set_size(uint32_t scanout, uint32_t width, uint32_t height);
    void disconnect(const char* why);
    template <class Tell>
    void tell(uint32_t scanout, const Tell& what);

    process::Log& log_;
    const uint64_t most_bytes_;
    Screens screens_;
    bool own_ = false;  ///< the first one shows the front end's own picture; for the front end, it is off
    Watcher front_;
    std::vector<Watcher> viewers_;
    enum class Asked : uint8_t { No, ToSend, Sent } asked_ = Asked::No;
    std::optional<virtio_gpu_resp_display_info> info_;
    Rect wish_{};
    std::vector<std::byte> in_;
};

}  // namespace tgsi2spv::virtio_gpu
