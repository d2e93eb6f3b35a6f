// Errors in text that parses: undeclared registers, wrong stages, unbalanced flow, …
#pragma once

#include <memory_resource>
#include <vector>

#include "tgsi/program/limits.h"
#include "tgsi/program/program.h"
#include "tgsi/program/registers.h"
#include "tgsi/program/survey.h"
#include "tgsi/text/diagnostic.h"

namespace tgsi2spv::tgsi {

/// Appends the errors; true if there are none. A Program that passes can be lowered and executed without further
/// structural checks: operand counts and files fit the table, flow is balanced and within limits.nesting, labels that
/// matter (CAL, CALLNZ, BRA) name instructions, nothing recurses, Program::entry names an instruction outside
/// constructs (COMP; 0 elsewhere), direct indices lie in ranges that gather() knows, IN and CONST
/// are not written. Two habits of producers pass: CAL and CALLNZ whose label is the number of instructions call nothing
/// (a warning), and registers outside every declaration become NULL (a warning); code that is called may come before
/// the main program's END if it ends in its own RET.
bool check(Program& program, const Limits& limits, std::vector<Diagnostic>& diagnostics);
/// The same for callers that have already gathered the registers: gather() takes any Program.
bool check(Program& program, const Registers& registers, const Limits& limits, std::vector<Diagnostic>& diagnostics);
/// The same, faster, for callers that have the Survey from parse() of this Program with the same limits. `memory` is
/// for the flow of long programs.
bool check(Program& program, const Registers& registers, const Survey& survey, const Limits& limits,
           std::vector<Diagnostic>& diagnostics, std::pmr::memory_resource* memory = std::pmr::get_default_resource());

}  // namespace tgsi2spv::tgsi
