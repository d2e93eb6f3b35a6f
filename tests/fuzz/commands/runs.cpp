#include "runs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>
#include <utility>

#include "grammar.h"

namespace tgsi2spv::fuzz {
namespace {

std::vector<std::string> fields_of(std::string_view line) {
    std::vector<std::string> fields;
    for (size_t at = 0; at <= line.size();) {
        const size_t end = std::min(line.find('\t', at), line.size());
        fields.emplace_back(line.substr(at, end - at));
        at = end + 1;
    }
    return fields;
}

uint64_t number(const std::string& text) {
    uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

struct Worker {
    pid_t process = -1;
    int output = -1;
    std::string pending;  ///< the beginning of a line
};

Worker start(const PlayOptions& options, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"fuzz-commands",
                                       "--worker",
                                       fmt::format("--seed={}", options.seed),
                                       fmt::format("--first={}", options.first),
                                       fmt::format("--end={}", options.end),
                                       fmt::format("--step={}", options.step),
                                       fmt::format("--stream-calls={}", options.stream_calls),
                                       fmt::format("--one-wrong-in={}", options.one_wrong_in),
                                       "--calls-file=" + options.calls_file,
                                       "--save=" + options.save};
    const std::vector<std::string> device = arguments_of(options);
    arguments.insert(arguments.end(), device.begin(), device.end());
    if (options.alike) arguments.emplace_back("--alike");
    if (options.log) arguments.emplace_back("--log");
    arguments.insert(arguments.end(), more.begin(), more.end());
    std::vector<char*> argv;
    for (std::string& a : arguments) argv.push_back(a.data());
    argv.push_back(nullptr);
    Worker worker;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return worker;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    if (posix_spawn(&worker.process, "/proc/self/exe", &actions, nullptr, argv.data(), environ) != 0)
        worker.process = -1;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    worker.output = ends[0];
    return worker;
}

/// The next line; false at the end.
bool read_line(Worker& worker, std::string& line) {
    for (;;) {
        if (const size_t end = worker.pending.find('\n'); end != std::string::npos) {
            line = worker.pending.substr(0, end);
            worker.pending.erase(0, end + 1);
            return true;
        }
        char bytes[4096];
        const ssize_t got = read(worker.output, bytes, sizeof bytes);
        if (got <= 0) return false;
        worker.pending.append(bytes, static_cast<size_t>(got));
    }
}

uint64_t size_of(const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

/// Waits for output. False: the worker has written down no call for so many seconds.
bool wait_for_output(const Worker& worker, const std::string& calls_file, unsigned seconds) {
    uint64_t size = size_of(calls_file);
    for (unsigned waited = 0; waited < seconds; waited++) {
        if (worker.pending.find('\n') != std::string::npos) return true;
        pollfd ready{worker.output, POLLIN, 0};
        if (poll(&ready, 1, 1000) != 0) return true;
        if (const uint64_t now = size_of(calls_file); now != size) size = now, waited = 0;
    }
    return false;
}

/// The finding that a worker left in its file: its key names the last call, of a submission also the command before.
Finding finding_of(const std::string& end, const std::string& calls_file, uint64_t stream) {
    std::ifstream file(calls_file);
    Finding found{{}, "the worker ended, see above", {}, stream};
    std::string line, last, before;
    while (std::getline(file, line))
        if (line.starts_with(kArguments))
            found.arguments = line.substr(kArguments.size());
        else
            found.call++, before = std::exchange(last, line.substr(0, line.find(' ')));
    found.key = fmt::format("{} in {}", end, last == "submit" ? before + " (submitted)" : last);
    return found;
}

/// Ends with the worker. Returns a finding's key if it did not end by itself, else nothing.
std::string finish(Worker& worker, bool hangs) {
    if (hangs) kill(worker.process, SIGKILL);
    int status = 0;
    waitpid(worker.process, &status, 0);
    close(worker.output);
    if (hangs) return "hangs";
    if (WIFSIGNALED(status)) return fmt::format("signal {}", WTERMSIG(status));
    const int code = WEXITSTATUS(status);
    return code == 0 || code == 2 ? "" : fmt::format("status {}", code);
}

/// Reads a worker to its end. `stream`: the one after the last that is done.
bool follow(Worker& worker, const PlayOptions& options, unsigned seconds, uint64_t& stream, Counts& counts,
            const OnFinding& on_finding) {
    std::string line;
    bool hangs = false;
    for (;;) {
        hangs = !wait_for_output(worker, options.calls_file, seconds);
        if (hangs || !read_line(worker, line)) break;
        const auto f = fields_of(line);
        if (f[0] == kFound && f.size() == 6) on_finding({f[1], f[5], f[4], number(f[2]), number(f[3])});
        if (f[0] != kDone || f.size() != 6) continue;
        stream = number(f[1]) + options.step;
        counts.streams++;
        counts.calls += number(f[2]);
        counts.submissions += number(f[3]);
        counts.refused += number(f[4]);
        counts.draws += number(f[5]);
    }
    const std::string end = finish(worker, hangs);
    if (end.empty()) return true;
    const Finding found = finding_of(end, options.calls_file, stream);
    save_calls(options, found.key);
    on_finding(found);
    return false;
}

}  // namespace

bool run_streams(const PlayOptions& options, unsigned seconds, Counts& counts, const OnFinding& on_finding) {
    PlayOptions rest = options;
    while (rest.first < rest.end) {
        Worker worker = start(rest, {});
        if (worker.process < 0) return false;
        const uint64_t first = rest.first, streams = counts.streams;
        const bool whole = follow(worker, rest, seconds, rest.first, counts, on_finding);
        if (whole) return counts.streams > streams;
        rest.first = std::max(rest.first, first) + rest.step;  // the stream that ended it is over
    }
    return true;
}

bool run_calls(const PlayOptions& options, unsigned seconds, const std::vector<Call>& calls,
               const OnFinding& on_finding) {
    const std::string path = options.calls_file + ".replayed";
    {
        std::ofstream file(path, std::ios::trunc);
        for (const Call& call : calls) file << line_of(call) << '\n';
    }
    Worker worker = start(options, {"--replay=" + path});
    if (worker.process < 0) return false;
    Counts counts;
    uint64_t stream = 0;
    follow(worker, options, seconds, stream, counts, on_finding);
    unlink(path.c_str());
    return true;
}

std::vector<Call> reduce(const PlayOptions& options, unsigned seconds, std::vector<Call> calls,
                         const std::string& key) {
    const auto finds = [&](const std::vector<Call>& some) {
        bool found = false;
        run_calls(options, seconds, some, [&](const Finding& f) { found |= f.key == key; });
        return found;
    };
    for (size_t part = std::max<size_t>(calls.size() / 2, 1);; part = std::max<size_t>(part / 2, 1)) {
        bool smaller = false;
        // From the end on: calls after the finding are dropped first.
        for (size_t end = calls.size(); end > 0;) {
            const size_t from = end - std::min(part, end);
            std::vector<Call> fewer(calls.begin(), calls.begin() + static_cast<ptrdiff_t>(from));
            fewer.insert(fewer.end(), calls.begin() + static_cast<ptrdiff_t>(end), calls.end());
            if (!fewer.empty() && finds(fewer)) calls = std::move(fewer), smaller = true;
            end = from;
        }
        if (part == 1 && !smaller) return calls;
    }
}

}  // namespace tgsi2spv::fuzz
