// Failures on purpose, for the tests of the campaign: a driver's mistakes, planted from outside. Read from the
// environment variable TGSI_DIFFTEST_FAULTS of a worker, such as `wrong=a\.tgsi;abort=b.*`: kind and regular expression
// of the ids that have it. Nobody else sets it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "difftest/pattern.h"
#include "difftest/run_vulkan.h"

namespace tgsi2spv::difftest {

enum class Fault : uint8_t {
    Wrong,    ///< the device gets a subtly wrong module
    Flaky,    ///< the same at the first attempt alone
    Endless,  ///< the device gets a shader that does not end
    Hang,     ///< the worker stops before the device answers
    Abort,    ///< the worker aborts
    Exit,     ///< the worker exits with status 3
    Lose,     ///< the device is said to be lost
    Kill,     ///< the worker is killed from outside at the first attempt
    KillAll,  ///< the same at each attempt
};

struct Faults {
    std::vector<std::pair<Fault, Pattern>> all;
    std::optional<Fault> of(const std::string& id, uint32_t attempt) const;
};
/// Nothing of what it cannot read is left out silently: the process ends with a message.
Faults faults_from_environment();

/// What the fault does to the module or the process before the device sees it; empty for those that do nothing there.
ModuleHook hook_of(Fault fault);

/// Changes one instruction so that the module stays valid and means something else: the last float or integer
/// operation becomes its neighbour. False where there is none.
bool spoil(std::span<uint32_t> words);

}  // namespace tgsi2spv::difftest
