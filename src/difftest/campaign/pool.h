// A pool of worker processes: takes cases and returns results, even if workers die. The parent never touches Vulkan.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "difftest/campaign/process.h"
#include "difftest/campaign/protocol.h"

namespace tgsi2spv::difftest {

struct PoolOptions {
    std::vector<std::string> command;  ///< the command that runs worker_main()
    uint32_t jobs = 1;
    double timeout_s = 60;  ///< wall time for one case on one device
    double retry_s = 0.5;   ///< delay before the start that follows a failed one; doubles with each further failure
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
/// its device is tried once more too, and is a flake if it then passes. If a case takes
/// too long, it is a timeout. In both cases the worker is replaced, and the rest of its queue goes to others. If a
/// worker gets no device although an earlier worker did (memory is short because of other programs), it is started
/// again after a while; if this keeps failing, the remaining workers do the rest.
class Pool {
  public:
    /// Starts a pool. The first worker determines the devices, at most kMaxDevices. The error is that worker's: no
    /// such device, no Vulkan.
    static tl::expected<Pool, std::string> start(PoolOptions options);

    const std::vector<std::string>& devices() const { return names_; }
    /// Returns name and version of each device's driver.
    const std::vector<std::string>& drivers() const { return drivers_; }
    /// Returns all devices, as in WorkerJob::devices.
    uint64_t all_devices() const { return (uint64_t{1} << names_.size()) - 1; }
    void submit(WorkerJob job) { pending_.push_back(std::move(job)); }
    /// Returns the number of cases that no worker has yet, so that callers can submit many cases bit by bit.
    size_t waiting() const { return pending_.size(); }
    bool is_idle() const;
    /// Hands out cases, waits until something happens or the time is over, and returns what has finished since.
    std::vector<Finished> next(int milliseconds);
    /// Returns why no workers can be started any more; empty if they can.
    const std::string& broken() const { return broken_; }
    /// Returns what workers had to tell of devices, each once, by the device.
    const std::vector<std::string>& notes() const { return notes_; }

  private:
    using Clock = std::chrono::steady_clock;
    struct Worker {
        Child child;
        std::deque<WorkerJob> queue{};
        std::optional<uint32_t> running{};  ///< the device that runs the first case in the queue
        Clock::time_point since{};
        bool ready = false, late = false, did_something = false, gone = false;
        uint32_t start = 0;       ///< number of its start in the pool
        std::string no_device{};  ///< why it ends before its first case
        std::optional<Ending> ending{};
    };
    /// A worker that has been replaced but whose process still exists: a driver may take a long time to end, or
    /// forever. `job` is reported when it is known how the process ended.
    struct Leaving {
        Child child;
        std::optional<WorkerJob> job{};
        uint32_t device = 0;
        Clock::time_point since{};
        bool gone = false;
    };

    PoolOptions options_;
    std::vector<std::string> names_, drivers_;
    std::vector<Worker> workers_;
    std::vector<Leaving> leaving_;
    std::deque<WorkerJob> pending_;
    std::vector<Finished> finished_;
    std::map<std::pair<uint64_t, uint32_t>, CaseResult> undescribed_;  ///< finished, except for the description of the
                                                                       ///< case
    std::map<std::pair<uint64_t, uint32_t>, CaseResult> lost_;  ///< first results of cases that lost their device
    std::string broken_;
    std::vector<std::string> notes_;
    uint32_t starts_ = 0, vain_starts_ = 0, last_vain_start_ = 0;
    Clock::time_point start_after_{};  ///< no worker is started before this time

    bool add_worker();
    void hand_out();
    void hear_devices(Worker& worker, const WorkerMessage& message);
    CaseResult after_loss(uint64_t key, uint32_t device, CaseResult result);
    void hear(Worker& worker, const WorkerMessage& message);
    void finish(const WorkerJob& job, uint32_t device, CaseResult result);
    void take_down(Worker& worker);
    void end_case(WorkerJob job, uint32_t device, const Child& child, std::optional<Ending> ending);
    void reap_leaving();
    void count_vain_start(Worker& worker);
    int wait_time(int milliseconds) const;
};

}  // namespace tgsi2spv::difftest
