// The floating-point environment of the calling thread, which drivers must leave as it is. Some do not: code that was
// built with -ffast-math lets the thread that loads it flush denormals. The reference computes in the same thread.
#pragma once

namespace tgsi2spv::vulkan {

/// Restores the default environment: round to nearest, keep denormals, no traps. Returns whether results would have
/// differed without it.
bool restore_floats();

/// The note for users of a device whose driver makes that necessary (Device::changed_floats).
inline constexpr const char* kChangesFloats =
    "the driver, or a layer, makes threads that call it round otherwise or flush denormals; this is undone after each call";

}  // namespace tgsi2spv::vulkan
