// Runs many cases on each device in worker processes, compares the results with the expected ones, and writes them to
// files.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "campaign/baseline.h"
#include "campaign/pool.h"
#include "campaign/results_file.h"
#include "campaign/summary.h"
#include "cases/cases.h"

namespace tgsi2spv::difftest {

struct CampaignOptions {
    CaseSources sources;
    CaseChoice choice;
    PoolOptions pool;
    Baseline baseline;
    uint32_t flake_retries = 0;  ///< repetitions of a failure; if one passes, it is a flake
    std::string results;         ///< file of JSON lines; empty: none
    bool resume = false;         ///< do not run cases again whose results are in `results`
    std::string keep;            ///< folder for the failing cases; empty: none
    uint32_t reduce = 0;         ///< number of unexpected failures that are reduced at the end
    std::string command;         ///< the command line, for the reports
};

struct Progress {
    uint64_t done = 0, total = 0;  ///< results so far, and their final number
    uint64_t resumed = 0;          ///< results from an earlier run, included in `done`
    uint64_t unexpected = 0;
    double seconds = 0;
};

struct CampaignEnd {
    Summary summary;  ///< includes resumed results
    double seconds = 0;
    std::vector<std::string> unmatched;  ///< places of the baseline's lines for these devices that name no case; only
                                         ///< if all cases ran
    uint64_t outdated = 0;               ///< results of `results` that were of other cases than now, so these ran again
    std::string interrupted;             ///< why some cases have no result; empty if all have one
    std::vector<std::string> notes;      ///< the workers' reports about devices since then
    std::string not_written;  ///< why results could not be written to `results`, which ends the run; empty if they were
    std::string not_kept;     ///< why failing cases could not be written to `keep`; empty if they were
};

struct CampaignHooks {
    /// Called with the data of the run and of its devices, before its first result. May be empty.
    std::function<void(const Environment&, const std::vector<std::string>& notes)> started;
    /// Called for each result of this run, in the order of the cases and, within a case, of the devices.
    std::function<void(const CaseResult&)> result;
    /// Called a few times per second; may be empty.
    std::function<void(const Progress&)> progress;
    /// Asked between results; true ends the run as it is. May be empty.
    std::function<bool()> stopped;
    /// Called before failures are reduced, which may take long, to report the results so far. May be empty.
    std::function<void(const CampaignEnd&)> before_reducing;
    /// Called while a failure is reduced, with the number of candidates and the instructions left. May be empty.
    std::function<void(const CaseResult&, uint32_t tried, size_t instructions)> reducing;
};

/// Runs a campaign. Errors concern usage or files; everything else is a result.
tl::expected<CampaignEnd, std::string> run_campaign(const CampaignOptions& options, const CampaignHooks& hooks);

}  // namespace tgsi2spv::difftest
