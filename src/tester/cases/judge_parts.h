// Shared by the judgement of shaders and of forms of the texture pages. Internal to this folder.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

#include <tl/expected.hpp>

#include "cases/made_case.h"
#include "cases/run/run_vulkan.h"

namespace tgsi2spv::difftest {

/// run_vulkan(), which notes when the driver's turn begins and ends.
tl::expected<reference::Result, VulkanTrouble> take_turn(const Workplace& workplace, size_t device,
                                                         api::Context& context, const reference::Inputs& inputs,
                                                         VulkanOptions options);

class Stopwatch {
  public:
    /// Returns the milliseconds since the last call, or since construction.
    double lap() {
        const auto now = std::chrono::steady_clock::now();
        const double ms = std::chrono::duration<double, std::milli>(now - last_).count();
        last_ = now;
        return ms;
    }

  private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// Starts a result with the id, device, stage and opcodes.
CaseResult begin_result(const MadeCase& made, const std::string& device, const api::Context& context);
/// Sets the status and message for a run that gave no answer.
void take_trouble(CaseResult& result, const VulkanTrouble& trouble);
/// Makes a failure of a run that gave no answer, but messages of the validation layer, which are all that `details`
/// has.
void fail_by_messages(CaseResult& result);
/// Expects more than Vulkan requires, as far as the software devices provide it (RunSettings::strict).
void be_strict(const vulkan::DeviceReport& report, reference::Options& judging);
/// Returns SPIR-V as text; empty if the words are not a module.
std::string disassemble(std::span<const uint32_t> words);

}  // namespace tgsi2spv::difftest
