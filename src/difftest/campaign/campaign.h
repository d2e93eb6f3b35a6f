// Many cases on each device, in worker processes: handed out, gathered, held against what is expected, written down.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "difftest/campaign/baseline.h"
#include "difftest/campaign/pool.h"
#include "difftest/campaign/results_file.h"
#include "difftest/campaign/summary.h"
#include "difftest/cases.h"

namespace tgsi2spv::difftest {

struct CampaignOptions {
    CaseSources sources;
    CaseChoice choice;
    PoolOptions pool;
    Baseline baseline;
    uint32_t flake_retries = 0;  ///< how often a failure is repeated; one that then passes is a flake
    std::string results;         ///< file of JSON lines; empty: none
    bool resume = false;         ///< cases that `results` has are not run again
    std::string keep;            ///< folder for the failing cases; empty: none
    uint32_t reduce = 0;         ///< so many of the unexpected failures are made smaller at the end
    bool fail_fast = false;      ///< ends with the first unexpected result
};

struct Progress {
    uint64_t done = 0, total = 0;  ///< results, and how many there will be
    uint64_t resumed = 0;          ///< of the done: from an earlier run
    uint64_t unexpected = 0;
    double seconds = 0;
};

struct CampaignHooks {
    /// In the order of the cases, devices in theirs; only those of this run.
    std::function<void(const CaseResult&)> result;
    /// A few times a second; may be empty.
    std::function<void(const Progress&)> progress;
};

struct CampaignEnd {
    Summary summary;  ///< resumed results too
    double seconds = 0;
    std::string interrupted;  ///< why not all cases have a result; empty: they have
};

/// The error is one of usage or of files. Everything else is a result.
tl::expected<CampaignEnd, std::string> run_campaign(const CampaignOptions& options, const CampaignHooks& hooks);

}  // namespace tgsi2spv::difftest
