// A pool of worker processes: takes cases and returns results, even if workers die. The parent never touches Vulkan.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "campaign/environment.h"
#include "campaign/process.h"
#include "campaign/protocol.h"

namespace tgsi2spv::difftest {

/// Limits in seconds for steps that belong to no case.
struct Patience {
    /// From the start of a worker to its list of devices: some drivers create instances slowly. Never more than the
    /// time limit of a case, but 10 seconds.
    double start = 120;
    double idle = 20;     ///< time until a worker that has cases begins the next one
    double leaving = 20;  ///< time from closed pipes to the end, which shows how the process died: drivers free memory
};

struct PoolOptions {
    std::vector<std::string> command;  ///< the command that runs worker_main()
    uint32_t jobs = 1;
    double timeout_s = 60;  ///< wall time for a step of one case: making it, judging it, the driver's work on a device
    double retry_s = 0.5;   ///< delay before the start that follows a failed one; doubles with each further failure
    Patience patience{};
    std::function<bool()> stopped{};  ///< asked while the first worker starts; true ends the start; may be empty
    WorkerSettings settings;
};

/// As many as WorkerJob::devices has bits, less one: the mask of all of them has no wider type.
inline constexpr size_t kMaxDevices = 63;

struct Finished {
    uint64_t key = 0;
    uint32_t device = 0;
    CaseResult result;
};

/// If a worker dies, its case is a crash, or is tried once more if something else killed the worker. A case that loses
/// its device is tried once more too, and is a flake if it then passes. So is one that finds no memory: it is skipped
/// if that happens again, but fails if it was the driver's compiler that had none, both times. If a case takes too
/// long, it is a timeout. In both cases the worker is replaced, and the rest of its queue goes to others. The same
/// applies to a worker that writes anything but messages, and, without a result, to one that does not begin its next
/// case. If a worker gets no device although an earlier worker did (memory is short because of other programs), it is
/// started again after a while; if this keeps failing, the remaining workers do the rest. Without any, the pool is
/// broken; cases that were to be tried again then keep their known result.
class Pool {
  public:
    /// Starts a pool. The first worker determines the devices, at most kMaxDevices. The error is that worker's: no
    /// such device, no Vulkan; or "stopped".
    static tl::expected<Pool, std::string> start(PoolOptions options);

    const std::vector<std::string>& devices() const { return names_; }
    /// Returns name and version of each device's driver.
    const std::vector<std::string>& drivers() const { return drivers_; }
    /// Adds the devices to the data of a run.
    void describe_devices(Environment& environment) const;
    /// Whether the settings ask for no validation, or workers have the layer. If not, a note says so.
    bool validates() const { return validates_; }
    /// Returns all devices, as in WorkerJob::devices.
    uint64_t all_devices() const { return (uint64_t{1} << names_.size()) - 1; }
    void submit(WorkerJob job) { pending_.push_back(std::move(job)); }
    /// Returns the number of cases that no worker has yet, so that callers can submit many cases bit by bit.
    size_t waiting() const { return pending_.size(); }
    bool is_idle() const;
    /// Hands out cases, waits until something happens or the time is over, and returns the cases finished since.
    std::vector<Finished> next(int milliseconds);
    /// Returns why no workers can be started any more; empty if they can.
    const std::string& broken() const { return broken_; }
    /// Returns the workers' reports about devices, each once, by the device.
    const std::vector<std::string>& notes() const { return notes_; }

  private:
    using Clock = std::chrono::steady_clock;
    struct Worker {
        Child child;
        std::deque<WorkerJob> queue{};
        std::optional<uint32_t> running{};  ///< the device that runs the first case in the queue
        Clock::time_point since{};          ///< the start of limit()'s time
        bool ready = false, late = false, did_something = false, gone = false;
        bool driver = false;                 ///< the driver works on the case that runs
        uint32_t start = 0;                  ///< number of its start in the pool
        std::deque<std::string> ran{};       ///< ids of the cases that it began last
        std::string no_device{};             ///< why it ends before its first case
        std::string fault{};                 ///< how it broke the protocol
        std::vector<std::string> loading{};  ///< the newest libraries of one that was late with its list of devices
        std::optional<Ending> ending{};
    };
    /// A worker that has been replaced but whose process still exists: a driver may take a long time to end, or
    /// forever. `job` is reported when it is known how the process ended.
    struct Leaving {
        Child child;
        std::optional<WorkerJob> job{};
        uint32_t device = 0;
        std::deque<std::string> ran{};  ///< its cases, as in Worker::ran
        Clock::time_point since{};
        bool gone = false, killed = false;
    };
    /// The verdict of a worker's end on the case that it ran.
    struct Verdict {
        Status status = Status::Crash;
        std::string message{};
        bool killed = false;  ///< something else killed it, which is not the case's fault
    };
    using Key = std::pair<uint64_t, uint32_t>;  ///< WorkerJob::key, and a device

    PoolOptions options_;
    std::vector<std::string> names_, drivers_, vulkan_;
    std::vector<Worker> workers_;
    std::vector<Leaving> leaving_;
    std::deque<WorkerJob> pending_;
    std::vector<Finished> finished_;
    std::map<Key, CaseResult> undescribed_;  ///< finished, except for the description of the case
    std::map<Key, CaseResult> first_;        ///< first results of cases that are tried once more
    std::string broken_;
    std::string last_ended_;  ///< id of the last case of the worker that ended last
    std::vector<std::string> notes_;
    bool validates_ = true;
    uint32_t starts_ = 0, vain_starts_ = 0, last_vain_start_ = 0;
    Clock::time_point start_after_{};  ///< no worker is started before this time

    bool add_worker();
    void hand_out();
    void hear_devices(Worker& worker, const WorkerMessage& message);
    CaseResult after_first(uint64_t key, uint32_t device, CaseResult result);
    bool try_again(WorkerJob& job, uint32_t device, CaseResult first);
    void note(std::string text);  ///< once
    void hear(Worker& worker, const WorkerMessage& message);
    void hear_case(Worker& worker, const WorkerMessage& message);
    void hear_result(Worker& worker, const WorkerMessage& message);
    void listen(Worker& worker);
    void check_time(Worker& worker);
    double limit(const Worker& worker) const;
    void sign(CaseResult& result, const WorkerJob& job, uint32_t device) const;
    void finish(const WorkerJob& job, uint32_t device, CaseResult result);
    void take_down(Worker& worker);
    Verdict verdict_on(const Worker& worker) const;
    static Verdict verdict_on(const Ending& ending);
    void end_case(WorkerJob job, uint32_t device, const Child& child, const std::deque<std::string>& ran,
                  Verdict verdict);
    void settle_open();
    void reap_leaving();
    void count_vain_start(Worker& worker);
    int wait_time(int milliseconds) const;
};

}  // namespace tgsi2spv::difftest
