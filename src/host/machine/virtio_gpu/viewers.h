// The viewers of a machine, each in a process of its own, which connects by a socket. They get the picture of the
// first display, and send events: keys, the pointer, a size for the display.
#pragma once

#include <bitset>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "machine/vhost/part.h"
#include "machine/virtio_gpu/display.h"

namespace tgsi2spv::virtio_gpu {

/// An event of a viewer's process: four words.
struct ViewerEvent {
    enum Kind : uint32_t {
        Key = 1,      ///< a: a code of Linux's input; b: it is down
        Pointer = 2,  ///< a, b: 0 (left, top) to kMostPointer (right, bottom); c: buttons, of RFB's order
        Size = 3,     ///< a, b: of the display
        Text = 4,     ///< was copied; a: its bytes, which follow in so many units of an event's size
    };
    uint32_t kind, a, b, c;
};
inline constexpr uint32_t kMostPointer = 32767, kMostKeys = 0x300;
inline constexpr size_t kMostViewers = 16, kMostText = 1u << 20;

class Viewers final : public vhost::Part {
  public:
    /// `channel`: the socket on which viewer processes hand over their connection (SCM_RIGHTS).
    Viewers(process::Descriptor channel, Display& display, std::function<void(const ViewerEvent&)> on_event,
            std::function<void(std::string)> on_text = {});

    void add_waits(std::vector<pollfd>& waits) const override;
    void serve(std::span<const pollfd> waits) override;
    /// A viewer of this desktop, whose end the log tells.
    void add_window(process::Descriptor socket);
    /// Says to all of them that the guest cannot be asked for another size.
    void tell_size_stays();
    /// Tells them the text that a program of the guest has copied, up to kMostText.
    void tell_text(const std::string& text);

  private:
    struct Viewer {
        std::vector<std::byte> in;
        std::bitset<kMostKeys> down;
        uint32_t x = 0, y = 0, buttons = 0;
        bool is_window = false;
        std::string text;
        size_t text_left = 0;  ///< bytes of it that have not come yet
    };
    bool let_in(bool ended);
    bool add(process::Descriptor socket);
    bool receive(size_t which);
    bool receive_some(size_t which);
    void handle_event(Viewer& viewer, const ViewerEvent& event);
    void take_text(Viewer& viewer, std::span<const std::byte> part);
    void leave(size_t which);

    process::Descriptor channel_;
    Display& display_;
    std::function<void(const ViewerEvent&)> on_event_;
    std::function<void(std::string)> on_text_;
    std::vector<Viewer> viewers_;  ///< viewers in the order of display.viewers()
    bool size_stays_ = false;
};

}  // namespace tgsi2spv::virtio_gpu
