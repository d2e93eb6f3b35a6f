// Deliberate failures that imitate driver bugs, for the tests of campaigns. A worker of tests/tools reads them from the
// environment variable TGSI_DIFFTEST_FAULTS, such as `wrong=a\.tgsi;abort=b.*`: kinds, each with a regular expression
// that occurs in the ids of its cases.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cases/pattern.h"
#include "cases/run/run_vulkan.h"

namespace tgsi2spv::difftest {

enum class Fault : uint8_t {
    Wrong,      ///< the device gets a subtly wrong module
    Flaky,      ///< as Wrong, but only at the first attempt
    Endless,    ///< the device gets a shader that does not terminate
    Hang,       ///< the worker stops before the device answers
    Abort,      ///< the worker aborts
    Exit,       ///< the worker exits with status 3
    Lose,       ///< the worker reports the device as lost
    Kill,       ///< the worker dies of SIGKILL at the first attempt
    KillAll,    ///< as Kill, but at every attempt
    HangStart,  ///< the worker stops before it lists its devices; of no case: the expression is empty
};

struct Faults {
    std::vector<std::pair<Fault, Pattern>> all;
    std::optional<Fault> of(const std::string& id, uint32_t attempt) const;
    /// Whether there is this fault, for any cases.
    bool at_start(Fault wanted) const;
};
/// Reads the faults from the environment. A fault that cannot be read ends the process with a message.
Faults faults_from_environment();

/// Returns the fault's change of the module or the process before the device gets the module; empty if nothing.
ModuleHook hook_of(Fault fault);

/// Changes one instruction so that the module stays valid but computes something else: the last float (or else integer)
/// operation becomes a similar one. Returns false if there is none.
bool spoil(std::span<uint32_t> words);

}  // namespace tgsi2spv::difftest
