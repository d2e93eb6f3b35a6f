// The back end of one virtual machine's device: executes the front end's messages on memory, rings and device.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "machine/vhost/memory.h"
#include "machine/vhost/messages.h"
#include "machine/vhost/ring.h"
#include "process/log.h"

namespace tgsi2spv::vhost {

/// The interface of a device for the messages. Its requests come through the rings.
class Device {
  public:
    Device() = default;
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;
    virtual ~Device() = default;

    /// The bits that it offers, without those of rings and of vhost.
    virtual uint64_t features() const = 0;
    virtual std::span<const std::byte> config() const = 0;
    /// The guest writes to the config space; the range is inside of it.
    virtual void set_config(uint32_t /*offset*/, std::span<const std::byte> /*bytes*/) {}
    /// The other end is the display's, in GPU_SET_SOCKET: only of graphics. False: it has no display.
    virtual bool set_display(process::Descriptor) { return false; }
    /// As at the beginning: the guest's driver starts anew. Requests without answer are forgotten, and memory of the
    /// guest is not touched any more.
    virtual void reset() = 0;
};

inline constexpr unsigned kQueues = 2;

class Session {
  public:
    Session(process::Descriptor socket, Device& device, Memory& memory, std::span<Ring, kQueues> rings,
            process::Log& log)
        : socket_(std::move(socket)), device_(device), memory_(memory), rings_(rings), log_(log) {}
    int socket() const { return socket_.number(); }
    /// Reads a message and does it; call it when the socket has one. False: this session is over. The log says why,
    /// unless the front end has closed the connection.
    bool receive();
    /// Whether that was for a reason that the log has.
    bool failed() const { return failed_; }

    /// Where the front end answers notify(); -1: it takes none.
    int back_socket() const { return back_socket_.number(); }
    /// Tells the front end that config() is another one, so that the guest's driver looks; once more after its answer,
    /// if that is awaited. False: it does not take that.
    bool notify();
    /// Reads its answer: call it when back_socket() has one. False: it does not take that, and is not told again.
    bool receive_answer();

  private:
    bool serve(Message& message);
    bool reply(const Message& message, const void* payload, size_t bytes);
    bool reply(const Message& message, uint64_t value) { return reply(message, &value, sizeof value); }
    /// The answer to those requests that have none of their own, if the front end wants one.
    bool done(const Message& message);
    bool refuse(const Message& message, const std::string& why);
    bool set_features(const Message& message);
    bool set_memory(const Message& message);
    bool set_file(Message& message);
    bool set_ring(const Message& message);
    bool stop_ring(const Message& message);
    bool get_config(const Message& message);
    bool set_config(const Message& message);
    void start(unsigned queue);

    process::Descriptor socket_, back_socket_;
    Device& device_;
    Memory& memory_;
    std::span<Ring, kQueues> rings_;
    process::Log& log_;
    std::array<int, kQueues> stopped_at_{-1, -1};  ///< the answer of GET_VRING_BASE; -1: not stopped
    uint64_t protocol_ = 0;
    bool negotiated_ = false;  ///< protocol features; then rings begin disabled
    bool reset_ = false;       ///< the device was reset since ring 0 ran
    bool failed_ = false;
    bool refuses_news_ = false, awaits_answer_ = false, again_ = false;  ///< the state of notify()
};

}  // namespace tgsi2spv::vhost
