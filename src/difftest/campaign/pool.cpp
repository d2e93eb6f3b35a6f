#include "difftest/campaign/pool.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <bit>
#include <csignal>

namespace tgsi2spv::difftest {

namespace {

/// Cases that a worker has at once: enough that it never waits for the campaign, few enough that a slow one keeps
/// none from the others.
constexpr size_t kAhead = 4;
constexpr uint32_t kMostVainStarts = 5;
constexpr size_t kLastWords = 1500;
/// From start to the devices' names; instances of some drivers take long the first time.
constexpr double kMostStartSeconds = 120;

}  // namespace

tl::expected<Pool, std::string> Pool::start(PoolOptions options) {
    std::signal(SIGPIPE, SIG_IGN);  // a worker that has gone is known by its end
    Pool pool;
    pool.options_ = std::move(options);
    while (pool.names_.empty() && pool.broken_.empty()) {
        if (pool.workers_.empty() && !pool.add_worker()) break;
        pool.next(1000);
    }
    if (pool.names_.empty()) return tl::unexpected<std::string>(pool.broken_);
    return pool;
}

bool Pool::add_worker() {
    std::string error;
    auto child = Child::start(options_.command, error);
    if (!child) {
        broken_ = "no worker could be started: " + error;
        return false;
    }
    child->send(write(options_.settings));
    workers_.push_back({.child = std::move(*child), .since = Clock::now()});
    return true;
}

bool Pool::is_idle() const {
    return pending_.empty() && undescribed_.empty() &&
           std::all_of(workers_.begin(), workers_.end(), [](const Worker& w) { return w.queue.empty(); });
}

void Pool::hand_out() {
    if (!names_.empty() && broken_.empty()) {
        size_t idle = 0;
        for (const Worker& w : workers_) idle += w.queue.empty();
        while (workers_.size() < options_.jobs && pending_.size() > idle && add_worker()) idle++;
    }
    // One each in turn, so that few cases still go to many workers.
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

void Pool::hear(Worker& worker, const WorkerMessage& message) {
    using Kind = WorkerMessage::Kind;
    if (message.kind == Kind::Ready) {
        worker.ready = true;
        if (!names_.empty()) return;
        for (const auto& name : message.names) {  // of two that are alike the second is told apart
            const auto alike = std::count(message.names.begin(), message.names.begin() + names_.size(), name);
            names_.push_back(alike == 0 ? name : fmt::format("{} #{}", name, alike + 1));
        }
        return;
    }
    if (message.kind == Kind::Error) {
        broken_ = message.text;
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
    vain_starts_ = 0;
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
    finish(job, message.device, message.result);
    job.devices &= ~(uint64_t{1} << message.device);
    if ((job.devices & all_devices()) == 0) worker.queue.pop_front();
}

/// What was running when the worker ended: reported, or tried once more.
void Pool::end_running(Worker& worker, const Ending& ending) {
    const uint32_t device = *worker.running;
    WorkerJob job = std::move(worker.queue.front());
    worker.queue.pop_front();
    if (job.describe) {  // it cannot even be made
        const auto found = undescribed_.find({job.key, device});
        if (found != undescribed_.end()) {
            finish(job, device, std::move(found->second));
            undescribed_.erase(found);
        }
        return;
    }
    // Somebody else's SIGKILL (a user, memory that ran out) says nothing of the case: once more.
    if (!worker.late && ending.signaled && ending.value == SIGKILL && job.attempt == 0) {
        job.attempt = 1;
        pending_.push_front(std::move(job));
        return;
    }
    CaseResult result;
    result.status = worker.late ? Status::Timeout : Status::Crash;
    result.message = worker.late ? fmt::format("no answer within {} s", options_.timeout_s)
                                 : "the process ended: " + describe(ending);
    if (const auto words = worker.child.last_words(kLastWords); !words.empty()) result.details.push_back(words);
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

void Pool::take_down(Worker& worker) {
    worker.gone = true;
    const Ending ending = worker.child.reap();
    if (worker.running) {
        end_running(worker, ending);
        vain_starts_ = worker.did_something ? 0 : vain_starts_;
    } else if (!worker.did_something && ++vain_starts_ >= kMostVainStarts && broken_.empty()) {
        broken_ = "workers end at once: " + describe(ending);
        if (const auto words = worker.child.last_words(kLastWords); !words.empty()) broken_ += "\n" + words;
    }
    // What it had not begun keeps its place before the others.
    for (; !worker.queue.empty(); worker.queue.pop_back()) pending_.push_front(std::move(worker.queue.back()));
}

int Pool::wait_time(int milliseconds) const {
    double most = milliseconds;
    for (const Worker& w : workers_) {
        if (!w.running) continue;
        const std::chrono::duration<double, std::milli> taken = Clock::now() - w.since;
        most = std::min(most, options_.timeout_s * 1000 - taken.count() + 1);
    }
    return static_cast<int>(std::max(0.0, most));
}

std::vector<Finished> Pool::next(int milliseconds) {
    hand_out();
    std::vector<pollfd> files;  // output and input of each; an entry of -1 is ignored
    for (Worker& w : workers_) {
        files.push_back({w.child.output(), POLLIN, 0});
        files.push_back({w.child.has_unsent() ? w.child.input() : -1, POLLOUT, 0});
    }
    if (!files.empty()) poll(files.data(), files.size(), wait_time(milliseconds));
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
            w.running ? taken.count() > options_.timeout_s : !w.ready && taken.count() > kMostStartSeconds;
        if (!w.gone && !w.late && overdue) {
            w.late = true;
            w.child.kill();
        }
    }
    std::erase_if(workers_, [](const Worker& w) { return w.gone; });
    hand_out();
    return std::exchange(finished_, {});
}

}  // namespace tgsi2spv::difftest
