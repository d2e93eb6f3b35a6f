#include "machine/input/input.h"

namespace tgsi2spv::virtio_input {

void Input::add_waits(std::vector<pollfd>& waits) const {
    if (!connected_) return;
    waits.push_back({session_.socket(), POLLIN, 0});
    for (const vhost::Ring& ring : rings_) waits.push_back({ring.runs() ? ring.kick.number() : -1, POLLIN, 0});
}

void Input::serve(std::span<const pollfd> waits) {
    if (!connected_) return;
    // Alone: the rings may be other ones after a message.
    if (waits[0].revents != 0) {
        connected_ = session_.receive();
        if (!connected_) device_.reset();
        for (vhost::Ring& ring : rings_)
            if (!connected_) ring.stop();
        return;
    }
    for (unsigned i = 0; i < vhost::kQueues; i++)
        if (waits[1 + i].revents != 0) rings_[i].take_kicks();
    device_.serve();
}

}  // namespace tgsi2spv::virtio_input
