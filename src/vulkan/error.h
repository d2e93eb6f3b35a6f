// Errors of the harness as values. A missing feature is told apart from a failure: callers skip a case for it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace tgsi2spv::vulkan {

enum class Failure : uint8_t {
    Usage,    ///< the caller asked for something that makes no sense (no such device, a malformed job)
    Missing,  ///< the device lacks a feature, which the message names
    Device,   ///< a Vulkan call failed
    Memory,   ///< there was no memory left, of the device or of the host: nobody's mistake
    Lost,     ///< VK_ERROR_DEVICE_LOST
    Timeout,  ///< the device did not finish in time; it is lost
    NotRun,   ///< all was made, pipelines too; this device only compiles
};

struct Error {
    Failure failure = Failure::Device;
    std::string message;
};

template <class T>
using Expected = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(Failure failure, std::string message) {
    return tl::unexpected<Error>(Error{failure, std::move(message)});
}

/// What a limit that does not suffice is told as.
inline std::string over_limit(const char* name, uint64_t used, uint64_t limit) {
    return std::string(name) + " of " + std::to_string(used) + " (the device has " + std::to_string(limit) + ")";
}

}  // namespace tgsi2spv::vulkan
