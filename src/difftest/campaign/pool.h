// Worker processes: cases in, results out, whatever becomes of the processes. The parent never touches Vulkan.
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
    std::vector<std::string> command;  ///< what runs worker_main()
    uint32_t jobs = 1;
    double timeout_s = 60;  ///< wall time of one case on one device
    double retry_s = 0.5;   ///< before the start that follows one in vain; each such start doubles it
    WorkerSettings settings;
};

struct Finished {
    uint64_t key = 0;
    uint32_t device = 0;
    CaseResult result;
};

/// A case whose worker dies is a crash (or, where something killed the worker, is tried once more), one whose time is
/// over a timeout; in each case the worker is replaced, and the rest of what it had goes to others. A worker that gets
/// no device, though another had one before (memory is short, other programs have what there is), is started again
/// after a while; what does not get better is done by the workers that are left.
class Pool {
  public:
    /// The first worker says which devices there are. The error is its own: no such device, no Vulkan.
    static tl::expected<Pool, std::string> start(PoolOptions options);

    const std::vector<std::string>& devices() const { return names_; }
    /// All devices as WorkerJob::devices has them.
    uint64_t all_devices() const { return (uint64_t{1} << names_.size()) - 1; }
    void submit(WorkerJob job) { pending_.push_back(std::move(job)); }
    /// Cases that no worker has yet: whoever has many to submit does it bit by bit.
    size_t waiting() const { return pending_.size(); }
    bool is_idle() const;
    /// Hands out, waits until something happened or the time is over, and gives what has finished since.
    std::vector<Finished> next(int milliseconds);
    /// Not empty: workers cannot be started any more, and why.
    const std::string& broken() const { return broken_; }

  private:
    using Clock = std::chrono::steady_clock;
    struct Worker {
        Child child;
        std::deque<WorkerJob> queue{};
        std::optional<uint32_t> running{};  ///< the device that the first of the queue is on
        Clock::time_point since{};
        bool ready = false, late = false, did_something = false, gone = false;
        uint32_t start = 0;       ///< the how manieth of the pool
        std::string no_device{};  ///< why it ends without having begun
        std::optional<Ending> ending{};
    };
    /// A worker whose place is free again, though the kernel has not let it go: drivers may take their time, or for
    /// ever. `job` waits to be told what it died of.
    struct Leaving {
        Child child;
        std::optional<WorkerJob> job{};
        uint32_t device = 0;
        Clock::time_point since{};
        bool gone = false;
    };

    PoolOptions options_;
    std::vector<std::string> names_;
    std::vector<Worker> workers_;
    std::vector<Leaving> leaving_;
    std::deque<WorkerJob> pending_;
    std::vector<Finished> finished_;
    std::map<std::pair<uint64_t, uint32_t>, CaseResult> undescribed_;  ///< ended, but for what the case was
    std::string broken_;
    uint32_t starts_ = 0, vain_starts_ = 0, last_vain_start_ = 0;
    Clock::time_point start_after_{};  ///< no new worker before

    bool add_worker();
    void hand_out();
    void hear(Worker& worker, const WorkerMessage& message);
    void finish(const WorkerJob& job, uint32_t device, CaseResult result);
    void take_down(Worker& worker);
    void end_case(WorkerJob job, uint32_t device, const Child& child, std::optional<Ending> ending);
    void reap_leaving();
    void count_vain_start(Worker& worker);
    int wait_time(int milliseconds) const;
};

}  // namespace tgsi2spv::difftest
