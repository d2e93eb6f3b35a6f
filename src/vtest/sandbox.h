// What a process that serves a guest gives up.
#pragma once

#include <string>

namespace tgsi2spv::vtest {

/// For the rest of this process and all of its threads: no new files (but memory), no programs, no processes, no
/// connections, no signals to others. Whoever draws opens its device and its caches before. Returns why that failed, or
/// an empty string.
std::string confine();

}  // namespace tgsi2spv::vtest
