// Workers: one at a time for a sequence of streams, started again after each that ends or hangs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "worker.h"

namespace tgsi2spv::fuzz {

struct Finding {
    std::string key, text, arguments;
    uint64_t stream = 0, call = 0;
};
using OnFinding = std::function<void(const Finding&)>;

struct Counts {
    uint64_t streams = 0, calls = 0, submissions = 0, refused = 0, draws = 0;
};

/// Plays the options' streams in workers. `seconds`: that a worker may make no progress. False: no worker could play.
bool run_streams(const PlayOptions& options, unsigned seconds, Counts& counts, const OnFinding& on_finding);

/// Plays calls in a worker of their own.
bool run_calls(const PlayOptions& options, unsigned seconds, const std::vector<Call>& calls,
               const OnFinding& on_finding);

/// Fewer calls with which the key is still found.
std::vector<Call> reduce(const PlayOptions& options, unsigned seconds, std::vector<Call> calls, const std::string& key);

}  // namespace tgsi2spv::fuzz
