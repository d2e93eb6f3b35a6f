// A case, ready to run, and what is kept between cases.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/convert.h"
#include "cases/cases.h"
#include "cases/result.h"
#include "cases/sampling/case.h"
#include "harness/device.h"
#include "reference/case/inputs.h"
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
/// Returns the shader and its inputs, for a case that never returned.
Evidence evidence_of(const MadeCase& made, const Workplace& workplace);

}  // namespace tgsi2spv::difftest
