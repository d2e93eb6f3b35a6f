// Many shaders, each with generated inputs, on each device and on the reference; a line a shader, and the sums.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "difftest/sources.h"
#include "tgsi/opcode.h"
#include "tgsi/types.h"

namespace tgsi2spv::difftest {

struct CampaignOptions {
    std::vector<std::string> devices;  ///< names, indices or UUIDs; empty: lavapipe, or the first
    uint64_t seed = 1;
    uint32_t inputs = 1;  ///< cases a shader
    uint32_t sample = 1;  ///< every nth shader
    bool validation = false;
    bool quiet = false;  ///< no line for passes and skips
    tgsi::Dialect dialect = tgsi::Dialect::Auto;
    std::string keep;              ///< folder for the failing cases; empty: none
    uint64_t max_steps = 400'000;  ///< instructions of the reference over all lanes; longer cases are skipped
    uint64_t timeout_ns = 120'000'000'000;
};

/// Compared words and unknown ones among them.
struct Share {
    uint64_t words = 0, unknown = 0;
    double ratio() const { return words == 0 ? 0 : static_cast<double>(unknown) / static_cast<double>(words); }
};

/// Counts shaders: failed if a case fails on any device, passed if any ran, else skipped.
struct Summary {
    uint32_t passed = 0, failed = 0, skipped = 0;
    uint32_t partly_skipped = 0;  ///< passed, but not on every device or with every input
    Share share;
    std::map<tgsi::Opcode, Share> by_opcode;       ///< of the shaders that use it
    std::map<std::string, uint32_t> skip_reasons;  ///< shaders; one may have a reason a device
    uint32_t validation_messages = 0;
    bool device_lost = false;  ///< objects were leaked: end the process without destructors
};

struct CampaignHooks {
    std::function<void(const std::string&)> print;                                   ///< a line, without its end
    std::function<void(const std::string& path, const std::string& device)> before;  ///< may be empty
};

/// The error is one of usage (no such device). Everything else is counted.
tl::expected<Summary, std::string> run_campaign(const std::vector<Source>& sources, const CampaignOptions& options,
                                                const CampaignHooks& hooks);

/// The lines behind the last shader's: skip reasons, unknown share, by opcode, the sums.
std::vector<std::string> report_lines(const Summary& summary);

}  // namespace tgsi2spv::difftest
