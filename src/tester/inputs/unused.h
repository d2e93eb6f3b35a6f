// Members of a case that its shader does not use: mostly a mistake in a number.
#pragma once

#include <string>
#include <vector>

#include "reference/case/inputs.h"
#include "tgsi/program/registers.h"

namespace tgsi2spv::difftest {

/// Tells, a sentence each, which values of a case no run of the program uses: those of registers and resources that the
/// program neither declares nor names, and fields of other stages. Where handles select textures or images, any may be
/// used. Needs a program that the checker accepts.
std::vector<std::string> unused_values(const tgsi::Program& program, const tgsi::Registers& registers,
                                       const reference::Inputs& inputs);

}  // namespace tgsi2spv::difftest
