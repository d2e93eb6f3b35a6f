// The process that holds the devices: takes cases on standard input, gives results on standard output.
#pragma once

namespace tgsi2spv::difftest {

/// Runs until standard input ends; the exit status of the process. Whatever else writes to standard output goes to
/// standard error from here on.
int worker_main();

}  // namespace tgsi2spv::difftest
