// Programs that begin in the middle, for who knows only those that begin at their first instruction.
#pragma once

#include <optional>

#include "tgsi/program.h"

namespace tgsi2spv::tgsi {

/// The same program with a main of its own in front, CAL :entry and END, so that it begins at instruction 0. None if
/// the text has an END already: the code up to there returns to nobody.
std::optional<Program> called_at_entry(const Program& program);

}  // namespace tgsi2spv::tgsi
