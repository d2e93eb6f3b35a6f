// 2D, which every machine has, with and without a Vulkan device.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <numeric>

#include "guest.h"

namespace tgsi2spv::virtio_gpu::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
constexpr uint32_t kScanoutMessage = 7, kUpdateMessage = 8, kCursorMessage = 6, kPosMessage = 4, kHideMessage = 5;
constexpr uint32_t kBad = VIRTIO_GPU_RESP_ERR_INVALID_PARAMETER, kNoResource = VIRTIO_GPU_RESP_ERR_INVALID_RESOURCE_ID;

/// The parameter: whether Vulkan draws.
class Flat : public Guests, public testing::WithParamInterface<bool> {
  protected:
    void SetUp() override {
        auto renderer = GetParam() ? lavapipe() : nullptr;
        ASSERT_EQ(renderer != nullptr, GetParam());
        start(std::move(renderer));
    }
    /// A resource with memory.
    void make(uint32_t id, uint32_t width, uint32_t height, uint32_t format = VIRTIO_GPU_FORMAT_B8G8R8X8_UNORM) {
        ASSERT_EQ(create(id, width, height, format), kFine) << format;
        ASSERT_EQ(attach(id, width * height * 4), kFine);
    }
    /// Resource 1, which display 0 shows.
    void show(uint32_t width = 16, uint32_t height = 8) {
        make(1, width, height);
        ASSERT_EQ(set_scanout(0, 1, {0, 0, width, height}), kFine);
        ASSERT_THAT(take_shown(kScanoutMessage), ElementsAre(ElementsAre(0, width, height)));
    }
    /// The display shows its memory.
    void redraw(uint32_t id, Rect whole) {
        ASSERT_EQ(transfer(id, whole), kFine);
        ASSERT_EQ(flush(id, whole), kFine);
    }
    /// The only message of its kind.
    std::vector<uint32_t> only(uint32_t request) {
        const auto all = take_shown(request);
        EXPECT_EQ(all.size(), 1u);
        return all.size() == 1 ? all[0] : std::vector<uint32_t>(5 + 64 * 64);
    }
};
INSTANTIATE_TEST_SUITE_P(Renderers, Flat, testing::Bool(),
                         [](const auto& test) { return test.param ? "Vulkan" : "None"; });

TEST_P(Flat, SizesOfDisplaysAreTheFrontEnds) {
    const auto info = call<virtio_gpu_resp_display_info>(header(VIRTIO_GPU_CMD_GET_DISPLAY_INFO));
    EXPECT_EQ(info.hdr.type, VIRTIO_GPU_RESP_OK_DISPLAY_INFO);
    EXPECT_EQ(info.pmodes[0].r.width, 800u);
    EXPECT_EQ(info.pmodes[0].enabled, 1u);
    EXPECT_EQ(info.pmodes[1].enabled, 0u);
    display.width = 1024;
    EXPECT_EQ(call<virtio_gpu_resp_display_info>(header(VIRTIO_GPU_CMD_GET_DISPLAY_INFO)).pmodes[0].r.width, 1024u);
}

TEST_P(Flat, EdidPrefersTheFrontEndsSize) {
    const auto edid = call<virtio_gpu_resp_edid>(virtio_gpu_cmd_get_edid{header(VIRTIO_GPU_CMD_GET_EDID), 0, 0});
    ASSERT_EQ(edid.hdr.type, VIRTIO_GPU_RESP_OK_EDID);
    ASSERT_EQ(edid.size, 128u);
    EXPECT_EQ(std::accumulate(edid.edid, edid.edid + 128, 0u) % 256, 0u);
    EXPECT_EQ(edid.edid[56] | edid.edid[58] >> 4 << 8, 800);
    EXPECT_EQ(edid.edid[59] | edid.edid[61] >> 4 << 8, 600);
    EXPECT_EQ(type_of_answer(virtio_gpu_cmd_get_edid{header(VIRTIO_GPU_CMD_GET_EDID), 16, 0}),
              VIRTIO_GPU_RESP_ERR_INVALID_SCANOUT_ID);
}

using FlatAlone = Guests;
TEST_F(FlatAlone, FrontEndsWithoutADisplayHaveOneOfTheDefaultSize) {
    machine = std::make_unique<Machine>(std::move(front.other), nullptr, log);
    begin_rings_alone(0);
    const auto info = call<virtio_gpu_resp_display_info>(header(VIRTIO_GPU_CMD_GET_DISPLAY_INFO));
    EXPECT_EQ(info.pmodes[0].enabled, 1u);
    EXPECT_EQ(info.pmodes[0].r.width, 1280u);
    EXPECT_EQ(info.pmodes[0].r.height, 800u);
    ASSERT_EQ(create(1, 16, 8), kFine);
    ASSERT_EQ(attach(1, 16 * 8 * 4), kFine);
    ASSERT_EQ(set_scanout(0, 1, {0, 0, 16, 8}), kFine);
    EXPECT_EQ(machine->display().screen(0).width, 16u);
}

TEST_P(Flat, PartsAreServedInTime) {
    struct : vhost::Part {
        void add_waits(std::vector<pollfd>&) const override {}
        int time_to_wait() const override { return 10; }
        void serve(std::span<const pollfd>) override { served++; }
        int served = 0;
    } part;
    machine->add(part);
    const auto start = std::chrono::steady_clock::now();
    while (part.served < 3) ASSERT_TRUE(machine->step(60'000, progress));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
    machine.reset();
}

TEST_P(Flat, SizeThatAViewerWishesReachesTheGuest) {
    std::array<int, 2> ends{};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    const process::Descriptor own(ends[0]), other(ends[1]);
    EXPECT_FALSE(machine->ask_for_size(1000, 700)) << "the front end cannot tell the guest";
    front.send_files(vhost::Request::SetBackendSocket, std::array{ends[1]});
    step();
    EXPECT_TRUE(machine->ask_for_size(1024, 768));
    vhost::Header news{};
    ASSERT_EQ(recv(own.number(), &news, sizeof news, MSG_DONTWAIT), ssize_t{sizeof news});
    EXPECT_EQ(news.request, vhost::kConfigChange);
    // The guest looks, asks, and says that it has seen it.
    struct {
        vhost::ConfigMessage head{0, sizeof(virtio_gpu_config), 0};
        virtio_gpu_config config{};
    } message;
    const auto events = [&] {
        front.send(vhost::Request::GetConfig, message);
        step();
        return front.answer_as<decltype(message)>().config.events_read;
    };
    EXPECT_EQ(events(), uint32_t{VIRTIO_GPU_EVENT_DISPLAY});
    const auto info = call<virtio_gpu_resp_display_info>(header(VIRTIO_GPU_CMD_GET_DISPLAY_INFO));
    EXPECT_EQ(info.pmodes[0].r.width, 1024u);
    EXPECT_EQ(info.pmodes[0].r.height, 768u);
    const auto edid = call<virtio_gpu_resp_edid>(virtio_gpu_cmd_get_edid{header(VIRTIO_GPU_CMD_GET_EDID), 0, 0});
    EXPECT_EQ(edid.edid[56] | edid.edid[58] >> 4 << 8, 1024);
    message.config.events_clear = VIRTIO_GPU_EVENT_DISPLAY;
    front.send(vhost::Request::SetConfig, message);
    EXPECT_EQ(events(), 0u);
}

TEST_P(Flat, ViewersSeeWhatTheFrontEndSees) {
    std::array<int, 2> ends{};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    const process::Descriptor own(ends[0]);
    auto& viewers = machine->display().viewers();
    viewers.emplace_back(process::Descriptor(ends[1]), machine->display().screens(), Watcher::Kind::Viewer);
    std::vector<uint32_t> flushed;
    machine->display().on_flush = [&](uint32_t scanout) { flushed.push_back(scanout); };
    show();
    fill(0xff123456, 16 * 8);
    redraw(1, {0, 0, 16, 8});
    EXPECT_EQ(take_shown(kUpdateMessage).size(), 1u);
    ASSERT_TRUE(viewers[0].send(machine->display().screens()));
    std::array<uint32_t, 6 + 8 + 16 * 8 + 3> words{};
    ASSERT_EQ(recv(own.number(), words.data(), sizeof words, MSG_DONTWAIT), ssize_t{sizeof words});
    EXPECT_THAT(std::vector(words.begin(), words.begin() + 6), ElementsAre(kScanoutMessage, 0, 12, 0, 16, 8));
    EXPECT_EQ(words[6], kUpdateMessage);
    EXPECT_EQ(words[words.size() - 4] & 0xffffff, 0x123456u);
    EXPECT_EQ(words[words.size() - 3], kWhole);
    EXPECT_THAT(flushed, ElementsAre(0));
}

/// QEMU has shown it itself; for it, the display is off.
TEST_P(Flat, OwnPictureOfTheFrontEndIsForViewers) {
    Display& shown_by = machine->display();
    for (int i = 0; i < 2; i++) {
        shown_by.show_own(16, 8, std::vector<uint32_t>(16 * 8, 0x123456));
        EXPECT_EQ(shown_by.screen(0).pixels[5], 0x123456u);
        EXPECT_TRUE(take_shown(kScanoutMessage).empty());
        shown_by.resize(0, 0, 0);
        EXPECT_TRUE(take_shown(kScanoutMessage).empty());
    }
    shown_by.show_own(16, 8, std::vector<uint32_t>(16 * 8, 0x123456));
    shown_by.resize(0, 16, 8);
    EXPECT_EQ(shown_by.screen(0).pixels[5], 0u);
    EXPECT_THAT(take_shown(kScanoutMessage), ElementsAre(ElementsAre(0, 16, 8)));
    shown_by.show_own(8, 8, std::vector<uint32_t>(8 * 8, 0x123456));  // while the machine is paused
    EXPECT_EQ(shown_by.screen(0).width, 16u);
}

/// A guest can switch its display off before anything was sent.
TEST(Displays, OwnPictureIsHiddenFromTheNextSocketOfTheFrontEnd) {
    process::Log log("test");
    Display shown_by(log);
    shown_by.show_own(64, 64, std::vector<uint32_t>(64 * 64));
    DisplayEnd end;
    shown_by.connect(end.connect());
    shown_by.resize(0, 0, 0);
    shown_by.send();
    for (const auto& message : end.receive()) EXPECT_NE(message.request, kUpdateMessage);
}

TEST(Backings, FreeTheirPiecesWhenTheyAreTakenAway) {
    const vhost::Memory none;
    Turns turns(false);
    Backing backing(none, turns, 8);
    EXPECT_EQ(backing.pieces(), 8u);
    backing.take_away();  // by the guest; work under way keeps the object
    EXPECT_EQ(backing.pieces(), 0u);
}

/// The guest's larger mode goes first: the newest viewers leave, and the window, which is the first, last.
TEST(Displays, ViewersTakeNoRoomOfTheGuest) {
    process::Log log{"test", 1000, [](const std::string&) {}};
    Display display(log, 800);
    display.resize(0, 5, 5);
    for (int i = 0; i < 4; i++) ASSERT_TRUE(display.add_viewer(process::Descriptor(dup(0))));
    EXPECT_FALSE(display.add_viewer(process::Descriptor(dup(0))));
    EXPECT_TRUE(display.has_room(0, 10, 10));
    EXPECT_FALSE(display.has_room(0, 10, 11));
    display.resize(0, 0, 0);
    EXPECT_FALSE(display.add_viewer(process::Descriptor(dup(0)))) << "viewers keep the picture of one that is off";
    display.resize(0, 10, 10);
    std::vector<bool> open;
    for (const Watcher& w : display.viewers()) open.push_back(w.socket() >= 0);
    EXPECT_THAT(open, ElementsAre(true, false, false, false));
}

TEST_P(Flat, FrontEndThatGoesLeavesNoQuestionOpen) {
    send(header(VIRTIO_GPU_CMD_GET_DISPLAY_INFO));
    step();
    EXPECT_TRUE(answers().empty());
    display = DisplayEnd();
    step();
    EXPECT_EQ(answers().size(), 1u);
}

TEST_P(Flat, FlushShowsThePartThatWasFlushed) {
    show();
    for (uint32_t i = 0; i < 16 * 8; i++) memory.as<uint32_t>(kPixels + i * 4) = 0xff000000 | i;
    ASSERT_EQ(transfer(1, {0, 0, 16, 8}), kFine);
    ASSERT_EQ(flush(1, {2, 3, 2, 2}), kFine);
    const auto update = only(kUpdateMessage);
    EXPECT_THAT(std::vector(update.begin(), update.begin() + 5), ElementsAre(0, 2, 3, 2, 2));
    std::vector<uint32_t> texels(update.begin() + 5, update.end());
    for (uint32_t& t : texels) t &= 0xffffff;
    EXPECT_THAT(texels, ElementsAre(3 * 16 + 2, 3 * 16 + 3, 4 * 16 + 2, 4 * 16 + 3));
}

TEST_P(Flat, PartOfAResourceIsShown) {
    make(1, 16, 8);
    ASSERT_EQ(set_scanout(2, 1, {4, 4, 8, 4}), kFine);
    redraw(1, {0, 0, 16, 8});
    const auto update = only(kUpdateMessage);
    EXPECT_THAT(std::vector(update.begin(), update.begin() + 5), ElementsAre(2, 0, 0, 8, 4));
    ASSERT_EQ(flush(1, {0, 0, 4, 8}), kFine);
    EXPECT_TRUE(take_shown(kUpdateMessage).empty()) << "nothing of it is seen";
}

TEST_P(Flat, BackingIsScattered) {
    ASSERT_EQ(create(1, 4, 1), kFine);
    // Backwards, in pieces that are not whole texels, one over both regions.
    const std::array<virtio_gpu_mem_entry, 3> entries{{{kPixels, 6, 0}, {kMiddle - 2, 4, 0}, {kBase + 0x9000, 6, 0}}};
    std::array<std::byte, 16> bytes;
    for (size_t i = 0; i < bytes.size(); i++) bytes[i] = static_cast<std::byte>(i + 1);
    memory.write(kPixels, std::span(bytes).subspan(0, 6));
    memory.write(kMiddle - 2, std::span(bytes).subspan(6, 4));
    memory.write(kBase + 0x9000, std::span(bytes).subspan(10, 6));
    ASSERT_EQ(attach(1, entries), kFine);
    ASSERT_EQ(transfer(1, {0, 0, 4, 1}), kFine);
    ASSERT_EQ(set_scanout(0, 1, {0, 0, 4, 1}), kFine);
    ASSERT_EQ(flush(1, {0, 0, 4, 1}), kFine);
    const auto update = only(kUpdateMessage);
    for (uint32_t i = 0; i < 4; i++)
        EXPECT_EQ(update[5 + i] & 0xffffff, (i * 4 + 1) | (i * 4 + 2) << 8 | (i * 4 + 3) << 16);
}

TEST_P(Flat, FlipOfTheSameSizeSendsNoScanout) {
    show();
    ASSERT_EQ(create(2, 16, 8), kFine);
    ASSERT_EQ(set_scanout(0, 2, {0, 0, 16, 8}), kFine);
    EXPECT_TRUE(take_shown(kScanoutMessage).empty());
    ASSERT_EQ(set_scanout(0, 2, {0, 0, 8, 8}), kFine);
    EXPECT_THAT(take_shown(kScanoutMessage), ElementsAre(ElementsAre(0, 8, 8)));
    ASSERT_EQ(set_scanout(0, 0, {}), kFine);
    EXPECT_THAT(take_shown(kScanoutMessage), ElementsAre(ElementsAre(0, 0, 0)));
}

TEST_P(Flat, ResourceThatGoesTurnsItsDisplayOff) {
    show();
    ASSERT_EQ(type_of_answer(virtio_gpu_resource_unref{header(VIRTIO_GPU_CMD_RESOURCE_UNREF), 1, 0}), kFine);
    EXPECT_THAT(take_shown(kScanoutMessage), ElementsAre(ElementsAre(0, 0, 0)));
    EXPECT_EQ(flush(1, {0, 0, 1, 1}), kNoResource);
}

TEST_P(Flat, EachFormatHasItsBytes) {
    const std::map<uint32_t, uint32_t> formats{{VIRTIO_GPU_FORMAT_B8G8R8A8_UNORM, 0x332211},
                                               {VIRTIO_GPU_FORMAT_B8G8R8X8_UNORM, 0x332211},
                                               {VIRTIO_GPU_FORMAT_R8G8B8A8_UNORM, 0x112233},
                                               {VIRTIO_GPU_FORMAT_R8G8B8X8_UNORM, 0x112233}};
    fill(0xff332211, 1);
    uint32_t id = 1;
    for (const auto& [format, expected] : formats) {
        make(id, 1, 1, format);
        ASSERT_EQ(transfer(id, {0, 0, 1, 1}), kFine);
        ASSERT_EQ(set_scanout(0, id, {0, 0, 1, 1}), kFine);
        ASSERT_EQ(flush(id, {0, 0, 1, 1}), kFine);
        const auto update = only(kUpdateMessage);
        EXPECT_EQ(update[5] & 0xffffff, expected) << format;
        id++;
    }
}

TEST_P(Flat, CursorIsShownMovedAndHidden) {
    make(5, 64, 64, VIRTIO_GPU_FORMAT_B8G8R8A8_UNORM);
    fill(0x80402010, 64 * 64);
    ASSERT_EQ(transfer(5, {0, 0, 64, 64}), kFine);
    virtio_gpu_update_cursor c{header(VIRTIO_GPU_CMD_UPDATE_CURSOR), {0, 30, 40, 0}, 5, 3, 4, 0};
    send(c, {}, 64, kCursor);
    const auto update = only(kCursorMessage);
    ASSERT_EQ(update.size(), 5u + 64 * 64);
    EXPECT_THAT(std::vector(update.begin(), update.begin() + 6), ElementsAre(0, 30, 40, 3, 4, 0x80402010));
    EXPECT_EQ(drivers[kCursor].used().ring[0].len, 0u);
    c.hdr.type = VIRTIO_GPU_CMD_MOVE_CURSOR;
    c.pos.x = 31;
    send(c, {}, 64, kCursor);
    EXPECT_THAT(take_shown(kPosMessage), ElementsAre(ElementsAre(0, 31, 40)));
    c.resource_id = 0;
    send(c, {}, 64, kCursor);
    EXPECT_THAT(take_shown(kHideMessage), ElementsAre(ElementsAre(0, 31, 40)));
}

TEST_P(Flat, CursorsThatAreNone) {
    ASSERT_EQ(create(5, 64, 63), kFine);
    ASSERT_EQ(create(6, 64, 64), kFine);
    const virtio_gpu_update_cursor c{header(VIRTIO_GPU_CMD_UPDATE_CURSOR), {0, 0, 0, 0}, 5, 0, 0, 0};
    auto hot = c, unknown = c, far = c;
    hot.resource_id = far.resource_id = 6;
    hot.hot_x = 64;
    unknown.resource_id = 77;
    far.pos.scanout_id = 16;
    for (const auto& wrong : {c, hot, unknown, far}) {
        send(wrong, {}, 64, kCursor);
        step();
    }
    EXPECT_TRUE(take_shown(kCursorMessage).empty());
    EXPECT_EQ(drivers[kCursor].used().idx, 4);
}

TEST_P(Flat, DisplayThatDoesNotReadDoesNotStopTheGuest) {
    show(256, 256);
    uint32_t id = 0;
    for (uint32_t frame = 1; frame <= 50; frame++) {
        fill(0xff000000 | frame, 256 * 256);
        for (const bool flushes : {false, true}) {
            if (flushes)
                send(virtio_gpu_resource_flush{header(VIRTIO_GPU_CMD_RESOURCE_FLUSH), {0, 0, 256, 256}, 1, 0});
            else
                send(virtio_gpu_transfer_to_host_2d{
                    header(VIRTIO_GPU_CMD_TRANSFER_TO_HOST_2D), {0, 0, 256, 256}, 0, 1, 0});
            for (int i = 0; i < 1000 && answers().empty(); i++) ASSERT_TRUE(machine->step(0, progress));
        }
        id = frame;
    }
    std::vector<std::vector<uint32_t>> updates;
    for (int i = 0; i < 600 && (updates.empty() || (updates.back()[5] & 0xffffff) != id); i++)
        for (auto& update : take_shown(kUpdateMessage)) updates.push_back(std::move(update));
    size_t texels = 0;
    for (const auto& update : updates) texels += update.size() - 5;
    EXPECT_LT(texels, 10u * 256 * 256) << "newer pictures replace older ones";
    ASSERT_FALSE(updates.empty());
    EXPECT_EQ(updates.back()[5] & 0xffffff, id);
}

// QEMU's main loop would wait for the rest, and its machine with it, for as long as this process does other things.
TEST_P(Flat, NoMessageIsInTheSocketInPart) {
    constexpr uint32_t kWidth = 500, kHeight = 500;  // more than the socket takes
    show(kWidth, kHeight);
    for (uint32_t i = 0; i < kWidth * kHeight; i++) memory.as<uint32_t>(kPixels + i * 4) = i;
    redraw(1, {0, 0, kWidth, kHeight});
    std::vector<uint32_t> picture(kWidth * kHeight, ~0u);
    for (size_t left = picture.size(); left > 0;) {
        const auto updates = take_shown(kUpdateMessage);
        EXPECT_FALSE(display.waits());
        ASSERT_FALSE(updates.empty()) << left << " texels do not come";
        for (const auto& words : updates) {
            const uint32_t texels = words[3] * words[4];
            ASSERT_EQ(words.size(), 5 + texels);
            for (uint32_t i = 0; i < texels; i++)
                picture[(words[2] + i / words[3]) * kWidth + words[1] + i % words[3]] = words[5 + i];
            left -= texels;
        }
    }
    for (uint32_t i = 0; i < picture.size(); i++) ASSERT_EQ(picture[i] & 0xffffff, i);
}

TEST_P(Flat, NewDisplayIsToldEverything) {
    show();
    fill(0xff123456, 16 * 8);
    redraw(1, {0, 0, 16, 8});
    take_shown(kUpdateMessage);
    connect_display();
    EXPECT_THAT(take_shown(kScanoutMessage), ElementsAre(ElementsAre(0, 16, 8)));
    connect_display();
    const auto update = only(kUpdateMessage);
    EXPECT_EQ(update.back() & 0xffffff, 0x123456u);
}

TEST_P(Flat, PauseKeepsWhatTheDriverMade) {
    show();
    stop_rings();
    begin_rings(1);
    EXPECT_EQ(flush(1, {0, 0, 16, 8}), kFine);
}

TEST_P(Flat, NewDriverBeginsWithNothing) {
    show();
    stop_rings();
    for (auto& driver : drivers) driver.available().idx = driver.used().idx = 0;
    begin_rings(0);
    EXPECT_THAT(take_shown(kScanoutMessage), ElementsAre());
    send(virtio_gpu_resource_flush{header(VIRTIO_GPU_CMD_RESOURCE_FLUSH), {0, 0, 16, 8}, 1, 0});
    step();
    EXPECT_EQ(memory.as<virtio_gpu_ctrl_hdr>(kAnswer).type, kNoResource);
}

TEST_P(Flat, FenceIsRepeated) {
    auto h = header(VIRTIO_GPU_CMD_RESOURCE_UNREF, 9);
    h.flags = VIRTIO_GPU_FLAG_FENCE;
    h.fence_id = 0x123456789a;
    const auto answer = call(virtio_gpu_resource_unref{h, 1, 0});
    EXPECT_EQ(answer.type, kNoResource);
    EXPECT_EQ(answer.flags, uint32_t{VIRTIO_GPU_FLAG_FENCE});
    EXPECT_EQ(answer.fence_id, 0x123456789au);
    EXPECT_EQ(answer.ctx_id, 9u);
}

TEST_P(Flat, WrongCommandsGetTheErrorsOfVirtio) {
    show();
    EXPECT_EQ(create(0, 4, 4), kNoResource);
    EXPECT_EQ(create(1, 4, 4), kNoResource) << "in use";
    EXPECT_EQ(create(2, 0, 4), kBad);
    EXPECT_EQ(create(2, 4, 0x80000001), kBad);
    EXPECT_EQ(create(2, 4, 4, 5), kBad) << "not a format of displays";
    EXPECT_EQ(attach(9, 4), kNoResource);
    EXPECT_EQ(attach(1, 4), VIRTIO_GPU_RESP_ERR_UNSPEC) << "it has memory";
    ASSERT_EQ(create(3, 4, 4), kFine);
    EXPECT_EQ(transfer(3, {0, 0, 4, 4}), kBad) << "it has none";
    EXPECT_EQ(attach(3, std::span<const virtio_gpu_mem_entry>()), kBad);
    EXPECT_EQ(attach(3, std::array{virtio_gpu_mem_entry{kBase - 4, 8, 0}}), kBad);
    EXPECT_EQ(attach(3, std::array{virtio_gpu_mem_entry{~uint64_t{0}, 0xffffffff, 0}}), kBad);
    EXPECT_EQ(type_of_answer(
                  virtio_gpu_resource_attach_backing{header(VIRTIO_GPU_CMD_RESOURCE_ATTACH_BACKING), 3, 0xffffffff}),
              kBad)
        << "entries that are not there";
    EXPECT_EQ(type_of_answer(virtio_gpu_resource_detach_backing{header(VIRTIO_GPU_CMD_RESOURCE_DETACH_BACKING), 3, 0}),
              VIRTIO_GPU_RESP_ERR_UNSPEC);
    for (const Rect wrong : {Rect{0, 0, 17, 1}, Rect{16, 0, 1, 1}, Rect{1, 0, 0xffffffff, 1}, Rect{0, 8, 1, 1}}) {
        EXPECT_EQ(transfer(1, wrong), kBad);
        EXPECT_EQ(flush(1, wrong), kBad);
        EXPECT_EQ(set_scanout(0, 1, wrong), kBad);
    }
    EXPECT_EQ(transfer(1, {0, 0, 16, 8}, 4), kBad) << "beyond its memory";
    EXPECT_EQ(transfer(1, {0, 0, 1, 1}, ~uint64_t{0}), kBad);
    EXPECT_EQ(set_scanout(16, 1, {0, 0, 1, 1}), VIRTIO_GPU_RESP_ERR_INVALID_SCANOUT_ID);
    EXPECT_EQ(set_scanout(0, 9, {0, 0, 1, 1}), kNoResource);
    EXPECT_EQ(type_of_answer(header(VIRTIO_GPU_CMD_RESOURCE_CREATE_BLOB)), VIRTIO_GPU_RESP_ERR_UNSPEC);
    EXPECT_EQ(type_of_answer(header(0xffffffff)), VIRTIO_GPU_RESP_ERR_UNSPEC);
    EXPECT_EQ(type_of_answer(header(VIRTIO_GPU_CMD_RESOURCE_FLUSH)), kBad) << "it is cut";
    EXPECT_EQ(type_of_answer(uint32_t{VIRTIO_GPU_CMD_GET_DISPLAY_INFO}), VIRTIO_GPU_RESP_ERR_UNSPEC);
    EXPECT_EQ(flush(1, {0, 0, 16, 8}), kFine) << "nothing has changed";
}

TEST_P(Flat, BrokenQueueLeavesTheOtherOne) {
    drivers[kControl].offer(9999);
    step();
    EXPECT_THAT(lines, HasSubstr("queue 0: descriptor 9999 of 64"));
    send(virtio_gpu_update_cursor{header(VIRTIO_GPU_CMD_MOVE_CURSOR), {0, 1, 2, 0}, 1, 0, 0, 0}, {}, 64, kCursor);
    EXPECT_THAT(take_shown(kPosMessage), ElementsAre(ElementsAre(0, 1, 2)));
}

TEST_P(Flat, AnswerWithoutRoomIsCut) {
    send(header(VIRTIO_GPU_CMD_GET_DISPLAY_INFO), {}, 10);
    for (int i = 0; i < 20; i++) {
        step();
        display.receive();
    }
    const auto all = answers();
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].size(), 10u);
}

TEST_P(Flat, EndOfTheFrontEndIsTheEnd) {
    front.close();
    EXPECT_FALSE(step());
}

TEST_P(Flat, DisplayThatAnswersUnaskedIsLeft) {
    display.send(std::array<uint32_t, 3>{3, 4, 408});
    step();
    EXPECT_THAT(lines, HasSubstr("an unexpected answer"));
    EXPECT_EQ(flush(9, {0, 0, 1, 1}), kNoResource) << "the device lives";
}

TEST(FlatLimits, PicturesAreBounded) {
    struct Limited : Guests {
        void TestBody() override {
            start(nullptr, {.resources = 3, .pieces = 2, .flat_bytes = 4096, .screen_bytes = 2048});
            EXPECT_EQ(create(1, 32, 32), kFine);
            EXPECT_EQ(create(2, 1, 1), kBad) << "of all bytes together";
            EXPECT_EQ(set_scanout(0, 1, {0, 0, 16, 17}), VIRTIO_GPU_RESP_ERR_OUT_OF_MEMORY);
            EXPECT_EQ(set_scanout(0, 1, {0, 0, 16, 15}), kFine);
            EXPECT_EQ(set_scanout(1, 1, {0, 0, 16, 2}), VIRTIO_GPU_RESP_ERR_OUT_OF_MEMORY);
            const std::array<virtio_gpu_mem_entry, 3> entries{{{kPixels, 4, 0}, {kPixels, 4, 0}, {kPixels, 4, 0}}};
            EXPECT_EQ(attach(1, entries), VIRTIO_GPU_RESP_ERR_OUT_OF_MEMORY);
            EXPECT_EQ(attach(1, std::span(entries).first(2)), VIRTIO_GPU_RESP_ERR_OUT_OF_MEMORY)
                << "pieces are memory, too, of which resource 1 has all";
            EXPECT_EQ(type_of_answer(virtio_gpu_resource_unref{header(VIRTIO_GPU_CMD_RESOURCE_UNREF), 1, 0}), kFine);
            EXPECT_EQ(create(1, 16, 32), kFine);
            EXPECT_EQ(attach(1, std::span(entries).first(2)), kFine);
            EXPECT_EQ(create(2, 16, 32), kBad);
            EXPECT_EQ(type_of_answer(
                          virtio_gpu_resource_detach_backing{header(VIRTIO_GPU_CMD_RESOURCE_DETACH_BACKING), 1, 0}),
                      kFine);
            EXPECT_EQ(create(2, 16, 32), kFine);
        }
    };
    Limited().TestBody();
}

TEST(FlatLimits, NoRendererOffersNo3d) {
    struct Plain : Guests {
        void TestBody() override {
            start(nullptr);
            front.send(vhost::Request::GetFeatures);
            step();
            EXPECT_EQ(front.answer_as<uint64_t>() & 3, 2u) << "EDID alone";
            EXPECT_EQ(type_of_answer(virtio_gpu_get_capset_info{header(VIRTIO_GPU_CMD_GET_CAPSET_INFO), 0, 0}),
                      VIRTIO_GPU_RESP_ERR_UNSPEC);
        }
    };
    Plain().TestBody();
}

}  // namespace
}  // namespace tgsi2spv::virtio_gpu::test
