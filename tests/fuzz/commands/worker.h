// The process that plays calls on a renderer. It writes its findings to a pipe as lines of fields between tabs, and
// each call to a file before it plays it, since it may end at any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "calls.h"

namespace tgsi2spv::fuzz {

struct PlayOptions {
    std::string device = "llvmpipe";
    std::vector<std::string> without{};  ///< extensions and features of the device
    uint32_t limit_memory = 96;          ///< MiB
    bool validate = true;
    bool alike = false;                               ///< no stream has a device and a limit of its own
    uint64_t seed = 1, first = 0, end = 1, step = 1;  ///< streams first, first + step, …
    uint32_t stream_calls = 2000;
    uint32_t one_wrong_in = 6;  ///< calls
    std::string calls_file;     ///< of the current stream
    std::string save;           ///< folder for the calls of each finding; empty: none
    bool log = false;           ///< the host's log goes to stderr
};

/// The arguments that make a renderer as the options say.
std::vector<std::string> arguments_of(const PlayOptions& options);
/// Files of calls begin with these arguments, since streams differ in them; those of findings end with the key.
inline constexpr std::string_view kArguments = "# plays with ", kKeyLine = "# finds ";
/// Saves the calls so far, if they are to be saved.
void save_calls(const PlayOptions& options, const std::string& key);

/// The lines that a worker writes to standard output.
inline constexpr std::string_view kFound = "found";  ///< key, stream, call, arguments, text
inline constexpr std::string_view kDone = "done";    ///< stream, calls, submissions, refused, draws

/// Exit statuses: 0, or 2 if there is no renderer.
int play_streams(const PlayOptions& options);
int play_calls(const PlayOptions& options, const std::vector<Call>& calls);

}  // namespace tgsi2spv::fuzz
