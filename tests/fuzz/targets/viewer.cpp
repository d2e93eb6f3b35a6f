// A viewer's process, between a hostile viewer and a hostile machine: for anything that both write, it comes to an end,
// and tells the machine only of events that there are.
//
// Input: two bytes with the length of the machine's part, that part, after the size of a display, and the viewer's
// part, after the handshake.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>
#include <vector>

#include "machine/virtio_gpu/viewers.h"
#include "machine/vnc/viewer.h"
#include "target.h"
#include "vtest/files.h"

using namespace tgsi2spv;
using virtio_gpu::ViewerEvent;

namespace {

std::array<process::Descriptor, 2> make_pair(int type) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()) != 0) std::abort();
    return {process::Descriptor(ends[0]), process::Descriptor(ends[1])};
}

void put(int socket, std::span<const uint8_t> bytes) {
    if (send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) return;  // it has ended already
}

/// The machine and the viewer, who read all that they are sent, until the viewer's process ends.
std::vector<uint8_t> play_others(int viewer, int channel, std::span<const uint8_t> said) {
    const process::Descriptor link = process::test::receive_file(channel);
    constexpr std::array<uint32_t, 6> kSize{virtio_gpu::kScanout, 0, 12, 0, 40, 30};
    std::array<uint8_t, sizeof kSize> size;
    std::memcpy(size.data(), kSize.data(), sizeof kSize);
    put(link.number(), size);
    put(link.number(), said);
    std::vector<uint8_t> heard;
    std::array<pollfd, 2> waits{{{viewer, POLLIN, 0}, {link.number(), POLLIN, 0}}};
    while (waits[0].fd >= 0) {
        // A message that is not whole makes the viewer's process wait for the machine: it goes on when that ends.
        if (poll(waits.data(), waits.size(), 5) == 0) shutdown(link.number(), SHUT_WR);
        for (pollfd& wait : waits) {
            std::array<uint8_t, 65536> bytes;
            const ssize_t got = wait.revents != 0 ? recv(wait.fd, bytes.data(), bytes.size(), 0) : 1;
            if (wait.revents != 0 && &wait == &waits[1] && got > 0)
                heard.insert(heard.end(), bytes.begin(), bytes.begin() + got);
            if (got <= 0) wait.fd = -1;
        }
    }
    return heard;
}

bool is_right(const ViewerEvent& event) {
    switch (event.kind) {
        case ViewerEvent::Key:
            return event.a > 0 && event.a < virtio_gpu::kMostKeys && event.b <= 1;
        case ViewerEvent::Pointer:
            return event.a <= virtio_gpu::kMostPointer && event.b <= virtio_gpu::kMostPointer;
        case ViewerEvent::Size:
            return std::clamp(event.a, 64u, 4095u) == event.a && std::clamp(event.b, 64u, 4095u) == event.b;
    }
    return false;
}

}  // namespace

/// libvncserver forgets what it notes of an extension, and where it asks for sizes.
extern "C" const char* __lsan_default_suppressions() {
    return "leak:libvncserver";
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size < 2) return 0;
    const std::span<const uint8_t> input(data + 2, size - 2);
    const auto machines = input.first(std::min<size_t>(data[0] | data[1] << 8, input.size()));
    const auto viewers = input.subspan(machines.size());
    auto [own, other] = make_pair(SOCK_STREAM);
    auto [inside, outside] = make_pair(SOCK_SEQPACKET);
    constexpr std::array<uint8_t, 14> kHandshake{'R', 'F', 'B', ' ', '0', '0', '3', '.', '0', '0', '8', '\n', 1, 1};
    put(own.number(), kHandshake);
    put(own.number(), viewers);
    shutdown(own.number(), SHUT_WR);
    std::vector<uint8_t> heard;
    {
        std::jthread others(
            [&, viewer = own.number(), channel = inside.number()] { heard = play_others(viewer, channel, machines); });
        process::Log log("log", 10, [](const std::string&) {});
        process::Progress progress;
        vnc::serve_viewer(std::move(other), outside.number(), {}, progress, log);
        outside = process::Descriptor();
    }
    for (size_t at = 0; at + sizeof(ViewerEvent) <= heard.size(); at += sizeof(ViewerEvent)) {
        ViewerEvent event;
        std::memcpy(&event, heard.data() + at, sizeof event);
        if (event.kind == ViewerEvent::Text) {
            fuzz::require(event.a > 0 && event.a <= virtio_gpu::kMostText, "a text without bytes, or of too many");
            at += (event.a + sizeof event - 1) / sizeof event * sizeof event;
            continue;
        }
        fuzz::require(is_right(event), "an event that there is not");
    }
    return 0;
}
