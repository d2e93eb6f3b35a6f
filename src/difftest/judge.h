// One case on one device: made, judged by the reference, run, compared. A worker does nothing else; neither threads nor
// processes here.
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
#include "difftest/cases.h"
#include "difftest/result.h"
#include "difftest/run_vulkan.h"
#include "difftest/sampling/case.h"
#include "vulkan/instance.h"

namespace tgsi2spv::difftest {

struct JudgeOptions {
    uint64_t seed = 1;  ///< of generated programs and inputs
    tgsi::Dialect dialect = tgsi::Dialect::Auto;
    uint32_t entry =
        0;  ///< of shaders that are files: the instruction where main begins (old texts hold several pieces)
    uint64_t max_steps = 1'000'000;  ///< instructions of the reference over all lanes; longer cases are skipped
    uint64_t timeout_ns = 120'000'000'000;
    bool evidence = true;            ///< failures carry it
    bool loops_in_memory = false;    ///< as VulkanOptions has it
    bool one_level_offsets = false;  ///< as VulkanOptions has it; samplers of generated inputs keep to it
    bool zeros_alike = false;        ///< a zero of the other sign is as good, on every device
    /// Held to more than Vulkan asks: functions of NaN are NaN, doubles are as precise as doubles can be. For devices
    /// that are known to do so: what is wrong then is the translator.
    bool strict = false;
};

/// Devices and everything else that is kept from case to case.
struct Workplace {
    std::unique_ptr<vulkan::Instance> instance;
    std::vector<std::unique_ptr<vulkan::Device>> devices;
    api::Context context;
    std::vector<Form> forms;  ///< once a case of the sampling matrix was made
};

/// By names, numbers or UUIDs; none: lavapipe, or the first. The error names what is not there.
tl::expected<Workplace, std::string> open_workplace(std::span<const std::string> devices, bool validation,
                                                    vulkan::Use use = vulkan::Use::Run);

/// Of a variant: the program that is judged in its place.
struct Original {
    tgsi::Program program;
    tgsi::Registers registers;
};

/// A case as it meets every device. The workplace's context holds its program until the next is made.
struct MadeCase {
    CaseSpec spec;
    std::string text;
    reference::Inputs inputs;
    std::optional<Original> original;   ///< of a variant
    std::optional<CaseResult> decided;  ///< what became of it before any device: no shader, or a failure
    std::vector<SamplingState> states;  ///< Sampling
    std::optional<SamplingCase> sampling;
};
/// Needs no device.
MadeCase make_case(const CaseSpec& spec, const JudgeOptions& options, Workplace& workplace);

/// Shader and inputs, for a case that never came back.
Evidence evidence_of(const MadeCase& made, const Workplace& workplace);

/// After a lost device (the status says so) the workplace is good for nothing: end the process.
CaseResult judge_case(const MadeCase& made, size_t device, const JudgeOptions& options, Workplace& workplace,
                      const ModuleHook& hook = {});

}  // namespace tgsi2spv::difftest
