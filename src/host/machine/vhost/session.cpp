#include "machine/vhost/session.h"

#include <fmt/format.h>
#include <linux/virtio_config.h>
#define VIRTIO_RING_NO_LEGACY  // the omitted part is not valid C++
#include <linux/virtio_ring.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace tgsi2spv::vhost {
namespace {

/// QEMU offers event indexes to the guest even if a back end does not; rings without them would not be kicked.
constexpr uint64_t kRingFeatures = uint64_t{1} << VIRTIO_RING_F_INDIRECT_DESC | uint64_t{1} << VIRTIO_RING_F_EVENT_IDX |
                                   uint64_t{1} << VIRTIO_F_VERSION_1;
constexpr uint64_t kProtocol = kMultipleQueues | kReplyAck | kBackendSocket | kConfig | kResetDevice;

/// The value of a payload that is long enough.
template <class T>
T payload_of(const Message& message, size_t offset = 0) {
    T value;
    std::memcpy(&value, message.payload.data() + offset, sizeof value);
    return value;
}

}  // namespace

bool Session::receive() {
    Message message;
    const auto received = vhost::receive(socket_.number(), message);
    if (!received) {
        log_.line(received.error());
        failed_ = true;
        return false;
    }
    if (*received == Received::End) return false;
    failed_ = !serve(message);
    return !failed_;
}

bool Session::reply(const Message& message, const void* payload, size_t bytes) {
    return send_reply(socket_.number(), message.header, payload, bytes);
}

bool Session::done(const Message& message) {
    const bool wanted = (protocol_ & kReplyAck) != 0 && (message.header.flags & kNeedsReply) != 0;
    return !wanted || reply(message, 0);
}

bool Session::refuse(const Message& message, const std::string& why) {
    log_.line(fmt::format("vhost-user: request {}: {}", message.header.request, why));
    return false;
}

bool Session::serve(Message& message) {
    switch (message.request()) {
        case Request::GetFeatures:
            return reply(message, device_.features() | kRingFeatures | kProtocolFeatures);
        case Request::GetProtocolFeatures:
            return reply(message, kProtocol);
        case Request::GetQueueNum:
            return reply(message, kQueues);
        case Request::SetFeatures:
        case Request::SetProtocolFeatures:
            return set_features(message);
        case Request::SetOwner:
        case Request::ResetOwner:  // as QEMU's document says: ignored
            return done(message);
        case Request::SetMemTable:
            return set_memory(message);
        case Request::SetVringNum:
        case Request::SetVringBase:
        case Request::SetVringAddr:
        case Request::SetVringEnable:
            return set_ring(message);
        case Request::SetVringKick:
        case Request::SetVringCall:
        case Request::SetVringErr:
            return set_file(message);
        case Request::GetVringBase:
            return stop_ring(message);
        case Request::GetConfig:
            return get_config(message);
        case Request::SetConfig:
            return set_config(message);
        case Request::GpuSetSocket:
            if (message.files.empty()) return refuse(message, "no socket");
            if (!device_.set_display(std::move(message.files.front()))) return refuse(message, "is not of this device");
            return done(message);
        case Request::SetBackendSocket:
            if (message.files.empty()) return refuse(message, "no socket");
            back_socket_ = std::move(message.files.front());
            refuses_news_ = awaits_answer_ = again_ = false;
            return done(message);
        case Request::ResetDevice:
            device_.reset();
            for (Ring& ring : rings_) ring.forget();
            reset_ = true;
            return done(message);
    }
    return refuse(message, "was not offered");
}

bool Session::set_features(const Message& message) {
    const auto bits = payload_of<uint64_t>(message);
    if (message.request() == Request::SetProtocolFeatures) {
        if ((bits & ~kProtocol) != 0) return refuse(message, fmt::format("{:#x} was not offered", bits));
        protocol_ = bits;
        return done(message);
    }
    // Bits that the front end adds by itself (a reset of single rings) concern only itself.
    negotiated_ = (bits & kProtocolFeatures) != 0;
    for (Ring& ring : rings_) ring.set_features(bits);
    return done(message);
}

bool Session::set_memory(const Message& message) {
    const auto count = payload_of<uint32_t>(message);
    const size_t bytes = count * sizeof(RegionMessage);
    if (count > kMostRegions || message.payload.size() != 8 + bytes)
        return refuse(message, fmt::format("{} regions in {} bytes", count, message.payload.size()));
    std::array<RegionMessage, kMostRegions> table{};
    std::memcpy(table.data(), message.payload.data() + 8, bytes);
    const std::string why = memory_.set(std::span(table).first(count), message.files);
    for (Ring& ring : rings_)
        if (ring.started()) ring.start(memory_);
    return why.empty() ? done(message) : refuse(message, why);
}

bool Session::set_ring(const Message& message) {
    const auto [queue, number] = payload_of<QueueState>(message);
    if (queue >= kQueues) return refuse(message, fmt::format("queue {} of {}", queue, kQueues));
    Ring& ring = rings_[queue];
    if (message.request() == Request::SetVringEnable) {
        ring.enabled = number != 0;
        return done(message);
    }
    if (ring.started()) return refuse(message, fmt::format("queue {} is running", queue));
    if (message.request() == Request::SetVringNum && !ring.set_size(number))
        return refuse(message, fmt::format("a ring of {}, not a power of two up to {}", number, kMostRingSize));
    if (message.request() == Request::SetVringBase) {
        if (number > UINT16_MAX) return refuse(message, fmt::format("a ring that begins at {}", number));
        ring.set_base(static_cast<uint16_t>(number));
    }
    if (message.request() == Request::SetVringAddr) ring.set_addresses(payload_of<QueueAddresses>(message));
    return done(message);
}

bool Session::set_file(Message& message) {
    const auto bits = payload_of<uint64_t>(message);
    const uint64_t queue = bits & kQueueMask;
    if (queue >= kQueues || message.files.empty() != ((bits & kNoFile) != 0))
        return refuse(message, fmt::format("queue {}, {} files", queue, message.files.size()));
    Ring& ring = rings_[queue];
    process::Descriptor file = message.files.empty() ? process::Descriptor() : std::move(message.files.front());
    if (message.request() == Request::SetVringCall) {
        ring.call = std::move(file);
    } else if (message.request() == Request::SetVringErr) {
        ring.error = std::move(file);
    } else if (message.request() == Request::SetVringKick) {
        ring.kick = std::move(file);
        start(static_cast<unsigned>(queue));
    }
    return done(message);
}

/// A ring that goes on where it was stopped belongs to a machine that was paused; otherwise the guest's driver has
/// started anew, which not every front end says by RESET_DEVICE. (Without that, a paused ring at 0 counts as new.)
void Session::start(unsigned queue) {
    Ring& ring = rings_[queue];
    if (ring.started()) return;
    const bool goes_on = ring.next() == stopped_at_[queue] && (ring.next() != 0 || (protocol_ & kResetDevice) != 0);
    if (queue == 0 && !reset_ && stopped_at_[0] >= 0 && !goes_on) {
        device_.reset();
        for (Ring& each : rings_) each.forget();
    }
    if (queue == 0) reset_ = false;
    if (!negotiated_) ring.enabled = true;
    ring.start(memory_);
    if (!ring.why_broken().empty()) log_.line(fmt::format("queue {}: {}", queue, ring.why_broken()));
}

bool Session::stop_ring(const Message& message) {
    const auto queue = payload_of<QueueState>(message).queue;
    if (queue >= kQueues) return refuse(message, fmt::format("queue {} of {}", queue, kQueues));
    const QueueState state{queue, rings_[queue].stop()};
    stopped_at_[queue] = static_cast<int>(state.number);
    return reply(message, &state, sizeof state);
}

bool Session::get_config(const Message& message) {
    const auto range = payload_of<ConfigMessage>(message);
    const std::span<const std::byte> config = device_.config();
    if (message.payload.size() != sizeof range + range.size) return refuse(message, "another length than it says");
    if (range.offset > config.size() || range.size > config.size() - range.offset) return reply(message, nullptr, 0);
    std::vector<std::byte> out(message.payload);
    std::memcpy(out.data() + sizeof range, config.data() + range.offset, range.size);
    return reply(message, out.data(), out.size());
}

bool Session::set_config(const Message& message) {
    const auto range = payload_of<ConfigMessage>(message);
    const size_t size = device_.config().size();
    if (message.payload.size() != sizeof range + range.size || range.offset > size || range.size > size - range.offset)
        return refuse(message, fmt::format("{} bytes at {} of {}", range.size, range.offset, size));
    device_.set_config(range.offset, std::span(message.payload).subspan(sizeof range));
    return done(message);
}

bool Session::notify() {
    if (back_socket() < 0 || refuses_news_) return false;
    if (awaits_answer_) return again_ = true;  // as often as the front end gets on with it
    // With an answer where there can be one: QEMU's graphics device does not take this.
    awaits_answer_ = (protocol_ & kReplyAck) != 0;
    const uint32_t flags = kVersion | (awaits_answer_ ? kNeedsReply : 0);
    const Header header{kConfigChange, flags, 0};
    return send(back_socket(), &header, sizeof header, MSG_DONTWAIT | MSG_NOSIGNAL) == sizeof header;
}

bool Session::receive_answer() {
    struct {
        Header header;
        std::array<uint32_t, 2> value;
    } answer{};
    const ssize_t got = recv(back_socket(), &answer, sizeof answer, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    awaits_answer_ = false;
    if (got == sizeof answer && answer.header.request == kConfigChange && answer.value == std::array<uint32_t, 2>{})
        return std::exchange(again_, false) ? notify() : true;
    if (got <= 0) back_socket_ = process::Descriptor();
    refuses_news_ = true;
    return false;
}

}  // namespace tgsi2spv::vhost
