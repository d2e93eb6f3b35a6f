// The judge: executes a Program on the CPU and computes the words that Vulkan permits for each output component. It is
// written from the documents (docs of TGSI, the two texture pages, the decided edge cases, Vulkan's precision table),
// never from the translator.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "reference/case/inputs.h"
#include "reference/case/options.h"
#include "reference/case/result.h"
#include "tgsi/program/program.h"
#include "tgsi/program/registers.h"

namespace tgsi2spv::reference {

/// Whether the program has anything that could keep it from ending. CAL alone cannot: the checker refuses recursion.
bool may_be_endless(const tgsi::Program& program);

/// For Options::most_instructions where a person waits for the answer: a few seconds. A shader that does not end must
/// say so before anyone takes its unknown words for an answer or loses patience.
inline uint64_t patience_for(uint32_t lanes) {
    return (uint64_t{1} << 26) + uint64_t{lanes} * 1024;
}

/// Executes a checked Program. Unknown is always an allowed result where the documents leave freedom; a wrong bound
/// never is.
Result run(const tgsi::Program& program, const tgsi::Registers& registers, const Inputs& inputs,
           const Options& options);

/// Says that and why the reference cannot run the shader, with the place: `name:line:column: …`. `text` is the
/// shader's.
std::string refusal(const Result& result, std::string_view name, std::string_view text);

}  // namespace tgsi2spv::reference
