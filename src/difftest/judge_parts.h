// What judging a shader and judging a form of the texture pages share. Internal to this folder.
#pragma once

#include <chrono>
#include <string>

#include "difftest/judge.h"

namespace tgsi2spv::difftest {

class Stopwatch {
  public:
    /// Milliseconds since the last call, or since the beginning.
    double lap() {
        const auto now = std::chrono::steady_clock::now();
        const double ms = std::chrono::duration<double, std::milli>(now - last_).count();
        last_ = now;
        return ms;
    }

  private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// Id, device, stage, opcodes.
CaseResult begin_result(const MadeCase& made, const std::string& device, const api::Context& context);
/// What a run that gave no answer is.
void take_trouble(CaseResult& result, const VulkanTrouble& trouble);
/// SPIR-V as text; empty where the words are no module.
std::string disassemble(std::span<const uint32_t> words);

}  // namespace tgsi2spv::difftest
