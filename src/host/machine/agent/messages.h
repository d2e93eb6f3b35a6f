// The protocol of spice-vdagent (SPICE's vd_agent.h): little-endian words. Chunks of a port hold parts of messages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tgsi2spv::vdagent {

enum Message : uint32_t {
    kMonitorsConfig = 2,  ///< count, flags; for each: height, width, depth, x, y
    kClipboard = 4,       ///< selection, type, content
    kCapabilities = 6,    ///< 1: an answer is wanted; capabilities
    kClipboardGrab = 7,   ///< selection, types
    kClipboardRequest = 8,
};
enum Capability : uint32_t { kCanSetMonitors = 1, kCanClipboardByDemand = 5, kCanSelection = 6 };
enum ClipboardType : uint32_t { kNoContent = 0, kUtf8 = 1 };

inline constexpr uint32_t kClientPort = 1, kServerPort = 2, kProtocol = 1;
inline constexpr size_t kMostChunk = 2048;     ///< bytes of a message in a chunk
inline constexpr size_t kMostText = 1u << 20;  ///< bytes; also between viewers and the machine
inline constexpr size_t kMostMessage = kMostText + 8;

/// Takes chunks apart and puts messages together, from bytes that come in any pieces.
class Reader {
  public:
    /// Takes some of `bytes` off. None of them is left, or there is a message(), until the next call.
    /// False: the protocol is broken.
    bool read(std::span<const std::byte>& bytes);
    bool has_message() const { return whole_; }
    /// Whether the next byte begins a chunk and a message.
    bool is_between() const { return of_chunk_ == 0 && left_in_chunk_ == 0 && (whole_ || of_header_ == 0); }
    uint32_t type() const { return header_[1]; }
    /// Empty, where it was longer than kMostMessage.
    std::span<const std::byte> message() const { return message_; }

  private:
    bool take(std::span<const std::byte>& part);

    std::array<uint32_t, 2> chunk_{};   ///< port, bytes
    std::array<uint32_t, 5> header_{};  ///< protocol, type, two words of no meaning here, bytes
    size_t of_chunk_ = 0, of_header_ = 0, left_in_chunk_ = 0, left_ = 0;
    bool whole_ = false;
    std::vector<std::byte> message_;
};

/// Where an agent that starts has written its capabilities, in a chunk of their own; bytes.size(): nowhere.
size_t find_agent(std::span<const std::byte> bytes);

/// Appends a message, in chunks.
void write(std::vector<std::byte>& out, Message type, std::span<const uint32_t> words,
           std::span<const std::byte> content = {});

}  // namespace tgsi2spv::vdagent
