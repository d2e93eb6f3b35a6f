// From a Program as the text has it to one that can be lowered or run.
#pragma once

#include <memory_resource>
#include <string_view>
#include <vector>

#include "tgsi/parse/parse.h"
#include "tgsi/program/registers.h"

namespace tgsi2spv::tgsi {

/// The step between parse() and check(). It changes what producers write and TGSI does not have: an END inside a
/// construct (leave_by_end), texts of Mesa's virgl driver (virgl.h). Then it gathers the registers, with those that no
/// declaration has but producers use, in the order in which they are looked up.
void prepare(Program& program, Survey& survey, Registers& registers);

/// parse(), prepare() and check(). `entry`: Program::entry, which no text gives. `memory` is for the flow of long
/// programs.
bool read_text(std::string_view text, const Limits& limits, Program& program, Survey& survey, Registers& registers,
               std::vector<Diagnostic>& diagnostics, uint32_t entry = 0,
               std::pmr::memory_resource* memory = std::pmr::get_default_resource());

}  // namespace tgsi2spv::tgsi
