// Events for a machine that reads them late, or never.
#include <gmock/gmock.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "machine/window/outbox.h"

namespace tgsi2spv::window::test {
namespace {

using testing::Each;
using testing::IsSupersetOf;
using virtio_gpu::ViewerEvent;

/// Compared as words: kind, a, b, c.
using Words = std::array<uint32_t, 4>;

class Outboxes : public testing::Test {
  protected:
    void SetUp() override {
        int ends[2];
        ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        own = process::Descriptor(ends[0]);
        machine = process::Descriptor(ends[1]);
    }
    /// Sends all, and reads it.
    std::vector<Words> read_all(Outbox& outbox) {
        std::vector<Words> all;
        Words event;
        do
            while (recv(machine.number(), event.data(), sizeof event, MSG_DONTWAIT) == sizeof event)
                all.push_back(event);
        while (outbox.waits() && (outbox.send(), true));
        while (recv(machine.number(), event.data(), sizeof event, MSG_DONTWAIT) == sizeof event) all.push_back(event);
        return all;
    }
    /// The socket has no room for one more.
    static void fill(Outbox& outbox) {
        for (uint32_t i = 0; !outbox.waits() && i < 100'000; i++) outbox.say({ViewerEvent::Key, KEY, i % 2, 0});
        ASSERT_TRUE(outbox.waits());
    }
    static constexpr uint32_t KEY = 30, OTHER = 31;
    process::Descriptor own, machine;
};

TEST_F(Outboxes, MovesThatWaitAreOne) {
    Outbox outbox(own.number());
    fill(outbox);
    for (uint32_t i = 0; i < 10'000; i++) EXPECT_TRUE(outbox.say({ViewerEvent::Pointer, i, i, 0}));
    outbox.say({ViewerEvent::Pointer, 9'999, 9'999, 1});
    EXPECT_TRUE(outbox.say({ViewerEvent::Pointer, 5, 6, 1}));
    std::vector<Words> moves;
    for (const Words& event : read_all(outbox))
        if (event[0] == ViewerEvent::Pointer) moves.push_back(event);
    EXPECT_THAT(
        moves, testing::ElementsAre(Words{ViewerEvent::Pointer, 9'999, 9'999, 0},
                                    Words{ViewerEvent::Pointer, 9'999, 9'999, 1}, Words{ViewerEvent::Pointer, 5, 6, 1}))
        << "a button that is pressed is no move";
}

TEST_F(Outboxes, MachineThatReadsNothingGetsNoMoreKeys) {
    Outbox outbox(own.number());
    fill(outbox);
    outbox.say({ViewerEvent::Key, OTHER, 1, 0});
    bool fits = true;
    for (uint32_t i = 0; fits && i < 100'000; i++) fits = outbox.say({ViewerEvent::Key, KEY, i % 2, 0});
    EXPECT_FALSE(fits);
    outbox.say({ViewerEvent::Key, 48, 1, 0});
    const std::vector<Words> read = read_all(outbox);
    EXPECT_THAT(read, Each(testing::Not(Words{ViewerEvent::Key, 48, 1, 0})));
    EXPECT_THAT(read, IsSupersetOf({Words{ViewerEvent::Key, OTHER, 0, 0}, Words{ViewerEvent::Pointer, 0, 0, 0}}))
        << "no key stays pressed";
    EXPECT_TRUE(outbox.say({ViewerEvent::Key, 48, 1, 0}));
    EXPECT_THAT(read_all(outbox), testing::ElementsAre(Words{ViewerEvent::Key, 48, 1, 0}));
}

TEST_F(Outboxes, TextIsWhole) {
    Outbox outbox(own.number());
    const std::string text(virtio_gpu::kMostText, 'x');
    outbox.say_text(text);
    EXPECT_TRUE(outbox.waits()) << "it is larger than the socket's room";
    outbox.say({ViewerEvent::Key, KEY, 1, 0});
    const std::vector<Words> read = read_all(outbox);
    ASSERT_EQ(read.size(), 1 + text.size() / sizeof(Words) + 1);
    EXPECT_EQ(read.front(), (Words{ViewerEvent::Text, static_cast<uint32_t>(text.size()), 0, 0}));
    EXPECT_EQ(std::memcmp(&read[1], text.data(), text.size()), 0);
    EXPECT_EQ(read.back(), (Words{ViewerEvent::Key, KEY, 1, 0}));
}

}  // namespace
}  // namespace tgsi2spv::window::test
