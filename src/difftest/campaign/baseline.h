// Expected results: text files in the manner of deqp-runner.
//
//     # anything behind a hash at the start of a line
//     device llvmpipe                          (from here on: devices with this in their names; at first: all)
//     fail    generated/7/1[0-9]  # why it fails
//     skip    sampling/.*CUBE.*   # why it is not run
//     flake   frag/noise\.tgsi    # why it comes and goes
//
// The word is a status (result.h); the regular expression has to match the whole id. A line without a reason is an
// error. The first line that matches a case decides.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "difftest/pattern.h"
#include "difftest/result.h"

namespace tgsi2spv::difftest {

struct Expectation {
    Status status{};
    std::string device;  ///< a part of its name, without regard to case; empty: any
    Pattern pattern;
    std::string reason;
};

struct Baseline {
    std::vector<Expectation> lines;
    const Expectation* find(const std::string& id, std::string_view device) const;
};

/// Appends what the text says. The error is `NAME:LINE: …`.
tl::expected<void, std::string> read_baseline(std::string_view text, std::string_view name, Baseline& baseline);

/// Sets `expected` and `expecting`: a pass is expected unless a line says fail, crash, timeout or device-lost; a skip
/// always; anything else only where a line says the same status. A flake may also pass or fail.
void hold(const Baseline& baseline, CaseResult& result);

/// A line for each result that is no pass and no skip, by device, that makes the same run come out as expected.
std::string write_baseline(std::span<const CaseResult> failures);

}  // namespace tgsi2spv::difftest
