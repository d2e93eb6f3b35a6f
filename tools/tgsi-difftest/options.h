// Options shared by several commands of tgsi-difftest.
#pragma once

#include <cstdio>
#include <string>

#include <tl/expected.hpp>

#include "campaign/baseline.h"
#include "campaign/pool.h"
#include "campaign/summary.h"
#include "cases/case_file.h"
#include "cases/judge.h"
#include "shared/options.h"

namespace tools {

/// How cases are judged: the options of kSettings.
void add_judging_options(App& app, tgsi2spv::difftest::RunSettings& judging);
/// These, and the options of a pool of workers: --device, --timeout, --validation, --compile-only
void add_device_options(App& app, tgsi2spv::difftest::PoolOptions& pool);
/// --jobs, for commands that run several cases.
void add_jobs_option(App& app, tgsi2spv::difftest::PoolOptions& pool);

/// Appends the lines of a baseline file. Returns the reason on failure, otherwise an empty string.
std::string load_baseline(const std::string& path, tgsi2spv::difftest::Baseline& baseline);

tl::expected<tgsi2spv::difftest::CaseFile, std::string> load_case(const std::string& path);

/// Makes a folder. Returns why nothing can be written to it, or an empty string: a run may take hours before it writes.
std::string open_folder(const std::string& option, const std::string& folder);
/// The same for a file that is written at the end. Empty names mean no file.
std::string unwritable(const std::string& file);

inline constexpr const char* kNothingCompared =
    "nothing was compared: every case was skipped, or all of its words are unknown to the reference";

/// How the campaign prints a result: one line, and for failures a few more with the details.
struct ResultPrinting {
    bool quiet = false;    ///< prints nothing for expected results
    bool devices = false;  ///< names the device
    std::FILE* to = stdout;
};
void print_result(const tgsi2spv::difftest::CaseResult& result, const ResultPrinting& printing);

/// The files of the reports that are written at the end.
struct ReportPaths {
    std::string junit, html;
};
/// --junit, --html
void add_report_options(App& app, ReportPaths& paths);
/// Whether a report has standard output for itself.
bool uses_standard_output(const ReportPaths& paths);
/// Returns the reason on failure, otherwise an empty string.
std::string write_reports(const tgsi2spv::difftest::Summary& summary, const ReportPaths& paths);

/// The command line as a shell reads it.
std::string command_line(int argc, char** argv);
/// Prints a line that names the devices of the cases.
void print_devices(const tgsi2spv::difftest::Environment& run, std::FILE* to);

/// Prints one line on standard error. Returns kUsage, for `return`.
int complain(const std::string& text);

}  // namespace tools
