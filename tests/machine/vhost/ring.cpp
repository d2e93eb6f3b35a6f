// Split virtqueues, driven by a driver that follows Virtio 1.2, 2.7, and by one that does not.
#include "machine/vhost/ring.h"

#include <gmock/gmock.h>

#include "front_end.h"

namespace tgsi2spv::vhost::test {
namespace {

using testing::HasSubstr;
constexpr uint16_t kSize = 8;
constexpr uint64_t kRing = kBase + 0x1000, kData = kBase + 0x10000, kTable = kBase + 0x20000;

class Rings : public testing::Test {
  protected:
    Rings() {
        EXPECT_EQ(memory.set(guest.table, guest.files), "");
        EXPECT_TRUE(ring.set_size(kSize));
        ring.set_addresses(driver.addresses(0));
        ring.set_features(kFeatures);
        ring.call = process::Descriptor(dup(call.number()));
        ring.error = process::Descriptor(dup(error.number()));
        ring.enabled = true;
        ring.start(memory);
    }
    /// A chain of a readable and a writable piece, at `head`.
    void offer_pair(uint16_t head, uint32_t writable_bytes = 4) {
        driver.descriptor(head) = {kData, 4, VRING_DESC_F_NEXT, static_cast<uint16_t>(head + 1)};
        driver.descriptor(head + 1) = {kData + 0x100, writable_bytes, VRING_DESC_F_WRITE, 0};
        driver.offer(head);
    }
    bool take() { return ring.take(memory, chain); }
    void restart() {
        driver.available().idx = ring.stop();
        ring.start(memory);
    }
    void expect_broken(const char* why) {
        EXPECT_FALSE(take());
        EXPECT_THAT(ring.why_broken(), HasSubstr(why));
        EXPECT_EQ(count_of(error), 1u);
        EXPECT_FALSE(take()) << "it stays broken";
    }

    GuestMemory guest;
    Memory memory;
    Driver driver{guest, kRing, kSize};
    process::Descriptor call = make_event(), error = make_event();
    Ring ring;
    Chain chain;
};

TEST_F(Rings, ChainIsTakenOnceWithItsPieces) {
    offer_pair(2);
    ASSERT_TRUE(take());
    EXPECT_EQ(chain.head, 2);
    ASSERT_EQ(chain.readable.size(), 1u);
    EXPECT_EQ(chain.readable[0].address, kData);
    EXPECT_EQ(bytes_of(chain.writable), 4u);
    EXPECT_FALSE(take());
    EXPECT_TRUE(ring.runs());
}

TEST_F(Rings, AnswerIsCutToItsRoomAndItsLengthIsTrue) {
    offer_pair(0, 3);
    ASSERT_TRUE(take());
    const std::array<std::byte, 5> answer{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}, std::byte{5}};
    ring.give(memory, chain, answer);
    EXPECT_EQ(driver.used().idx, 1);
    EXPECT_EQ(driver.used().ring[0].id, 0u);
    EXPECT_EQ(driver.used().ring[0].len, 3u);
    EXPECT_EQ(guest.read(kData + 0x100, 4), (std::vector{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{0}}));
}

TEST_F(Rings, IndexesWrap) {
    for (unsigned i = 0; i < 0x10000 + 5; i++) {
        offer_pair(0);
        ASSERT_TRUE(take()) << i;
        ring.give(memory, chain, {});
    }
    EXPECT_EQ(driver.used().idx, 5);
}

TEST_F(Rings, PiecesGoOverFromOneRegionToTheNext) {
    guest.write(kMiddle - 2, std::array{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}});
    driver.descriptor(0) = {kMiddle - 2, 4, VRING_DESC_F_NEXT, 1};
    driver.descriptor(1) = {kMiddle - 1, 2, VRING_DESC_F_WRITE, 0};
    driver.offer(0);
    ASSERT_TRUE(take());
    std::array<std::byte, 4> read{};
    EXPECT_EQ(gather(memory, chain.readable, 1, read), 3u);
    EXPECT_EQ(read[2], std::byte{4});
    ring.give(memory, chain, std::array{std::byte{8}, std::byte{9}});
    EXPECT_EQ(guest.read(kMiddle - 1, 2), (std::vector{std::byte{8}, std::byte{9}}));
}

TEST_F(Rings, IndirectTableMayBeLongerThanTheRing) {
    constexpr uint32_t kEntries = 100;
    for (uint32_t i = 0; i < kEntries; i++)
        guest.as<vring_desc>(kTable + i * 16) = {kData + i, 1, VRING_DESC_F_NEXT, static_cast<uint16_t>(i + 1)};
    guest.as<vring_desc>(kTable + (kEntries - 1) * 16).flags = VRING_DESC_F_WRITE;
    driver.descriptor(3) = {kTable, kEntries * 16, VRING_DESC_F_INDIRECT, 0};
    driver.offer(3);
    ASSERT_TRUE(take());
    EXPECT_EQ(chain.head, 3);
    EXPECT_EQ(chain.readable.size(), kEntries - 1);
    EXPECT_EQ(chain.writable.size(), 1u);
}

TEST_F(Rings, IndirectTableMayFollowPlainDescriptors) {
    driver.descriptor(0) = {kData, 4, VRING_DESC_F_NEXT, 1};
    driver.descriptor(1) = {kTable, 16, VRING_DESC_F_INDIRECT, 0};
    guest.as<vring_desc>(kTable) = {kData, 8, VRING_DESC_F_WRITE, 0};
    driver.offer(0);
    ASSERT_TRUE(take());
    EXPECT_EQ(bytes_of(chain.readable), 4u);
    EXPECT_EQ(bytes_of(chain.writable), 8u);
}

TEST_F(Rings, DriverIsToldWhenItWantsToKnow) {
    driver.used_event() = 1;  // not of the first answer, but of the second
    offer_pair(0);
    offer_pair(2);
    ASSERT_TRUE(take());
    ring.give(memory, chain, {});
    ring.signal();
    EXPECT_EQ(count_of(call), 0u);
    ASSERT_TRUE(take());
    ring.give(memory, chain, {});
    ring.signal();
    ring.signal();
    EXPECT_EQ(count_of(call), 1u);
}

TEST_F(Rings, WithoutEventIndexesAFlagSaysIt) {
    ring.set_features(kFeatures & ~(uint64_t{1} << VIRTIO_RING_F_EVENT_IDX));
    for (const uint16_t flags : {uint16_t{0}, uint16_t{VRING_AVAIL_F_NO_INTERRUPT}}) {
        driver.available().flags = flags;
        offer_pair(0);
        ASSERT_TRUE(take());
        ring.give(memory, chain, {});
        ring.signal();
        EXPECT_EQ(count_of(call), flags == 0 ? 1u : 0u);
    }
}

TEST_F(Rings, EmptyRingAsksForTheNextKick) {
    offer_pair(0);
    ASSERT_TRUE(take());
    driver.available_event() = 77;
    EXPECT_FALSE(take());
    EXPECT_EQ(driver.available_event(), 1);
}

TEST_F(Rings, StoppedRingIsNotTouched) {
    offer_pair(0);
    ASSERT_TRUE(take());
    EXPECT_EQ(ring.stop(), 1);
    offer_pair(2);
    EXPECT_FALSE(take());
    ring.give(memory, chain, std::array{std::byte{1}});
    ring.signal();
    EXPECT_EQ(driver.used().idx, 0);
    EXPECT_EQ(guest.read(kData + 0x100, 1)[0], std::byte{0});
    EXPECT_EQ(count_of(call), 0u);
}

TEST_F(Rings, SizesArePowersOfTwo) {
    for (const uint32_t wrong : {0u, 3u, 65536u, 0x80000000u}) EXPECT_FALSE(ring.set_size(wrong)) << wrong;
    for (const uint32_t right : {1u, 2u, 32768u}) EXPECT_TRUE(ring.set_size(right)) << right;
}

TEST_F(Rings, RingOutsideOfMemoryIsBroken) {
    ring.stop();
    for (const uint64_t wrong : {kUser + kEnd, kUser + kMiddle - 8, uint64_t{0}, ~uint64_t{0}, kUser + kRing + 1}) {
        for (const auto part : {&QueueAddresses::descriptors, &QueueAddresses::available, &QueueAddresses::used}) {
            QueueAddresses addresses = driver.addresses(0);
            addresses.*part = wrong;
            ring.set_addresses(addresses);
            ring.start(memory);
            EXPECT_FALSE(ring.runs()) << std::hex << wrong;
            ring.stop();
        }
    }
    EXPECT_EQ(count_of(error), 15u);
    ring.set_addresses(driver.addresses(0));
    ring.start(memory);
    EXPECT_TRUE(ring.runs());
}

// Rings of hostile drivers.

TEST_F(Rings, ChainsOfHostileDrivers) {
    constexpr uint16_t kNext = VRING_DESC_F_NEXT, kWrite = VRING_DESC_F_WRITE, kIndirect = VRING_DESC_F_INDIRECT;
    struct Row {
        uint16_t head;
        std::array<vring_desc, 2> ring;
        vring_desc table;
        const char* why;
    };
    for (const auto& [head, descriptors, table, why] : {
             Row{kSize, {}, {}, "descriptor 8 of 8"},
             {0, {{{kData, 4, kNext, kSize}}}, {}, "descriptor 8 of 8"},
             {0, {{{kData, 4, kNext, 1}, {kData, 4, kNext, 0}}}, {}, "more than 8 descriptors"},
             {0, {{{kTable, 32, kIndirect, 0}}}, {kData, 4, kNext, 0}, "more than 2 descriptors"},
             {0, {{{kData, 4, kNext | kWrite, 1}, {kData, 4, 0, 0}}}, {}, "readable descriptor after a writable"},
             {0, {{{kTable, 16, kIndirect | kNext, 1}}}, {}, "where none may be"},
             {0, {{{kTable, 16, kIndirect, 0}}}, {kTable, 16, kIndirect, 0}, "where none may be"},
             {0, {{{kTable, 0, kIndirect, 0}}}, {}, "an indirect table of"},
             {0, {{{kTable, 15, kIndirect, 0}}}, {}, "an indirect table of"},
             {0, {{{kTable, 17, kIndirect, 0}}}, {}, "an indirect table of"},
             {0, {{{kTable, (kMostIndirect + 1) * 16, kIndirect, 0}}}, {}, "an indirect table of"},
             {0, {{{kTable, 0xfffffff0, kIndirect, 0}}}, {}, "an indirect table of"},
             {0, {{{kEnd - 8, 16, kIndirect, 0}}}, {}, "an indirect table of"},
         }) {
        driver.descriptor(0) = descriptors[0];
        driver.descriptor(1) = descriptors[1];
        guest.as<vring_desc>(kTable) = table;
        driver.offer(head);
        expect_broken(why);
        restart();
    }
    offer_pair(0);
    EXPECT_TRUE(take());
    ring.set_features(0);
    restart();
    driver.descriptor(0) = {kTable, 16, kIndirect, 0};
    guest.as<vring_desc>(kTable) = {kData, 4, 0, 0};
    driver.offer(0);
    expect_broken("where none may be");
}
TEST_F(Rings, AddressesThatAreNotMemory) {
    const std::array<vring_desc, 5> wrong{{{kBase - 1, 1, 0, 0},
                                           {kEnd, 1, 0, 0},
                                           {kEnd - 4, 5, 0, 0},
                                           {~uint64_t{0}, 4, 0, 0},
                                           {kBase, 0xffffffff, 0, 0}}};
    for (const vring_desc& d : wrong) {
        driver.descriptor(0) = d;
        driver.offer(0);
        EXPECT_FALSE(take());
        EXPECT_THAT(ring.why_broken(), HasSubstr("which is not memory")) << std::hex << d.addr;
        restart();
    }
    driver.descriptor(0) = {kEnd - 4, 4, 0, 0};
    driver.offer(0);
    EXPECT_TRUE(take());
}
TEST_F(Rings, MoreAvailableThanTheRingHas) {
    driver.available().idx = kSize + 1;
    expect_broken("9 requests are available");
}
TEST_F(Rings, RequestsThatWaitAreBounded) {
    driver.descriptor(0) = {kData, 4, 0, 0};
    for (unsigned i = 0; i < kSize; i++) {
        driver.offer(0);
        ASSERT_TRUE(take());
    }
    driver.offer(0);
    expect_broken("more than 8 requests wait");
}
TEST_F(Rings, AnswersGoWhereTheMemoryIsNow) {
    offer_pair(0);
    ASSERT_TRUE(take());
    memory.clear();
    ring.start(memory);
    EXPECT_FALSE(ring.runs());
    ring.give(memory, chain, std::array{std::byte{1}});
    EXPECT_EQ(memory.set(guest.table, guest.files), "");
    ring.start(memory);
    ring.give(memory, chain, std::array{std::byte{1}});
    EXPECT_EQ(guest.read(kData + 0x100, 1)[0], std::byte{1});
}

}  // namespace
}  // namespace tgsi2spv::vhost::test
