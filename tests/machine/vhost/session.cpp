// The front end's messages, in QEMU's order and in wrong ones.
#include "machine/vhost/session.h"

#include <gmock/gmock.h>

#include "front_end.h"

namespace tgsi2spv::vhost::test {
namespace {

using testing::HasSubstr;
constexpr uint64_t kDeviceFeatures = 0x3;

struct FakeDevice final : Device {
    uint64_t features() const override { return kDeviceFeatures; }
    std::span<const std::byte> config() const override { return bytes; }
    bool set_display(process::Descriptor socket) override {
        display = std::move(socket);
        return true;
    }
    void set_config(uint32_t offset, std::span<const std::byte> written) override {
        std::ranges::copy(written, bytes.begin() + offset);
    }
    void reset() override { resets++; }
    std::array<std::byte, 16> bytes{std::byte{7}, std::byte{8}};
    process::Descriptor display;
    int resets = 0;
};

class Sessions : public testing::Test {
  protected:
    bool receive() { return session.receive(); }
    /// Sends QEMU's messages after the guest's driver has started.
    void start(uint32_t base = 0) {
        front.send(Request::SetFeatures, kFeatures | kDeviceFeatures);
        front.send_memory(guest);
        for (uint32_t i = 0; i < kQueues; i++)
            front.send_ring(drivers[i], i, base, kicks[i].number(), calls[i].number());
        for (unsigned i = 0; i < 2 + 6 * kQueues; i++) ASSERT_TRUE(receive()) << lines;
    }
    uint16_t stop(uint32_t queue) {
        front.send(Request::GetVringBase, QueueState{queue, 0});
        EXPECT_TRUE(receive());
        return static_cast<uint16_t>(front.answer_as<QueueState>().number);
    }
    void expect_refused(const char* why) {
        EXPECT_FALSE(receive());
        EXPECT_TRUE(session.failed());
        EXPECT_THAT(lines, HasSubstr(why));
    }

    GuestMemory guest;
    std::array<Driver, 2> drivers{Driver(guest, kBase + 0x1000, 64), Driver(guest, kBase + 0x8000, 16)};
    std::array<process::Descriptor, 2> kicks{make_event(), make_event()}, calls{make_event(), make_event()};
    std::string lines;
    process::Log log{"test", 1000, [this](const std::string& line) { lines += line; }};
    FrontEnd front;
    FakeDevice device;
    Memory memory;
    std::array<Ring, kQueues> rings;
    Session session{std::move(front.other), device, memory, rings, log};
};

TEST_F(Sessions, FeaturesAreTheDevicesAndTheRings) {
    front.send(Request::GetFeatures);
    ASSERT_TRUE(receive());
    EXPECT_EQ(front.answer_as<uint64_t>(), kFeatures | kDeviceFeatures);
    EXPECT_EQ(front.last.flags, kVersion | kReply);
    front.send(Request::GetQueueNum);
    ASSERT_TRUE(receive());
    EXPECT_EQ(front.answer_as<uint64_t>(), 2u);
    front.send(Request::GetProtocolFeatures);
    ASSERT_TRUE(receive());
    EXPECT_EQ(front.answer_as<uint64_t>(), kMultipleQueues | kReplyAck | kBackendSocket | kConfig | kResetDevice);
}

TEST_F(Sessions, ConfigIsWrittenInside) {
    struct {
        ConfigMessage head{14, 2, 0};
        std::array<uint8_t, 2> written{5, 6};
    } __attribute__((packed)) message;
    front.send(Request::SetConfig, message);
    ASSERT_TRUE(receive());
    EXPECT_EQ(device.bytes[14], std::byte{5});
    EXPECT_EQ(device.bytes[15], std::byte{6});
    message.head.offset = 15;
    front.send(Request::SetConfig, message);
    expect_refused("2 bytes at 15 of 16");
}

TEST_F(Sessions, ConfigOfAnotherLengthIsRefused) {
    front.send(Request::SetConfig, ConfigMessage{0, 3, 0});
    expect_refused("3 bytes at 0");
}

TEST_F(Sessions, FrontEndLearnsOfAnotherConfig) {
    EXPECT_FALSE(session.notify()) << "it has no socket for that";
    std::array<int, 2> ends{};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    const process::Descriptor own(ends[0]);
    {
        const process::Descriptor other(ends[1]);
        front.send_files(Request::SetBackendSocket, std::array{ends[1]});
        ASSERT_TRUE(receive());
    }
    front.send(Request::SetProtocolFeatures, kReplyAck | kBackendSocket);
    ASSERT_TRUE(receive());
    const auto answer_news = [&](uint64_t value) {
        Header header{};
        EXPECT_EQ(recv(own.number(), &header, sizeof header, MSG_DONTWAIT), ssize_t{sizeof header});
        EXPECT_EQ(header.request, kConfigChange);
        EXPECT_EQ(header.flags, kVersion | kNeedsReply);
        struct {
            Header header;
            uint64_t value;
        } __attribute__((packed)) const answer{{kConfigChange, kVersion | kReply, 8}, value};
        EXPECT_EQ(write(own.number(), &answer, sizeof answer), ssize_t{sizeof answer});
        return session.receive_answer();
    };
    EXPECT_TRUE(session.notify());
    EXPECT_TRUE(answer_news(0));
    EXPECT_TRUE(session.receive_answer()) << "there is none";
    for (int i = 0; i < 100; i++) EXPECT_TRUE(session.notify());
    EXPECT_TRUE(answer_news(0));
    EXPECT_FALSE(answer_news(1)) << "QEMU's graphics device says that; it was told once more, not 99 times";
    EXPECT_EQ(recv(own.number(), &ends, sizeof ends, MSG_DONTWAIT), -1);
    EXPECT_FALSE(session.notify()) << "it is not asked again";
    EXPECT_GE(session.back_socket(), 0) << "QEMU complains if it ends";
}

TEST_F(Sessions, SocketForNewsMustCome) {
    front.send(Request::SetBackendSocket);
    expect_refused("no socket");
}

TEST_F(Sessions, RingsRunAfterQemusMessages) {
    start();
    EXPECT_TRUE(rings[0].runs());
    EXPECT_TRUE(rings[1].runs());
    EXPECT_EQ(device.resets, 0);
    front.send(Request::SetVringEnable, QueueState{1, 0});
    ASSERT_TRUE(receive());
    EXPECT_FALSE(rings[1].runs());
}

TEST_F(Sessions, AcknowledgesOnlyWhatIsAskedFor) {
    front.send(Request::SetOwner, std::span<const std::byte>(), {}, kVersion | kNeedsReply);
    ASSERT_TRUE(receive());
    EXPECT_TRUE(front.answer().empty()) << "not negotiated yet";
    front.send(Request::SetProtocolFeatures, kReplyAck);
    front.send(Request::SetFeatures, kFeatures, {}, kVersion | kNeedsReply);
    front.send(Request::SetFeatures, kFeatures);
    for (int i = 0; i < 3; i++) ASSERT_TRUE(receive());
    EXPECT_EQ(front.answer().size(), 8u);
    EXPECT_TRUE(front.answer().empty());
}

TEST_F(Sessions, ConfigIsReadInParts) {
    struct {
        ConfigMessage head{.offset = 1, .size = 4, .flags = 0};
        std::array<std::byte, 4> bytes{};
    } ask;
    front.send(Request::GetConfig, ask);
    ASSERT_TRUE(receive());
    const auto got = front.answer_as<decltype(ask)>();
    EXPECT_EQ(got.bytes[0], std::byte{8});
    ask.head.offset = 13;  // one byte beyond: an empty answer is an error
    front.send(Request::GetConfig, ask);
    ASSERT_TRUE(receive());
    EXPECT_TRUE(front.answer().empty());
    EXPECT_EQ(front.last.request, static_cast<uint32_t>(Request::GetConfig));
}

TEST_F(Sessions, DisplayGetsItsSocket) {
    const auto file = make_event();
    front.send_files(Request::GpuSetSocket, std::array{file.number()});
    ASSERT_TRUE(receive());
    EXPECT_GE(device.display.number(), 0);
}

TEST_F(Sessions, PausedRingGoesOn) {
    start();
    Chain chain;
    drivers[0].descriptor(0) = {kBase, 4, 0, 0};
    drivers[0].offer(0);
    ASSERT_TRUE(rings[0].take(memory, chain));
    EXPECT_EQ(stop(0), 1);
    stop(1);
    EXPECT_FALSE(rings[0].runs());
    start(1);
    EXPECT_EQ(device.resets, 0);
    drivers[0].offer(0);
    EXPECT_TRUE(rings[0].take(memory, chain));
}

TEST_F(Sessions, RingThatBeginsAnewResetsTheDevice) {
    start();
    Chain chain;
    drivers[0].descriptor(0) = {kBase, 4, 0, 0};
    drivers[0].offer(0);
    ASSERT_TRUE(rings[0].take(memory, chain));
    stop(0);
    stop(1);
    start(0);
    EXPECT_EQ(device.resets, 1);
}

TEST_F(Sessions, ResetIsDoneOnce) {
    front.send(Request::SetProtocolFeatures, kResetDevice);
    ASSERT_TRUE(receive());
    start();
    stop(0);
    stop(1);
    front.send(Request::ResetDevice);
    ASSERT_TRUE(receive());
    EXPECT_EQ(device.resets, 1);
    start();
    EXPECT_EQ(device.resets, 1);
}

TEST_F(Sessions, AnotherMemoryTableKeepsRingsRunning) {
    start();
    front.send_memory(guest);
    ASSERT_TRUE(receive());
    EXPECT_TRUE(rings[0].runs());
    struct {
        uint32_t count = 0, padding = 0;
    } const empty;
    front.send(Request::SetMemTable, empty);
    ASSERT_TRUE(receive());
    EXPECT_FALSE(rings[0].runs()) << "it is not in memory";
    front.send_memory(guest);
    ASSERT_TRUE(receive());
    EXPECT_TRUE(rings[0].runs());
}

TEST_F(Sessions, EndOfTheFrontEndIsNoFailure) {
    front.close();
    EXPECT_FALSE(receive());
    EXPECT_FALSE(session.failed());
    EXPECT_EQ(lines, "");
}

TEST_F(Sessions, RequestThatWasNotOffered) {
    front.send(static_cast<Request>(31));
    expect_refused("request 31 was not offered");
}
TEST_F(Sessions, FlagsOfAnotherVersion) {
    front.send(Request::GetFeatures, std::span<const std::byte>(), {}, 2);
    expect_refused("has flags 0x2");
}
TEST_F(Sessions, PayloadOfAnotherLength) {
    front.send(Request::SetVringNum, uint32_t{0});
    expect_refused("request 8 has a payload of 4 bytes");
}
TEST_F(Sessions, MessageThatIsCut) {
    const std::array<std::byte, 5> bytes{};
    front.send_bytes(bytes);
    front.close();
    expect_refused("in the middle of a message");
}
TEST_F(Sessions, MoreFilesThanARequestHas) {
    front.send_files(Request::GetFeatures, std::array{kicks[0].number()});
    expect_refused("came with 1 files");
}
TEST_F(Sessions, ManyMoreFiles) {
    std::array<int, 12> files{};
    files.fill(kicks[0].number());
    front.send_files(Request::GetFeatures, files);
    expect_refused("files, more than 0");
}
TEST_F(Sessions, QueueThatIsNotThere) {
    front.send(Request::SetVringNum, QueueState{2, 64});
    expect_refused("queue 2");
}
TEST_F(Sessions, FileThatDoesNotCome) {
    front.send(Request::SetVringKick, uint64_t{0});
    expect_refused("0 files");
}
TEST_F(Sessions, RingOfAnotherSizeWhileItRuns) {
    start();
    front.send(Request::SetVringNum, QueueState{0, 128});
    expect_refused("queue 0 is running");
}
TEST_F(Sessions, MemoryTableWithoutItsFiles) {
    struct {
        uint32_t count = 2, padding = 0;
        std::array<RegionMessage, 2> regions;
    } const table{.regions = guest.table};
    front.send(Request::SetMemTable, table, std::array{guest.files[0].number()});
    expect_refused("2 regions came with 1 files");
}
TEST_F(Sessions, MemoryTableWithAnotherCount) {
    struct {
        uint32_t count = 3, padding = 0;
        std::array<RegionMessage, 2> regions;
    } const table{.regions = guest.table};
    front.send(Request::SetMemTable, table, std::array{guest.files[0].number(), guest.files[1].number()});
    expect_refused("3 regions in 72 bytes");
}

/// The tables that are refused, each by one number that is wrong.
TEST(MemoryTables, RegionsAreInTheirFilesAndApart) {
    const GuestMemory guest;
    Memory memory;
    ASSERT_EQ(memory.set(guest.table, guest.files), "");
    const auto expect_wrong = [&](auto change, const char* why) {
        auto table = guest.table;
        change(table);
        EXPECT_THAT(memory.set(table, guest.files), HasSubstr(why));
        EXPECT_FALSE(memory.contains(kBase, 1)) << "there is no memory then";
    };
    expect_wrong([](auto& t) { t[1].size++; }, "of a file of");
    expect_wrong([](auto& t) { t[1].file_offset = 4096; }, "of a file of");
    expect_wrong([](auto& t) { t[1].file_offset = ~uint64_t{0}; }, "of a file of");
    expect_wrong([](auto& t) { t[1].size = 0; }, "a region of 0x0 bytes");
    expect_wrong([](auto& t) { t[1].guest_address = ~uint64_t{0} - 5; }, "a region of");
    expect_wrong([](auto& t) { t[1].user_address = ~uint64_t{0} - 5; }, "a region of");
    expect_wrong([](auto& t) { t[1].guest_address--; }, "overlaps");
    expect_wrong([](auto& t) { t[1].user_address = t[0].user_address + 1; }, "overlaps");
}

TEST(MemoryTables, RangesEndWithTheirRegions) {
    const GuestMemory guest;
    Memory memory;
    ASSERT_EQ(memory.set(guest.table, guest.files), "");
    EXPECT_TRUE(memory.contains(kBase, kEnd - kBase));
    EXPECT_FALSE(memory.contains(kBase, kEnd - kBase + 1));
    EXPECT_FALSE(memory.contains(kBase - 1, 2));
    EXPECT_FALSE(memory.contains(kBase, ~uint64_t{0}));
    EXPECT_EQ(memory.find_user(kUser + kMiddle - 4, 5), nullptr) << "not in one region";
    std::byte* const place = memory.find_user(kUser + kMiddle - 4, 4);
    ASSERT_NE(place, nullptr);
    *place = std::byte{5};
    EXPECT_EQ(guest.read(kMiddle - 4, 1)[0], std::byte{5});
}

}  // namespace
}  // namespace tgsi2spv::vhost::test
