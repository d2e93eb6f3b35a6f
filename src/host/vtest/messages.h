// The messages of vtest: a header of two words, a length and a number, then words. The unit of the length differs
// between messages (2.1).
#pragma once

#include <cstdint>

namespace tgsi2spv::vtest {

enum class Message : uint32_t {
    GetCaps = 1,
    ResourceCreate = 2,  ///< version 0
    ResourceUnref = 3,
    TransferGet = 4,  ///< version 0
    TransferPut = 5,  ///< version 0
    SubmitCmd = 6,
    ResourceBusyWait = 7,
    CreateRenderer = 8,
    GetCaps2 = 9,
    PingProtocolVersion = 10,
    ProtocolVersion = 11,
    ResourceCreate2 = 12,     ///< version 2
    TransferGet2 = 13,        ///< version 2
    TransferPut2 = 14,        ///< version 2
    ResourceCreateBlob = 18,  ///< version 3
};

/// The newest version that is known. There is no version 1.
inline constexpr uint32_t kVersion = 3;
inline constexpr uint32_t kCreateWords = 10;     ///< and one more in ResourceCreate2
inline constexpr uint32_t kTransferWords = 11;   ///< words in version 0
inline constexpr uint32_t kTransfer2Words = 10;  ///< words in version 2
inline constexpr uint32_t kBlobWords =
    6;  ///< type, flags, size and number, each of the last two with its low word first
inline constexpr uint32_t kBlobOfHost = 2, kBlobIsMapped = 1;  ///< the type and the flags that are known
/// From this value of CapsV2::host_feature_check_version on, guests keep version 3.
inline constexpr uint32_t kFeaturesOfVersion3 = 23;
inline constexpr uint32_t kMaxNameBytes = 1u << 20;
inline constexpr uint32_t kBusyWaitFlag = 1;

}  // namespace tgsi2spv::vtest
