// Viewers of a machine: its end of them in this process, each of them in one of its own.
#include "machine/virtio_gpu/viewers.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "events.h"
#include "machine/virtio_gpu/link.h"
#include "machine/vnc/server.h"
#include "process/sandbox.h"
#include "rfb_client.h"

namespace tgsi2spv::vnc::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Not;
using virtio_gpu::Change;
using virtio_gpu::Link;
using virtio_gpu::Picture;
using virtio_gpu::Rect;
using virtio_gpu::ViewerEvent;

constexpr uint32_t kFormat = 1;  // B8G8R8A8

#if !defined(__has_feature)
#define __has_feature(name) 0
#endif
/// ASan needs calls that a confined process may not make. (GCC tells of it in another way than clang.)
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kAsan = true;
#else
constexpr bool kAsan = __has_feature(address_sanitizer);
#endif

class Screens : public testing::Test {
  protected:
    void start(const std::string& password = {}) {
        std::filesystem::create_directories(folder);
        const ServerOptions options{.address = *parse_address(path), .password = password, .confine = confine};
        auto [channel, outside] = make_pair(SOCK_SEQPACKET);
        server = fork();
        if (server == 0) {
            channel = process::Descriptor();
            prctl(PR_SET_PDEATHSIG, SIGTERM);
            _exit(serve_viewers(options, outside.number()).empty() ? 0 : 1);
        }
        char ready;
        ASSERT_EQ(recv(channel.number(), &ready, 1, 0), 1);
        viewers = std::make_unique<virtio_gpu::Viewers>(
            std::move(channel), display, [this](const ViewerEvent& event) { events.push_back(event); },
            [this](std::string text) { texts.push_back(std::move(text)); });
        machine = std::jthread([this](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
                {
                    const std::scoped_lock lock(mutex);
                    std::vector<pollfd> waits;
                    viewers->add_waits(waits);
                    poll(waits.data(), waits.size(), 0);
                    viewers->serve(waits);
                }
                std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the test wants the lock, too
            }
        });
    }
    /// Starts with a display of this size, and lets a viewer in. 0: there is no display.
    RfbClient enter(uint32_t width = 0, uint32_t height = 0, std::span<const int32_t> encodings = kUsual) {
        if (width != 0) resize(width, height);
        start();
        RfbClient client(path);
        EXPECT_TRUE(client.log_in(encodings));
        return client;
    }
    ~Screens() override {
        if (machine.joinable()) machine = {};
        if (server > 0) kill(server, SIGTERM), waitpid(server, nullptr, 0);
        std::filesystem::remove_all(folder);
    }
    void resize(uint32_t width, uint32_t height) {
        const std::scoped_lock lock(mutex);
        display.resize(0, width, height);
    }
    void fill(const Rect& where, uint32_t colour) {
        const std::scoped_lock lock(mutex);
        const std::vector<uint32_t> texels(size_t{where.width} * where.height, colour);
        display.put(0, where, kFormat, std::as_bytes(std::span(texels)));
    }
    /// The events, once there are so many; fewer: they did not come.
    std::vector<ViewerEvent> wait_for_events(size_t count) {
        for (int i = 0; i < 2000; i++) {
            {
                const std::scoped_lock lock(mutex);
                if (events.size() >= count) return std::exchange(events, {});
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return events;
    }
    size_t count_viewers(size_t wanted) {
        for (int i = 0;; i++) {
            {
                const std::scoped_lock lock(mutex);
                if (display.viewers().size() == wanted || i == 2000) return display.viewers().size();
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }

    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("vnc-viewers-" + std::to_string(getpid()));
    const std::string path = folder / "vnc";
    std::function<std::string()> confine = kAsan ? std::function<std::string()>() : [] { return process::confine(); };
    std::vector<std::string> logged;
    process::Log log{"test", 1000, [this](const std::string& line) { logged.push_back(line); }};
    virtio_gpu::Display display{log};
    std::vector<ViewerEvent> events;
    std::vector<std::string> texts;
    std::unique_ptr<virtio_gpu::Viewers> viewers;
    std::mutex mutex;
    std::jthread machine;
    pid_t server = 0;
};

TEST_F(Screens, ViewerSeesWhatIsShown) {
    resize(40, 30);
    fill({0, 0, 40, 30}, 0x00112233);
    RfbClient client = enter();
    EXPECT_EQ(client.width, 40u);
    EXPECT_EQ(client.height, 30u);
    client.request(true);
    const Rectangle all = client.wait_for(kRaw);
    ASSERT_EQ(all.bytes.size(), 40u * 30 * 4);
    EXPECT_THAT(Bytes(all.bytes.begin(), all.bytes.begin() + 3), ElementsAre(0x33, 0x22, 0x11));
}

TEST_F(Screens, OnlyWhatWasFlushedIsSent) {
    RfbClient client = enter(64, 64);
    client.request(true);
    ASSERT_EQ(client.wait_for(kRaw).width, 64u);
    // The picture as a whole may come once more: the link's first update.
    fill({8, 4, 16, 2}, 0x00abcdef);
    for (int i = 0; i < 3; i++) {
        client.request(false);
        const Rectangle part = client.wait_for(kRaw);
        if (part.width == 64) continue;
        EXPECT_EQ((Rect{part.x, part.y, part.width, part.height}), (Rect{8, 4, 16, 2}));
        for (size_t at = 0; at < part.bytes.size(); at += 4) ASSERT_EQ(part.bytes[at], 0xef);
        return;
    }
    FAIL() << "no update of the part";
}

TEST_F(Screens, SizeOfTheDisplayIsTheViewers) {
    RfbClient client = enter(32, 32);
    client.request(true);
    client.wait_for(kRaw);
    resize(48, 20);
    fill({0, 0, 48, 20}, 0x00ffffff);
    client.request(false);
    const Rectangle size = client.wait_for(kDesktopSize);
    EXPECT_EQ(size.width, 48u);
    EXPECT_EQ(size.height, 20u);
    for (int i = 0; i < 20; i++) {
        client.request(true);
        const Rectangle all = client.wait_for(kRaw);  // a busy server sends parts first
        ASSERT_FALSE(all.bytes.empty());
        if (all.bytes.size() == 48u * 20 * 4 && all.bytes[0] == 0xff) return;
    }
    FAIL() << "it stays black, or in parts";
}

TEST_F(Screens, WithoutADisplayThereIsABlackOne) {
    RfbClient client = enter();
    EXPECT_EQ(client.width, 640u);
    client.request(true);
    EXPECT_THAT(client.wait_for(kRaw).bytes, Each(0));
}

TEST_F(Screens, DisplayThatIsOffKeepsItsSize) {
    resize(40, 30);
    resize(0, 0);
    RfbClient client = enter();
    EXPECT_EQ(client.width, 40u);
    client.request(true);
    EXPECT_THAT(client.wait_for(kRaw).bytes, Each(0));
}

TEST_F(Screens, PictureIsOfOneFlush) {
    constexpr Rect kAll{0, 0, 2048, 2048};  // 16 MiB: many times what a socket takes
    resize(kAll.width, kAll.height);
    fill(kAll, 0x00111111);
    auto [own, other] = make_pair(SOCK_STREAM);
    ASSERT_TRUE(display.add_viewer(std::move(other)));
    Link link(std::move(own));
    Picture picture;
    std::optional<Change> change;
    for (int i = 0; !change || change->damage.empty(); i++) {
        if (i == 3) fill(kAll, 0x00222222);
        ASSERT_TRUE(display.viewers()[0].send(display.screens()));
        change = link.receive(picture);
        ASSERT_TRUE(change);
    }
    EXPECT_EQ(change->damage, kAll);
    EXPECT_EQ(std::ranges::count(picture.pixels, 0x00111111u), 2048 * 2048);
}

/// The limit of updates is for those that follow another.
TEST_F(Screens, PictureThatComesAloneIsNotHeldBack) {
    using Clock = std::chrono::steady_clock;
    RfbClient client = enter(8, 8);
    client.request(true);
    client.wait_for(kRaw);
    Clock::duration least = std::chrono::seconds(1);
    for (uint8_t i = 1; i <= 20; i++) {
        client.request(false);
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        const Clock::time_point begin = Clock::now();
        fill({0, 0, 8, 8}, i);
        while (client.wait_for(kRaw).bytes.at(0) != i) client.request(false);
        least = std::min(least, Clock::now() - begin);
    }
    EXPECT_LT(least, std::chrono::milliseconds(8));
}

TEST_F(Screens, EndOfTheMachineIsTold) {
    resize(40, 30);
    fill({0, 0, 40, 30}, 0x00808080);
    RfbClient client = enter(0, 0, std::array{kRaw, kDesktopName});
    client.request(true);
    EXPECT_THAT(client.wait_for(kRaw).bytes, Contains(0x80));
    machine = {};
    viewers.reset();
    display.viewers().clear();
    const Bytes name = client.wait_for(kDesktopName).bytes;
    EXPECT_EQ(std::string(name.begin(), name.end()), "the connection to the machine has ended");
    client.request(false);
    EXPECT_THAT(client.wait_for(kRaw).bytes, AllOf(Contains(0x20), Not(Contains(0x80)))) << "dim";
}

TEST_F(Screens, TextOfViewersComesAsUtf8) {
    RfbClient client = enter();
    const std::string copied = "gr\xfc\xdf\r\nagain";  // Latin-1
    ASSERT_TRUE(client.send(Writer().u8(6).u8(0).u16(0).u32(static_cast<uint32_t>(copied.size()))));
    ASSERT_TRUE(client.send(copied));
    ASSERT_TRUE(client.send(Writer().u8(4).u8(1).u16(0).u32('a')));
    EXPECT_THAT(wait_for_events(1), ElementsAre(is_key(30, true)));  // what follows the text is an event again
    const std::scoped_lock lock(mutex);
    EXPECT_THAT(texts, ElementsAre("gr\xc3\xbc\xc3\x9f\nagain"));
}

TEST_F(Screens, TextOfTheGuestComesInLatin1) {
    RfbClient client = enter();
    ASSERT_EQ(count_viewers(1), 1u);
    ASSERT_EQ(client.read(16).size(), 16u);  // the offer of extended keys
    {
        const std::scoped_lock lock(mutex);
        viewers->tell_text("gr\xc3\xbc\xc3\x9f \xe2\x82\xac");
    }
    const Bytes wanted{3, 0, 0, 0, 0, 0, 0, 6, 'g', 'r', 0xfc, 0xdf, ' ', '?'};
    EXPECT_EQ(client.read(wanted.size()), wanted);
}

TEST_F(Screens, CursorHasItsShape) {
    RfbClient client = enter(32, 32);
    client.request(true);
    const Rectangle none = client.wait_for(kCursorShape);
    EXPECT_EQ(none.encoding, kCursorShape);
    EXPECT_EQ(none.width, 0u) << "the guest has none yet";
    {
        const std::scoped_lock lock(mutex);
        virtio_gpu::Cursor cursor{.hot_x = 3, .hot_y = 5, .visible = true};
        cursor.pixels[0] = 0xff445566;
        display.set_cursor(0, cursor);
    }
    client.request(false);
    const Rectangle shape = client.wait_for(kCursorShape);
    ASSERT_EQ(shape.width, 64u);
    EXPECT_EQ(shape.x, 3u);
    EXPECT_EQ(shape.y, 5u);
    EXPECT_EQ(shape.bytes[0], 0x66);
    EXPECT_EQ(shape.bytes[64 * 64 * 4], 0x80) << "the mask has one pixel";
}

/// The guest's position is of the picture's corner (Linux, virtgpu_plane.c), which may be outside.
TEST_F(Screens, CursorIsDrawnForViewersWithoutShapes) {
    RfbClient client = enter(32, 32, std::array{kRaw});
    client.request(true);
    client.wait_for(kRaw);
    for (const auto& [x, y, place] : {std::array{10, 8, 8 * 32 + 10}, std::array{-3, -2, 0}}) {
        virtio_gpu::Cursor cursor{.x = static_cast<uint32_t>(x), .y = static_cast<uint32_t>(y), .hot_x = 3, .hot_y = 5};
        cursor.visible = true;
        cursor.pixels[x < 0 ? 2 * 64 + 3 : 0] = 0xff445566;
        {
            const std::scoped_lock lock(mutex);
            display.set_cursor(0, cursor);
        }
        Bytes seen(32 * 32 * 4);
        for (int i = 0; i < 50 && seen.at(static_cast<size_t>(place) * 4) != 0x66; i++) {
            client.request(true);
            seen = client.wait_for(kRaw).bytes;
        }
        EXPECT_EQ(seen.at(static_cast<size_t>(place) * 4), 0x66) << x;
    }
}

TEST_F(Screens, SymbolsAndScancodesAreKeys) {
    RfbClient client = enter(32, 32);
    client.request(true);
    EXPECT_EQ(client.wait_for(kExtendedKeys).width, 0u) << "the server takes scancodes";
    client.send(Writer().u8(4).u8(1).u16(0).u32('a'));
    client.send(Writer().u8(4).u8(0).u16(0).u32('a'));
    client.send(Writer().u8(255).u8(0).u16(1).u32('?').u32(0xcb));
    EXPECT_THAT(wait_for_events(3), ElementsAre(is_key(30, true), is_key(30, false), is_key(105, true)));
}

TEST_F(Screens, PointerIsScaled) {
    RfbClient client = enter(101, 51);
    client.send(Writer().u8(5).u8(1).u16(100).u16(25));
    client.send(Writer().u8(5).u8(0).u16(60000).u16(0));
    EXPECT_THAT(wait_for_events(2), ElementsAre(IsEvent(ViewerEvent::Pointer, 32767, 16384, 1),
                                                IsEvent(ViewerEvent::Pointer, 32767, 0, 0)));
    resize(10000, 51);  // of which viewers see 8,184 columns
    client.request(false);
    client.wait_for(kDesktopSize);
    client.send(Writer().u8(5).u8(0).u16(8183).u16(0));
    EXPECT_THAT(wait_for_events(1), ElementsAre(IsEvent(ViewerEvent::Pointer, (8183 * 32767 + 9998) / 9999, 0, 0)));
}

// libinput multiplies by the extent, divides by 32768, and rounds down.
TEST_F(Screens, GuestsComputeThePixelOfThePointer) {
    RfbClient client = enter(1280, 2);
    for (uint16_t x = 0; x < 1280; ++x) client.send(Writer().u8(5).u8(0).u16(x).u16(0));
    const std::vector<ViewerEvent> seen = wait_for_events(1280);
    ASSERT_EQ(seen.size(), 1280u);
    for (uint32_t x = 0; x < 1280; ++x) ASSERT_EQ(seen[x].a * 1280 / 32768, x);
}

TEST_F(Screens, ViewerThatLeavesHoldsNothingDown) {
    resize(32, 32);
    start();
    {
        RfbClient client(path);
        ASSERT_TRUE(client.log_in());
        client.send(Writer().u8(4).u8(1).u16(0).u32(0xffe3));
        client.send(Writer().u8(5).u8(4).u16(0).u16(0));
        EXPECT_EQ(wait_for_events(2).size(), 2u);
    }
    EXPECT_THAT(wait_for_events(2), ElementsAre(is_key(29, false), IsEvent(ViewerEvent::Pointer, 0, 0, 0)));
    EXPECT_EQ(count_viewers(0), 0u);
}

TEST_F(Screens, SizeIsAskedOfTheGuest) {
    RfbClient client = enter(32, 32, std::array{kRaw, kExtendedDesktopSize});
    const auto ask = [&](uint32_t width, uint32_t height) {
        Writer message;
        message.u8(251).u8(0).u16(width).u16(height).u8(1).u8(0).u32(0).u16(0).u16(0).u16(width).u16(height).u32(0);
        client.send(message);
        client.request(false);
    };
    /// The server's answer, and the size with it.
    const auto answer = [&] {
        for (int i = 0; i < 5; i++) {
            const Rectangle r = client.wait_for(kExtendedDesktopSize);
            if (r.x == 1) return Rect{r.y, 0, r.width, r.height};
            client.request(false);
        }
        return Rect{99, 0, 0, 0};
    };
    client.request(true);
    EXPECT_EQ(client.wait_for(kExtendedDesktopSize).x, 0u) << "as viewers do, who learn from it that they may ask";
    ask(800, 600);
    EXPECT_THAT(wait_for_events(1), ElementsAre(IsEvent(ViewerEvent::Size, 800, 600, 0)));
    resize(800, 600);
    EXPECT_EQ(answer(), (Rect{0, 0, 800, 600})) << "once the guest has that size";
    ask(5000, 600);
    EXPECT_EQ(answer().x, 2u) << "out of resources";
    {
        const std::scoped_lock lock(mutex);
        viewers->tell_size_stays();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    ask(640, 480);
    EXPECT_EQ(answer().x, 1u) << "prohibited";
    const std::scoped_lock lock(mutex);
    EXPECT_TRUE(events.empty());
}

TEST_F(Screens, SlowViewerMakesNobodyWait) {
    resize(1024, 1024);
    start();
    RfbClient slow(path), fast(path);
    ASSERT_TRUE(slow.log_in());
    ASSERT_TRUE(fast.log_in());
    // It asks, and never reads: 4 MB do not fit into its socket.
    for (int i = 0; i < 50; i++) slow.request(true);
    for (uint32_t i = 1; i <= 20; i++) {
        fill({0, 0, 1024, 1024}, i);
        for (int tries = 0;; tries++) {
            ASSERT_LT(tries, 50);
            fast.request(true);
            if (fast.wait_for(kRaw).bytes.back() == 0 && tries > 0) break;
        }
    }
    EXPECT_EQ(count_viewers(2), 2u);
}

TEST_F(Screens, NoMoreThanSomeViewers) {
    resize(32, 32);
    start();
    std::vector<std::unique_ptr<RfbClient>> clients;
    for (unsigned i = 0; i < kMostConnected; i++) {
        clients.push_back(std::make_unique<RfbClient>(path));
        ASSERT_TRUE(clients.back()->log_in());
    }
    EXPECT_EQ(count_viewers(kMostConnected), kMostConnected);
    RfbClient late(path);
    clients.pop_back();
    EXPECT_TRUE(late.log_in()) << "it waited for a place";
}

TEST_F(Screens, PasswordIsNeeded) {
    resize(32, 32);
    start("secret");
    RfbClient client(path);
    ASSERT_TRUE(client.log_in_with("secret"));
    client.request(true);
    EXPECT_EQ(client.wait_for(kRaw).width, 32u);
}

TEST_F(Screens, WrongPasswordShowsNothing) {
    resize(32, 32);
    start("secret");
    RfbClient client(path);
    ASSERT_THAT(client.begin(), ElementsAre(2));
    client.send(Writer().u8(2));
    client.send(client.read(16));
    EXPECT_EQ(client.number(4), 1u) << "failed";
    EXPECT_TRUE(client.is_closed());
    EXPECT_EQ(count_viewers(0), 0u);
    // Nor is there a way around: no security at all, or an old version, which the server decides for.
    for (const uint32_t kind : {1u, 0u, 16u, 255u}) {
        RfbClient other(path);
        other.begin();
        other.send(Writer().u8(kind).u8(1));
        EXPECT_TRUE(other.is_closed()) << kind;
    }
    RfbClient old(path);
    old.read(12);
    old.send(std::string("RFB 003.003\n"));
    EXPECT_EQ(old.number(4), 2u);
    EXPECT_EQ(count_viewers(0), 0u);
}

/// Answers the challenge with 16 bytes that no password gives.
void guess_wrong(RfbClient& client) {
    client.begin();
    client.send(Writer().u8(2));
    client.send(client.read(16));
}

TEST_F(Screens, AnswersToWrongPasswordsTakeTurns) {
    start("secret");
    const auto began = std::chrono::steady_clock::now();
    std::vector<RfbClient> clients;
    for (int i = 0; i < 11; i++) guess_wrong(clients.emplace_back(path));
    for (RfbClient& client : clients) EXPECT_EQ(client.number(4), 1u);
    EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::seconds(3)) << "two for the first, a tenth each";
}

/// The right one is answered at once: a guesser that hears nothing for a moment knows enough.
TEST_F(Screens, GuesserThatHangsUpKeepsItsPlace) {
    start("secret");
    guess_wrong(*std::make_unique<RfbClient>(path));
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", server));
    pid_t child = 0;
    EXPECT_TRUE(children >> child) << "of 256 places, none would ever be full";
}

TEST_F(Screens, RightPasswordDoesNotWaitForWrongOnes) {
    resize(32, 32);
    start("secret");
    std::vector<RfbClient> guessing;
    for (int i = 0; i < 250; i++) guess_wrong(guessing.emplace_back(path));
    const auto began = std::chrono::steady_clock::now();
    RfbClient client(path);
    ASSERT_TRUE(client.log_in_with("secret"));
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
}

constexpr const char* kWebPage =
    "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    "Origin: http://example.com\r\nSec-WebSocket-Protocol: binary\r\n\r\n";

TEST_F(Screens, WebPagesAreNotServed) {
    resize(32, 32);
    start();
    RfbClient client(path);
    client.send(std::string(kWebPage));
    EXPECT_TRUE(client.is_closed());
    EXPECT_EQ(count_viewers(0), 0u);
}

TEST_F(Screens, NothingOfAViewerIsReadUnconfined) {
    // The server's own trial works.
    confine = [this] { return create_directory(folder / "tried") ? "" : "no sandbox"; };
    start();
    RfbClient client(path);
    client.send(std::string(kWebPage));
    EXPECT_TRUE(client.read(1).empty()) << "an answer";
}

TEST_F(Screens, HostileBytesHarmOnlyTheirViewer) {
    RfbClient good = enter(32, 32);
    uint32_t state = 7;
    const auto random = [&] { return state = state * 1664525 + 1013904223; };
    for (int i = 0; i < 60; i++) {
        RfbClient bad(path);
        if (i % 3 != 0) bad.log_in();
        Writer writer;
        const auto size = random() >> 8 & 0xfff;
        // Messages that exist, mostly; lengths and contents are anything.
        writer.u8(std::array<uint8_t, 12>{0, 2, 3, 4, 5, 6, 7, 8, 11, 250, 251, 255}[(random() >> 16) % 12]);
        while (writer.bytes.size() < size) writer.u8((random() >> 16) % 3 == 0 ? 0xff : random() >> 24);
        bad.send(writer);
        if (i % 2 != 0) bad.request(true);
    }
    fill({0, 0, 32, 32}, 0x00010203);
    for (int i = 0; i < 3; i++) {
        good.request(true);
        if (good.wait_for(kRaw).bytes.at(0) == 3) return;
    }
    FAIL() << "the other one sees nothing any more";
}

/// Even one that drips bytes into a message, for each of which libvncserver waits 20 s again.
TEST_F(Screens, NoViewerOutlivesTheServer) {
    RfbClient client = enter();
    ASSERT_EQ(count_viewers(1), 1u);
    client.send(Writer().u8(6).u8(0).u16(0).u32(1000));
    kill(server, SIGTERM);
    int status = 0, seconds = 0;
    for (; waitpid(server, &status, WNOHANG) == 0 && seconds < 15; seconds++) {
        client.send(std::string("x"));
        std::this_thread::sleep_for(std::chrono::seconds(1));
    }
    EXPECT_LT(seconds, 15);
    if (seconds < 15) server = 0;
    EXPECT_EQ(count_viewers(0), 0u);
}

}  // namespace
}  // namespace tgsi2spv::vnc::test
