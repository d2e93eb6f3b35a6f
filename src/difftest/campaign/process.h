// A child process that takes lines and gives lines. POSIX.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace tgsi2spv::difftest {

/// What ended a child.
struct Ending {
    bool signaled = false;
    int value = 0;      ///< the signal, or the exit status
    bool known = true;  ///< false: it has closed its pipes, but is still in the kernel
};
/// "SIGSEGV (Segmentation fault)", "exit status 3"
std::string describe(const Ending& ending);

/// Movable owner of a child. Killed with it, and reaped, unless the kernel does not let it go in a second: a driver
/// that hangs may keep a process for ever, and nobody waits for it then.
class Child {
  public:
    /// Runs `arguments[0]` with these arguments; its standard input and output are pipes to us, its standard error a
    /// file without a name. It dies with us. Nothing and the reason in `error` where that cannot be.
    static std::optional<Child> start(const std::vector<std::string>& arguments, std::string& error);
    Child(Child&& other) noexcept;
    Child& operator=(Child&& other) noexcept;
    ~Child();

    pid_t id() const { return pid_; }
    int output() const { return from_; }
    int input() const { return to_; }
    /// Queues a line; written as far as the pipe takes it, the rest by flush().
    void send(const std::string& line);
    void flush();
    bool has_unsent() const { return !unsent_.empty(); }
    /// Lines that have come whole. `ended`: the child has closed its end.
    std::vector<std::string> lines(bool& ended);
    /// Nothing more will be said to it: it ends by itself.
    void close_input();
    void kill();
    /// How it ended, once it has.
    std::optional<Ending> try_reap();
    /// Waits for the end.
    Ending reap();
    /// The last bytes of its standard error.
    std::string last_words(size_t most) const;

  private:
    Child() = default;
    pid_t pid_ = -1;
    int to_ = -1, from_ = -1, errors_ = -1;
    std::string unsent_, unread_;
};

}  // namespace tgsi2spv::difftest
