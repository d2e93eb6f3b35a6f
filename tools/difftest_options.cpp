#include "difftest_options.h"

#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <thread>

#include "difftest_commands.h"
#include "files.h"

namespace tools {

using namespace tgsi2spv;

void add_device_options(CLI::App& app, difftest::PoolOptions& pool) {
    static const std::map<std::string, tgsi::Dialect> kDialects{{"auto", tgsi::Dialect::Auto},
                                                                {"oldest", tgsi::Dialect::Oldest},
                                                                {"middle", tgsi::Dialect::Middle},
                                                                {"newest", tgsi::Dialect::Newest}};
    pool.command = worker_command();
    pool.jobs = std::max(1u, std::thread::hardware_concurrency());
    app.add_option("--device", pool.settings.devices,
                   "a Vulkan device: its number, UUID or a part of its name; repeatable")
        ->take_all()
        ->allow_extra_args(false);
    app.add_option("--dialect", pool.settings.judging.dialect,
                   "the edition whose meaning is taken where editions differ")
        ->transform(CLI::CheckedTransformer(kDialects));
    app.add_option("--jobs", pool.jobs, "worker processes, each with all devices [the cores of this machine]")
        ->check(CLI::Range(1, 1024));
    app.add_option("--timeout", pool.timeout_s, "seconds that a case may take on a device before its process is killed")
        ->capture_default_str()
        ->check(CLI::Range(0.05, 86400.0));
    app.add_flag("--validation", pool.settings.validation, "with the validation layer; a message of it is a failure");
}

std::string load_baseline(const std::string& path, difftest::Baseline& baseline) {
    constexpr size_t kMost = 1u << 26;
    std::string error;
    const auto text = read_file(path, kMost, error);
    if (!text) return fmt::format("{}: {}", path, error);
    const auto read = difftest::read_baseline(*text, path, baseline);
    return read ? std::string() : read.error();
}

void add_report_options(CLI::App&, ReportPaths&) {}

void complain(const std::string& text) {
    fmt::print(stderr, "tgsi-difftest: {}\n", text);
}

}  // namespace tools
