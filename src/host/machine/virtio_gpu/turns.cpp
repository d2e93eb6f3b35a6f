#include "machine/virtio_gpu/turns.h"

#include <chrono>
#include <csignal>
#include <initializer_list>
#include <system_error>
#include <utility>

namespace tgsi2spv::virtio_gpu {
namespace {

/// The loop waits this long for a call aside before it goes on. Most calls are shorter, and their answers need not wait
/// until the loop has served all else.
constexpr std::chrono::milliseconds kPatience{1};
/// As the first thread has by default, since drivers' compilers recurse.
constexpr size_t kStackBytes = 8U << 20;

/// Blocks all signals but those that a thread's own instructions raise (SIGSYS: the sandbox). The first thread takes
/// the others.
class BlockedSignals {
  public:
    BlockedSignals() {
        sigset_t all;
        sigfillset(&all);
        for (const int own : {SIGSYS, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&all, own);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    BlockedSignals(const BlockedSignals&) = delete;
    BlockedSignals& operator=(const BlockedSignals&) = delete;

  private:
    sigset_t before_{};
};

}  // namespace

Turns::Turns(bool with_thread) : has_thread_(with_thread) {
    if (!has_thread_) return;
    const BlockedSignals blocked;
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error == 0) error = pthread_attr_setstacksize(&attributes, kStackBytes);
    const auto body = [](void* self) -> void* {
        static_cast<Turns*>(self)->serve();
        return nullptr;
    };
    if (error == 0) error = pthread_create(&thread_, &attributes, body, this);
    pthread_attr_destroy(&attributes);
    if (error != 0) throw std::system_error(error, std::generic_category(), "a thread for the renderer");
}

void Turns::end(const std::function<void()>& last) {
    if (!has_thread_) return last();
    {
        std::unique_lock lock(mutex_);
        loop_waits_ = true;
        const auto give = [&](State state) {
            state_ = state;
            to_thread_.notify_one();
        };
        const auto wait = [&] { to_loop_.wait(lock, [this] { return state_ == State::None; }); };
        if (state_ == State::Wants) give(State::Turn);
        wait();
        job_ = last;
        give(State::Turn);
        wait();
        give(State::Ends);
    }
    pthread_join(thread_, nullptr);
    has_thread_ = false;
}

void Turns::start(std::function<void()> job) {
    if (!has_thread_) return job();
    has_job_ = true;
    const std::lock_guard lock(mutex_);
    job_ = std::move(job);
    state_ = State::Turn;
    to_thread_.notify_one();
}

bool Turns::run() {
    if (!has_job_) return true;
    std::unique_lock lock(mutex_);
    if (state_ == State::Wants) {
        state_ = State::Turn;
        to_thread_.notify_one();
    }
    loop_waits_ = true;
    const auto ended = [this] { return state_ == State::None; };
    if (!to_loop_.wait_for(lock, kPatience, ended)) {
        loop_leaves_ = true;
        to_loop_.wait(lock, [&] { return ended() || state_ == State::Aside; });
    }
    loop_waits_ = loop_leaves_ = false;
    has_job_ = !ended();
    if (auto failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
    return !has_job_;
}

/// Whether the caller is the job, and is not aside (or in a turn) yet.
bool Turns::changes(bool aside) const {
    return has_thread_ && pthread_equal(pthread_self(), thread_) != 0 && is_aside_ != aside;
}

void Turns::change() {
    std::unique_lock lock(mutex_);
    is_aside_ = !is_aside_;
    if (is_aside_) {
        state_ = State::Aside;
        if (loop_leaves_) to_loop_.notify_one();
        return;
    }
    state_ = loop_waits_ ? State::Turn : State::Wants;
    to_thread_.wait(lock, [this] { return state_ == State::Turn; });
}

void Turns::serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
        to_thread_.wait(lock, [this] { return state_ == State::Turn || state_ == State::Ends; });
        if (state_ == State::Ends) return;
        const std::function<void()> job = std::exchange(job_, nullptr);
        lock.unlock();
        std::exception_ptr failure;
        try {
            job();
        } catch (...) {
            failure = std::current_exception();
        }
        lock.lock();
        failure_ = std::move(failure);
        state_ = State::None;
        to_loop_.notify_one();
    }
}

}  // namespace tgsi2spv::virtio_gpu
