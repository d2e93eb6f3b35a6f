// Options that several commands of tgsi-difftest have.
#pragma once

#include <optional>
#include <string>

#include "difftest/campaign/baseline.h"
#include "difftest/campaign/pool.h"
#include "difftest/campaign/summary.h"
#include "difftest/case_file.h"
#include "difftest/judge.h"
#include "options.h"

namespace tools {

/// --device, --dialect, --jobs, --timeout, --validation
void add_device_options(App& app, tgsi2spv::difftest::PoolOptions& pool);

/// Appends the lines of a baseline file; the reason why not, or an empty string.
std::string load_baseline(const std::string& path, tgsi2spv::difftest::Baseline& baseline);

/// Reads a case file; complains and gives nothing where that cannot be.
std::optional<tgsi2spv::difftest::CaseFile> load_case(const std::string& path);

/// A result as the campaign prints it: a line, and for failures a few more with what is wrong.
struct ResultPrinting {
    bool quiet = false;    ///< nothing for what is expected
    bool devices = false;  ///< names the device
};
void print_result(const tgsi2spv::difftest::CaseResult& result, const ResultPrinting& printing);

/// Reports of what ran, at the end.
struct ReportPaths {
    std::string junit, html;
};
void add_report_options(App& app, ReportPaths& paths);
/// The reason why not, or an empty string.
std::string write_reports(const tgsi2spv::difftest::Summary& summary, const ReportPaths& paths);

/// A line on standard error, without more.
void complain(const std::string& text);

}  // namespace tools
