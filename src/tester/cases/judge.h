// Runs one case on one device: makes it, runs the reference and the device, and compares them. A worker does nothing
// else; there are no threads or processes here.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "api/convert.h"
#include "cases/cases.h"
#include "cases/result.h"
#include "cases/run/run_vulkan.h"
#include "cases/run/settings.h"
#include "cases/sampling/case.h"
#include "tgsi/program/registers.h"
#include "vulkan/instance.h"

namespace tgsi2spv::difftest {

/// The devices and everything else that is kept between cases.
struct Workplace {
    std::unique_ptr<vulkan::Instance> instance;
    std::vector<std::unique_ptr<harness::Device>> devices;
    api::Context context;
    std::vector<Form> forms;  ///< filled by the first case of the sampling matrix
    /// The last generated program: the next case is often the same one with other inputs.
    uint64_t generated_seed = 0;
    std::string generated_text;
    /// Called when the driver begins to work on a case, and when it no longer does; may be empty.
    std::function<void(bool driver)> turn;
};

/// Opens devices by name, number or UUID; if there are none, the default device. The error names the missing device.
tl::expected<Workplace, std::string> open_workplace(std::span<const std::string> devices, bool validation,
                                                    harness::Use use = harness::Use::Run);

/// For a variant: the program that is judged in its place.
struct Original {
    tgsi::Program program;
    tgsi::Registers registers;
};

/// A case, ready to run on every device. The workplace's context holds its program until the next case is made.
struct MadeCase {
    CaseSpec spec;
    std::string text;
    reference::Inputs inputs;
    std::optional<Original> original;   ///< the original of a variant
    std::optional<CaseResult> decided;  ///< the result, if known before any device runs: no valid shader, or a failure
    std::vector<SamplingState> states;  ///< Sampling
    std::optional<SamplingCase> sampling;
};
/// Makes a case. It needs no device.
MadeCase make_case(const CaseSpec& spec, const RunSettings& options, Workplace& workplace);

/// Returns the shader and its inputs, for a case that never returned.
Evidence evidence_of(const MadeCase& made, const Workplace& workplace);

/// Runs and judges a case on a device. After a lost device (shown by the status) the workplace is unusable: end the
/// process.
CaseResult judge_case(const MadeCase& made, size_t device, const RunSettings& options, Workplace& workplace,
                      const ModuleHook& hook = {});

}  // namespace tgsi2spv::difftest
