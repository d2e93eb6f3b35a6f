// Program to canonical text: equal Programs give equal bytes; parse(print(p)) == p.
#pragma once

#include <string>

#include "tgsi/program/program.h"

namespace tgsi2spv::tgsi {

std::string print(const Program& program);
/// One instruction as print() writes it, without its number.
std::string print(const Program& program, const Instruction& instruction);

}  // namespace tgsi2spv::tgsi
