// The messages of vhost-user: a header, a payload, and files that come with it. The front end is a virtual machine's
// monitor, this process is the back end. Numbers and layouts are of QEMU's docs/interop/vhost-user.rst.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "process/socket.h"

namespace tgsi2spv::vhost {

enum class Request : uint32_t {
    GetFeatures = 1,
    SetFeatures = 2,
    SetOwner = 3,
    ResetOwner = 4,
    SetMemTable = 5,
    SetVringNum = 8,
    SetVringAddr = 9,
    SetVringBase = 10,
    GetVringBase = 11,
    SetVringKick = 12,
    SetVringCall = 13,
    SetVringErr = 14,
    GetProtocolFeatures = 15,
    SetProtocolFeatures = 16,
    GetQueueNum = 17,
    SetVringEnable = 18,
    SetBackendSocket = 21,
    GetConfig = 24,
    SetConfig = 25,
    GpuSetSocket = 33,
    ResetDevice = 34,
};

/// Bits of Header::flags.
inline constexpr uint32_t kVersion = 1, kVersionMask = 3, kReply = 1u << 2, kNeedsReply = 1u << 3;
/// Bits of the payload of SET_VRING_KICK, _CALL and _ERR.
inline constexpr uint64_t kQueueMask = 0xff, kNoFile = 1u << 8;
inline constexpr uint32_t kMostRegions = process::kMostFiles, kMostPayload = 4096;

/// Bits of Get-/SetFeatures that are not of a device or its rings.
inline constexpr uint64_t kProtocolFeatures = uint64_t{1} << 30;
/// Bits of Get-/SetProtocolFeatures.
inline constexpr uint64_t kMultipleQueues = 1u << 0, kReplyAck = 1u << 3, kBackendSocket = 1u << 5, kConfig = 1u << 9,
                          kResetDevice = 1u << 13;
/// A message of the back end on the socket of SetBackendSocket: the device's config has changed.
inline constexpr uint32_t kConfigChange = 2;

struct Header {
    uint32_t request, flags, size;
};
struct QueueState {
    uint32_t queue, number;
};
struct QueueAddresses {
    uint32_t queue, flags;
    uint64_t descriptors, used, available, log;  ///< addresses of the front end
};
struct RegionMessage {
    uint64_t guest_address, size, user_address, file_offset;
};
struct ConfigMessage {
    uint32_t offset, size, flags;
};

struct Message {
    Header header{};
    std::vector<std::byte> payload;
    std::vector<process::Descriptor> files;
    Request request() const { return static_cast<Request>(header.request); }
};

enum class Received : uint8_t { All, End };
/// Reads a message whose first byte is there. Fails with a sentence if it is invalid, or one that this back end does
/// not offer. On success, its payload has the length of its request, and it has as many files as it needs.
tl::expected<Received, std::string> receive(int socket, Message& message);
/// Returns whether it could be sent.
bool send_reply(int socket, const Header& request, const void* payload, size_t bytes);

}  // namespace tgsi2spv::vhost
