// Why a request of the guest is refused. One enumerant each, so that code compares and the log explains.
#pragma once

#include <cstdint>

namespace tgsi2spv::host {

enum class [[nodiscard]] Problem : uint8_t{
    None,      HandleZero, HandleInUse,    NoResource, NoObject,     WrongObject, NoContext,
    BadTarget, BadFormat,  BadSize,        BadSamples, BadLevel,     BadBox,      BadStride,
    BadRange,  NoMemory,   NoSharedMemory, Text,       Incompatible, Unsupported, Budget,
};

/// A clause: "no such resource".
const char* describe(Problem problem);

}  // namespace tgsi2spv::host
