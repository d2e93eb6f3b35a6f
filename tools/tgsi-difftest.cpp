// tgsi-difftest: shaders on Vulkan devices, judged by the reference.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "difftest/campaign.h"
#include "difftest/sampling_matrix.h"
#include "difftest/sources.h"
#include "guarded.h"

namespace {

using namespace tgsi2spv;

constexpr int kExpected = 0, kUnexpected = 1, kUsage = 2;

// What a driver was doing when it took the process down; written before each case, read by the signal handler.
char current_case[512];

void on_crash(int signal) {
    constexpr char kText[] = "\ntgsi-difftest: the process crashed in: ";
    [[maybe_unused]] auto ignored = write(STDERR_FILENO, kText, sizeof kText - 1);
    ignored = write(STDERR_FILENO, current_case, std::strlen(current_case));
    ignored = write(STDERR_FILENO, "\n", 1);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void remember_case(const std::string& path, const std::string& device) {
    const auto end = fmt::format_to_n(current_case, sizeof current_case - 1, "{} on {}", path, device);
    *end.out = 0;
}

void watch_crashes() {
    for (int s : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) std::signal(s, on_crash);
}

int run(const std::vector<std::string>& paths, const difftest::CampaignOptions& options) {
    const auto sources = difftest::find_sources(paths);
    if (!sources) {
        fmt::print(stderr, "tgsi-difftest: {}\n", sources.error());
        return kUsage;
    }
    if (sources->empty()) {
        fmt::print(stderr, "tgsi-difftest: no *.tgsi file there\n");
        return kUsage;
    }
    watch_crashes();
    difftest::CampaignHooks hooks;
    hooks.print = [](const std::string& line) { fmt::print("{}\n", line); };
    hooks.before = remember_case;
    const auto summary = difftest::run_campaign(*sources, options, hooks);
    if (!summary) {
        fmt::print(stderr, "tgsi-difftest: {}\n", summary.error());
        return kUsage;
    }
    for (const auto& line : difftest::report_lines(*summary)) fmt::print("{}\n", line);
    const int status = summary->failed == 0 ? kExpected : kUnexpected;
    std::fflush(nullptr);
    if (summary->device_lost) _exit(status);  // a driver's thread may never end
    return status;
}

/// The sampling matrix in place of shaders.
int run_matrix(const difftest::CampaignOptions& campaign, const std::string& filter) {
    watch_crashes();
    difftest::MatrixOptions options{.devices = campaign.devices,
                                    .filter = filter,
                                    .sample = campaign.sample,
                                    .seed = campaign.seed,
                                    .validation = campaign.validation,
                                    .keep = campaign.keep,
                                    .quiet = campaign.quiet};
    difftest::CampaignHooks hooks;
    hooks.print = [](const std::string& line) {
        fmt::print("{}\n", line);
        std::fflush(stdout);
    };
    hooks.before = remember_case;
    const auto summary = difftest::run_sampling_matrix(options, hooks);
    if (!summary) {
        fmt::print(stderr, "tgsi-difftest: {}\n", summary.error());
        return kUsage;
    }
    for (const auto& line : difftest::report_lines(*summary)) fmt::print("{}\n", line);
    return summary->failed == 0 ? kExpected : kUnexpected;
}

int run_tool(int argc, char** argv) {
    std::vector<std::string> paths;
    difftest::CampaignOptions o;
    CLI::App app{
        "Runs TGSI shaders on Vulkan devices with generated inputs and holds every output word against what Vulkan\n"
        "permits. Prints a line a shader and last 'N passed, N failed, N skipped'.\n\n"
        "  tgsi-difftest shaders/                              on lavapipe, or the first device\n"
        "  tgsi-difftest a.tgsi --device llvmpipe --device SwiftShader --inputs 10 --seed 7"};
    app.set_version_flag("--version", "tgsi-difftest " TGSI2SPV_VERSION);
    app.add_option("paths", paths, "shaders, and folders of *.tgsi");
    bool sampling = false;
    std::string filter;
    app.add_flag("--sampling", sampling, "in place of shaders every form of the TLD4 and 3D_SAMPLE pages");
    app.add_option("--filter", filter, "with --sampling: a part of the names of the forms to run");
    app.add_option("--device", o.devices, "a Vulkan device: its number, UUID or a part of its name; repeatable")
        ->take_all()
        ->allow_extra_args(false);
    app.add_option("--seed", o.seed, "seed of the generated inputs");
    app.add_option("--inputs", o.inputs, "input sets a shader")->check(CLI::Range(1, 1000000));
    app.add_option("--sample", o.sample, "take every Nth shader or form only")->check(CLI::Range(1, 1000000));
    app.add_option("--keep", o.keep, "folder for the failing cases, as tgsi-run takes them");
    app.add_flag("--validation", o.validation, "with the validation layer; a message of it is a failure");
    app.add_flag("--quiet", o.quiet, "lines for failures only");
    const std::map<std::string, tgsi::Dialect> dialects{{"auto", tgsi::Dialect::Auto},
                                                        {"oldest", tgsi::Dialect::Oldest},
                                                        {"middle", tgsi::Dialect::Middle},
                                                        {"newest", tgsi::Dialect::Newest}};
    app.add_option("--dialect", o.dialect, "the edition whose meaning is taken where editions differ")
        ->transform(CLI::CheckedTransformer(dialects));
    app.footer("Exit status: 0 all as expected; 1 unexpected results; 2 usage or I/O.");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? kExpected : kUsage;
    }
    if (sampling) return run_matrix(o, filter);
    if (paths.empty()) {
        fmt::print(stderr, "tgsi-difftest: no shaders, and no --sampling\n");
        return kUsage;
    }
    return run(paths, o);
}

}  // namespace

int main(int argc, char** argv) {
    return tools::guarded("tgsi-difftest", [&] { return run_tool(argc, argv); });
}
