// The process that holds the devices: reads cases from standard input and writes results to standard output.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cases/run/run_vulkan.h"

namespace tgsi2spv::difftest {

/// Misbehaviour of drivers that tests can plant in a worker. Functions may be empty.
struct Planted {
    std::function<void()> at_start{};  ///< called before it lists its devices
    /// Changes the module or the process before the device gets the module of a case.
    std::function<ModuleHook(const std::string& id, uint32_t attempt)> hook_of{};
    std::function<bool(const std::string& id, uint32_t attempt)> is_lost{};  ///< true: it says that the device is lost
};

/// Runs until standard input ends, then ends the process; returns an exit status if it cannot begin. Anything else that
/// is written to standard output goes to standard error from here on.
int worker_main(const Planted& planted = {});

}  // namespace tgsi2spv::difftest
