// The Vulkan devices that tests run on.
#pragma once

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace tgsi2spv::test {

/// The devices that TGSI2SPV_DEVICES names, separated by commas, each as for --device (number, UUID, a part of the
/// name). Empty: the tests run on the software drivers, whose abilities they know.
inline std::vector<std::string> named_devices() {
    const char* wanted = std::getenv("TGSI2SPV_DEVICES");
    std::vector<std::string> names;
    std::istringstream all(wanted != nullptr ? wanted : "");
    for (std::string name; std::getline(all, name, ',');) names.push_back(name);
    return names;
}

/// Returns the devices to test on: those that are named, otherwise lavapipe and SwiftShader, of which one may be
/// missing (the SoftwareDevices tests report it).
inline std::vector<std::string> device_names() {
    auto names = named_devices();
    return names.empty() ? std::vector<std::string>{"llvmpipe", "SwiftShader"} : names;
}

/// The message of tests without a device.
inline constexpr const char* kNoDevice =
    "no device: install software drivers (tools/install-deps --tests), or see TGSI2SPV_DEVICES";

}  // namespace tgsi2spv::test
