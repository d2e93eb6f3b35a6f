// Options that several commands of tgsi-difftest have.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "difftest/baseline.h"
#include "difftest/judge.h"
#include "difftest/pool.h"

namespace tools {

/// --device, --dialect, --jobs, --timeout, --validation
void add_device_options(CLI::App& app, tgsi2spv::difftest::PoolOptions& pool);

/// Appends the lines of a baseline file; the reason why not, or an empty string.
std::string load_baseline(const std::string& path, tgsi2spv::difftest::Baseline& baseline);

/// Reports of what ran, at the end.
struct ReportPaths {
    std::string junit, html;
};
void add_report_options(CLI::App& app, ReportPaths& paths);

/// A line on standard error, without more.
void complain(const std::string& text);

}  // namespace tools
