// tgsi-difftest without a command: the campaign.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "campaign/campaign.h"
#include "cases/sources.h"
#include "files/files.h"
#include "shared/options.h"
#include "shared/paths.h"
#include "tgsi-difftest/commands.h"
#include "tgsi-difftest/options.h"

namespace tools {

namespace {

using namespace tgsi2spv;

/// The progress line, only on a terminal.
class ProgressLine {
  public:
    explicit ProgressLine(bool shown) : shown_(shown) {}
    void show(const difftest::Progress& progress) {
        if (!shown_) return;
        const double rate =
            progress.seconds > 0 ? static_cast<double>(progress.done - progress.resumed) / progress.seconds : 0;
        const auto left =
            rate > 0 ? static_cast<uint64_t>(static_cast<double>(progress.total - progress.done) / rate) : 0;
        show(fmt::format("{} of {} done, {} unexpected, {:.1f}/s, {}:{:02} left", progress.done, progress.total,
                         progress.unexpected, rate, left / 60, left % 60));
    }
    void show(const std::string& text) {
        if (!shown_) return;
        fmt::print(stderr, "\r\033[K{}", text);
        std::fflush(stderr);
        there_ = true;
    }
    /// Call this before anything else is printed.
    void clear() {
        if (there_) fmt::print(stderr, "\r\033[K");
        there_ = false;
    }

  private:
    bool shown_, there_ = false;
};

struct Options {
    difftest::CampaignOptions campaign;
    std::string shard, resume, write_baseline, stats;
    std::vector<std::string> baselines;
    ReportPaths reports;
    uint32_t inputs = 0;  ///< 0: as many as CaseSources says
    bool quiet = false, list = false;
};

/// Two variables that tell one of many machines its part.
struct ShardVariables {
    const char *total, *index;
    uint32_t first;  ///< the index of the first part
};
/// GoogleTest's, and GitLab's for a job with `parallel`.
constexpr ShardVariables kShardVariables[] = {{"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", 0},
                                              {"CI_NODE_TOTAL", "CI_NODE_INDEX", 1}};

/// Reads them if --shard is not given: machines that shard other tests also shard these cases.
std::string shard_from_environment(difftest::CaseChoice& choice) {
    for (const ShardVariables& v : kShardVariables) {
        const char *total = std::getenv(v.total), *index = std::getenv(v.index);
        if (total == nullptr && index == nullptr) continue;
        if (index == nullptr && v.first == 1) continue;  // GitLab says 1 for jobs of one machine
        if (total == nullptr || index == nullptr)
            return fmt::format("{} and {}: one is set without the other", v.total, v.index);
        const unsigned long number = std::strtoul(index, nullptr, 10);
        const std::string from_0 = v.first == 0 ? index : std::to_string(number - v.first);
        const auto shard = difftest::read_shard(fmt::format("{}/{}", from_0, total));
        if (!shard)
            return fmt::format("{}={}, {}={}: invalid shard: expected an index from {} to {}", v.index, index, v.total,
                               total, v.first, v.first == 0 ? "the total less 1" : "the total");
        choice.shard = shard->shard;
        choice.shards = shard->shards;
        break;
    }
    if (const char* status = std::getenv("GTEST_SHARD_STATUS_FILE")) std::ofstream(status, std::ios::app);
    return {};
}

/// Returns why the files that were asked for cannot be written, or an empty string.
std::string conflict_of(const Options& options) {
    std::vector<std::string> inputs = options.baselines;
    const auto shaders = difftest::find_sources(options.campaign.sources.paths, options.campaign.sources.root);
    if (!shaders) return shaders.error();
    for (const auto& source : *shaders) inputs.push_back(source.path);
    return conflict(inputs,
                    {options.campaign.results, options.reports.junit, options.reports.html, options.write_baseline});
}

/// Returns why a file that is written at the end could not be, or an empty string.
std::string unwritable_of(const Options& options) {
    for (const auto& file : {options.write_baseline, options.reports.junit, options.reports.html})
        if (auto why = unwritable(file); !why.empty()) return why;
    return options.campaign.keep.empty() ? std::string() : open_folder("--keep", options.campaign.keep);
}

/// The folder that names of shaders begin at: that of a baseline, or the one that holds all.
std::string root_of(const difftest::CaseSources& sources, const difftest::Baseline& baseline) {
    if (sources.paths.empty()) return {};
    for (const auto& root : baseline.roots)
        if (difftest::are_below(sources.paths, root)) return root;
    return difftest::common_folder(sources.paths);
}

/// Resolves the options together. Returns the reason on failure, otherwise an empty string.
std::string complete(Options& options) {
    auto& c = options.campaign;
    c.sources.seed = c.pool.settings.judging.seed;
    c.pool.settings.judging.timeout_ns = static_cast<uint64_t>(c.pool.timeout_s * 1e9);
    if (c.sources.paths.empty() && !c.sources.sampling && c.sources.generated == 0)
        return "nothing to run: expected shaders, --sampling or --generate (see --help)";
    for (const auto& path : c.sources.paths)
        if (path.ends_with(".case")) return path + ": a case, not a shader: tgsi-difftest run repeats it";
    if (!options.stats.empty()) {
        if (!c.results.empty()) return "--stats is a file of results: omit --results";
        c.results = options.stats;
        c.pool.settings.compile_only = c.pool.settings.judging.statistics = true;
        c.sources.inputs = 1;
    }
    if (!options.resume.empty()) {
        if (!c.results.empty() && c.results != options.resume)
            return "--resume appends to its own file: omit --results, or name the same file";
        c.results = options.resume;
        c.resume = true;
    }
    if (std::error_code error; !c.resume && std::filesystem::is_regular_file(c.results, error) &&
                               std::filesystem::file_size(c.results, error) > 0)
        return c.results + " exists: --resume continues it, --results overwrites nothing";
    if (c.results == "-") return "--results needs a file: standard output has a line for each case";
    if (options.list && (!c.results.empty() || !c.keep.empty() || !options.write_baseline.empty() ||
                         !options.reports.junit.empty() || !options.reports.html.empty()))
        return "--list runs nothing: there are no results to write";
    if (options.shard.empty()) {
        if (auto error = shard_from_environment(c.choice); !error.empty()) return error;
    } else {
        const auto shard = difftest::read_shard(options.shard);
        if (!shard) return "--shard: " + shard.error();
        c.choice.shard = shard->shard;
        c.choice.shards = shard->shards;
    }
    for (const auto& path : options.baselines)
        if (auto error = load_baseline(path, c.baseline); !error.empty()) return error;
    c.sources.root = root_of(c.sources, c.baseline);
    if (auto why = conflict_of(options); !why.empty()) return why;
    return options.list ? std::string() : unwritable_of(options);
}

/// The way from a file's folder to a folder. From standard output, it is that from here.
std::string folder_from(const std::string& file, const std::string& folder) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path start = file == "-" ? fs::current_path(error) : fs::absolute(file, error).parent_path();
    return fs::absolute(folder, error).lexically_normal().lexically_relative(start.lexically_normal()).string();
}

/// Writes the reports. Returns the reason on failure, otherwise an empty string.
std::string write_all(const Options& options, const difftest::Summary& summary) {
    if (!options.write_baseline.empty()) {
        std::string root = options.campaign.sources.root;
        if (!root.empty()) root = folder_from(options.write_baseline, root);
        if (auto why = write_file(options.write_baseline, difftest::write_baseline(summary, root)); !why.empty())
            return cannot_write(options.write_baseline, why);
    }
    return write_reports(summary, options.reports);
}

/// The first of these signals ends the run as it is, a later one the process.
volatile std::sig_atomic_t stopped_by = 0;
timespec stopped_at{};

/// timeout(1) sends its signal to the process and to its group: within this time, two signals are one.
constexpr int64_t kOneSignalNs = 500'000'000;

void stop(int signal) {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t passed = (now.tv_sec - stopped_at.tv_sec) * int64_t{1'000'000'000} + now.tv_nsec - stopped_at.tv_nsec;
    if (stopped_by == 0) {
        stopped_at = now;
        stopped_by = signal;
    } else if (passed > kOneSignalNs) {
        std::signal(signal, SIG_DFL);
        (void)std::raise(signal);
    }
}

void stop_at_signals() {
    struct sigaction action {};
    action.sa_handler = stop;
    action.sa_flags = SA_RESTART;
    for (const int signal : {SIGINT, SIGTERM}) sigaddset(&action.sa_mask, signal);
    for (const int signal : {SIGINT, SIGTERM}) {
        struct sigaction before {};
        // A parent may have them ignored, as nohup does with another.
        if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signal, &action, nullptr);
    }
}

/// Whether `out` is a pipe of which the other end is closed.
bool has_no_reader(std::FILE* out) {
    pollfd end{fileno(out), 0, 0};
    return poll(&end, 1, 0) > 0 && (end.revents & POLLERR) != 0;
}

/// Prints the names of the cases.
int list(const Options& options) {
    const auto cases = difftest::list_cases(options.campaign.sources, options.campaign.choice);
    if (!cases) return complain(cases.error());
    for (const auto& spec : *cases) fmt::print("{}\n", tgsi::printable(id_of(spec)));
    return kExpected;
}

/// Where the lines of results go.
struct Output {
    std::FILE* file = stdout;
    bool unheard = false;  ///< results cannot be written to `file` any more
    bool unread = false;   ///< because the reader has left
};

difftest::CampaignHooks hooks_for(const Options& options, Output& out, ProgressLine& progress) {
    const ResultPrinting printing{options.quiet, options.campaign.pool.settings.devices.size() > 1, out.file};
    difftest::CampaignHooks hooks;
    hooks.started = [&](const difftest::Environment& run, const std::vector<std::string>& notes) {
        print_devices(run, out.file);
        for (const auto& note : notes) complain(note);
    };
    hooks.result = [&, printing](const difftest::CaseResult& r) {
        progress.clear();
        if (!out.unheard) print_result(r, printing);
        if (out.unheard || std::fflush(out.file) == 0) return;
        out.unheard = true;
        out.unread = has_no_reader(out.file);
    };
    hooks.stopped = [&] { return stopped_by != 0 || out.unheard; };
    // Reports on standard output are written once, at the end.
    if (out.file == stdout)
        hooks.before_reducing = [&](const difftest::CampaignEnd& end) { write_all(options, end.summary); };
    hooks.reducing = [&](const difftest::CaseResult& r, uint32_t tried, size_t left) {
        progress.show(fmt::format("reducing {}: {} candidates tried, {} instructions left", r.id, tried, left));
    };
    hooks.progress = [&](const difftest::Progress& p) { progress.show(p); };
    return hooks;
}

/// After the first of a list.
std::string and_more(size_t all) {
    return all > 1 ? fmt::format(" and {} more", all - 1) : std::string();
}

/// Writes the reports, and prints the facts that the results alone do not show. Returns the status.
int conclude(const Options& options, const difftest::CampaignEnd& end, const Output& out) {
    if (end.outdated != 0)
        complain(fmt::format(
            "results of {} that were not used: {}; the shader, inputs or driver changed, or an older version wrote them",
            options.campaign.results, end.outdated));
    for (const auto& note : end.notes) complain(note);
    if (!end.unmatched.empty())
        complain("the baseline has lines that name no case of this run: " + end.unmatched.front() +
                 and_more(end.unmatched.size()));
    // With the baseline that it writes, this run is as expected.
    int status = end.summary.all.unexpected == 0 || !options.write_baseline.empty() ? kExpected : kUnexpected;
    for (const std::string& why : {write_all(options, end.summary), end.not_written, end.not_kept})
        if (!why.empty()) status = complain(why);
    if (!end.interrupted.empty()) {
        complain(
            "not all cases ran: " +
            (out.unheard ? "the results cannot be written to standard output" : end.interrupted) +
            (options.campaign.results.empty() ? "" : "; --resume " + options.campaign.results + " runs the others"));
        status = std::max(status, kUnexpected);
    }
    if (out.unread) std::clearerr(out.file);  // for guarded(): a reader that leaves is not an I/O error
    if (out.unheard) return std::max(status, kUnexpected);
    for (const auto& line : report_lines(end.summary, end.seconds)) fmt::print(out.file, "{}\n", line);
    const auto& choice = options.campaign.choice;
    if (end.summary.all.all() == 0 && end.interrupted.empty() && !choice.filter.empty() && choice.shards == 1)
        status = complain("no case name matches '" + choice.filter + "'");
    // A filter or a shard may leave only cases that are skipped.
    if (choice.filter.empty() && choice.shards == 1 && end.interrupted.empty() && compared_nothing(end.summary)) {
        complain(options.stats.empty() ? kNothingCompared : "there are no statistics: every case was skipped");
        status = std::max(status, kUnexpected);
    }
    return status;
}

int run(Options& options) {
    if (auto error = complete(options); !error.empty()) return complain(error);
    if (options.list) return list(options);
    ProgressLine progress(isatty(STDERR_FILENO) != 0);
    Output out;
    if (uses_standard_output(options.reports) || options.write_baseline == "-") out.file = stderr;
    const auto hooks = hooks_for(options, out, progress);
    stop_at_signals();
    options.campaign.pool.stopped = hooks.stopped;
    const auto end = difftest::run_campaign(options.campaign, hooks);
    progress.clear();
    if (end) return conclude(options, *end, out);
    complain(end.error());
    return stopped_by != 0 ? kUnexpected : kUsage;
}

}  // namespace

int campaign_command(int argc, char** argv) {
    Options o;
    auto& c = o.campaign;
    App app{
        "Run TGSI shaders on Vulkan devices with generated inputs, and compare every output word with the\n"
        "answers that Vulkan permits. Prints one line per case, and 'N passed, N failed, N skipped' as the last "
        "line.\n\n"
        "  tgsi-difftest shaders/                              run on the first GPU, or else on lavapipe\n"
        "  tgsi-difftest a.tgsi --device llvmpipe --device SwiftShader --inputs 10 --seed 7\n"
        "  tgsi-difftest --generate 1000 --seed 7              run 1,000 random programs, of seeds 7, 8, ...\n"
        "  tgsi-difftest --sampling --filter 'sample_d 2D'     run matching forms of the TLD4 and 3D_SAMPLE pages\n"
        "  tgsi-difftest shaders/ --results r.jsonl            write each result as soon as it is known\n"
        "  tgsi-difftest shaders/ --resume r.jsonl             run the cases that are not in r.jsonl yet\n"
        "  tgsi-difftest shaders/ --shard 0/4 --results 0.jsonl   run a quarter of the cases on this machine\n\n"
        "Commands (each has its own --help):\n"
        "  tgsi-difftest run a.case                            repeat a case that --keep wrote\n"
        "  tgsi-difftest reduce a.case -o small.case           reduce a failing case\n"
        "  tgsi-difftest merge 0.jsonl 1.jsonl                 join the results of several runs or machines\n"
        "  tgsi-difftest stats before.jsonl after.jsonl        compare the machine code of two runs with --stats"};
    app.set_version_flag("--version", "tgsi-difftest " TGSI2SPV_TOOL_VERSION);
    app.add_option("PATH", c.sources.paths, "Shaders, and folders of *.tgsi files");
    app.add_flag("--variants", c.sources.variants,
                 "Also run five variants of each shader, which must give the same answers");
    app.add_flag("--sampling", c.sources.sampling, "Run every form of the TLD4 and 3D_SAMPLE pages");
    app.add_option("--generate", c.sources.generated,
                   "Run N random programs over every opcode and stage; a seed always gives the same programs")
        .check(NumberRange{0, 1000000000});
    app.add_option("--seed", c.pool.settings.judging.seed, "Seed of the generated programs and inputs")
        .capture_default_str();
    app.add_option("--inputs", o.inputs,
                   "Input sets per shader (default: 8), or per variant and generated program (default: 2); the second, "
                   "fourth, … go beyond what shaders expect")
        .check(NumberRange{1, 1000000});
    app.add_option("--filter", c.choice.filter, "Run only cases whose names contain a match of this regular expression")
        .type_name("REGEX");
    app.add_option(
           "--shard", o.shard,
           "Run shard i of n, given as i/n with i from 0; GTEST_SHARD_INDEX and GTEST_TOTAL_SHARDS (from 0), or "
           "GitLab's CI_NODE_INDEX and CI_NODE_TOTAL (from 1) do the same")
        .type_name("I/N");
    app.add_flag("--list", o.list, "Print the names of the cases without running them");
    add_device_options(app, c.pool);
    add_jobs_option(app, c.pool);
    app.add_option("--results", c.results, "Write the results to this file as they arrive, one line of JSON each")
        .type_name("FILE");
    app.add_option("--stats", o.stats,
                   "Run nothing: create the pipelines that users would, and write the driver's statistics of their "
                   "machine code to this file of results (see tgsi-difftest stats)")
        .type_name("FILE");
    app.add_option("--resume", o.resume,
                   "Continue this results file: skip the cases that it contains, and append the results of the others")
        .type_name("FILE");
    add_report_options(app, o.reports);
    app.add_option("--baseline", o.baselines,
                   "File of expected results, one 'fail REGEX  # why' per line, REGEX for whole names; repeatable")
        .type_name("FILE")
        .repeatable();
    app.add_option("--write-baseline", o.write_baseline, "Write the baseline with which this run would be as expected")
        .type_name("FILE");
    app.add_option("--flake-retries", c.flake_retries,
                   "How often to repeat a failure; a failure that then passes is a flake")
        .check(NumberRange{0, 100})
        .capture_default_str();
    app.add_option("--keep", c.keep,
                   "Write each failing case to this folder as a text file ('tgsi-difftest run FILE' repeats it)")
        .type_name("DIR");
    app.add_option("--reduce", c.reduce, "How many of the failures to reduce at the end, for the reports")
        .check(NumberRange{0, 1000});
    app.add_flag("--quiet", o.quiet, "Print lines for failures only");
    app.footer(
        "Exit status: 0 all results as expected; 1 unexpected results, stopped before the end, or nothing compared "
        "(without\n--filter and --shard, and if no baseline skips a case); 2 usage or I/O "
        "error.");
    if (const auto ended = app.parse(argc, argv)) return *ended;
    if (o.inputs != 0) c.sources.inputs = o.inputs;
    c.command = command_line(argc, argv);
    return run(o);
}

}  // namespace tools
