#include "campaign/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <optional>

#include "campaign/scripted_workers.h"

namespace tgsi2spv::difftest {
namespace {

using testing::HasSubstr;

class Scripted : public test::ScriptedWorkers {
  protected:
    static WorkerJob job(uint64_t key) {
        WorkerJob j;
        j.key = key;
        j.spec.name = "case";
        j.evidence = false;
        return j;
    }
    /// Collects results until nothing is left to do, the pool is broken, or a minute has passed.
    static std::vector<Finished> finish(Pool& pool) {
        std::vector<Finished> all;
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (!pool.is_idle() && pool.broken().empty() && std::chrono::steady_clock::now() < end)
            for (auto& f : pool.next(50)) all.push_back(std::move(f));
        return all;
    }
    /// Runs jobs 0 to count - 1, or those that `change` makes of them.
    std::vector<Finished> run(
        const PoolOptions& o, uint64_t count, const std::function<void(WorkerJob&)>& change = [](WorkerJob&) {}) {
        pool_.emplace(Pool::start(o));
        EXPECT_TRUE(*pool_) << pool_->error();
        if (!*pool_) return {};
        Pool& pool = **pool_;
        for (uint64_t key = 0; key < count; key++) {
            WorkerJob j = job(key);
            change(j);
            pool.submit(std::move(j));
        }
        auto finished = finish(pool);
        broken_ = pool.broken();
        return finished;
    }
    void use_new_folder() const {
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_);
    }
    /// The error of a pool that does not start.
    static std::string refused(const PoolOptions& o) {
        const auto pool = Pool::start(o);
        EXPECT_FALSE(pool);
        return pool ? "" : pool.error();
    }
    std::optional<decltype(Pool::start({}))> pool_;  ///< that ran last
    std::string broken_;                             ///< its message
};

TEST_F(Scripted, AFirstWorkerWithoutADeviceEndsThePoolAtOnce) {
    EXPECT_EQ(refused(options("error 'no device'", "")), "no device");
    EXPECT_EQ(started(), 1u);
}

TEST_F(Scripted, ALaterWorkerWithoutADeviceIsStartedAgain) {
    auto o = options("[ $n = 2 ] && error 'device busy'; ready", "begin; sleep 0.02; result pass");
    o.jobs = 2;
    const auto finished = run(o, 40);
    EXPECT_EQ(finished.size(), 40u);
    EXPECT_EQ(broken_, "");
    EXPECT_EQ(started(), 3u);
}

TEST_F(Scripted, WorkersThatCannotStartLeaveTheWorkToTheOthers) {
    auto o = options("[ $n -gt 2 ] && error 'device busy'; ready", "begin; sleep 0.02; result pass");
    o.jobs = 8;
    const auto finished = run(o, 100);
    EXPECT_EQ(finished.size(), 100u);
    EXPECT_EQ(broken_, "");
    EXPECT_GE(started(), 7u);   // 2 that work, 5 that fail to start
    EXPECT_LE(started(), 20u);  // the pool stops trying in the end
}

TEST_F(Scripted, ThePoolIsBrokenWhereTheLastWorkerHasNoSuccessor) {
    const auto finished = run(options("[ $n -gt 1 ] && error 'device busy'; ready", "begin; exit 3"), 3);
    ASSERT_EQ(finished.size(), 1u);
    EXPECT_EQ(finished[0].result.status, Status::Crash);
    EXPECT_THAT(broken_, HasSubstr("device busy"));
    EXPECT_EQ(started(), 6u);
}

/// Drivers compile a shader once for each process: in different ones, the second input set costs as much as the first.
TEST_F(Scripted, AWorkerGetsTwoCasesOfAShaderTogether) {
    auto o = options("ready", "echo $key >> start-$n/keys; begin; sleep 0.0$((key % 3)); result pass");
    o.jobs = 3;
    const auto finished = run(o, 60, [](WorkerJob& j) {
        j.spec.name = "shader " + std::to_string(j.key / 2);
        j.spec.input = j.key % 2;
    });
    EXPECT_EQ(finished.size(), 60u);
    ASSERT_EQ(started(), 3u);
    for (size_t n = 1; n <= 3; n++) {
        std::ifstream file(folder_ / ("start-" + std::to_string(n)) / "keys");
        size_t pairs = 0;
        for (uint64_t first = 0, second = 0; file >> first; pairs++) {
            ASSERT_TRUE(file >> second);
            EXPECT_EQ(first % 2, 0u);
            EXPECT_EQ(second, first + 1);
        }
        EXPECT_GT(pairs, 0u) << "worker " << n;
    }
}

/// A driver may keep a process alive after its pipes are closed, for instance to free memory; the pool does not wait
/// for it.
TEST_F(Scripted, ThePlaceOfAWorkerIsFreeBeforeItHasGone) {
    const auto finished =
        run(options("ready", "begin; [ $key = 0 ] && { exec >&-; sleep 1; exit 3; }; result pass"), 3);
    ASSERT_EQ(finished.size(), 3u);
    EXPECT_EQ(finished[0].key, 1u);
    EXPECT_EQ(finished[1].key, 2u);
    EXPECT_EQ(finished[2].result.status, Status::Crash);
    EXPECT_EQ(finished[2].result.message, "the process ended: exit status 3");
}

/// As where the disk is full below the file that a driver maps for its compiled shaders.
TEST_F(Scripted, ABusErrorHasAHint) {
    const auto finished = run(options("ready", "begin; kill -BUS $$"), 2);
    ASSERT_EQ(finished.size(), 2u);
    EXPECT_EQ(finished[0].result.message, "the process ended: SIGBUS (Bus error)");
    EXPECT_THAT((*pool_)->notes(), testing::ElementsAre(HasSubstr("a full disk")));
}

/// The pool kills the shell, but its child keeps the pipe open, like a driver that holds a process in the kernel.
TEST_F(Scripted, AKilledWorkerIsNotWaitedFor) {
    auto o = options("ready", "begin; [ $key = 0 ] && sleep 5; result pass");
    o.timeout_s = 0.2;
    const auto start = std::chrono::steady_clock::now();
    const auto finished = run(o, 3);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
    ASSERT_EQ(finished.size(), 3u);
    EXPECT_EQ(finished[0].result.status, Status::Timeout);
    EXPECT_EQ(finished[1].result.status, Status::Pass);
}

TEST_F(Scripted, ACaseThatLosesItsDeviceIsTriedOnceMore) {
    const std::string lost_words = R"(, \"message\": \"vkQueueSubmit failed\", \"evidence\": {\"shader\": \"FRAG\"})";
    const std::string lost =
        "begin; [ $attempt -lt $((key + 1)) ] && { result device-lost '" + lost_words + "'; exit 0; }; result pass";
    const auto finished = run(options("ready", lost), 2);
    ASSERT_EQ(finished.size(), 2u);
    EXPECT_EQ(finished[0].key, 0u);
    EXPECT_EQ(finished[0].result.status, Status::Flake);
    EXPECT_EQ(finished[0].result.message, "passed on attempt 2, after: vkQueueSubmit failed");
    EXPECT_EQ(finished[0].result.evidence.shader, "FRAG");
    EXPECT_EQ(finished[1].result.status, Status::DeviceLost);
    EXPECT_EQ(started(), 3u);  // each loss ends a worker, and no job is left after the third
}

/// Memory that is short at the repetition says nothing about the loss.
TEST_F(Scripted, ALossWhoseRepetitionIsSkippedRemainsALoss) {
    const auto finished =
        run(options("ready", "begin; [ $attempt = 0 ] && { result device-lost; exit 0; }; result skip"), 1);
    ASSERT_EQ(finished.size(), 1u);
    EXPECT_EQ(finished[0].result.status, Status::DeviceLost);
}

TEST_F(Scripted, AWorkerWithOtherDevicesGetsNoCases) {
    auto o = options("case $n in 2) ready '\"other\"';; *) ready;; esac", "begin; sleep 0.02; result pass");
    o.jobs = 2;
    const auto finished = run(o, 40);
    EXPECT_EQ(finished.size(), 40u);
    EXPECT_EQ(broken_, "");
    EXPECT_EQ(started(), 3u);
}

/// A worker that answers a job with an error ends, as one that has no device.
TEST_F(Scripted, AJobThatIsNoneEndsThePool) {
    const auto finished = run(options("ready", "error 'not a job'"), 1);
    EXPECT_TRUE(finished.empty());
    EXPECT_THAT(broken_, HasSubstr("not a job"));
}

TEST_F(Scripted, MoreDevicesThanAMaskHasBitsAreRefused) {
    const auto with = [&](size_t devices) {
        std::string names = "\"d\"";
        for (size_t i = 1; i < devices; i++) names += ", \"d\"";
        const auto pool = Pool::start(options("ready '" + names + "'", ""));
        return pool ? std::string() : pool.error();
    };
    EXPECT_EQ(with(63), "");
    EXPECT_EQ(with(64), "64 devices are too many: expected at most 63");
}

/// The case after which no worker finds a device is the most interesting one.
TEST_F(Scripted, TheCaseThatBreaksThePoolHasAResult) {
    struct Row {
        const char* end;
        Status status;
        const char* message;
    };
    static constexpr Row kRows[] = {{"exit 3", Status::Crash, "the process ended: exit status 3"},
                                    {"result device-lost ', \\\"message\\\": \\\"vkQueueSubmit failed\\\"'; exit 0",
                                     Status::DeviceLost, "vkQueueSubmit failed"},
                                    {"kill -9 $$", Status::Crash, "the process ended: SIGKILL (Killed)"}};
    for (const Row& row : kRows) {
        use_new_folder();
        const auto finished = run(options("[ $n -gt 1 ] && error 'device gone'; ready",
                                          "begin; [ $key = 1 ] && { " + std::string(row.end) + "; }; result pass"),
                                  3);
        ASSERT_EQ(finished.size(), 2u) << row.end;
        EXPECT_EQ(finished[1].key, 1u);
        EXPECT_EQ(finished[1].result.status, row.status);
        EXPECT_EQ(finished[1].result.message, row.message);
        EXPECT_EQ(finished[1].result.id, "case");
        EXPECT_EQ(finished[1].result.device, "pipe");
        EXPECT_THAT(broken_, HasSubstr("device gone (the last one that worked ended with case)"));
    }
}

/// Other programs may have taken the memory; but drivers also say this where their compiler fails.
TEST_F(Scripted, ACaseThatFindsNoMemoryIsTriedInANewProcess) {
    struct Row {
        const char *first, *second;  ///< reasons of skips; empty: it passes
        Status status;
        const char* message;
    };
    static constexpr Row kRows[] = {
        {"memory", "", Status::Pass, ""},
        {"compiler-memory", "", Status::Pass, ""},
        {"memory", "memory", Status::Skip, "none left"},
        {"memory", "compiler-memory", Status::Skip, "none left"},
        {"compiler-memory", "memory", Status::Skip, "none left"},
        {"compiler-memory", "compiler-memory", Status::Fail, "none left, again in a new process"}};
    for (const Row& row : kRows) {
        use_new_folder();
        const auto skip = [](const std::string& reason) {
            return reason.empty() ? "result pass"
                                  : R"(result skip ', \"message\": \"none left\", \"reason\": \")" + reason +
                                        R"(\", \"evidence\": {\"shader\": \"FRAG\"}')";
        };
        const auto finished = run(options("ready", "begin; [ $attempt = 0 ] && { " + skip(row.first) + "; exit 0; }; " +
                                                       skip(row.second) + "; exit 0"),
                                  1);
        ASSERT_EQ(finished.size(), 1u);
        EXPECT_EQ(finished[0].result.status, row.status);
        EXPECT_EQ(finished[0].result.message, row.message);
        EXPECT_EQ(finished[0].result.evidence.shader, row.status == Status::Fail ? "FRAG" : "");
        EXPECT_EQ(started(), 2u);
    }
}

/// Each device of a case has its second try.
TEST_F(Scripted, BothDevicesOfACaseAreTriedOnceMore) {
    const std::string skip = R"(result skip ', \"message\": \"none left\", \"reason\": \"memory\"'; exit 0)";
    // The bits of the devices that are left say which one it is.
    const auto finished =
        run(options(R"(ready '"pipe", "pipe"')",
                    "case $line in *'\"devices\":2,'*) device=1;; esac; begin; mkdir tried-$device || { "
                    "result pass; [ $device = 1 ] && continue; device=1; begin; mkdir tried-1; }; " +
                        skip),
            1, [](WorkerJob& j) { j.devices = 3; });
    ASSERT_EQ(finished.size(), 2u);
    for (const auto& f : finished) EXPECT_EQ(f.result.status, Status::Pass) << f.device;
}

/// A result that waits for its description does not need it.
TEST_F(Scripted, ACaseWithoutADescriptionHasAResult) {
    const auto finished = run(options("[ $n -gt 1 ] && error 'device gone'; ready", "begin; exit 3"), 1,
                              [](WorkerJob& j) { j.evidence = true; });
    ASSERT_EQ(finished.size(), 1u);
    EXPECT_EQ(finished[0].result.status, Status::Crash);
    EXPECT_THAT(broken_, HasSubstr("device gone"));
}

/// A process that the driver started has the worker's files open, and would outlive it.
TEST_F(Scripted, AnEndIsSeenAlthoughAnotherProcessKeepsThePipe) {
    const auto finished =
        run(options("sleep 1000 & echo $! > helper-$n; ready",
                    "begin; case $key in 0) result device-lost; exit 0;; 1) exit 3;; esac; result pass"),
            3);
    ASSERT_EQ(finished.size(), 3u);
    EXPECT_EQ(finished[0].result.status, Status::DeviceLost);
    EXPECT_EQ(finished[1].result.message, "the process ended: exit status 3");
    EXPECT_EQ(finished[2].result.status, Status::Pass);
    pid_t helper = 0;
    std::ifstream(folder_ / "helper-1") >> helper;
    ASSERT_GT(helper, 0);
    // The process that adopted it may take its time to collect it.
    const auto is_there = [&] {
        std::string state;
        std::ifstream(std::filesystem::path("/proc") / std::to_string(helper) / "stat") >> state >> state >> state;
        return !state.empty() && state != "Z" && state != "X";
    };
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (is_there() && std::chrono::steady_clock::now() < end) (*pool_)->next(10);
    EXPECT_FALSE(is_there());
}

/// A process that stopped, or that a driver holds in the kernel.
TEST_F(Scripted, AWorkerThatDoesNotBeginItsNextCaseIsReplaced) {
    auto o = options("ready", "[ $n = 1 ] && [ $key = 1 ] && kill -STOP $$; begin; result pass");
    o.patience.idle = 2;
    const auto finished = run(o, 3);
    ASSERT_EQ(finished.size(), 3u);
    for (const auto& f : finished) EXPECT_EQ(f.result.status, Status::Pass) << f.key;
    EXPECT_GE(started(), 2u);
}

/// A process that closed its pipes but still works on the device is not waited for forever.
TEST_F(Scripted, AWorkerThatClosesItsPipesAndStaysIsKilled) {
    auto o = options("ready", "begin; [ $key = 0 ] && { echo $$ > staying; exec >&-; sleep 1000; }; result pass");
    o.patience.leaving = 0.5;
    const auto finished = run(o, 2);
    ASSERT_EQ(finished.size(), 2u);
    pid_t staying = 0;
    std::ifstream(folder_ / "staying") >> staying;
    ASSERT_GT(staying, 0);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (kill(staying, 0) == 0 && std::chrono::steady_clock::now() < end) (*pool_)->next(10);
    EXPECT_NE(kill(staying, 0), 0);
}

TEST_F(Scripted, AHangingStartIsGivenUp) {
    // As a driver hangs in its library's constructor.
    auto o = options("exec env LD_PRELOAD=libresolv.so.2 sleep 1000", "");
    o.patience.start = 0.5;
    EXPECT_EQ(refused(o),
              "workers hang: no list of devices within 0.5 s; the libraries that the last one loaded last: "
              "libresolv.so.2");
    EXPECT_EQ(started(), 2u);
}

TEST_F(Scripted, AStartCanBeStopped) {
    auto o = options("sleep 1000", "");
    int asked = 0;
    o.stopped = [&] { return ++asked > 2; };
    EXPECT_EQ(refused(o), "stopped");
}

/// A driver that writes to every file that is open has broken its own worker only.
TEST_F(Scripted, AnInvalidMessageEndsItsWorker) {
    for (const char* line :
         {R"({"device": "x"})", R"({"begin": "x"})", R"({"ready": 5})", R"({"ready": []})", R"({"error": 5})",
          R"({"key": "2", "result": "{}"})", R"({"result": null})", "[1]", "hello"}) {
        use_new_folder();
        const std::string wrong = "{ printf '%s\\n' '" + std::string(line) + "'; sleep 1000; }";
        const auto finished = run(options("ready", "begin; [ $key = 0 ] && " + wrong + "; result pass"), 2);
        ASSERT_EQ(finished.size(), 2u) << line;
        EXPECT_EQ(finished[0].result.status, Status::Crash);
        EXPECT_EQ(finished[0].result.message, "the process wrote '" + std::string(line) + "', which is not a message");
        EXPECT_EQ(finished[1].result.status, Status::Pass);

        EXPECT_THAT(refused(options(wrong, "")), HasSubstr("which is not a message")) << line;
    }
}

/// Any step of a worker is limited; the message names the one who took the time.
TEST_F(Scripted, EachStepOfACaseHasTheTimeLimit) {
    const std::string turn = R"(turn() { printf '%s\n' "{\"turn\": $key, \"device\": 0, \"driver\": $1}"; }; )";
    auto o = options("ready", turn + R"(printf '%s\n' "{\"begin\": $key, \"device\": 0}"; case $key in
0) sleep 0.8; turn true; sleep 0.8; turn false; sleep 0.8;;
1) turn true; sleep 1000;;
2) turn true; turn false; sleep 1000;;
esac; result pass)");
    o.timeout_s = 1.5;
    const auto finished = run(o, 3);
    ASSERT_EQ(finished.size(), 3u);
    EXPECT_EQ(finished[0].result.status, Status::Pass) << finished[0].result.message;
    EXPECT_EQ(finished[1].result.status, Status::Timeout);
    EXPECT_EQ(finished[1].result.message, "no answer within 1.5 s");
    EXPECT_EQ(finished[2].result.status, Status::Timeout);
    EXPECT_EQ(finished[2].result.message,
              "no answer of the reference or the translator within 1.5 s; the driver is not the cause");
}

/// One of them may have left the driver in disorder.
TEST_F(Scripted, ACrashNamesTheCasesThatItsProcessRanBefore) {
    const auto finished = run(options("ready", "begin; [ $key = 2 ] && kill -SEGV $$; result pass"), 4,
                              [](WorkerJob& j) { j.spec.name = fmt::format("case {}", j.key); });
    ASSERT_EQ(finished.size(), 4u);
    EXPECT_EQ(finished[2].result.status, Status::Crash);
    EXPECT_THAT(finished[2].result.details, testing::ElementsAre("its process ran before: case 0, case 1"));
}

/// A driver that writes without end does not fill the disk; the last words are kept.
TEST_F(Scripted, OnlyTheEndOfAWorkersOutputIsKept) {
    const auto long_text = folder_ / "long";
    std::ofstream(long_text) << std::string(8 << 20, 'x') << "\nmiddle\n";
    auto o = options("ready",
                     "begin; [ $key = 0 ] || { result pass; continue; }\n"
                     "cat " +
                         long_text.string() + R"( >&2
until [ $(stat -L -c %s /proc/$$/fd/2) -lt 1000000 ]; do sleep 0.05; done
echo the last words >&2; exit 3)");
    const auto finished = run(o, 1);
    ASSERT_EQ(finished.size(), 1u);
    ASSERT_EQ(finished[0].result.message, "the process ended: exit status 3");
    ASSERT_EQ(finished[0].result.details.size(), 1u);
    EXPECT_TRUE(finished[0].result.details[0].ends_with("xx\nmiddle\nthe last words")) << finished[0].result.details[0];
}

/// The system is to take a worker when memory is short, and not the campaign.
TEST(Process, AChildIsOfferedForMemory) {
    auto child = Child::start({"/bin/cat", "/proc/self/oom_score_adj"});
    ASSERT_TRUE(child) << child.error();
    child->reap();
    bool ended = false;
    EXPECT_THAT(child->lines(ended), testing::ElementsAre("1000"));
}

/// As with a program that was started by one that ignores SIGCHLD.
TEST(Process, EndingsAreKnownAlthoughChildrenWereIgnored) {
    std::signal(SIGCHLD, SIG_IGN);
    auto child = Child::start({"/bin/sh", "-c", "kill -ABRT $$"});
    ASSERT_TRUE(child) << child.error();
    EXPECT_EQ(describe(child->reap()), "SIGABRT (Aborted)");
    // Collected elsewhere: nothing is known.
    child = Child::start({"/bin/cat"});
    ASSERT_TRUE(child) << child.error();
    std::signal(SIGCHLD, SIG_IGN);
    child->close_input();
    EXPECT_EQ(describe(child->reap()), "something else has collected it, and how it ended is unknown");
    std::signal(SIGCHLD, SIG_DFL);
}

}  // namespace
}  // namespace tgsi2spv::difftest
