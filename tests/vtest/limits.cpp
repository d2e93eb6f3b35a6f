// Limits of a client's memory, and the others' memory when a guest leaves or breaks a rule.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "guest.h"

namespace tgsi2spv::vtest::test {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

TEST(Limits, Resources) {
    Limits limits;
    limits.resources = 3;
    const Bytes three = make(1) + make(2) + make(3);
    EXPECT_EQ(Talk(hello() + three, limits).ending, Ending::Closed);
    EXPECT_EQ(Talk(hello() + three + forget(2) + make(4), limits).ending, Ending::Closed);
    const Talk four(hello() + three + make(4), limits);
    EXPECT_EQ(four.ending, Ending::Closed);
    EXPECT_THAT(four.renderer.calls, SizeIs(3));
    EXPECT_EQ(Talk(hello() + ask_version(2) + make2(1, 8) + make2(2, 8) + make2(3, 8) + make2(4, 8), limits)
                  .stream.missing_files,
              1u);
}

TEST(Limits, SharedMemoryCountsWholePages) {
    Limits limits;
    limits.shared_bytes = 3 * 4096;
    // Mesa's driver takes a missing file for GL_OUT_OF_MEMORY, and goes on.
    const auto missing = [&](const Bytes& messages) {
        const Talk run(hello() + ask_version(2) + messages + wait_for(1), limits);
        EXPECT_EQ(run.ending, Ending::Closed);
        return run.stream.missing_files;
    };
    EXPECT_EQ(missing(make2(1, 1) + make2(2, 4096) + make2(3, 4095)), 0u);
    EXPECT_EQ(missing(make2(1, 1) + make2(2, 4096) + make2(3, 4097)), 1u);
    EXPECT_EQ(missing(make2(1, 3 * 4096)), 0u);
    EXPECT_EQ(missing(make2(1, 3 * 4096 + 1)), 1u);
    EXPECT_EQ(missing(make2(1, UINT32_MAX)), 1u);
    EXPECT_EQ(missing(make2(1, 3 * 4096) + forget(1) + make2(1, 3 * 4096)), 0u);
    const Talk blob(hello() + ask_version(3) + make_blob(4 * 4096) + bytes_of({6, 18, 2, 1, 100, 1, 7, 0}), limits);
    EXPECT_EQ(blob.ending, Ending::Closed);
    EXPECT_EQ(blob.stream.missing_files, 2u) << "the size has 64 bits";
}

TEST(Limits, SharedMemoryCountsUntilTheRendererLetsGo) {
    Limits limits;
    limits.shared_bytes = 4096;
    const auto missing = [&](bool keeps) {
        return Talk(hello() + ask_version(2) + make2(1, 1) + forget(1) + make2(1, 1), limits,
                    [&](Talk& run) { run.renderer.keeps = keeps; })
            .stream.missing_files;
    };
    EXPECT_EQ(missing(false), 0u);
    EXPECT_EQ(missing(true), 1u);
}

TEST(Limits, PiecesOfSharedMemory) {
    const auto budget = std::make_shared<SharedBudget>();
    budget->most_files = 2;
    auto first = SharedFile::create(8, budget), second = SharedFile::create(8, budget);
    ASSERT_TRUE(first && second);
    EXPECT_FALSE(SharedFile::create(8, budget));
    first->memory.reset();
    EXPECT_TRUE(SharedFile::create(8, budget));
    EXPECT_EQ(budget->bytes, 4096u);
}

TEST(Limits, WordsOfABuffer) {
    Limits limits;
    limits.command_words = 4;
    EXPECT_EQ(Talk(hello() + bytes_of({4, 6, 1, 2, 3, 4}), limits).ending, Ending::Closed);
    for (const uint32_t length : {5u, 0x40000000u, UINT32_MAX}) {
        const Talk run(hello() + bytes_of({length, 6, 1, 2, 3, 4}), limits);
        EXPECT_EQ(run.ending, Ending::Refused);
        EXPECT_THAT(run.renderer.calls, SizeIs(0));
    }
}

TEST(Limits, BytesOfATransfer) {
    Limits limits;
    limits.transfer_bytes = 8;
    for (const uint32_t size : {8u, 9u}) {
        const Bytes at = bytes_of({5, 0, 0, 0, 0, 0, 0, 1, 1, 1, size});
        const Ending expected = size == 8 ? Ending::Closed : Ending::Refused;
        EXPECT_EQ(Talk(hello() + bytes_of({11, 4}) + at, limits).ending, expected);
        EXPECT_EQ(Talk(hello() + bytes_of({11 + (size + 3) / 4, 5}) + at + Bytes(size), limits).ending, expected);
    }
}

TEST(Limits, TransfersCountAsMemory) {
    for (const uint32_t size : {8u, 12u}) {
        const Bytes at = bytes_of({1, 0, 0, 0, 0, 0, 0, size, 1, 1, size});
        const Talk run(
            hello() + make(1) + bytes_of({11, 4}) + at + bytes_of({11 + size / 4, 5}) + at + Bytes(size) + wait_for(1),
            {}, [](Talk& talk) { talk.renderer.room = 8; });
        EXPECT_EQ(run.ending, Ending::Closed);
        EXPECT_EQ(run.renderer.room, 8) << "only while they run";
        EXPECT_THAT(run.renderer.calls, SizeIs(size == 8 ? 4 : 2)) << "creation, read, write, wait";
        EXPECT_THAT(run.stream.received, SizeIs(size + 12)) << "zeros, where there is no memory";
    }
}

TEST(Limits, LinesOfTheLog) {
    std::vector<std::string> lines;
    Log log("log", 2, [&](const std::string& line) { lines.push_back(line); });
    log.line(std::string(5000, 'x'));
    for (int i = 0; i < 5; i++) log.line("y");
    ASSERT_THAT(lines, SizeIs(3));
    EXPECT_LT(lines[0].size(), 2100u);
    EXPECT_THAT(lines[2], HasSubstr("too many"));
}

TEST(SharedMemory, CannotBeShortened) {
    const auto made = SharedFile::create(10000, std::make_shared<SharedBudget>());
    ASSERT_TRUE(made);
    EXPECT_NE(ftruncate(made->file.number(), 0), 0);
    EXPECT_NE(ftruncate(made->file.number(), 20000), 0);
    EXPECT_NE(fcntl(made->file.number(), F_ADD_SEALS, F_SEAL_WRITE), 0);
    EXPECT_THAT(made->memory->bytes, SizeIs(10000));
    for (const std::byte b : made->memory->bytes) ASSERT_EQ(b, std::byte{0});
}

TEST(SharedMemory, IsGivenBackThoughAGuestKeepsTheFile) {
    constexpr size_t kBytes = 100'000;
    auto made = SharedFile::create(kBytes, std::make_shared<SharedBudget>());
    ASSERT_TRUE(made);
    const int file = made->file.number();
    void* mapped = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ASSERT_NE(mapped, MAP_FAILED);
    std::memset(mapped, 1, kBytes);
    struct stat before {
    }, after{};
    ASSERT_EQ(fstat(file, &before), 0);
    made->memory.reset();
    ASSERT_EQ(fstat(file, &after), 0);
    EXPECT_GE(before.st_blocks * 512, static_cast<blkcnt_t>(kBytes));
    EXPECT_EQ(after.st_blocks, 0);
    EXPECT_EQ(static_cast<char*>(mapped)[kBytes - 1], 0) << "and the mapping can still be used";
    munmap(mapped, kBytes);
}

/// A session of each version with every message.
Bytes whole_session(uint32_t version) {
    const Bytes begin = hello() + bytes_of({0, 10}) + wait_for(0, 0) + ask_version(version) + bytes_of({0, 9, 0, 1});
    const Bytes draw = bytes_of({3, 6, 1, 2, 3}) + wait_for(5, 1);
    const Bytes at = bytes_of({5, 0, 0, 0, 0, 0, 0, 1, 1, 1, 4});
    if (version == 0)
        return begin + make(5) + bytes_of({12, 5}) + at + Bytes(4) + draw + bytes_of({11, 4}) + at + forget(5);
    if (version == 2) return begin + make2(5, 64) + put2(5, 0) + draw + get2(5, 0) + forget(5);
    return begin + make2(0, 64) + put2(1, 0) + make_blob(64) + draw + get2(2, 0) + forget(1);
}

TEST(Guest, MayDieAtAnyByte) {
    for (const uint32_t version : {0u, 2u, 3u}) {
        const Bytes whole = whole_session(version);
        const Talk all(whole);
        ASSERT_EQ(all.ending, Ending::Closed);
        size_t calls = 0;
        for (size_t bytes = 0; bytes < whole.size(); bytes++) {
            const Talk run(Bytes(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(bytes)));
            ASSERT_NE(run.ending, Ending::Refused) << bytes;
            ASSERT_GE(run.renderer.calls.size(), calls);
            calls = run.renderer.calls.size();
            ASSERT_TRUE(std::equal(run.renderer.calls.begin(), run.renderer.calls.end(), all.renderer.calls.begin()));
        }
    }
}

TEST(Guest, MayStopReadingAtAnyByte) {
    for (const uint32_t version : {0u, 2u, 3u}) {
        const Bytes whole = whole_session(version);
        const size_t all = Talk(whole).stream.received.size();
        for (size_t bytes = 0; bytes < all; bytes++) {
            const Talk run(whole, {}, [&](Talk& r) { r.stream.most_received = bytes; });
            ASSERT_EQ(run.ending, Ending::Lost) << bytes;
        }
    }
    const Talk run(hello() + ask_version(2) + make2(5, 8) + wait_for(5), {},
                   [](Talk& r) { r.stream.takes_files = false; });
    EXPECT_EQ(run.ending, Ending::Lost);
}

}  // namespace
}  // namespace tgsi2spv::vtest::test
