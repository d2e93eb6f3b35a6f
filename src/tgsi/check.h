// What parses but makes no sense: undeclared registers, wrong stages, unbalanced flow, …
#pragma once

#include <memory_resource>
#include <vector>

#include "tgsi/diagnostic.h"
#include "tgsi/parse.h"
#include "tgsi/program.h"
#include "tgsi/registers.h"
#include "tgsi/survey.h"

namespace tgsi2spv::tgsi {

/// Appends what is wrong; true if there were no errors. A Program that passes can be lowered and executed without
/// further checks of structure: operand counts and files fit the table, flow is balanced and within
/// limits.nesting, labels that matter (CAL, CALLNZ, BRA) name instructions, nothing recurses, Program::entry names an
/// instruction outside constructs (COMP; 0 elsewhere), direct indices are not
/// negative and stand in ranges that gather() knows, IN and CONST are not written.
/// Two things that producers write pass: CAL and CALLNZ whose label is the number of instructions call nothing (a
/// warning); code that is called may stand before the main program's END, as long as it ends in a RET of its own.
bool check(const Program& program, const Limits& limits, std::vector<Diagnostic>& diagnostics);
/// The same for who has gathered the registers already: gather() takes any Program.
bool check(const Program& program, const Registers& registers, const Limits& limits,
           std::vector<Diagnostic>& diagnostics);
/// The same, faster, for who has what parse() saw of the Program with the same limits. `memory`: for the flow of long
/// programs.
bool check(const Program& program, const Registers& registers, const Survey& survey, const Limits& limits,
           std::vector<Diagnostic>& diagnostics, std::pmr::memory_resource* memory = std::pmr::get_default_resource());

}  // namespace tgsi2spv::tgsi
