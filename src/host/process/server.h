// Serves clients, each in its own process: a fault of one ends only that one.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include <tl/expected.hpp>

#include "process/log.h"
#include "process/progress.h"
#include "process/socket.h"

namespace tgsi2spv::process {

/// Serves one client, given its number, and notes when it waits for the guest. Returns the exit status of the process.
using Serve = std::function<int(Descriptor client, unsigned number, Progress& progress)>;

struct ServerLimits {
    unsigned clients = 64;  ///< clients at a time; others wait
    /// Whether clients speak first: one that says nothing or is gone again costs no process. Otherwise each has one at
    /// once, in which it logs in: `newcomers` at a time, of whom the oldest without a claim is ended while others wait.
    bool clients_begin = true;
    unsigned newcomers = 0;
    /// A process that neither waits for its guest nor makes progress for so long is ended; 0: never.
    std::chrono::seconds timeout{300};
};

/// Serves one client in this process; no other can connect, and the socket at `path` is gone. Returns the result of
/// `serve`.
tl::expected<int, std::string> serve_one(Descriptor listener, const std::string& path, Log& log, const Serve& serve);

/// Serves clients until SIGINT or SIGTERM. `serve` runs in a new process, before which this one has used no driver:
/// drivers do not survive a fork. Returns why it could not go on, or an empty string.
std::string serve_all(Descriptor listener, const ServerLimits& limits, Log& log, const Serve& serve);

}  // namespace tgsi2spv::process
