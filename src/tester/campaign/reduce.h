// The smallest shader and inputs that still fail in the same way: delta debugging; a worker judges each candidate.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "campaign/pool.h"
#include "cases/case_file.h"

namespace tgsi2spv::difftest {

struct ReduceOptions {
    PoolOptions pool;
    /// Devices on which the kept case must pass, so that the bug of one driver is not mixed up with another bug.
    std::vector<std::string> passing;
    uint32_t most_candidates = 4000;
    double most_seconds = 0;        ///< time after which the best candidate so far is the answer; 0: no limit
    std::function<bool()> stopped;  ///< asked between candidates; true ends the search, too; may be empty
    std::function<void(uint32_t tried, size_t instructions)> progress;  ///< may be empty
};

struct Reduction {
    CaseFile file;
    uint32_t tried = 0;  ///< candidates that a worker judged
    size_t instructions_before = 0, instructions = 0;
    std::string ended_by;  ///< why there are no workers for further candidates; empty if that did not end the reduction
};

/// Why nothing was reduced.
struct NotReduced {
    std::string why;
    bool ran = false;  ///< the case ran, but does not fail here, or not only here
};

/// Runs the case on the first device of the pool, with the settings of the pool (judging_of), then tries every simpler
/// case that still fails in the same way: with the same status, a crash with the same signal, a message of the
/// validation layer. If more than the sign of a zero is wrong, signs of zeros do not count.
tl::expected<Reduction, NotReduced> reduce_case(const CaseFile& file, const ReduceOptions& options);

}  // namespace tgsi2spv::difftest
