// The process that waits for viewers of one machine, and starts one for each.
#pragma once

#include <cstdio>
#include <functional>
#include <string>

#include <tl/expected.hpp>

#include "machine/vnc/address.h"

namespace tgsi2spv::vnc {

/// Simultaneous viewers, and connections that have not logged in or wait for a place; more wait in the listener's
/// queue.
inline constexpr unsigned kMostConnected = 8, kMostNewcomers = 256;

struct ServerOptions {
    Address address;
    std::string password;                  ///< empty: none is asked for; a port needs one
    std::function<std::string()> confine;  ///< confines a viewer's process; returns why that failed
    std::string title = "tgsi-host";       ///< viewers' windows show it
};

/// Serves viewers until this process is asked to end. `channel`: where they come in (virtio_gpu's Viewers); a byte says
/// there that they can connect. Returns why they cannot, or an empty string.
std::string serve_viewers(const ServerOptions& options, int channel);
/// A random password, for a port without one.
std::string make_password();
/// The first line of a file, which was opened at `path`. Fails with a sentence if there is none, or others can read it.
tl::expected<std::string, std::string> read_password(std::FILE* file, const std::string& path);

}  // namespace tgsi2spv::vnc
