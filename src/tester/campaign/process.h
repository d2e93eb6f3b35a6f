// A child process that reads and writes lines. POSIX.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace tgsi2spv::difftest {

/// How a child ended.
struct Ending {
    bool signaled = false;
    int value = 0;      ///< the signal, or the exit status
    bool known = true;  ///< false: it closed its pipes, but the process still exists; or, with ECHILD as value,
                        ///< something else collected it
};
/// Returns "SIGSEGV (Segmentation fault)" or "exit status 3".
std::string describe(const Ending& ending);

/// Movable owner of a child and of its process group, which has the processes that it starts. The destructor kills and
/// reaps the child, but waits no more than a second: a hanging driver may keep a process in the kernel forever.
class Child {
  public:
    /// Runs `arguments[0]` with these arguments. Its standard input and output are pipes to this process, its standard
    /// error is an unnamed file. It dies with this process. If memory is short, the system takes it first.
    static tl::expected<Child, std::string> start(const std::vector<std::string>& arguments);
    Child(Child&& other) noexcept;
    Child& operator=(Child&& other) noexcept;
    ~Child();

    pid_t id() const { return pid_; }
    int output() const { return from_; }
    int input() const { return to_; }
    /// Queues a line and writes as much as the pipe takes; flush() writes the rest.
    void send(const std::string& line);
    void flush();
    bool has_unsent() const { return !unsent_.empty(); }
    /// Returns the complete lines received so far. Sets `ended` if the child has closed its end.
    std::vector<std::string> lines(bool& ended);
    /// Closes the child's standard input, so that it ends by itself.
    void close_input();
    /// Kills the child and its process group.
    void kill();
    /// Returns how the child ended, or nothing if it still runs. The rest of its process group is killed.
    std::optional<Ending> try_reap();
    /// Waits for the end of the child.
    Ending reap();
    /// The names of the shared libraries that it loaded last, the newest first, without those of this process. Linux.
    std::vector<std::string> newest_libraries(size_t most) const;
    /// Returns the last bytes of its standard error, at most `most`.
    std::string last_words(size_t most) const;
    /// Call this now and then: if the standard error is long, only its end is kept, so that a driver that writes
    /// without end does not fill the disk.
    void limit_errors() const;

  private:
    Child() = default;
    std::string end_of_errors(size_t most) const;
    pid_t pid_ = -1;
    int to_ = -1, from_ = -1, errors_ = -1;
    std::string unsent_, unread_;
};

}  // namespace tgsi2spv::difftest
