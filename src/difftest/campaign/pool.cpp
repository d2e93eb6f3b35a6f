#include "difftest/campaign/pool.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include <algorithm>
#include <bit>
#include <csignal>

namespace tgsi2spv::difftest {

namespace {

/// Number of cases in a worker's queue: enough that it never waits for the campaign, few enough that a slow worker
/// holds up no cases that others could run.
constexpr size_t kAhead = 4;
constexpr uint32_t kMaxVainStarts = 5;
constexpr size_t kLastWords = 1500;
/// Time from the start of a worker to its list of devices; some drivers take long to create their first instance.
constexpr double kMaxStartSeconds = 120;
/// Time from closed pipes to the end that shows how the process died. Drivers free memory after the pipes are closed.
constexpr std::chrono::seconds kMaxLeaving(20);
constexpr int kLeavingMilliseconds = 20;  // between checks for such ends
constexpr int kLastWait = 1000;           // milliseconds, to get the message of a broken pool
constexpr Ending kNotKnown{.known = false};

}  // namespace

tl::expected<Pool, std::string> Pool::start(PoolOptions options) {
    std::signal(SIGPIPE, SIG_IGN);  // the end of a worker is noticed otherwise
    Pool pool;
    pool.options_ = std::move(options);
    while (pool.names_.empty() && pool.broken_.empty()) {
        if (pool.workers_.empty() && !pool.add_worker()) break;
        pool.next(1000);
    }
    if (pool.names_.empty()) return tl::unexpected<std::string>(pool.broken_);
    if (pool.names_.size() > kMaxDevices)
        return tl::unexpected<std::string>(
            fmt::format("{} devices are too many: expected at most {}", pool.names_.size(), kMaxDevices));
    return pool;
}

bool Pool::add_worker() {
    auto child = Child::start(options_.command);
    if (!child) {
        broken_ = "cannot start a worker: " + child.error();
        return false;
    }
    child->send(write(options_.settings));
    workers_.push_back({.child = std::move(*child), .since = Clock::now(), .start = ++starts_});
    return true;
}

bool Pool::is_idle() const {
    return pending_.empty() && undescribed_.empty() &&
           std::none_of(leaving_.begin(), leaving_.end(), [](const Leaving& l) { return l.job.has_value(); }) &&
           std::all_of(workers_.begin(), workers_.end(), [](const Worker& w) { return w.queue.empty(); });
}

void Pool::hand_out() {
    if (!names_.empty() && broken_.empty() && Clock::now() >= start_after_) {
        size_t idle = 0;
        for (const Worker& w : workers_) idle += w.queue.empty();
        while (workers_.size() < options_.jobs && pending_.size() > idle && add_worker()) idle++;
    }
    // One case for each in turn, so that a few cases are still spread over many workers.
    for (size_t depth = 0; depth < kAhead; depth++)
        for (Worker& w : workers_) {
            if (pending_.empty()) return;
            if (!w.ready || w.late || w.queue.size() > depth) continue;
            w.child.send(write(pending_.front()));
            w.queue.push_back(std::move(pending_.front()));
            pending_.pop_front();
        }
}

void Pool::finish(const WorkerJob& job, uint32_t device, CaseResult result) {
    result.id = id_of(job.spec);
    result.device = names_[device];
    finished_.push_back({job.key, device, std::move(result)});
}

/// Takes the devices of the first worker. One with others, because a driver came or went, would judge cases on the
/// wrong device: it is like one without devices.
void Pool::hear_devices(Worker& worker, const WorkerMessage& message) {
    const auto& names = message.names;
    std::vector<std::string> numbered;
    for (const auto& name : names) {  // of two devices with the same name, the second gets a suffix
        const auto alike = std::count(names.begin(), names.begin() + numbered.size(), name);
        numbered.push_back(alike == 0 ? name : fmt::format("{} #{}", name, alike + 1));
    }
    if (names_.empty()) {
        names_ = numbered;
        drivers_ = message.drivers;
    }
    worker.ready = numbered == names_ && message.drivers == drivers_;
    if (worker.ready) return;
    worker.no_device =
        fmt::format("it found other devices or drivers than the first worker: {}", fmt::join(numbered, ", "));
    worker.child.kill();
}

/// Returns the result of a case, in view of an attempt before it that lost the device.
CaseResult Pool::after_loss(uint64_t key, uint32_t device, CaseResult result) {
    const auto before = lost_.find({key, device});
    if (before == lost_.end()) return result;
    CaseResult lost = std::move(before->second);
    lost_.erase(before);
    if (result.status == Status::Skip) return lost;  // memory was short, which says nothing about the loss
    if (result.status != Status::Pass) return result;
    result.status = Status::Flake;
    result.message = fmt::format("passed on attempt 2, after: {}", lost.message);
    result.evidence = std::move(lost.evidence);
    return result;
}

void Pool::hear(Worker& worker, const WorkerMessage& message) {
    using Kind = WorkerMessage::Kind;
    if (message.kind == Kind::Ready) return hear_devices(worker, message);
    if (message.kind == Kind::Error) {
        // For the first worker this is the answer: there is no such device. Later ones look for the same devices.
        (names_.empty() ? broken_ : worker.no_device) = message.text;
        return;
    }
    if (message.kind == Kind::Note) {
        if (message.device >= names_.size()) return;
        auto note = fmt::format("{}: {}", names_[message.device], message.text);
        if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(std::move(note));
        return;
    }
    if (worker.queue.empty() || worker.queue.front().key != message.key || message.device >= names_.size()) return;
    WorkerJob& job = worker.queue.front();
    if (message.kind == Kind::Begin) {
        worker.running = message.device;
        worker.since = Clock::now();
        return;
    }
    worker.running.reset();
    worker.did_something = true;
    // Workers that were started before do not show whether new ones can start.
    if (worker.start > last_vain_start_) vain_starts_ = 0;
    if (job.describe) {
        const auto found = undescribed_.find({job.key, message.device});
        if (found != undescribed_.end()) {
            found->second.evidence = message.result.evidence;
            found->second.stage = message.result.stage;
            found->second.opcodes = message.result.opcodes;
            finish(job, message.device, std::move(found->second));
            undescribed_.erase(found);
        }
        worker.queue.pop_front();
        return;
    }
    // Another program may have caused the loss of the device. The worker ends by itself, and the case goes to the next
    // one.
    if (message.result.status == Status::DeviceLost && job.attempt == 0) {
        job.attempt = 1;
        lost_[{job.key, message.device}] = message.result;
        return;
    }
    finish(job, message.device, after_loss(job.key, message.device, message.result));
    job.devices &= ~(uint64_t{1} << message.device);
    if ((job.devices & all_devices()) == 0) worker.queue.pop_front();
}

/// Reports the case that was running when the worker ended (or, without `ending`, when its time was over), or repeats
/// it.
void Pool::end_case(WorkerJob job, uint32_t device, const Child& child, std::optional<Ending> ending) {
    if (job.describe) {  // the case cannot even be made
        const auto found = undescribed_.find({job.key, device});
        if (found != undescribed_.end()) {
            finish(job, device, std::move(found->second));
            undescribed_.erase(found);
        }
        return;
    }
    // A SIGKILL from elsewhere (a user, or lack of memory) is not the case's fault: repeat it once.
    if (ending && ending->signaled && ending->value == SIGKILL && job.attempt == 0) {
        job.attempt = 1;
        pending_.push_front(std::move(job));
        return;
    }
    lost_.erase({job.key, device});
    CaseResult result;
    result.status = ending ? Status::Crash : Status::Timeout;
    result.message =
        ending ? "the process ended: " + describe(*ending) : fmt::format("no answer within {} s", options_.timeout_s);
    if (const auto words = child.last_words(kLastWords); !words.empty()) result.details.push_back(words);
    WorkerJob description = job;
    description.describe = true;
    description.devices = uint64_t{1} << device;
    if (job.evidence)
        undescribed_[{job.key, device}] = std::move(result);
    else
        finish(job, device, std::move(result));
    job.devices &= ~(uint64_t{1} << device);
    if ((job.devices & all_devices()) != 0) pending_.push_front(std::move(job));
    if (description.evidence) pending_.push_front(std::move(description));
}

/// Delays the next start. After the last attempt the pool goes on with the workers that it has; without any it is
/// broken.
void Pool::count_vain_start(Worker& worker) {
    vain_starts_++;
    last_vain_start_ = starts_;
    const std::chrono::duration<double> wait(options_.retry_s * static_cast<double>(1u << (vain_starts_ - 1)));
    start_after_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(wait);
    if (vain_starts_ < kMaxVainStarts) return;
    const auto working =
        std::count_if(workers_.begin(), workers_.end(), [](const Worker& w) { return w.ready && !w.gone; });
    vain_starts_ = 0;
    if (working > 0) {
        options_.jobs = static_cast<uint32_t>(working);
        return;
    }
    if (!broken_.empty()) return;
    for (int i = 0; i < kLastWait && !worker.ending; i++) {
        worker.ending = worker.child.try_reap();
        if (!worker.ending) poll(nullptr, 0, 1);
    }
    broken_ = worker.no_device.empty() ? "workers exit immediately: " + describe(worker.ending.value_or(kNotKnown))
                                       : "workers end before their first case: " + worker.no_device;
    if (const auto words = worker.child.last_words(kLastWords); !words.empty()) broken_ += "\n" + words;
}

/// Handles a worker that has closed its pipes, or that was killed. It is replaced at once.
void Pool::take_down(Worker& worker) {
    worker.gone = true;
    worker.ending = worker.child.try_reap();
    if (!worker.running && !worker.did_something) count_vain_start(worker);
    Leaving leaving{.child = std::move(worker.child), .since = Clock::now()};
    if (worker.running) {
        WorkerJob job = std::move(worker.queue.front());
        worker.queue.pop_front();
        if (worker.late || worker.ending) {
            end_case(std::move(job), *worker.running, leaving.child,
                     worker.late ? std::nullopt : std::optional(*worker.ending));
        } else {
            leaving.job = std::move(job);
            leaving.device = *worker.running;
        }
    }
    if (!worker.ending) leaving_.push_back(std::move(leaving));
    // Cases that it had not begun come first.
    for (; !worker.queue.empty(); worker.queue.pop_back()) pending_.push_front(std::move(worker.queue.back()));
}

void Pool::reap_leaving() {
    for (Leaving& l : leaving_) {
        const auto ending = l.child.try_reap();
        const bool too_long = Clock::now() - l.since > kMaxLeaving;
        if (l.job && (ending || too_long)) {
            end_case(std::move(*l.job), l.device, l.child, ending.value_or(kNotKnown));
            l.job.reset();
        }
        l.gone = ending.has_value();
    }
    std::erase_if(leaving_, [](const Leaving& l) { return l.gone; });
}

int Pool::wait_time(int milliseconds) const {
    double most = milliseconds;
    for (const Worker& w : workers_) {
        if (!w.running) continue;
        const std::chrono::duration<double, std::milli> taken = Clock::now() - w.since;
        most = std::min(most, options_.timeout_s * 1000 - taken.count() + 1);
    }
    if (std::any_of(leaving_.begin(), leaving_.end(), [](const Leaving& l) { return l.job.has_value(); }))
        most = std::min<double>(most, kLeavingMilliseconds);
    const std::chrono::duration<double, std::milli> start_in = start_after_ - Clock::now();
    if (start_in.count() > 0) most = std::min(most, start_in.count() + 1);
    return static_cast<int>(std::max(0.0, most));
}

std::vector<Finished> Pool::next(int milliseconds) {
    hand_out();
    std::vector<pollfd> files;  // output and input of each worker; poll() ignores -1
    for (Worker& w : workers_) {
        files.push_back({w.child.output(), POLLIN, 0});
        files.push_back({w.child.has_unsent() ? w.child.input() : -1, POLLOUT, 0});
    }
    // Without a worker there is nothing to read, but a start or the end of an old worker may be due.
    if (!files.empty() || !leaving_.empty() || Clock::now() < start_after_)
        poll(files.data(), files.size(), wait_time(milliseconds));
    for (size_t i = 0; i < workers_.size(); i++) {
        Worker& w = workers_[i];
        if (files[2 * i + 1].revents != 0) w.child.flush();
        if (files[2 * i].revents != 0) {
            bool ended = false;
            for (const auto& line : w.child.lines(ended))
                if (const auto message = read_message(line)) hear(w, *message);
            if (ended) take_down(w);
        }
        const std::chrono::duration<double> taken = Clock::now() - w.since;
        const bool overdue =
            w.running ? taken.count() > options_.timeout_s : !w.ready && taken.count() > kMaxStartSeconds;
        if (!w.gone && !w.late && overdue) {
            w.late = true;
            w.child.kill();
            take_down(w);
        }
    }
    reap_leaving();
    std::erase_if(workers_, [](const Worker& w) { return w.gone; });
    hand_out();
    return std::exchange(finished_, {});
}

}  // namespace tgsi2spv::difftest
