// A case to begin with: everything that a shader reads, by the names and sizes that it declares.
#pragma once

#include <string>

#include "tgsi/program/program.h"
#include "tgsi/program/registers.h"

namespace tgsi2spv::difftest {

/// Returns tgsi-run's JSON with four lanes (or one group, or patch) whose inputs are (0, 0, 0, 1), zeros in constants,
/// buffers and textures, and samplers that do not filter.
std::string write_template(const tgsi::Program& program, const tgsi::Registers& registers);

}  // namespace tgsi2spv::difftest
