// fuzz-commands: streams of commands as a guest sends them, most of them right and some wrong in a word or a few, on a
// device with Vulkan's validation layer. The host must draw or refuse every command; it breaks no rule of Vulkan, does
// not end or hang, and does not lose its device.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "runs.h"

using namespace tgsi2spv::fuzz;

namespace {

struct Options {
    PlayOptions play;
    uint64_t commands = 20000;
    unsigned jobs = 1, seconds = 60;
    bool worker = false;
    std::string replay, reduce, key, output;
};

struct CallsFile {
    std::string arguments, key;
    std::vector<Call> calls{};
};

CallsFile read_calls(const std::string& path) {
    std::ifstream file(path);
    CallsFile read;
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(kArguments))
            read.arguments = line.substr(kArguments.size());
        else if (line.starts_with(kKeyLine))
            read.key = line.substr(kKeyLine.size());
        else if (auto call = read_line(line))
            read.calls.push_back(std::move(*call));
    return read;
}

void write_calls(const std::string& path, const CallsFile& written) {
    std::ofstream file(path);
    file << kArguments << written.arguments << '\n';
    for (const Call& call : written.calls) file << line_of(call) << '\n';
    file << kKeyLine << written.key << '\n';
}

void print(const Finding& f) {
    fmt::print("FOUND {} (stream {}, call {}, {}): {}\n", f.key, f.stream, f.call, f.arguments, f.text);
    std::fflush(stdout);
}

/// The findings, once each.
struct Found {
    std::mutex mutex;
    std::map<std::string, uint64_t> times;

    void add(const Finding& f) {
        const std::lock_guard lock(mutex);
        if (times[f.key]++ == 0) print(f);
    }
};

int run_all(const Options& options, const std::string& folder) {
    fmt::print("seed {}\n", options.play.seed);
    std::fflush(stdout);
    const auto begun = std::chrono::steady_clock::now();
    Found found;
    std::vector<Counts> counts(options.jobs);
    std::vector<std::thread> threads;
    std::vector<char> played(options.jobs);
    for (unsigned job = 0; job < options.jobs; job++)
        threads.emplace_back([&, job] {
            PlayOptions play = options.play;
            play.first += job;
            play.step = options.jobs;
            play.calls_file = fmt::format("{}/job-{}.calls", folder, job);
            played[job] = play.first >= play.end ||
                          run_streams(play, options.seconds, counts[job], [&](const Finding& f) { found.add(f); });
        });
    for (std::thread& t : threads) t.join();
    Counts all;
    for (const Counts& c : counts)
        all = {all.streams + c.streams, all.calls + c.calls, all.submissions + c.submissions, all.refused + c.refused,
               all.draws + c.draws};
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    for (const auto& [key, times] : found.times) fmt::print("{:6} × {}\n", times, key);
    fmt::print(
        "seed {}, {} streams: {} calls ({:.0f} a second), {} of them draws and grids; {} of {} submissions "
        "refused; {} kinds of findings\n",
        options.play.seed, all.streams, all.calls, static_cast<double>(all.calls) / took.count(), all.draws,
        all.refused, all.submissions, found.times.size());
    for (const char p : played)
        if (p == 0) return 2;
    return found.times.empty() ? 0 : 1;
}

int replay(const Options& options, PlayOptions play, const CallsFile& file, const std::string& folder) {
    play.calls_file = folder + "/replay.calls";
    bool any = false;
    const auto add = [&](const Finding& f) {
        print(f);
        any = true;
    };
    if (!run_calls(play, options.seconds, file.calls, add)) return 2;
    return any ? 1 : 0;
}

int reduce_file(const Options& options, PlayOptions play, CallsFile file, const std::string& folder) {
    play.calls_file = folder + "/reduce.calls";
    std::string& key = file.key;
    if (!options.key.empty()) key = options.key;
    if (key.empty())
        run_calls(play, options.seconds, file.calls, [&](const Finding& f) { key = key.empty() ? f.key : key; });
    bool any = false;
    run_calls(play, options.seconds, file.calls, [&](const Finding& f) { any |= f.key == key; });
    if (!any) return fmt::print(stderr, "fuzz-commands: {}: not found: {}\n", options.reduce, key), 2;
    file.calls = reduce(play, options.seconds, std::move(file.calls), key);
    file.arguments = fmt::format("{}", fmt::join(arguments_of(play), " "));
    write_calls(options.output, file);
    fmt::print("{}: {} calls in {}\n", key, file.calls.size(), options.output);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    PlayOptions& play = options.play;
    bool no_validation = false;
    CLI::App app("Play streams of a guest's commands, some of them wrong, on a device with the validation layer.");
    app.add_option("--commands", options.commands, "Number of calls");
    auto* seed = app.add_option("--seed", play.seed, "Seed of the streams (default: of the day)");
    app.add_option("--first", play.first, "First stream");
    auto* end = app.add_option("--end", play.end, "Stream after the last (default: as --commands says)");
    app.add_option("--step", play.step)->group("");
    app.add_option("--stream-calls", play.stream_calls, "Calls of a stream, which has a renderer of its own");
    app.add_option("--one-wrong-in", play.one_wrong_in, "How many calls have a wrong one among them");
    app.add_option("--jobs", options.jobs, "Workers at the same time");
    app.add_option("--timeout", options.seconds, "Seconds that a call may take");
    app.add_option("--device", play.device, "Vulkan device");
    app.add_option("--without", play.without, "Extensions and features of the device that are not used");
    app.add_option("--limit-memory", play.limit_memory, "MiB of memory");
    app.add_flag("--alike", play.alike, "Streams hide no features and limit no memory by themselves");
    app.add_option("--save", play.save, "Folder for the calls of each finding (NAME.calls)");
    app.add_option("--replay", options.replay, "Plays the calls of a file")->check(CLI::ExistingFile);
    app.add_option("--reduce", options.reduce, "Drops calls of a file while the finding stays")
        ->check(CLI::ExistingFile);
    app.add_option("--key", options.key, "The finding that --reduce keeps (default: as the file says, or the first)");
    app.add_option("-o,--output", options.output, "File for --reduce");
    app.add_option("--calls-file", play.calls_file)->group("");
    app.add_flag("--worker", options.worker)->group("");
    app.add_flag("--no-validation", no_validation, "Without the validation layer");
    app.add_flag("--log", play.log, "Write the host's log to stderr");
    CLI11_PARSE(app, argc, argv);
    const CallsFile file = read_calls(options.replay.empty() ? options.reduce : options.replay);
    if (!file.arguments.empty()) {  // the command line's count
        CLI11_PARSE(app, file.arguments, false);
        CLI11_PARSE(app, argc, argv);
    }
    play.validate = !no_validation;
    if (options.worker) return options.replay.empty() ? play_streams(play) : play_calls(play, file.calls);
    if (seed->count() == 0) play.seed = static_cast<uint64_t>(std::time(nullptr)) / (24 * 60 * 60);

    // llvmpipe's own threads wait for each other more than they help with targets this small.
    setenv("LP_NUM_THREADS", "0", 0);
    if (end->count() == 0) play.end = play.first + (options.commands + play.stream_calls - 1) / play.stream_calls;
    std::string folder = std::filesystem::temp_directory_path() / "fuzz-commands-XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) return 2;
    if (!play.save.empty()) std::filesystem::create_directories(play.save);
    const int status = !options.replay.empty()   ? replay(options, play, file, folder)
                       : !options.reduce.empty() ? reduce_file(options, play, file, folder)
                                                 : run_all(options, folder);
    std::filesystem::remove_all(folder);
    return status;
}
