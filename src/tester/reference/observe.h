// Executes a case and shows the results of each instruction, for the generator, which counts instructions that change
// nothing.
#pragma once

#include "reference/case/inputs.h"
#include "reference/case/options.h"
#include "reference/case/result.h"
#include "reference/flow/observer.h"
#include "tgsi/program/program.h"
#include "tgsi/program/registers.h"

namespace tgsi2spv::reference {

/// run(), but the program is executed only once: no path is followed again. `observer` sees this execution, and the
/// result has no outputs and no memory. The other contents of the column, besides its nominal values, depend on
/// `options`.
Result observe(const tgsi::Program& program, const tgsi::Registers& registers, const Inputs& inputs,
               const Options& options, const Observer& observer);

}  // namespace tgsi2spv::reference
