// Whether a client's process still works: shared between it and the server.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "process/stream.h"

namespace tgsi2spv::process {

/// The claim of a client that logs in to its process.
enum class Claim : uint32_t {
    None,      ///< it may be ended for the next client
    Answered,  ///< it has answered with a password, which is looked at
    Ready,     ///< it has logged in, and waits for the server's grant
    Granted,   ///< it has one of the server's places
};
struct Progress {
    std::atomic<uint64_t> reads{0};  ///< odd: the session waits for the guest. It changes with every read
    std::atomic<Claim> claim{Claim::None};
};
static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<Claim>::is_always_lock_free,
              "two processes share them");

/// Notes when a session waits for another stream.
class WatchedStream final : public Stream {
  public:
    WatchedStream(Stream& stream, Progress& progress) : stream_(stream), progress_(progress) {}
    /// No wait for the guest: it has begun a message, and is to end it.
    Got read(std::span<std::byte> bytes) override {
        const Got got = stream_.read(bytes);
        progress_.reads += 2;
        return got;
    }
    /// A client gets its process when it has begun its first message.
    Got read_first(std::span<std::byte> bytes) override {
        if (!std::exchange(has_begun_, true)) return read(bytes);
        progress_.reads++;
        const Got got = stream_.read(bytes);
        progress_.reads++;
        return got;
    }
    bool write(std::span<const std::byte> bytes) override { return stream_.write(bytes); }
    bool send_file(int descriptor) override { return stream_.send_file(descriptor); }

  private:
    Stream& stream_;
    Progress& progress_;
    bool has_begun_ = false;
};

}  // namespace tgsi2spv::process
