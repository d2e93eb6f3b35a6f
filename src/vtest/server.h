// Serves clients, each in a process of its own: what harms one ends only that one.
#pragma once

#include <functional>
#include <string>

#include <tl/expected.hpp>

#include "vtest/log.h"
#include "vtest/socket.h"

namespace tgsi2spv::vtest {

/// Serves one client, given its number; returns the exit status of the process.
using Serve = std::function<int(Descriptor client, unsigned number)>;

/// Serves one client in this process. Returns what `serve` returns.
tl::expected<int, std::string> serve_one(const std::string& path, const Serve& serve);

/// Serves clients until SIGINT or SIGTERM, at most `most` at a time. `serve` runs in a new process, before which this
/// one has used no driver: drivers do not survive a fork. Returns why it could not go on, or an empty string.
std::string serve_all(const std::string& path, unsigned most, Log& log, const Serve& serve);

}  // namespace tgsi2spv::vtest
