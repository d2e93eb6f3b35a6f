// The screen of boot loaders, as the process that started the machine sends it.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "tgsi-host/boot.h"

namespace tools {
namespace {

using namespace tgsi2spv;

TEST(BootScreens, LeaveOutAPictureWithoutRoomAndKeepTheKeys) {
    std::array<int, 2> front{}, ends{};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, front.data()) | socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    const process::Descriptor other(front[1]), sender(ends[1]);
    process::Log log("log", 10, [](const std::string&) {});
    virtio_gpu::Limits limits;
    limits.screen_bytes = 1000;
    virtio_gpu::Machine machine(process::Descriptor(front[0]), nullptr, log, limits);
    BootScreen screen(process::Descriptor(ends[0]), machine, log);
    const auto send_picture = [&](uint32_t width, uint32_t height) {
        std::vector<uint8_t> bytes(8 + 3 * width * height);
        memcpy(bytes.data(), std::array{width, height}.data(), 8);
        for (const auto part : {std::span(bytes).first(9), std::span(bytes).subspan(9)}) {
            ASSERT_EQ(send(sender.number(), part.data(), part.size(), MSG_NOSIGNAL), static_cast<ssize_t>(part.size()));
            screen.serve(std::array{pollfd{ends[0], POLLIN, POLLIN}});
        }
    };
    send_picture(16, 16);
    send_picture(2, 1);
    EXPECT_EQ(machine.display().screen(0).pixels.size(), 2u);
    screen.press(30, 1);
    std::array<char, 10> got{};
    EXPECT_EQ(recv(sender.number(), got.data(), got.size(), MSG_DONTWAIT), 5);
}

}  // namespace
}  // namespace tools
