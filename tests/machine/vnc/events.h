// Ends of links, and the events that come by them.
#pragma once

#include <gmock/gmock.h>
#include <sys/socket.h>

#include <array>
#include <cstdlib>

#include "machine/virtio_gpu/viewers.h"

namespace tgsi2spv::vnc::test {

inline std::array<process::Descriptor, 2> make_pair(int type) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, type, 0, ends.data()) != 0) abort();
    return {process::Descriptor(ends[0]), process::Descriptor(ends[1])};
}

MATCHER_P4(IsEvent, kind, a, b, c, "") {
    return arg.kind == kind && arg.a == static_cast<uint32_t>(a) && arg.b == static_cast<uint32_t>(b) &&
           arg.c == static_cast<uint32_t>(c);
}
inline auto is_key(uint32_t code, bool down) {
    return IsEvent(virtio_gpu::ViewerEvent::Key, code, down ? 1 : 0, 0);
}

}  // namespace tgsi2spv::vnc::test
