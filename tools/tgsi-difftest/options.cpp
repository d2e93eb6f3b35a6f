#include "tgsi-difftest/options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>

#include "campaign/report.h"
#include "files/files.h"
#include "shared/complain.h"
#include "shared/dialect_words.h"
#include "tgsi-difftest/commands.h"

namespace tools {

using namespace tgsi2spv;

namespace {

constexpr size_t kMaxBytes = 1u << 26;
constexpr size_t kLinesPerFailure = 3;

}  // namespace

void add_device_options(App& app, difftest::PoolOptions& pool) {
    pool.command = worker_command();
    pool.jobs = std::max(1u, std::thread::hardware_concurrency());
    app.add_option("--device", pool.settings.devices,
                   "Vulkan device: its number, UUID or a part of its name; repeatable")
        .type_name("DEVICE")
        .repeatable();
    add_judging_options(app, pool.settings.judging);
    app.add_option("--timeout", pool.timeout_s,
                   "Seconds without an answer, of the driver or of the judge, after which a case's process is killed")
        .type_name("SECONDS")
        .capture_default_str()
        .check(NumberRange{0.05, 86400.0});
    app.add_flag("--validation", pool.settings.validation,
                 "Enable the Vulkan validation layer; each of its messages is a failure");
    app.add_flag("--compile-only", pool.settings.compile_only,
                 "Create each case's pipeline without running it, for drivers without their hardware");
}

void add_jobs_option(App& app, difftest::PoolOptions& pool) {
    app.add_option("--jobs", pool.jobs, "Worker processes, each with all devices (default: the number of cores)")
        .check(NumberRange{1, 1024});
}

void add_judging_options(App& app, difftest::RunSettings& judging) {
    for (const difftest::Setting& s : difftest::kSettings) {
        if (s.option.empty()) continue;
        const std::string option(s.option), help(s.help);
        if (const auto* flag = std::get_if<bool difftest::RunSettings::*>(&s.member))
            app.add_flag(option, judging.**flag, help);
        else if (const auto* word = std::get_if<uint32_t difftest::RunSettings::*>(&s.member))
            app.add_option(option, judging.**word, help);
        else if (const auto* number = std::get_if<uint64_t difftest::RunSettings::*>(&s.member))
            app.add_option(option, judging.**number, help);
        else
            app.add_choice(option, judging.dialect, help, dialect_words()).type_name("EDITION");
    }
}

std::string load_baseline(const std::string& path, difftest::Baseline& baseline) {
    const auto text = read_file(path, kMaxBytes);
    if (!text) return cannot_read(path, text.error());
    const auto read = difftest::read_baseline(*text, path, baseline);
    return read ? std::string() : read.error();
}

tl::expected<difftest::CaseFile, std::string> load_case(const std::string& path) {
    const auto text = read_file(path, kMaxBytes);
    if (!text) return tl::unexpected(cannot_read(path, text.error()));
    return difftest::read_case_file(*text).map_error([&](const std::string& why) { return path + ": " + why; });
}

std::string open_folder(const std::string& option, const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (!error && access(folder.c_str(), W_OK | X_OK) != 0) error = std::error_code(errno, std::generic_category());
    return error ? fmt::format("{} {}: {}", option, folder, error.message()) : std::string();
}

std::string unwritable(const std::string& file) {
    namespace fs = std::filesystem;
    if (file.empty() || file == "-") return {};
    std::error_code error;
    if (fs::is_directory(file, error)) return fmt::format("{}: is a folder", file);
    const fs::path folder = fs::absolute(file, error).parent_path();
    fs::create_directories(folder, error);  // as write_file() does
    if (error) return fmt::format("{}: {}", file, error.message());
    const bool exists = fs::exists(file, error);
    if (access(exists ? file.c_str() : folder.c_str(), exists ? W_OK : W_OK | X_OK) != 0)
        return fmt::format("{}: {}", file, std::strerror(errno));
    return {};
}

void print_result(const difftest::CaseResult& result, const ResultPrinting& printing) {
    const std::string where =
        tgsi2spv::tgsi::printable(printing.devices ? fmt::format("{} on {}", result.id, result.device) : result.id);
    if (result.status == difftest::Status::Pass || result.status == difftest::Status::Skip) {
        if (printing.quiet && result.expected) return;
        std::string notes;
        if (result.status == difftest::Status::Skip) notes = ": " + result.message;
        if (result.unknown > 0)
            notes += fmt::format(" ({:.1f} % unknown)",
                                 100.0 * static_cast<double>(result.unknown) / static_cast<double>(result.words));
        if (result.translated) notes += " (but translated, validated and judged)";
        if (!result.expected) notes += fmt::format(": UNEXPECTED, contradicts the baseline: {}", result.expecting);
        fmt::print(printing.to, "{} {}{}\n", name(result.status), where, notes);
        return;
    }
    fmt::print(printing.to, "{} {}{}\n", name(result.status), where,
               result.expected ? fmt::format(" (expected: {})", result.expecting) : "");
    if (result.expected && printing.quiet) return;
    fmt::print(printing.to, "     {}\n", result.message);
    for (size_t i = 0; i < std::min(result.details.size(), kLinesPerFailure - 1); i++)
        fmt::print(printing.to, "     {}\n", result.details[i]);
}

void add_report_options(App& app, ReportPaths& paths) {
    app.add_option("--junit", paths.junit, "Write a report in JUnit's XML format").type_name("FILE");
    app.add_option("--html", paths.html, "Write a report as one HTML page that needs no network").type_name("FILE");
}

bool uses_standard_output(const ReportPaths& paths) {
    return paths.junit == "-" || paths.html == "-";
}

std::string write_reports(const difftest::Summary& summary, const ReportPaths& paths) {
    if (!paths.junit.empty())
        if (auto why = write_file(paths.junit, difftest::junit_report(summary)); !why.empty())
            return cannot_write(paths.junit, why);
    if (!paths.html.empty())
        if (auto why = write_file(paths.html, difftest::html_report(summary)); !why.empty())
            return cannot_write(paths.html, why);
    return {};
}

std::string command_line(int argc, char** argv) {
    std::string line;
    for (int i = 0; i < argc; i++) {
        std::string word = argv[i];
        const bool plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
            return std::isalnum(c) != 0 || std::strchr("-_./=:,@%+", c) != nullptr;
        });
        for (size_t at = 0; !plain && (at = word.find('\'', at)) != std::string::npos; at += 4)
            word.replace(at, 1, "'\\''");
        line += (i > 0 ? " " : "") + (plain ? word : "'" + word + "'");
    }
    return line;
}

void print_devices(const difftest::Environment& run, std::FILE* to) {
    std::string line = "on";
    for (const auto& device : run.devices)
        line += fmt::format("{} {} (driver {}, Vulkan {})", line == "on" ? "" : ",", device[0].second, device[1].second,
                            device[2].second);
    fmt::print(to, "{}\n", tgsi::printable(line));
}

int complain(const std::string& text) {
    return complain("tgsi-difftest", kUsage, text);
}

}  // namespace tools
