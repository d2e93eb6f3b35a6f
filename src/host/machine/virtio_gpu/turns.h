// A job in a thread of its own, which takes turns with the thread that starts it, the loop's. Only one of them runs at
// a time, except during calls that the job makes aside. So data that both use needs no lock if those calls leave it
// alone.
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>

namespace tgsi2spv::virtio_gpu {

class Turns {
  public:
    /// Without a thread, jobs run where they are started.
    explicit Turns(bool with_thread);
    ~Turns() {
        end([] {});
    }
    Turns(const Turns&) = delete;
    Turns& operator=(const Turns&) = delete;

    // For the loop:

    /// Starts a job; the one before must have ended.
    void start(std::function<void()> job);
    /// Gives turns to the job until it has ended, or makes a long call aside. True: there is no job any more. Throws
    /// the job's exception.
    bool run();
    /// Whether run() has still to see the end of a job.
    bool has_job() const { return has_job_; }
    /// Waits until the job has ended, runs a last one, and ends the thread.
    void end(const std::function<void()>& last);

    // For the job. The loop may use them, too; then they only make the call.

    /// The loop may go on during this call.
    template <class Call>
    decltype(auto) aside(const Call& call) {
        const Exchange exchange(*this, true);
        return call();
    }
    /// Within a call aside: waits for a turn, for data that the loop uses.
    template <class Call>
    decltype(auto) in_turn(const Call& call) {
        const Exchange exchange(*this, false);
        return call();
    }

  private:
    enum class State : uint8_t {
        None,   ///< no job
        Turn,   ///< the job's turn
        Aside,  ///< the loop's turn, and the job makes a call
        Wants,  ///< the loop's turn, for which the job waits
        Ends,   ///< the thread ends
    };
    /// Changes whether the job is aside, and back at the end.
    class Exchange {
      public:
        Exchange(Turns& turns, bool aside) : turns_(turns), changes_(turns.changes(aside)) {
            if (changes_) turns_.change();
        }
        ~Exchange() {
            if (changes_) turns_.change();
        }
        Exchange(const Exchange&) = delete;
        Exchange& operator=(const Exchange&) = delete;

      private:
        Turns& turns_;
        const bool changes_;
    };
    bool changes(bool aside) const;
    void change();
    void serve();

    bool has_thread_;
    bool has_job_ = false;  ///< only the loop uses this
    pthread_t thread_{};
    bool is_aside_ = false;  ///< only the thread uses this
    std::mutex mutex_;       ///< guards all members below
    std::condition_variable to_thread_, to_loop_;
    State state_ = State::None;
    bool loop_waits_ = false;   ///< the loop is in run()
    bool loop_leaves_ = false;  ///< the loop leaves it as soon as the job is aside
    std::function<void()> job_;
    std::exception_ptr failure_;
};

}  // namespace tgsi2spv::virtio_gpu
