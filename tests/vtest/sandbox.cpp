// What a confined process can still do, and what it cannot.
#include "vtest/sandbox.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <thread>

#include "guest.h"
#include "vtest/null_renderer.h"

namespace tgsi2spv::vtest::test {
namespace {

/// Runs `body` in a process, confined; returns what it returns, or 255 if a signal ended it.
int confined(const std::function<int()>& body) {
    const pid_t process = fork();
    if (process == 0) {
        if (const std::string why = confine(); !why.empty()) {
            dprintf(2, "%s\n", why.c_str());
            _exit(254);
        }
        _exit(body());
    }
    int status = 0;
    waitpid(process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/// 0 if the call failed as it should.
int denied(long result, int error = EPERM) {
    return result == -1 && errno == error ? 0 : 1;
}

TEST(Sandbox, DeniesFilesProgramsProcessesAndConnections) {
    EXPECT_EQ(confined([] { return denied(open("/etc/passwd", O_RDONLY)); }), 0);
    EXPECT_EQ(confined([] { return denied(open("/tmp/x", O_WRONLY | O_CREAT, 0600)); }), 0);
    EXPECT_EQ(confined([] { return denied(unlink("/tmp/x")); }), 0);
    EXPECT_EQ(confined([] { return denied(socket(AF_INET, SOCK_STREAM, 0)); }), 0);
    EXPECT_EQ(confined([] { return denied(fork()); }), 0);
    EXPECT_EQ(confined([] { return denied(kill(getppid(), 0)); }), 0);
    EXPECT_EQ(confined([] { return denied(ioctl(0, TIOCSTI, "x")); }), 0);
    EXPECT_EQ(confined([] {
                  const rlimit more{300, 300};
                  return denied(setrlimit(RLIMIT_NOFILE, &more));
              }),
              0);
    EXPECT_EQ(confined([] {
                  const char* none[] = {nullptr};
                  return denied(execve("/bin/true", const_cast<char**>(none), const_cast<char**>(none)));
              }),
              0);
}

TEST(Sandbox, AllowsThreadsAndAborting) {
    EXPECT_EQ(confined([] {
                  int seven = 0;
                  std::thread([&] { seven = 7; }).join();
                  return seven;
              }),
              7);
    EXPECT_EQ(confined([]() -> int {
                  signal(SIGABRT, SIG_DFL);
                  std::abort();
              }),
              255);
}

TEST(Sandbox, ConfinesThreadsThatRanBefore) {
    const pid_t process = fork();
    if (process == 0) {
        std::atomic<int> step{0}, result{-1};
        std::thread earlier([&] {
            while (step == 0) std::this_thread::yield();
            result = denied(open("/etc/passwd", O_RDONLY));
        });
        if (!confine().empty()) _exit(254);
        step = 1;
        earlier.join();
        _exit(result);
    }
    int status = 0;
    waitpid(process, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Sandbox, AllowsASession) {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    std::thread guest([&] {
        const Bytes sent = hello() + ask_version(2) + make2(5, 10000) + wait_for(5) + put2(5, 0) + get2(5, 0) +
                           wait_for(5) + forget(5);
        EXPECT_EQ(send(ends[1], sent.data(), sent.size(), 0), static_cast<ssize_t>(sent.size()));
        char byte;
        for (int i = 0; i < 12 + 1 + 12 + 12; i++) EXPECT_EQ(recv(ends[1], &byte, 1, 0), 1);
        close(ends[1]);
    });
    const int status = confined([&] {
        close(ends[1]);
        SocketStream stream{Descriptor(ends[0])};
        NullRenderer renderer;
        Log log("log");
        Session session(stream, renderer, log);
        return static_cast<int>(session.run());
    });
    guest.join();
    EXPECT_EQ(status, static_cast<int>(Ending::Closed));
}

}  // namespace
}  // namespace tgsi2spv::vtest::test
