// The server's view of a client's process: its output, and whether it makes progress.
#pragma once

#include <sys/mman.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <new>
#include <string>
#include <utility>

#include <tl/expected.hpp>

#include "process/log.h"
#include "process/progress.h"
#include "process/socket.h"

namespace tgsi2spv::process {

using Clock = std::chrono::steady_clock;

/// A T that the processes forked from now on share with this one.
template <class T>
class Shared {
  public:
    static tl::expected<Shared, int> create() {  ///< or an error of errno.h
        void* page = mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED) return tl::unexpected(errno);
        return Shared(new (page) T);
    }
    Shared(Shared&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
    Shared& operator=(Shared&&) = delete;
    ~Shared() {
        if (value_ != nullptr) munmap(value_, sizeof(T));
    }
    T& operator*() const { return *value_; }

  private:
    explicit Shared(T* value) : value_(value) {}
    T* value_;
};

struct Client {
    unsigned number;
    Shared<Progress> progress;
    Log log;                                 ///< a log of its own: one that prints much silences no other
    Descriptor printed, prints;              ///< a pipe; the process has the other end as standard output and error
    std::string line;                        ///< the beginning of an incomplete line
    uint64_t reads = 0;                      ///< the progress's reads when looked at last
    Clock::time_point since = Clock::now();  ///< time of the last change, or when the process waited for its guest
    Clock::time_point began = Clock::now();
};

/// A client without its process, or an error of errno.h.
tl::expected<Client, int> make_client(unsigned number, Log log);
/// In the new process.
void print_to_server(Client& client);
/// For a process that serves a client itself: until the end of this object, another process logs what it prints, as the
/// server does. Drivers print texts of guests.
class LoggedOutput {
  public:
    explicit LoggedOutput(const Log& log);
    LoggedOutput(const LoggedOutput&) = delete;
    LoggedOutput& operator=(const LoggedOutput&) = delete;
    ~LoggedOutput();
    bool works() const { return ended_.number() >= 0; }

  private:
    Descriptor ended_;  ///< a pipe that closes when all is logged
};
/// Logs the lines that have come, and with `all` also one without an end. A process may print endlessly, so this reads
/// a bounded part; the rest comes with later calls.
void log_printed(Client& client, bool all);
/// Whether the process has neither waited for its guest nor made progress for so long.
bool is_stuck(Client& client, std::chrono::seconds timeout, Clock::time_point now);

}  // namespace tgsi2spv::process
