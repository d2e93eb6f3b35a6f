// The process that holds the devices: reads cases from standard input and writes results to standard output.
#pragma once

namespace tgsi2spv::difftest {

/// Runs until standard input ends, then ends the process; returns an exit status if it cannot begin. Anything else that
/// is written to standard output goes to standard error from here on.
int worker_main();

}  // namespace tgsi2spv::difftest
