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
    bool validate = true;
    uint64_t seed = 1, first = 0, end = 1, step = 1;  ///< streams first, first + step, …
    uint32_t stream_calls = 2000;
    uint32_t one_wrong_in = 6;  ///< calls
    std::string calls_file;     ///< of the current stream
    bool log = false;           ///< the host's log goes to stderr
};

/// The lines that a worker writes to standard output.
inline constexpr std::string_view kFound = "found";  ///< key, stream, call, text
inline constexpr std::string_view kDone = "done";    ///< stream, calls, submissions, refused, draws

/// Exit statuses: 0, or 2 if there is no renderer.
int play_streams(const PlayOptions& options);
int play_calls(const PlayOptions& options, const std::vector<Call>& calls);

}  // namespace tgsi2spv::fuzz
