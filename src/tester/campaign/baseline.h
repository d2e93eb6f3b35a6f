// Expected results: text files, after those of deqp-runner, but one for all statuses.
//
//   # a hash at the start of a line begins a comment
//   device llvmpipe          (from here on: devices with this in their names; initially: all)
//   device "llvmpipe #2"     (with quotation marks: the device of this name)
//   device llvmpipe, driver >= 26.1  (also <: only with such a version of its driver; a driver without one has neither)
//   fail   generated/7/1[0-9]  # why it fails
//   skip   sampling/.*CUBE.*   # why it is not run
//   flake  frag/noise\.tgsi    # why it comes and goes
//   root   ../shaders          (a folder, from that of this file: names of shaders below it are paths from there)
//
// The first word is a status (result.h); the regular expression (pattern.h) must match the whole id. A line
// without a reason is an error. The first line that matches a case decides.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "campaign/summary.h"
#include "cases/pattern.h"
#include "cases/result.h"
#include "vulkan/version.h"

namespace tgsi2spv::difftest {

struct DeviceChoice {
    std::string name;           ///< part of its name, or all of it in quotation marks, ignoring case; empty: any device
    vulkan::Version at_least;   ///< the driver's least version; empty: any
    vulkan::Version less_than;  ///< the driver's first version that does not match; empty: none
    bool matches(std::string_view device, std::string_view driver) const;
};

struct Expectation {
    Status status{};
    DeviceChoice device;
    Pattern pattern;
    std::string reason;
    std::string place;  ///< NAME:LINE
};

struct Baseline {
    std::vector<Expectation> lines;
    std::vector<std::string> roots;  ///< folders that its lines' names begin at
    const Expectation* find(const std::string& id, std::string_view device, std::string_view driver) const;
};

/// Appends the lines of a text. The error is `NAME:LINE: …`.
tl::expected<void, std::string> read_baseline(std::string_view text, std::string_view name, Baseline& baseline);

/// Sets `expected` and `expecting`. A pass or a skip is expected unless a line says fail, crash, timeout or
/// device-lost. Any other status is expected only if a line says the same or flake.
void apply_baseline(const Baseline& baseline, CaseResult& result);

/// Returns a baseline with a line for each result that failed, was flaky, or was skipped by a baseline, with which the
/// same run has only expected results. `root` is for its line of that name, if not empty. Lines are by device. Devices
/// are given by their whole names: one name may be part of another.
std::string write_baseline(const Summary& summary, const std::string& root = {});

}  // namespace tgsi2spv::difftest
