#include "machine/window/outbox.h"

#include <sys/socket.h>

#include <algorithm>
#include <span>
#include <utility>

#include "machine/virtio_gpu/link.h"

namespace tgsi2spv::window {

using virtio_gpu::ViewerEvent;

bool Outbox::say(const ViewerEvent& event) {
    if (dropped_) return true;
    const bool moves = event.kind == ViewerEvent::Pointer && event.c == pointer_.c;
    if (event.kind == ViewerEvent::Key && event.a < down_.size()) down_[event.a] = event.b != 0;
    if (event.kind == ViewerEvent::Pointer) pointer_ = event;
    if (std::exchange(last_moves_, moves) && moves && !events_.empty())
        events_.back() = event;
    else
        events_.push_back(event);
    const bool fits = events_.size() <= kMostWaiting;
    if (!fits) let_go();
    send();
    return fits;
}

void Outbox::let_go() {
    dropped_ = true;
    events_.clear();
    for (uint32_t code = 0; code < down_.size(); code++)
        if (down_[code]) events_.push_back({ViewerEvent::Key, code, 0, 0});
    down_.reset();
    pointer_.c = 0;
    events_.push_back(pointer_);
}

void Outbox::say_text(std::string text) {
    text_ = std::move(text);
    send();
}

/// False: nothing waits.
bool Outbox::begin_message() {
    std::vector<ViewerEvent> units;
    if (!text_.empty()) {
        units = virtio_gpu::text_message(std::exchange(text_, {}));
    } else if (!events_.empty()) {
        units.push_back(events_.front());
        events_.pop_front();
    }
    const auto bytes = std::as_bytes(std::span(units));
    out_.assign(bytes.begin(), bytes.end());
    at_ = 0;
    return !out_.empty();
}

void Outbox::send() {
    while (at_ < out_.size() || begin_message()) {
        const ssize_t put = ::send(socket_, out_.data() + at_, out_.size() - at_, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (put < 0) return;
        at_ += static_cast<size_t>(put);
    }
    dropped_ = false;
}

}  // namespace tgsi2spv::window
