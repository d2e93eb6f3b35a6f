#include "machine/virtio_gpu/viewers.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace tgsi2spv::virtio_gpu {
namespace {

constexpr int kMostAtOnce = 16;

}  // namespace

Viewers::Viewers(process::Descriptor channel, Display& display, std::function<void(const ViewerEvent&)> on_event,
                 std::function<void(std::string)> on_text)
    : channel_(std::move(channel)), display_(display), on_event_(std::move(on_event)), on_text_(std::move(on_text)) {}

void Viewers::add_waits(std::vector<pollfd>& waits) const {
    waits.push_back({channel_.number(), POLLIN, 0});
    for (const Watcher& watcher : display_.viewers())
        waits.push_back({watcher.socket(), static_cast<short>(POLLIN | (watcher.waits_for_room() ? POLLOUT : 0)), 0});
}

void Viewers::serve(std::span<const pollfd> waits) {
    std::vector<Watcher>& watchers = display_.viewers();
    for (size_t i = watchers.size(); i-- > 0;) {
        const bool said = i + 1 < waits.size() && waits[i + 1].revents != 0;
        if (watchers[i].socket() < 0 || (said && !receive(i)) || !watchers[i].send(display_.screens())) leave(i);
    }
    if (!waits.empty() && waits[0].revents != 0)
        for (int i = 0; i < kMostAtOnce && let_in((waits[0].revents & POLLHUP) != 0); i++) continue;
}

/// Returns whether there may be another one.
bool Viewers::let_in(bool ended) {
    std::byte byte;
    std::vector<process::Descriptor> files;
    const ssize_t got = process::receive_with_files(channel_.number(), {&byte, 1}, files, MSG_DONTWAIT);
    if (got <= 0) {
        if (got < 0 && errno == EAGAIN) return false;
        if (got == 0 && !ended) return true;  // an empty message
        display_.log().line("the viewers' server has ended: no more viewers can connect");
        channel_ = process::Descriptor();
        return false;
    }
    if (files.empty()) return true;
    // A hostile process can give files that never end: these must not keep others out.
    if (viewers_.size() >= kMostViewers) leave(viewers_.front().is_window ? 1 : 0);
    if (add(std::move(files.front())) && !display_.viewers().back().send(display_.screens()))
        leave(viewers_.size() - 1);
    return true;
}

bool Viewers::add(process::Descriptor socket) {
    if (!display_.add_viewer(std::move(socket))) return false;
    viewers_.emplace_back();
    if (size_stays_) display_.viewers().back().say(kSizeStays);
    return true;
}

void Viewers::add_window(process::Descriptor socket) {
    if (add(std::move(socket))) viewers_.back().is_window = true;
}

void Viewers::tell_size_stays() {
    if (std::exchange(size_stays_, true)) return;
    for (Watcher& watcher : display_.viewers()) {
        watcher.say(kSizeStays);
        watcher.send(display_.screens());  // one that is gone is seen when it is read from
    }
}

void Viewers::tell_text(const std::string& text) {
    if (text.size() > kMostText) return;
    for (Watcher& watcher : display_.viewers()) {
        watcher.say_text(text);
        watcher.send(display_.screens());
    }
}

/// False: the viewer is gone.
bool Viewers::receive(size_t which) {
    // Its process waits until its text is read.
    for (int i = 0; i < kMostAtOnce; i++) {
        if (!receive_some(which)) return false;
        if (viewers_[which].text_left == 0) break;
    }
    return true;
}

bool Viewers::receive_some(size_t which) {
    const int socket = display_.viewers()[which].socket();
    Viewer& viewer = viewers_[which];
    std::array<ViewerEvent, 64> events;
    const std::span<std::byte> bytes = std::as_writable_bytes(std::span(events));
    std::ranges::copy(viewer.in, bytes.begin());
    const ssize_t got = recv(socket, bytes.data() + viewer.in.size(), bytes.size() - viewer.in.size(), MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    const size_t size = viewer.in.size() + static_cast<size_t>(got), whole = size / sizeof(ViewerEvent);
    for (size_t i = 0; i < whole; i++) handle_event(viewer, events[i]);
    const auto rest = bytes.first(size).subspan(whole * sizeof(ViewerEvent));
    viewer.in.assign(rest.begin(), rest.end());
    return true;
}

void Viewers::handle_event(Viewer& viewer, const ViewerEvent& event) {
    if (viewer.text_left > 0) return take_text(viewer, std::as_bytes(std::span(&event, 1)));
    switch (event.kind) {
        case ViewerEvent::Key:
            if (event.a >= kMostKeys || event.b > 1) return;
            viewer.down[event.a] = event.b != 0;
            break;
        case ViewerEvent::Pointer:
            if (event.a > kMostPointer || event.b > kMostPointer) return;
            viewer.x = event.a;
            viewer.y = event.b;
            viewer.buttons = event.c;
            break;
        case ViewerEvent::Size:
            if (event.a == 0 || event.b == 0 || event.a > kMostExtent || event.b > kMostExtent) return;
            break;
        case ViewerEvent::Text:
            if (event.a <= kMostText) viewer.text_left = event.a;
            return;
        default:
            return;
    }
    on_event_(event);
}

void Viewers::take_text(Viewer& viewer, std::span<const std::byte> part) {
    part = part.first(std::min(part.size(), viewer.text_left));
    viewer.text.append(reinterpret_cast<const char*>(part.data()), part.size());
    viewer.text_left -= part.size();
    if (viewer.text_left > 0) return;
    if (on_text_) on_text_(std::move(viewer.text));
    viewer.text.clear();
}

/// Its pressed keys and buttons are released.
void Viewers::leave(size_t which) {
    const Viewer viewer = std::move(viewers_[which]);
    const auto at = static_cast<ptrdiff_t>(which);
    viewers_.erase(viewers_.begin() + at);
    display_.viewers().erase(display_.viewers().begin() + at);
    for (uint32_t code = 0; code < kMostKeys; code++)
        if (viewer.down[code]) on_event_({ViewerEvent::Key, code, 0, 0});
    if (viewer.is_window) display_.log().line("the window is closed: the machine goes on without it");
    if (viewer.buttons != 0) on_event_({ViewerEvent::Pointer, viewer.x, viewer.y, 0});
}

}  // namespace tgsi2spv::virtio_gpu
