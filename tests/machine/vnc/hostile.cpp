// Viewers' processes that may do anything, at the machine's end of their links.
#include <poll.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "events.h"

namespace tgsi2spv::vnc::test {
namespace {

using testing::ElementsAre;
using virtio_gpu::ViewerEvent;

class HostileViewers : public testing::Test {
  protected:
    void step(int times = 1) {
        for (; times > 0; times--) {
            std::vector<pollfd> waits;
            here.add_waits(waits);
            poll(waits.data(), waits.size(), 0);
            here.serve(waits);
        }
    }
    std::vector<std::string> logged;
    process::Log log{"test", 1000, [this](const std::string& line) { logged.push_back(line); }};
    virtio_gpu::Display display{log};
    std::vector<ViewerEvent> events;
    std::array<process::Descriptor, 2> channel = make_pair(SOCK_SEQPACKET);
    process::Descriptor outside = std::move(channel[1]);
    virtio_gpu::Viewers here{std::move(channel[0]), display,
                             [this](const ViewerEvent& event) { events.push_back(event); }};
};

TEST_F(HostileViewers, FilesWhoseEndNeverComesKeepNobodyOut) {
    for (unsigned i = 0; i < virtio_gpu::kMostViewers; i++)
        for (const process::Descriptor& end : make_pair(SOCK_STREAM))
            ASSERT_TRUE(process::send_file_by(outside.number(), end.number()));
    step(5);
    auto [own, other] = make_pair(SOCK_STREAM);
    ASSERT_TRUE(process::send_file_by(outside.number(), other.number()));
    step();
    EXPECT_EQ(display.viewers().size(), virtio_gpu::kMostViewers);
    const ViewerEvent key{ViewerEvent::Key, 30, 1, 0};
    ASSERT_EQ(write(own.number(), &key, sizeof key), static_cast<ssize_t>(sizeof key));
    step();
    EXPECT_THAT(events, ElementsAre(is_key(30, true)));
}

TEST_F(HostileViewers, EmptyMessageIsNotTheEndOfTheirServer) {
    ASSERT_EQ(send(outside.number(), "", 0, 0), 0);
    auto [own, other] = make_pair(SOCK_STREAM);
    ASSERT_TRUE(process::send_file_by(outside.number(), other.number()));
    step();
    EXPECT_EQ(display.viewers().size(), 1u);
}

TEST_F(HostileViewers, OnlyTheFirstDisplayIsTheirs) {
    auto [own, other] = make_pair(SOCK_STREAM);
    ASSERT_TRUE(display.add_viewer(std::move(other)));
    display.resize(1, 32, 32);
    display.move_cursor(1, 1, 1, true);
    ASSERT_TRUE(display.viewers()[0].send(display.screens()));
    std::byte byte;
    EXPECT_EQ(recv(own.number(), &byte, 1, MSG_DONTWAIT), -1);
}

TEST_F(HostileViewers, EndOfTheirServerIsLoggedOnce) {
    outside = process::Descriptor();
    step(3);
    EXPECT_THAT(logged, ElementsAre(testing::HasSubstr("server has ended")));
}

TEST_F(HostileViewers, WhatTheySayIsChecked) {
    auto [own, other] = make_pair(SOCK_STREAM);
    for (int i = 0; i < 40; i++) ASSERT_TRUE(process::send_file_by(outside.number(), other.number()));
    step(5);
    EXPECT_EQ(display.viewers().size(), virtio_gpu::kMostViewers);
    const std::array<ViewerEvent, 8> said{{{ViewerEvent::Key, 0x300, 1, 0},
                                           {ViewerEvent::Key, 30, 2, 0},
                                           {ViewerEvent::Pointer, 32768, 0, 0},
                                           {ViewerEvent::Pointer, 0, 32768, 0},
                                           {ViewerEvent::Size, 0, 100, 0},
                                           {ViewerEvent::Size, 100, 16385, 0},
                                           {99, 1, 1, 1},
                                           {ViewerEvent::Key, 30, 1, 0}}};
    // In pieces that are no whole events.
    const auto bytes = std::as_bytes(std::span(said));
    ASSERT_EQ(write(own.number(), bytes.data(), 21), 21);
    step();
    ASSERT_EQ(write(own.number(), bytes.data() + 21, bytes.size() - 21), static_cast<ssize_t>(bytes.size()) - 21);
    step(5);
    own = process::Descriptor();
    other = process::Descriptor();
    step(5);
    EXPECT_TRUE(display.viewers().empty());
    EXPECT_THAT(events, ElementsAre(is_key(30, true), is_key(30, false)));
}

}  // namespace
}  // namespace tgsi2spv::vnc::test
