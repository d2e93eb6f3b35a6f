// The rights that a process gives up before it serves a guest.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace tgsi2spv::process {

/// For the rest of this process and all of its threads: no new files (but memory), no programs, no processes, no
/// connections, nothing that names a path, another process or a signal for it; no standard input. Open the device and
/// the caches before. Returns why that failed, or an empty string.
///
/// `receives_files`: may receive files over an open socket, from a trusted sender (a virtual machine's monitor).
std::string confine(bool receives_files = false);

/// As confine(), but files can be opened, read, and asked for by path. For a process in which restrict_files() has
/// limited them, before it had any other thread.
std::string confine_to_files(bool receives_files = false);

/// Limits the memory of this process and its threads to the present amount and `bytes` more; what asks for more gets
/// none. Memory that other processes or the device see, too, does not count. New threads have small stacks. Needs
/// /proc; returns as confine().
std::string limit_memory(uint64_t bytes);

/// The result of `confine_it`, tried in a process of its own: before clients come, and before a driver is used.
std::string try_confining(const std::function<std::string()>& confine_it);

}  // namespace tgsi2spv::process
