#include "machine/virtio_gpu/machine.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <utility>

namespace tgsi2spv::virtio_gpu {
namespace {

/// The time between two polls of a busy device, which has no file to wait for: neither lavapipe nor SwiftShader offers
/// VK_KHR_external_fence_fd. vkWaitForFences would keep this loop from the guest, and in a thread of its own from the
/// fences, which only one thread may use (Vulkan, "Threading Behavior").
constexpr long kLookNanoseconds = 200'000;
constexpr int kLookAtRings = 1;  // milliseconds, of rings without a file that says when to

}  // namespace

Machine::Machine(process::Descriptor socket, std::unique_ptr<virgl::MachineRenderer> renderer, process::Log& log,
                 const Limits& limits)
    : log_(log),
      device_(std::move(renderer), memory_, rings_, log, limits),
      session_(std::move(socket), device_, memory_, rings_, log) {}

int Machine::time_to_wait(int timeout) const {
    const bool looks =
        std::ranges::any_of(rings_, [](const vhost::Ring& ring) { return ring.runs() && ring.kick.number() < 0; });
    if (looks && timeout != 0) return kLookAtRings;
    for (const vhost::Part* part : parts_)
        if (const int least = part->time_to_wait(); least >= 0 && (timeout < 0 || least < timeout)) timeout = least;
    return timeout;
}

/// After the machine's own waits.
void Machine::wait_for_parts() {
    parts_at_.clear();
    for (const vhost::Part* part : parts_) {
        parts_at_.push_back(waits_.size());
        part->add_waits(waits_);
    }
}

void Machine::serve_parts() {
    for (size_t i = 0; i < parts_at_.size(); i++) {
        const size_t end = i + 1 < parts_at_.size() ? parts_at_[i + 1] : waits_.size();
        parts_[i]->serve(std::span(waits_).subspan(parts_at_[i], end - parts_at_[i]));
    }
}

bool Machine::ask_for_size(uint32_t width, uint32_t height) {
    device_.wish(width, height);
    return takes_sizes_ && session_.notify();
}

bool Machine::step(int timeout, process::Progress& progress) {
    Display& display = device_.display();
    waits_ = {{session_.socket(), POLLIN, 0},
              {display.socket(), static_cast<short>(POLLIN | (display.waits_for_room() ? POLLOUT : 0)), 0},
              {rings_[0].runs() ? rings_[0].kick.number() : -1, POLLIN, 0},
              {rings_[1].runs() ? rings_[1].kick.number() : -1, POLLIN, 0},
              {session_.back_socket(), POLLIN, 0}};
    wait_for_parts();
    const bool works = device_.busy() && rings_[kControl].runs();
    const int wait = time_to_wait(timeout);
    timespec time{wait / 1000, wait % 1000 * 1'000'000L};
    if (works || more_) time = {0, more_ || timeout == 0 ? 0 : kLookNanoseconds};
    // A busy device without progress is not an idle guest.
    const bool idle = !works && !more_;
    if (idle) progress.reads++;
    const int ready = ppoll(waits_.data(), waits_.size(), works || more_ || wait >= 0 ? &time : nullptr, nullptr);
    if (idle) progress.reads++;
    if (ready < 0 && errno != EINTR) return false;
    if (ready < 0)
        for (pollfd& each : waits_) each.revents = 0;
    // Messages first, and alone: the front end waits for answers, and a message may replace the rings. It may also have
    // made changes to show, so the next step does not wait.
    if (waits_[0].revents != 0) {
        more_ = true;
        return session_.receive();
    }
    if ((waits_[1].revents & (POLLIN | POLLHUP | POLLERR)) != 0) display.receive();
    if (waits_[4].revents != 0) takes_sizes_ = session_.receive_answer();
    for (unsigned i = 0; i < vhost::kQueues; i++)
        if (waits_[2 + i].revents != 0) rings_[i].take_kicks();
    more_ = device_.serve();
    if (device_.poll()) progress.reads += 2;
    display.send();
    serve_parts();
    serve_rings();
    return true;
}

void Machine::serve_rings() {
    for (unsigned i = 0; i < vhost::kQueues; i++) {
        rings_[i].signal();
        const std::string& why = rings_[i].why_broken();
        if (std::exchange(logged_[i], !why.empty()) != !why.empty() && !why.empty())
            log_.line(fmt::format("queue {}: {}", i, why));
    }
}

bool Machine::run(process::Progress& progress) {
    while (step(-1, progress)) continue;
    return !session_.failed();
}

}  // namespace tgsi2spv::virtio_gpu
