#include "difftest/campaign/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <set>

#include "difftest/scripted_workers.h"

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
    /// Collects results until nothing is left to do, the pool is broken, or ten seconds have passed.
    static std::vector<Finished> finish(Pool& pool) {
        std::vector<Finished> all;
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (!pool.is_idle() && pool.broken().empty() && std::chrono::steady_clock::now() < end)
            for (auto& f : pool.next(50)) all.push_back(std::move(f));
        return all;
    }
};

TEST_F(Scripted, AFirstWorkerWithoutADeviceEndsThePoolAtOnce) {
    const auto pool = Pool::start(options("error 'no device'", ""));
    ASSERT_FALSE(pool);
    EXPECT_EQ(pool.error(), "no device");
    EXPECT_EQ(started(), 1u);
}

TEST_F(Scripted, ALaterWorkerWithoutADeviceIsStartedAgain) {
    auto o = options("[ $n = 2 ] && error 'device busy'; ready", "begin; sleep 0.02; result pass");
    o.jobs = 2;
    auto pool = Pool::start(o);
    ASSERT_TRUE(pool) << pool.error();
    for (uint64_t key = 0; key < 40; key++) pool->submit(job(key));
    EXPECT_EQ(finish(*pool).size(), 40u);
    EXPECT_EQ(pool->broken(), "");
    EXPECT_EQ(started(), 3u);
}

TEST_F(Scripted, WhatDoesNotGetBetterIsDoneByThoseThatAreLeft) {
    auto o = options("[ $n -gt 2 ] && error 'device busy'; ready", "begin; sleep 0.02; result pass");
    o.jobs = 8;
    auto pool = Pool::start(o);
    ASSERT_TRUE(pool) << pool.error();
    for (uint64_t key = 0; key < 100; key++) pool->submit(job(key));
    EXPECT_EQ(finish(*pool).size(), 100u);
    EXPECT_EQ(pool->broken(), "");
    EXPECT_GE(started(), 7u);   // 2 that work, 5 that fail to start
    EXPECT_LE(started(), 20u);  // the pool stops trying in the end
}

TEST_F(Scripted, ThePoolIsBrokenWhereTheLastWorkerHasNoSuccessor) {
    auto pool = Pool::start(options("[ $n -gt 1 ] && error 'device busy'; ready", "begin; exit 3"));
    ASSERT_TRUE(pool) << pool.error();
    for (uint64_t key = 0; key < 3; key++) pool->submit(job(key));
    const auto finished = finish(*pool);
    ASSERT_EQ(finished.size(), 1u);
    EXPECT_EQ(finished[0].result.status, Status::Crash);
    EXPECT_THAT(pool->broken(), HasSubstr("device busy"));
    EXPECT_EQ(started(), 6u);
}

/// A driver may keep a process alive after its pipes are closed, for instance to free memory; the pool does not wait
/// for it.
TEST_F(Scripted, ThePlaceOfAWorkerIsFreeBeforeItHasGone) {
    auto pool = Pool::start(options("ready", "begin; [ $key = 0 ] && { exec >&-; sleep 1; exit 3; }; result pass"));
    ASSERT_TRUE(pool) << pool.error();
    for (uint64_t key = 0; key < 3; key++) pool->submit(job(key));
    const auto finished = finish(*pool);
    ASSERT_EQ(finished.size(), 3u);
    EXPECT_EQ(finished[0].key, 1u);
    EXPECT_EQ(finished[1].key, 2u);
    EXPECT_EQ(finished[2].result.status, Status::Crash);
    EXPECT_EQ(finished[2].result.message, "the process ended: exit status 3");
}

/// The pool kills the shell, but its child keeps the pipe open, like a driver that holds a process in the kernel.
TEST_F(Scripted, WhatIsKilledIsNotWaitedFor) {
    auto o = options("ready", "begin; [ $key = 0 ] && sleep 5; result pass");
    o.timeout_s = 0.2;
    auto pool = Pool::start(o);
    ASSERT_TRUE(pool) << pool.error();
    for (uint64_t key = 0; key < 3; key++) pool->submit(job(key));
    const auto start = std::chrono::steady_clock::now();
    const auto finished = finish(*pool);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
    ASSERT_EQ(finished.size(), 3u);
    EXPECT_EQ(finished[0].result.status, Status::Timeout);
    EXPECT_EQ(finished[1].result.status, Status::Pass);
}

TEST_F(Scripted, ACaseThatLosesItsDeviceIsTriedOnceMore) {
    const std::string lost_words = R"(, \"message\": \"vkQueueSubmit failed\", \"evidence\": {\"shader\": \"FRAG\"})";
    const std::string lost =
        "begin; [ $attempt -lt $((key + 1)) ] && { result device-lost '" + lost_words + "'; exit 0; }; result pass";
    auto pool = Pool::start(options("ready", lost));
    ASSERT_TRUE(pool) << pool.error();
    for (uint64_t key = 0; key < 2; key++) pool->submit(job(key));
    auto finished = finish(*pool);
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
    auto pool =
        Pool::start(options("ready", "begin; [ $attempt = 0 ] && { result device-lost; exit 0; }; result skip"));
    ASSERT_TRUE(pool) << pool.error();
    pool->submit(job(0));
    const auto finished = finish(*pool);
    ASSERT_EQ(finished.size(), 1u);
    EXPECT_EQ(finished[0].result.status, Status::DeviceLost);
}

TEST_F(Scripted, AWorkerWithOtherDevicesGetsNoCases) {
    auto o = options("case $n in 2) ready '\"other\"';; *) ready;; esac", "begin; sleep 0.02; result pass");
    o.jobs = 2;
    auto pool = Pool::start(o);
    ASSERT_TRUE(pool) << pool.error();
    for (uint64_t key = 0; key < 40; key++) pool->submit(job(key));
    EXPECT_EQ(finish(*pool).size(), 40u);
    EXPECT_EQ(pool->broken(), "");
    EXPECT_EQ(started(), 3u);
}

/// A worker that answers a job with an error ends, as one that has no device.
TEST_F(Scripted, AJobThatIsNoneEndsThePool) {
    auto pool = Pool::start(options("ready", "error 'not a job'"));
    ASSERT_TRUE(pool) << pool.error();
    pool->submit(job(0));
    EXPECT_TRUE(finish(*pool).empty());
    EXPECT_THAT(pool->broken(), HasSubstr("not a job"));
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

}  // namespace
}  // namespace tgsi2spv::difftest
