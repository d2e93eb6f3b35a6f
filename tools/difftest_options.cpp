#include "difftest_options.h"

#include <fmt/format.h>

#include <cstdio>
#include <thread>

#include "dialect_words.h"
#include "difftest/campaign/report.h"
#include "difftest_commands.h"
#include "files.h"

namespace tools {

using namespace tgsi2spv;

namespace {

constexpr size_t kMostBytes = 1u << 26;
constexpr size_t kLinesPerFailure = 3;

}  // namespace

void add_device_options(App& app, difftest::PoolOptions& pool) {
    pool.command = worker_command();
    pool.jobs = std::max(1u, std::thread::hardware_concurrency());
    app.add_option("--device", pool.settings.devices,
                   "a Vulkan device: its number, UUID or a part of its name; repeatable")
        .repeatable();
    app.add_choice("--dialect", pool.settings.judging.dialect,
                   "the edition whose meaning is taken where editions differ", dialect_words());
    app.add_option("--entry", pool.settings.judging.entry,
                   "COMP: main begins at this instruction of each shader (old texts hold several pieces)");
    app.add_flag("--loop-registers-in-memory", pool.settings.judging.loops_in_memory,
                 "for lavapipe, which keeps what the first turn of some loops wrote");
    app.add_flag("--one-level-offsets", pool.settings.judging.one_level_offsets,
                 "samplers blend no two levels and have no bias: offsets from registers can then be translated");
    app.add_flag("--strict", pool.settings.judging.strict,
                 "hold doubles to a double's precision and functions of NaN to NaN, more than Vulkan asks of a device");
    app.add_option("--jobs", pool.jobs, "worker processes, each with all devices [the cores of this machine]")
        .check(Range{1, 1024});
    app.add_option("--timeout", pool.timeout_s, "seconds that a case may take on a device before its process is killed")
        .capture_default_str()
        .check(Range{0.05, 86400.0});
    app.add_flag("--validation", pool.settings.validation, "with the validation layer; a message of it is a failure");
    app.add_flag("--compile-only", pool.settings.compile_only,
                 "make each case's pipeline and run nothing: for drivers without their hardware");
}

std::string load_baseline(const std::string& path, difftest::Baseline& baseline) {
    std::string error;
    const auto text = read_file(path, kMostBytes, error);
    if (!text) return fmt::format("{}: {}", path, error);
    const auto read = difftest::read_baseline(*text, path, baseline);
    return read ? std::string() : read.error();
}

std::optional<difftest::CaseFile> load_case(const std::string& path) {
    std::string error;
    const auto text = read_file(path, kMostBytes, error);
    if (!text) {
        complain(fmt::format("{}: {}", path, error));
        return std::nullopt;
    }
    auto file = difftest::read_case_file(*text);
    if (file) return std::move(*file);
    complain(fmt::format("{}: {}", path, file.error()));
    return std::nullopt;
}

void print_result(const difftest::CaseResult& r, const ResultPrinting& p) {
    const std::string where = p.devices ? fmt::format("{} on {}", r.id, r.device) : r.id;
    if (r.status == difftest::Status::Pass || r.status == difftest::Status::Skip) {
        if (p.quiet && r.expected) return;
        std::string notes;
        if (r.status == difftest::Status::Skip) notes = ": " + r.message;
        if (r.unknown > 0)
            notes += fmt::format(" ({:.1f} % unknown)",
                                 100.0 * static_cast<double>(r.unknown) / static_cast<double>(r.words));
        if (r.apart) notes += " (translated, validated, judged)";
        if (!r.expected) notes += fmt::format(": UNEXPECTED, the baseline says otherwise: {}", r.expecting);
        fmt::print("{} {}{}\n", name(r.status), where, notes);
        return;
    }
    fmt::print("{} {}{}\n", name(r.status), where, r.expected ? fmt::format(" (expected: {})", r.expecting) : "");
    if (r.expected && p.quiet) return;
    fmt::print("     {}\n", r.message);
    for (size_t i = 0; i < std::min(r.details.size(), kLinesPerFailure - 1); i++) fmt::print("     {}\n", r.details[i]);
}

void add_report_options(App& app, ReportPaths& paths) {
    app.add_option("--junit", paths.junit, "file for a report as JUnit's XML");
    app.add_option("--html", paths.html, "file for a report as one page that needs no network");
}

std::string write_reports(const difftest::Summary& summary, const ReportPaths& paths) {
    if (!paths.junit.empty())
        if (auto why = write_file(paths.junit, difftest::junit_report(summary)); !why.empty())
            return fmt::format("{}: {}", paths.junit, why);
    if (!paths.html.empty())
        if (auto why = write_file(paths.html, difftest::html_report(summary)); !why.empty())
            return fmt::format("{}: {}", paths.html, why);
    return {};
}

void complain(const std::string& text) {
    fmt::print(stderr, "tgsi-difftest: {}\n", text);
}

}  // namespace tools
