// The sampling matrix: every form of both texture pages, on every kind, filter and wrap mode, on each device and on the
// reference. Forms that a device cannot run are still translated, validated and judged, and counted apart.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "difftest/campaign.h"

namespace tgsi2spv::difftest {

struct MatrixOptions {
    std::vector<std::string> devices;  ///< as CampaignOptions has them
    std::string filter;                ///< a part of the names of the forms to run; empty: all
    uint32_t sample = 1;               ///< every nth form
    uint64_t seed = 1;
    bool validation = false;
    std::string keep;  ///< folder for the failing cases that are TGSI, as tgsi-run takes them; empty: none
    bool quiet = false;
};

/// Counts forms: failed if it fails on any device, passed if it ran on any, else skipped.
struct MatrixSummary {
    uint32_t passed = 0, failed = 0, skipped = 0;
    uint32_t by_text = 0;     ///< of all: through a TGSI opcode
    uint32_t translated = 0;  ///< of the skipped: translated for a device with every feature, validated, and judged
    Share share;
    std::map<std::string, uint32_t> skip_reasons;
};

tl::expected<MatrixSummary, std::string> run_sampling_matrix(const MatrixOptions& options, const CampaignHooks& hooks);

/// Skip reasons, the unknown share, and last `N passed, N failed, N skipped`.
std::vector<std::string> report_lines(const MatrixSummary& summary);

}  // namespace tgsi2spv::difftest
