#include "campaign/pool.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include <algorithm>
#include <bit>
#include <csignal>
#include <limits>

#include "tgsi/text/diagnostic.h"
#include "vulkan/instance.h"

namespace tgsi2spv::difftest {

namespace {

/// Number of cases in a worker's queue: enough that it never waits for the campaign, few enough that a slow worker
/// holds up no cases that others could run.
constexpr size_t kAhead = 4;
constexpr uint32_t kMaxVainStarts = 5;
constexpr uint32_t kMaxHangingStarts = 2;
constexpr const char* kFullDisk =
    "SIGBUS may mean a full disk at MESA_SHADER_CACHE_DIR or ~/.cache/tgsi-difftest; MESA_SHADER_CACHE_DISABLE=true does without";
constexpr size_t kLastWords = 1500;
constexpr double kLeastStart = 10;  // seconds, however short the limit of a case is
constexpr size_t kLibrariesShown = 3;
constexpr size_t kMaxShown = 100;
constexpr size_t kRanShown = 9;           // the case that ended the process, and those before it
constexpr int kOftenMilliseconds = 200;   // between looks at workers that write nothing
constexpr int kLeavingMilliseconds = 20;  // between checks for such ends
constexpr int kLastWait = 1000;           // milliseconds, to get the message of a broken pool
constexpr Ending kNotKnown{.known = false};

/// Whether the two cases differ in their inputs only.
bool is_same_shader(const CaseSpec& a, const CaseSpec& b) {
    return a.kind == b.kind && a.number == b.number && a.name == b.name && a.path == b.path && a.text == b.text;
}

}  // namespace

tl::expected<Pool, std::string> Pool::start(PoolOptions options) {
    std::signal(SIGPIPE, SIG_IGN);  // the end of a worker is noticed otherwise
    Pool pool;
    pool.options_ = std::move(options);
    while (pool.names_.empty() && pool.broken_.empty()) {
        if (pool.options_.stopped && pool.options_.stopped()) return tl::unexpected<std::string>("stopped");
        if (pool.workers_.empty() && !pool.add_worker()) break;
        pool.next(kOftenMilliseconds);
    }
    if (pool.names_.empty()) return tl::unexpected<std::string>(pool.broken_);
    if (pool.names_.size() > kMaxDevices)
        return tl::unexpected<std::string>(
            fmt::format("{} devices are too many: expected at most {}", pool.names_.size(), kMaxDevices));
    return pool;
}

void Pool::describe_devices(Environment& environment) const {
    for (size_t d = 0; d < names_.size(); d++) add_device(environment, names_[d], drivers_[d], vulkan_[d]);
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
    // One case for each in turn, so that a few cases are still spread over many workers; or two of the same shader,
    // whose pipeline (Device::kept_pipeline()) and generated text the worker then still has.
    for (size_t depth = 0; depth < kAhead; depth++)
        for (Worker& w : workers_) {
            if (pending_.empty()) return;
            if (!w.ready || w.gone || w.queue.size() > depth) continue;
            if (w.queue.empty()) w.since = Clock::now();
            const bool pair = pending_.size() > 1 && is_same_shader(pending_[0].spec, pending_[1].spec);
            for (int i = 0; i <= int{pair}; i++) {
                w.child.send(write(pending_.front()));
                w.queue.push_back(std::move(pending_.front()));
                pending_.pop_front();
            }
        }
}

void Pool::sign(CaseResult& result, const WorkerJob& job, uint32_t device) const {
    result.id = id_of(job.spec);
    result.device = names_[device];
    result.driver = drivers_[device];
}

void Pool::finish(const WorkerJob& job, uint32_t device, CaseResult result) {
    sign(result, job, device);
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
        vulkan_ = message.vulkan;
        validates_ = message.validates;
        if (!validates_) notes_.emplace_back(vulkan::kNoValidation);
    }
    worker.since = Clock::now();
    worker.ready = numbered == names_ && message.drivers == drivers_;
    if (worker.ready) return;
    worker.no_device =
        fmt::format("it found other devices or drivers than the first worker: {}", fmt::join(numbered, ", "));
    worker.child.kill();
}

/// Returns the result of a case, in view of an attempt before it that lost the device, found no memory or was killed.
CaseResult Pool::after_first(uint64_t key, uint32_t device, CaseResult result) {
    const auto before = first_.find({key, device});
    if (before == first_.end()) return result;
    CaseResult first = std::move(before->second);
    first_.erase(before);
    add_attempts(result, first);
    if (first.reason == Reason::CompilerMemory && result.reason == Reason::CompilerMemory) {
        result.status = Status::Fail;
        result.reason = Reason::None;
        result.message += ", again in a new process";
        return result;
    }
    if (first.status != Status::DeviceLost) return result;
    if (result.status == Status::Skip) return first;  // memory was short, which says nothing about the loss
    if (result.status != Status::Pass) return result;
    result.status = Status::Flake;
    result.message = fmt::format("passed on attempt 2, after: {}", first.message);
    result.evidence = std::move(first.evidence);
    return result;
}

/// Whether the case, which gave `first`, is to be tried once more.
bool Pool::try_again(WorkerJob& job, uint32_t device, CaseResult first) {
    const uint64_t bit = uint64_t{1} << device;
    // An attempt beyond the first without a mark is the campaign's.
    if ((job.again & bit) != 0 || (job.attempt != 0 && job.again == 0)) return false;
    job.attempt = 1;
    job.again |= bit;
    sign(first, job, device);
    first_[{job.key, device}] = std::move(first);
    return true;
}

void Pool::note(std::string text) {
    if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.push_back(std::move(text));
}

void Pool::hear(Worker& worker, const WorkerMessage& message) {
    using Kind = WorkerMessage::Kind;
    if (message.kind == Kind::Ready) return hear_devices(worker, message);
    if (message.kind == Kind::Error) {
        // For the first worker this means that there is no such device. Later ones look for the same devices.
        (names_.empty() ? broken_ : worker.no_device) = message.text;
        return;
    }
    if (message.device >= names_.size()) return;
    if (message.kind == Kind::Note) {
        note(fmt::format("{}: {}", names_[message.device], message.text));
        return;
    }
    if (!worker.queue.empty() && worker.queue.front().key == message.key) hear_case(worker, message);
}

void Pool::hear_case(Worker& worker, const WorkerMessage& message) {
    using Kind = WorkerMessage::Kind;
    worker.since = Clock::now();
    worker.driver = message.kind == Kind::Turn && message.driver;
    if (message.kind == Kind::Begin) {
        worker.running = message.device;
        std::string id = id_of(worker.queue.front().spec);
        if (worker.ran.empty() || worker.ran.back() != id) worker.ran.push_back(std::move(id));
        if (worker.ran.size() > kRanShown) worker.ran.pop_front();
    }
    if (message.kind == Kind::Result) hear_result(worker, message);
}

void Pool::hear_result(Worker& worker, const WorkerMessage& message) {
    WorkerJob& job = worker.queue.front();
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
    // Another program may have caused the loss of the device, or have taken the memory. The worker ends by itself, and
    // the case goes to the next one.
    const bool doubtful = message.result.status == Status::DeviceLost || lacks_memory(message.result);
    if (doubtful && try_again(job, message.device, message.result)) return;
    CaseResult result = after_first(job.key, message.device, message.result);
    if (result.status == Status::Skip) result.evidence = {};
    finish(job, message.device, std::move(result));
    job.devices &= ~(uint64_t{1} << message.device);
    if ((job.devices & all_devices()) == 0) worker.queue.pop_front();
}

Pool::Verdict Pool::verdict_on(const Ending& ending) {
    return {Status::Crash, "the process ended: " + describe(ending), ending.signaled && ending.value == SIGKILL};
}

/// The verdict on a worker that runs a case, and whose end is known or was decided here.
Pool::Verdict Pool::verdict_on(const Worker& worker) const {
    if (!worker.fault.empty()) return {Status::Crash, worker.fault};
    if (!worker.late) return verdict_on(worker.ending.value_or(kNotKnown));
    if (worker.driver) return {Status::Timeout, fmt::format("no answer within {} s", options_.timeout_s)};
    return {Status::Timeout,
            fmt::format("no answer of the reference or the translator within {} s; the driver is not the cause",
                        options_.timeout_s)};
}

/// Reports the case that was running when the worker ended, or repeats it.
void Pool::end_case(WorkerJob job, uint32_t device, const Child& child, const std::deque<std::string>& ran,
                    Verdict verdict) {
    if (job.describe) {  // the case cannot even be made
        const auto found = undescribed_.find({job.key, device});
        if (found != undescribed_.end()) {
            finish(job, device, std::move(found->second));
            undescribed_.erase(found);
        }
        return;
    }
    CaseResult result;
    result.status = verdict.status;
    result.message = std::move(verdict.message);
    // Mesa writes its cache through a mapping of the file.
    if (result.message.find("SIGBUS") != std::string::npos) note(kFullDisk);
    if (const auto words = child.last_words(kLastWords); !words.empty()) result.details.push_back(words);
    if (ran.size() > 1)  // one of them may be the cause
        result.details.push_back(
            fmt::format("its process ran before: {}", fmt::join(ran.begin(), ran.end() - 1, ", ")));
    sign(result, job, device);
    // A SIGKILL from elsewhere (a user, or lack of memory) is not the case's fault: repeat it once.
    if (verdict.killed && try_again(job, device, result)) {
        pending_.push_front(std::move(job));
        return;
    }
    first_.erase({job.key, device});
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

/// Reports the known results of cases that were to be tried again or described: no worker will do that.
void Pool::settle_open() {
    for (Leaving& l : leaving_) {
        if (l.job) end_case(std::move(*l.job), l.device, l.child, l.ran, verdict_on(kNotKnown));
        l.job.reset();
    }
    for (auto* open : {&undescribed_, &first_}) {
        for (auto& [key, result] : *open) finished_.push_back({key.first, key.second, std::move(result)});
        open->clear();
    }
}

/// Delays the next start. After the last attempt the pool goes on with the workers that it has; without any it is
/// broken.
void Pool::count_vain_start(Worker& worker) {
    constexpr uint32_t kOfHanging = (kMaxVainStarts + kMaxHangingStarts - 1) / kMaxHangingStarts;
    vain_starts_ += worker.late ? kOfHanging : 1;
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
    for (int i = 0; i < kLastWait && !worker.late && !worker.ending; i++) {
        worker.ending = worker.child.try_reap();
        if (!worker.ending) poll(nullptr, 0, 1);
    }
    if (worker.late)
        broken_ = fmt::format("workers hang: {} within {} s",
                              worker.ready ? "they begin no case" : "no list of devices", limit(worker)) +
                  (worker.loading.empty() ? ""
                                          : fmt::format("; the libraries that the last one loaded last: {}",
                                                        fmt::join(worker.loading, ", ")));
    else if (worker.no_device.empty())
        broken_ = "workers exit immediately: " + describe(worker.ending.value_or(kNotKnown));
    else
        broken_ = "workers end before their first case: " + worker.no_device;
    if (!last_ended_.empty()) broken_ += " (the last one that worked ended with " + last_ended_ + ")";
    if (const auto words = worker.child.last_words(kLastWords); !words.empty()) broken_ += "\n" + words;
}

/// Handles a worker that has ended or closed its pipes, or that was killed. It is replaced at once.
void Pool::take_down(Worker& worker) {
    worker.gone = true;
    if (!worker.ending) worker.ending = worker.child.try_reap();
    if (!worker.ran.empty()) last_ended_ = worker.ran.back();
    if (!worker.running && !worker.did_something) count_vain_start(worker);
    Leaving leaving{.child = std::move(worker.child), .since = Clock::now()};
    if (worker.running) {
        WorkerJob job = std::move(worker.queue.front());
        worker.queue.pop_front();
        if (worker.late || worker.ending || !worker.fault.empty()) {
            end_case(std::move(job), *worker.running, leaving.child, worker.ran, verdict_on(worker));
        } else {
            leaving.job = std::move(job);
            leaving.device = *worker.running;
            leaving.ran = worker.ran;
        }
    }
    if (!worker.ending) leaving_.push_back(std::move(leaving));
    // Cases that it had not begun come first.
    for (; !worker.queue.empty(); worker.queue.pop_back()) pending_.push_front(std::move(worker.queue.back()));
}

void Pool::reap_leaving() {
    for (Leaving& l : leaving_) {
        const auto ending = l.child.try_reap();
        const std::chrono::duration<double> taken = Clock::now() - l.since;
        const bool too_long = taken.count() > options_.patience.leaving;
        if (l.job && (ending || too_long)) {
            end_case(std::move(*l.job), l.device, l.child, l.ran, verdict_on(ending.value_or(kNotKnown)));
            l.job.reset();
        }
        l.gone = ending.has_value();
        if (too_long && !l.gone && !l.killed) {
            l.killed = true;
            l.child.kill();
        }
        if (!l.gone) l.child.limit_errors();
    }
    std::erase_if(leaving_, [](const Leaving& l) { return l.gone; });
}

/// Returns the seconds that a worker may take for its current step.
double Pool::limit(const Worker& worker) const {
    const Patience& p = options_.patience;
    if (!worker.ready) return std::min(p.start, std::max(kLeastStart, options_.timeout_s));
    if (worker.running) return options_.timeout_s;
    return worker.queue.empty() && !worker.late ? std::numeric_limits<double>::infinity() : p.idle;
}

int Pool::wait_time(int milliseconds) const {
    double most = milliseconds;
    if (!workers_.empty() || !leaving_.empty()) most = std::min<double>(most, kOftenMilliseconds);
    for (const Worker& w : workers_) {
        const std::chrono::duration<double, std::milli> taken = Clock::now() - w.since;
        most = std::min(most, limit(w) * 1000 - taken.count() + 1);
    }
    if (std::any_of(leaving_.begin(), leaving_.end(), [](const Leaving& l) { return l.job.has_value(); }))
        most = std::min<double>(most, kLeavingMilliseconds);
    const std::chrono::duration<double, std::milli> start_in = start_after_ - Clock::now();
    if (start_in.count() > 0) most = std::min(most, start_in.count() + 1);
    return static_cast<int>(std::max(0.0, most));
}

/// Reads a worker's messages, and takes it down if it has ended, or wrote something other than a message.
void Pool::listen(Worker& worker) {
    // A process that its driver started may keep the pipes open. The last messages of an ended worker are in them.
    worker.ending = worker.child.try_reap();
    bool closed = false;
    for (const auto& line : worker.child.lines(closed)) {
        const auto message = read_message(line);
        if (message) {
            hear(worker, *message);
            continue;
        }
        worker.fault =
            fmt::format("the process wrote '{}', which is not a message", tgsi::printable(line.substr(0, kMaxShown)));
        if (worker.no_device.empty()) worker.no_device = worker.fault;
        worker.child.kill();
        break;
    }
    if (closed || worker.ending || !worker.fault.empty()) take_down(worker);
}

void Pool::check_time(Worker& worker) {
    const std::chrono::duration<double> taken = Clock::now() - worker.since;
    if (taken.count() <= limit(worker)) return;
    worker.late = true;
    if (!worker.ready) worker.loading = worker.child.newest_libraries(kLibrariesShown);
    worker.child.kill();
    take_down(worker);
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
        listen(w);
        if (w.gone) continue;
        w.child.limit_errors();
        check_time(w);
    }
    reap_leaving();
    std::erase_if(workers_, [](const Worker& w) { return w.gone; });
    hand_out();
    if (!broken_.empty() && !names_.empty()) settle_open();
    return std::exchange(finished_, {});
}

}  // namespace tgsi2spv::difftest
