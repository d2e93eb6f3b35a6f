#include "renderer/state/stats.h"

#include <fmt/format.h>

#include <ctime>
#include <string>

#include "renderer/state/host_state.h"

namespace tgsi2spv::host {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

/// In which pipelines are expected.
constexpr uint64_t kFirstFrames = 3;

nanoseconds read_clock(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return std::chrono::seconds(t.tv_sec) + nanoseconds(t.tv_nsec);
}

double ms(nanoseconds time) {
    return std::chrono::duration<double, std::milli>(time).count();
}
double mib(uint64_t bytes) {
    return static_cast<double>(bytes) / (1 << 20);
}

bool has_news(const Stats& stats, const vk::Counters& stream) {
    return stats.counts.draws != stats.told.draws || stats.counts.frames != stats.told.frames ||
           stream.batches != stats.told_stream.batches;
}

std::string line_of(const Stats& s, const vk::Counters& stream, const vk::Allocated& allocated, nanoseconds thread,
                    nanoseconds process) {
    const Counts &now = s.counts, &old = s.told;
    const vk::Counters& was = s.told_stream;
    std::string line = fmt::format(
        "stats: {} frames, {} draws, {} dispatches; {} pipelines made, {} found; {} scopes, {} barriers, {} batches",
        now.frames - old.frames, now.draws - old.draws, now.dispatches - old.dispatches,
        now.pipelines_made - old.pipelines_made, now.pipelines_found - old.pipelines_found, stream.scopes - was.scopes,
        stream.barriers - was.barriers, stream.batches - was.batches);
    line += fmt::format("; MiB: {:.2f} uploaded, {:.2f} read back", mib(stream.uploaded - was.uploaded),
                        mib(stream.read_back - was.read_back));
    line +=
        fmt::format("; MiB allocated: {:.1f} buffers, {:.1f} images, {:.1f} upload, {:.1f} read-back",
                    mib(allocated.buffers), mib(allocated.images), mib(allocated.uploads), mib(allocated.read_backs));
    line += fmt::format("; CPU ms: {:.1f} decode, {:.1f} record, {:.1f} compile, {:.1f} thread, {:.1f} process",
                        ms(now.decode - old.decode), ms(now.record - old.record), ms(now.compile - old.compile),
                        ms(thread - s.told_thread), ms(process - s.told_process));
    line += fmt::format("; {:.1f} ms waited", ms(stream.waited - was.waited));
    return line;
}

}  // namespace

nanoseconds thread_time() {
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}
nanoseconds process_time() {
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

void start_stats(Stats& stats) {
    stats.on = true;
    stats.last_line = steady_clock::now();
    stats.told_thread = thread_time();
    stats.told_process = process_time();
}

void tell_stats(HostState& host, bool now) {
    Stats& s = host.stats;
    const vk::Counters& stream = host.stream.counters();
    const auto time = steady_clock::now();
    if (!s.on || !has_news(s, stream) || (!now && time - s.last_line < std::chrono::seconds(1))) return;
    const nanoseconds thread = thread_time(), process = process_time();
    // The first line of a machine: another thread than the one that made the renderer executes its commands.
    if (thread < s.told_thread) s.told_thread = {};
    log_line(line_of(s, stream, host.memory.allocated(), thread, process));
    s.told = s.counts;
    s.told_stream = stream;
    s.told_thread = thread;
    s.told_process = process;
    s.last_line = time;
}

void CompileTimer::stop(std::string_view what) const {
    stats_.counts.pipelines_made++;
    if (!stats_.on) return;
    const nanoseconds took = thread_time() - start_;
    stats_.counts.compile += took;
    if (stats_.counts.frames >= kFirstFrames)
        log_line(
            fmt::format("compiled in frame {}: a pipeline of {}, {:.1f} ms", stats_.counts.frames + 1, what, ms(took)));
}

}  // namespace tgsi2spv::host
