// Runs one case on one device: makes it, runs the reference and the device, and compares them. This is all that a
// worker does; there are no threads or processes here.
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
#include "cases/sampling/case.h"
#include "vulkan/instance.h"

namespace tgsi2spv::difftest {

struct JudgeOptions {
    uint64_t seed = 1;  ///< of generated programs and inputs
    tgsi::Dialect dialect = tgsi::Dialect::Auto;
    uint32_t entry =
        0;  ///< shader files only: number of the instruction at which main begins (old texts have several pieces)
    uint64_t max_steps = 1'000'000;  ///< instructions of the reference over all lanes; longer cases are skipped
    uint64_t timeout_ns = 120'000'000'000;
    bool evidence = true;  ///< collect evidence for failures

    // The options below are for shaders. Forms of the texture pages have no loops, doubles or functions, and their
    // samplers are those of the matrix.
    bool loops_in_memory = false;    ///< as in VulkanOptions
    uint64_t options_seed = 0;       ///< as in VulkanOptions; for all cases
    bool plain_immediates = false;   ///< as in VulkanOptions; for all cases
    bool one_level_offsets = false;  ///< as in VulkanOptions; the samplers of generated inputs comply with it
    bool zeros_alike = false;        ///< accept a zero of the other sign, on every device
    /// Expect more than Vulkan requires: functions of NaN give NaN, and doubles have the precision of doubles. For
    /// devices that are known to provide this; a failure is then the translator's.
    bool strict = false;
};

/// The devices and everything else that is kept between cases.
struct Workplace {
    std::unique_ptr<vulkan::Instance> instance;
    std::vector<std::unique_ptr<vulkan::Device>> devices;
    api::Context context;
    std::vector<Form> forms;  ///< filled by the first case of the sampling matrix
    /// Called when the driver begins to work on a case, and when it no longer does; may be empty.
    std::function<void(bool driver)> turn;
};

/// Opens devices by name, number or UUID; if there are none, lavapipe or else the first device. The error names what
/// was not found.
tl::expected<Workplace, std::string> open_workplace(std::span<const std::string> devices, bool validation,
                                                    vulkan::Use use = vulkan::Use::Run);

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
    std::optional<Original> original;   ///< only for variants
    std::optional<CaseResult> decided;  ///< the result, if known before any device runs: no valid shader, or a failure
    std::vector<SamplingState> states;  ///< Sampling
    std::optional<SamplingCase> sampling;
};
/// Makes a case. It needs no device.
MadeCase make_case(const CaseSpec& spec, const JudgeOptions& options, Workplace& workplace);

/// Returns the shader and inputs, for a case that never returned.
Evidence evidence_of(const MadeCase& made, const Workplace& workplace);

/// Runs and judges a case on a device. After a lost device (shown by the status) the workplace is unusable: end the
/// process.
CaseResult judge_case(const MadeCase& made, size_t device, const JudgeOptions& options, Workplace& workplace,
                      const ModuleHook& hook = {});

}  // namespace tgsi2spv::difftest
