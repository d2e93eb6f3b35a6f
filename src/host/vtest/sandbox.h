// What a process that serves a guest gives up.
#pragma once

#include <string>

namespace tgsi2spv::vtest {

/// For the rest of this process and all of its threads: no new files (but memory), no programs, no processes, no
/// connections, nothing that names a path, another process or a signal for it; no standard input. Whoever draws opens
/// its device and its caches before. Returns why that failed, or an empty string.
///
/// `receives_files`: those that come over an open socket, from one who may give it any (a virtual machine's monitor).
std::string confine(bool receives_files = false);

/// As confine(), but files can be opened, read, and asked for by path. For a process in which restrict_files() has said
/// which ones, before it had any other thread.
std::string confine_to_files(bool receives_files = false);

}  // namespace tgsi2spv::vtest
