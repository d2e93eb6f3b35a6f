// Runs one case on one device: makes it, runs the reference and the device, and compares them. A worker does nothing
// else; there are no threads or processes here.
#pragma once

#include <span>
#include <string>

#include <tl/expected.hpp>

#include "cases/made_case.h"
#include "cases/run/run_vulkan.h"
#include "cases/run/settings.h"

namespace tgsi2spv::difftest {

/// Opens devices by name, number or UUID; if there are none, the default device. The error names the missing device.
tl::expected<Workplace, std::string> open_workplace(std::span<const std::string> devices, bool validation,
                                                    harness::Use use = harness::Use::Run);

/// Makes a case. It needs no device.
MadeCase make_case(const CaseSpec& spec, const RunSettings& options, Workplace& workplace);

/// Runs and judges a case on a device. After a lost device (shown by the status) the workplace is unusable: end the
/// process.
CaseResult judge_case(const MadeCase& made, size_t device, const RunSettings& options, Workplace& workplace,
                      const ModuleHook& hook = {});

}  // namespace tgsi2spv::difftest
