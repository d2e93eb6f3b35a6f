// The abilities of a confined process, and its limits.
#include "process/sandbox.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/kd.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <thread>
#include <vector>

#include "guest.h"
#include "process/landlock.h"
#include "vtest/null_renderer.h"

namespace tgsi2spv::vtest::test {
namespace {

namespace fs = std::filesystem;

/// Runs `body` in a process that `confine_it` has confined, unless that fails; returns its exit status, or 255 if a
/// signal ended it.
int confined_by(const std::function<std::string()>& confine_it, const std::function<int()>& body) {
    const pid_t process = fork();
    if (process == 0) {
        if (const std::string why = confine_it(); !why.empty()) {
            dprintf(2, "%s\n", why.c_str());
            _exit(254);
        }
        _exit(body());
    }
    int status = 0;
    waitpid(process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}
int confined(const std::function<int()>& body) {
    return confined_by([] { return confine(); }, body);
}
/// With the files that Landlock leaves.
int confined_to(const DriverFiles& files, const std::function<int()>& body) {
    const auto confine_it = [&] {
        const std::string why = restrict_files(files);
        return why.empty() ? confine_to_files() : why;
    };
    return confined_by(confine_it, body);
}

/// What a process holds before the limit is not counted.
TEST(Sandbox, LimitsMemory) {
    constexpr size_t kMiB = 1U << 20;
    const std::vector<std::byte> held(100 * kMiB, std::byte{1});
    const auto has = [](size_t mib) {
        return confined_by([] { return limit_memory(64 * kMiB); },
                           [mib] {
                               return mmap(nullptr, mib * kMiB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                                           0) != MAP_FAILED;
                           });
    };
    EXPECT_EQ(has(32), 1);
    EXPECT_EQ(has(128), 0);
}

/// Of a driver, as many as it has for 16 processors: their stacks are within the limit.
TEST(Sandbox, LimitsMemoryOfThreadsToTheirStacks) {
    const auto start_all = [] {
        std::promise<void> end;
        const auto ended = end.get_future().share();
        std::vector<std::thread> threads;
        while (threads.size() < 16) threads.emplace_back([ended] { ended.wait(); });
        end.set_value();
        for (std::thread& thread : threads) thread.join();
        return 0;
    };
    EXPECT_EQ(confined_by([] { return limit_memory(64U << 20); }, start_all), 0);
}

/// 0 if the call failed as it should.
int denied(long result, int error = EPERM) {
    return result == -1 && errno == error ? 0 : 1;
}

/// A process that waits to be harmed.
class Victim {
  public:
    Victim() : process_(fork()) {
        if (process_ == 0)
            for (;;) pause();
    }
    ~Victim() {
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
    }
    pid_t process() const { return process_; }
    bool lives() const { return waitpid(process_, nullptr, WNOHANG) == 0; }

  private:
    pid_t process_;
};

/// Attempts of a process that a guest has taken over. The calls are made without the C library, which checks some
/// arguments itself.
struct Attempt {
    const char* name;
    std::function<long(pid_t victim)> call;
    int error = EPERM;
};

/// Room for the output of a call.
void* scratch() {
    static std::array<std::byte, 4096> bytes;
    return bytes.data();
}

std::vector<Attempt> on_paths() {
    static const char* const path = "/etc/passwd";
    static const char* const none[] = {nullptr};
    return {
        {"openat", [](pid_t) { return syscall(SYS_openat, AT_FDCWD, path, O_RDONLY); }},
        {"openat, without access", [](pid_t) { return syscall(SYS_openat, AT_FDCWD, path, O_PATH); }},
        {"openat of its memory", [](pid_t) { return syscall(SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDWR); }},
        {"openat, new",
         [](pid_t) { return syscall(SYS_openat, AT_FDCWD, "/tmp/tgsi2spv-attempt", O_WRONLY | O_CREAT, 0600); }},
        {"openat2", [](pid_t) { return syscall(SYS_openat2, AT_FDCWD, path, scratch(), 24); }},
        {"newfstatat", [](pid_t) { return syscall(SYS_newfstatat, AT_FDCWD, path, scratch(), 0); }},
        {"newfstatat, of a file or a path",
         [](pid_t) { return syscall(SYS_newfstatat, AT_FDCWD, path, scratch(), AT_EMPTY_PATH); }},
        {"statx", [](pid_t) { return syscall(SYS_statx, AT_FDCWD, path, 0, STATX_ALL, scratch()); }},
        {"readlinkat", [](pid_t) { return syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", scratch(), 100); }},
        {"faccessat", [](pid_t) { return syscall(SYS_faccessat, AT_FDCWD, path, R_OK); }},
        {"unlinkat", [](pid_t) { return syscall(SYS_unlinkat, AT_FDCWD, "/tmp/tgsi2spv-attempt", 0); }},
        {"mkdirat", [](pid_t) { return syscall(SYS_mkdirat, AT_FDCWD, "/tmp/tgsi2spv-attempt", 0700); }},
        {"symlinkat", [](pid_t) { return syscall(SYS_symlinkat, path, AT_FDCWD, "/tmp/tgsi2spv-attempt"); }},
        {"chdir", [](pid_t) { return syscall(SYS_chdir, "/"); }},
        {"execve", [](pid_t) { return syscall(SYS_execve, "/bin/true", none, none); }},
        {"inotify_init1", [](pid_t) { return syscall(SYS_inotify_init1, 0); }},
    };
}

std::vector<Attempt> on_processes() {
    constexpr int kPriorityOfProcess = 0;
    const auto ask = [](uint64_t request) {
        return [request](pid_t victim) { return syscall(SYS_ioctl, 1, request, &victim); };
    };
    return {
        {"fork", [](pid_t) { return fork() == 0 ? (_exit(0), 0l) : -1l; }},
        {"clone, a process", [](pid_t) { return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); }},
        {"clone3", [](pid_t) { return syscall(SYS_clone3, scratch(), 88); }, ENOSYS},
        {"unshare", [](pid_t) { return syscall(SYS_unshare, CLONE_NEWUSER); }},
        {"kill", [](pid_t p) { return syscall(SYS_kill, p, SIGKILL); }},
        {"kill, all", [](pid_t) { return syscall(SYS_kill, -1, 0); }},
        {"tkill", [](pid_t p) { return syscall(SYS_tkill, p, SIGKILL); }},
        {"tgkill", [](pid_t p) { return syscall(SYS_tgkill, p, p, SIGKILL); }},
        {"rt_sigqueueinfo", [](pid_t p) { return syscall(SYS_rt_sigqueueinfo, p, SIGKILL, scratch()); }},
        {"pidfd_open", [](pid_t p) { return syscall(SYS_pidfd_open, p, 0); }},
        {"ptrace", [](pid_t p) { return syscall(SYS_ptrace, PTRACE_SEIZE, p, 0, 0); }},
        {"process_vm_readv", [](pid_t p) { return syscall(SYS_process_vm_readv, p, scratch(), 0, scratch(), 0, 0); }},
        {"process_vm_writev", [](pid_t p) { return syscall(SYS_process_vm_writev, p, scratch(), 0, scratch(), 0, 0); }},
        {"kcmp", [](pid_t p) { return syscall(SYS_kcmp, p, p, 0, 0, 0); }},
        {"get_robust_list", [](pid_t p) { return syscall(SYS_get_robust_list, p, scratch(), scratch()); }},
        {"sched_getaffinity", [](pid_t p) { return syscall(SYS_sched_getaffinity, p, 1024, scratch()); }, ENOSYS},
        {"sched_setaffinity", [](pid_t p) { return syscall(SYS_sched_setaffinity, p, 1024, scratch()); }},
        {"sched_setscheduler", [](pid_t p) { return syscall(SYS_sched_setscheduler, p, SCHED_IDLE, scratch()); }},
        {"setpriority", [](pid_t p) { return syscall(SYS_setpriority, kPriorityOfProcess, p, 19); }},
        {"ioprio_set", [](pid_t p) { return syscall(SYS_ioprio_set, 1, p, 0); }},
        {"prlimit64", [](pid_t p) { return syscall(SYS_prlimit64, p, RLIMIT_NOFILE, 0, scratch()); }},
        {"prlimit64, to set", [](pid_t) { return syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, scratch(), 0); }},
        {"setpgid", [](pid_t p) { return syscall(SYS_setpgid, p, 0); }},
        {"getsid", [](pid_t p) { return syscall(SYS_getsid, p); }},
        {"fcntl F_SETOWN", [](pid_t p) { return syscall(SYS_fcntl, 1, F_SETOWN, p); }},
        {"fcntl F_SETOWN_EX", [](pid_t) { return syscall(SYS_fcntl, 1, F_SETOWN_EX, scratch()); }},
        {"fcntl F_GETOWN", [](pid_t) { return syscall(SYS_fcntl, 1, F_GETOWN); }},
        {"fcntl F_SETSIG", [](pid_t) { return syscall(SYS_fcntl, 1, F_SETSIG, SIGKILL); }},
        {"fcntl F_SETFL O_ASYNC", [](pid_t) { return syscall(SYS_fcntl, 1, F_SETFL, O_ASYNC); }},
        {"fcntl F_SETLEASE", [](pid_t) { return syscall(SYS_fcntl, 1, F_SETLEASE, F_RDLCK); }},
        {"fcntl F_NOTIFY", [](pid_t) { return syscall(SYS_fcntl, 1, F_NOTIFY, DN_CREATE); }},
        {"fcntl F_GETLK", [](pid_t) { return syscall(SYS_fcntl, 1, F_GETLK, scratch()); }},
        {"ioctl FIOSETOWN", ask(FIOSETOWN)},
        {"ioctl SIOCSPGRP", ask(SIOCSPGRP)},
        {"ioctl FIOASYNC", ask(FIOASYNC)},
        {"ioctl TIOCSPGRP", ask(TIOCSPGRP)},
        {"ioctl TIOCSTI", ask(TIOCSTI)},
        {"ioctl TIOCSTI, with more bits", ask(TIOCSTI | uint64_t{1} << 32)},
        {"ioctl TIOCLINUX", ask(TIOCLINUX)},
        {"ioctl KDSKBMODE", ask(KDSKBMODE)},
    };
}

std::vector<Attempt> on_the_system() {
    return {
        {"socket, local", [](pid_t) { return syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0); }},
        {"socket, internet", [](pid_t) { return syscall(SYS_socket, AF_INET, SOCK_STREAM, 0); }},
        {"socketpair", [](pid_t) { return syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, scratch()); }},
        {"connect", [](pid_t) { return syscall(SYS_connect, 0, scratch(), 16); }},
        {"accept4", [](pid_t) { return syscall(SYS_accept4, 0, 0, 0, 0); }},
        {"bind", [](pid_t) { return syscall(SYS_bind, 0, scratch(), 16); }},
        {"recvmsg, for files of the guest", [](pid_t) { return syscall(SYS_recvmsg, 0, scratch(), 0); }},
        {"shmget", [](pid_t) { return syscall(SYS_shmget, IPC_PRIVATE, 4096, 0600); }},
        {"msgget", [](pid_t) { return syscall(SYS_msgget, IPC_PRIVATE, 0600); }},
        {"keyctl", [](pid_t) { return syscall(SYS_keyctl, 0, 0); }},
        {"io_uring_setup", [](pid_t) { return syscall(SYS_io_uring_setup, 8, scratch()); }},
        {"bpf", [](pid_t) { return syscall(SYS_bpf, 0, scratch(), 16); }},
        {"userfaultfd", [](pid_t) { return syscall(SYS_userfaultfd, 0); }},
        {"perf_event_open", [](pid_t) { return syscall(SYS_perf_event_open, scratch(), 0, -1, -1, 0); }},
        {"seccomp", [](pid_t) { return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, scratch()); }},
        {"prctl PR_SET_DUMPABLE", [](pid_t) { return syscall(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0); }},
        {"madvise MADV_SOFT_OFFLINE", [](pid_t) { return syscall(SYS_madvise, scratch(), 0, 101); }},
        {"fchmod", [](pid_t) { return syscall(SYS_fchmod, 1, 0777); }},
        {"splice", [](pid_t) { return syscall(SYS_splice, 0, 0, 1, 0, 1, 0); }},
    };
}

TEST(Sandbox, DeniesWhatNamesPathsProcessesAndTheSystem) {
    const Victim victim;
    for (const std::vector<Attempt>& attempts : {on_paths(), on_processes(), on_the_system()})
        for (const Attempt& attempt : attempts)
            EXPECT_EQ(confined([&] { return denied(attempt.call(victim.process()), attempt.error); }), 0)
                << attempt.name;
    EXPECT_TRUE(victim.lives());
}

TEST(Sandbox, DeniesSignalsByFilesThatAreReady) {
    const Victim victim;
    confined([&] {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) return 1;
        fcntl(ends[0], F_SETOWN, victim.process());
        fcntl(ends[0], F_SETSIG, SIGKILL);
        fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
        return write(ends[1], "x", 1) == 1 ? 0 : 1;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_TRUE(victim.lives());
}

TEST(Sandbox, AllowsToAskForOpenFiles) {
    EXPECT_EQ(confined([] {
                  struct stat found {};
                  const int file = memfd_create("x", MFD_CLOEXEC);
                  if (ftruncate(file, 123) != 0 || fstat(file, &found) != 0 || found.st_size != 123) return 1;
                  // As glibc 2.33 to 2.38 ask, which a handler answers
                  found = {};
                  if (syscall(SYS_newfstatat, file, "", &found, AT_EMPTY_PATH) != 0 || found.st_size != 123) return 2;
                  return syscall(SYS_newfstatat, 999, "", &found, AT_EMPTY_PATH) == -1 && errno == EBADF ? 0 : 3;
              }),
              0);
}

TEST(Sandbox, ClosesStandardInput) {
    EXPECT_EQ(confined([] {
                  char byte;
                  return static_cast<int>(read(STDIN_FILENO, &byte, 1));
              }),
              0);
}

TEST(Landlock, DeniesTheSameButTheFilesOfDrivers) {
    if (landlock_version() == 0) GTEST_SKIP() << "this kernel has no Landlock";
    const Victim victim;
    const DriverFiles files = driver_files();
    for (const Attempt& attempt : on_paths())
        EXPECT_EQ(confined_to(files,
                              [&] {
                                  const long result = attempt.call(victim.process());
                                  return result == -1 && (errno == EPERM || errno == EACCES) ? 0 : 1;
                              }),
                  0)
            << attempt.name;
    for (const std::vector<Attempt>& attempts : {on_processes(), on_the_system()})
        for (const Attempt& attempt : attempts)
            EXPECT_EQ(confined_to(files, [&] { return denied(attempt.call(victim.process()), attempt.error); }), 0)
                << attempt.name;
    EXPECT_TRUE(victim.lives());
}

/// A folder with files to read and to write, and one of somebody else.
class Files {
  public:
    Files() {
        std::string name = (fs::temp_directory_path() / "landlock-XXXXXX").string();
        folder = mkdtemp(name.data());
        for (const char* sub : {"library", "cache", "home"}) {
            fs::create_directory(folder / sub);
            std::ofstream(folder / sub / "file") << "text";
        }
    }
    ~Files() { fs::remove_all(folder); }
    DriverFiles of_driver() const {
        return {.read = {(folder / "library").string(), "/no/such/path"},
                .devices = {"/dev/full"},
                .caches = {(folder / "cache").string()}};
    }
    /// The result of opening: 0 or an error.
    int open(const char* name, int how) const {
        const Descriptor file(::open((folder / name).c_str(), how | O_CLOEXEC, 0600));
        return file.number() >= 0 ? 0 : errno;
    }
    fs::path folder;
};

TEST(Landlock, LeavesTheFilesOfDrivers) {
    if (landlock_version() == 0) GTEST_SKIP() << "this kernel has no Landlock";
    const Files f;
    const auto opens = [&](const char* name, int how) {
        return confined_to(f.of_driver(), [&] { return f.open(name, how); });
    };
    EXPECT_EQ(opens("library/file", O_RDONLY), 0);
    EXPECT_EQ(opens("library", O_RDONLY | O_DIRECTORY), 0);
    EXPECT_EQ(opens("library/none", O_RDONLY), ENOENT);
    EXPECT_EQ(opens("library/file", O_RDWR), EACCES);
    EXPECT_NE(opens("library/file", O_RDONLY | O_TRUNC), 0);
    EXPECT_EQ(opens("library/new", O_WRONLY | O_CREAT), EACCES);
    EXPECT_EQ(opens("library/file", O_PATH), EPERM);
    EXPECT_EQ(opens("cache/file", O_RDWR), 0);
    EXPECT_EQ(opens("cache/new", O_WRONLY | O_CREAT), 0);
    EXPECT_EQ(opens("home/file", O_RDONLY), EACCES);
    EXPECT_EQ(opens("home", O_RDONLY | O_DIRECTORY), EACCES);
    EXPECT_EQ(opens("library/../home/file", O_RDONLY), EACCES);
    EXPECT_EQ(confined_to(f.of_driver(), [] { return ::open("/dev/full", O_RDWR) >= 0 ? 0 : 1; }), 0);
    EXPECT_EQ(fs::file_size(f.folder / "library/file"), 4u);
}

TEST(Landlock, LeavesAManifestAndItsLibraryAlone) {
    const Files f;
    std::ofstream(f.folder / "home/driver.json") << R"({"ICD": {"library_path": "../library/file"}})";
    std::ofstream(f.folder / "home/broken.json") << R"({"ICD": [)";
    const std::string manifest = f.folder / "home/driver.json", broken = f.folder / "home/broken.json";
    const char* const before = std::getenv("VK_ADD_DRIVER_FILES");
    const std::string kept = before == nullptr ? "" : before;
    setenv("VK_ADD_DRIVER_FILES", (manifest + ":" + broken).c_str(), 1);
    const std::vector<std::string> read = driver_files().read;
    setenv("VK_ADD_DRIVER_FILES", kept.c_str(), 1);
    EXPECT_THAT(read, testing::IsSupersetOf({manifest, broken, (f.folder / "home/../library/file").string()}));
    EXPECT_THAT(read, testing::Not(testing::Contains((f.folder / "home").string())));
}

TEST(Landlock, AnswersForTheseFilesOnly) {
    if (landlock_version() == 0) GTEST_SKIP() << "this kernel has no Landlock";
    const Files f;
    EXPECT_EQ(confined_to(f.of_driver(),
                          [&] {
                              struct stat found {};
                              const std::string mine = f.folder / "library/file", others = f.folder / "home/file";
                              if (stat(mine.c_str(), &found) != 0 || found.st_size != 4) return 1;
                              if (lstat(mine.c_str(), &found) != 0 || access(mine.c_str(), R_OK) != 0) return 2;
                              if (access(mine.c_str(), W_OK) == 0) return 3;
                              if (stat(others.c_str(), &found) == 0 || errno != EACCES) return 4;
                              return access(others.c_str(), F_OK) != 0 && errno == EACCES ? 0 : 5;
                          }),
              0);
}

TEST(Landlock, ComesBeforeThreads) {
    if (landlock_version() == 0) GTEST_SKIP() << "this kernel has no Landlock";
    EXPECT_EQ(confined_to({},
                          [] {
                              std::atomic<bool> end = false;
                              std::thread other([&] {
                                  while (!end) std::this_thread::yield();
                              });
                              const bool works = restrict_files({}).empty();
                              end = true;
                              other.join();
                              return works ? 1 : 0;
                          }),
              0);
}

TEST(Sandbox, IsTriedInAnotherProcess) {
    EXPECT_EQ(try_confining([] { return confine(); }), "");
    EXPECT_EQ(try_confining([] { return "no sandbox: why"; }), "no sandbox: why");
    EXPECT_THAT(try_confining([]() -> std::string { _exit(1); }), testing::HasSubstr("no sandbox"));
    EXPECT_GE(Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)).number(), 0) << "this one is not confined";
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

TEST(Sandbox, AllowsThreadsToKnowTheirStacks) {
    EXPECT_EQ(confined([] {
                  int error = -1;
                  std::thread([&] {
                      pthread_attr_t attributes;
                      error = pthread_getattr_np(pthread_self(), &attributes);
                  }).join();
                  return error;
              }),
              0);
}

TEST(Sandbox, ConfinesThreadsThatRanBefore) {
    std::atomic<int> step{0}, result{-1};
    std::thread earlier;
    const auto confine_it = [&] {
        earlier = std::thread([&] {
            while (step == 0) std::this_thread::yield();
            result = denied(open("/etc/passwd", O_RDONLY));
        });
        return confine();
    };
    EXPECT_EQ(confined_by(confine_it,
                          [&] {
                              step = 1;
                              earlier.join();
                              return result.load();
                          }),
              0);
}

TEST(Sandbox, ReceivesFilesWhereItMay) {
    for (const bool receives : {false, true})
        // There is no socket: the kernel reports that if the filter lets the call pass.
        EXPECT_EQ(confined_by([&] { return confine(receives); },
                              [&] { return denied(syscall(SYS_recvmsg, -1, nullptr, 0), receives ? EBADF : EPERM); }),
                  0)
            << receives;
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
    SocketStream stream{Descriptor(ends[0])};  // its options are set before
    const int status = confined([&] {
        close(ends[1]);
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
