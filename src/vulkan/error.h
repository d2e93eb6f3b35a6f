// Errors of Vulkan's users as values. Failure::Missing is separate from real failures: callers skip the case.
#pragma once

#include <volk.h>

#include <cstdint>
#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace tgsi2spv::vulkan {

enum class Failure : uint8_t {
    Usage,           ///< the caller's request makes no sense (no such device, a malformed job)
    Missing,         ///< the device lacks a feature; the message names it
    Device,          ///< a Vulkan call failed
    Memory,          ///< the device or the host ran out of memory; neither caller nor driver is at fault
    CompilerMemory,  ///< a compiler ran out of memory; drivers also report other failures of theirs like this
    Lost,            ///< VK_ERROR_DEVICE_LOST
    Timeout,         ///< the device did not finish in time; it is lost
    NotRun,          ///< everything was created, including pipelines, but this device only compiles
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

/// The error of a job as a clause, in which a missing feature is a name.
inline std::string sentence(const Error& error) {
    return error.failure == Failure::Missing ? "the device lacks " + error.message : error.message;
}

/// Describes a use that exceeds a device limit.
inline std::string over_limit(const char* name, uint64_t used, uint64_t limit) {
    return std::string(name) + " of " + std::to_string(used) + " (the device has " + std::to_string(limit) + ")";
}

/// Classifies a failed call: Memory, Lost or Device.
Failure failure_of(VkResult result);
/// Returns the name of a VkResult, such as "VK_ERROR_DEVICE_LOST".
std::string result_name(VkResult result);
/// Returns "CALL failed: RESULT".
std::string failed_call(const char* call, VkResult result);

}  // namespace tgsi2spv::vulkan
