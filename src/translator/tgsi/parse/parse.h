// Text to Program.
#pragma once

#include <string_view>
#include <vector>

#include "tgsi/program/limits.h"
#include "tgsi/program/program.h"
#include "tgsi/program/survey.h"
#include "tgsi/text/diagnostic.h"

namespace tgsi2spv::tgsi {

/// Parses one shader. `program` is overwritten and its memory reused. Returns true if there were no errors; diagnostics
/// (warnings too) are appended. Throws only if memory runs out; time is linear in the text.
bool parse(std::string_view text, const Limits& limits, Program& program, std::vector<Diagnostic>& diagnostics);
/// The same for callers that pass the Survey on to gather() and check().
bool parse(std::string_view text, const Limits& limits, Program& program, Survey& survey,
           std::vector<Diagnostic>& diagnostics);

}  // namespace tgsi2spv::tgsi
