// A keyboard and a pointer, driven as QEMU and a guest's driver do it.
#include "machine/input/input.h"

#include <gmock/gmock.h>

#include <memory>
#include <set>

#include "machine/vhost/front_end.h"

namespace tgsi2spv::virtio_input {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using vhost::QueueState;
using vhost::Request;
using vhost::test::kBase;

constexpr uint64_t kBuffers = kBase + 0x10000;
constexpr uint16_t kRingSize = 4;  // QEMU's

struct Event {
    uint32_t type, code, value;
    bool operator==(const Event&) const = default;
};
const Event kReport{EV_SYN, SYN_REPORT, 0};

class Inputs : public testing::Test {
  protected:
    void begin(Kind kind) {
        input = std::make_unique<Input>(std::move(front.other), kind, log);
        begin_driver();
    }
    void begin_driver() {
        front.send(Request::SetFeatures, vhost::test::kFeatures);
        front.send_memory(memory);
        for (uint32_t i = 0; i < 2; i++) front.send_ring(drivers[i], i, 0, kicks[i].number(), calls[i].number());
        step();
    }
    void step() {
        for (int i = 0; i < 30; i++) {
            std::vector<pollfd> waits;
            input->add_waits(waits);
            poll(waits.data(), waits.size(), 0);
            input->serve(waits);
        }
    }
    void kick(unsigned queue) {
        const uint64_t one = 1;
        ASSERT_EQ(write(kicks[queue].number(), &one, sizeof one), 8);
        step();
    }
    /// Gives the device all buffers that it has given back.
    void offer_buffers() {
        vhost::test::Driver& driver = drivers[0];
        while (static_cast<uint16_t>(driver.available().idx - seen_) < kRingSize) {
            const auto i = static_cast<uint16_t>(driver.available().idx % kRingSize);
            driver.descriptor(i) = {kBuffers + i * 8u, 8, VRING_DESC_F_WRITE, 0};
            driver.offer(i);
        }
        kick(0);
    }
    /// The events since; takes them one by one, as far as there are.
    std::vector<Event> events() {
        std::vector<Event> all;
        for (size_t before = ~size_t{0}; before != all.size();) {
            before = all.size();
            offer_buffers();
            for (; seen_ != drivers[0].used().idx; seen_++) {
                const vring_used_elem& used = drivers[0].used().ring[seen_ % kRingSize];
                EXPECT_EQ(used.len, 8u);
                const auto& event = memory.as<virtio_input_event>(kBuffers + used.id * 8);
                all.push_back({event.type, event.code, event.value});
            }
        }
        return all;
    }
    /// As Linux asks: select, subsel, then all of it. QEMU writes the whole config.
    virtio_input_config ask(uint8_t select, uint8_t subsel) {
        struct {
            vhost::ConfigMessage head{0, sizeof(virtio_input_config), 0};
            virtio_input_config config{};
        } message;
        message.config.select = select;
        message.config.subsel = subsel;
        front.send(Request::SetConfig, message);
        front.send(Request::GetConfig, message);
        step();
        return front.answer_as<decltype(message)>().config;
    }

    vhost::test::GuestMemory memory;
    std::array<vhost::test::Driver, 2> drivers{vhost::test::Driver(memory, kBase + 0x1000, kRingSize),
                                               vhost::test::Driver(memory, kBase + 0x8000, kRingSize)};
    std::array<process::Descriptor, 2> kicks{vhost::test::make_event(), vhost::test::make_event()},
        calls{vhost::test::make_event(), vhost::test::make_event()};
    std::string lines;
    process::Log log{"test", 1000, [this](const std::string& line) { lines += line; }};
    vhost::test::FrontEnd front;
    std::unique_ptr<Input> input;

  private:
    uint16_t seen_ = 0;
};

TEST_F(Inputs, KeyboardSaysWhatItIs) {
    begin(Kind::Keyboard);
    const auto name = ask(VIRTIO_INPUT_CFG_ID_NAME, 0);
    EXPECT_EQ(std::string(name.u.string, name.size), "tgsi-host keyboard");
    const auto keys = ask(VIRTIO_INPUT_CFG_EV_BITS, EV_KEY);
    EXPECT_EQ(keys.size, 32) << "keys, and no buttons";
    for (const uint32_t code : {KEY_ESC, KEY_A, KEY_F24, KEY_102ND, KEY_RIGHTMETA, KEY_KPENTER, KEY_VOLUMEUP})
        EXPECT_NE(keys.u.bitmap[code / 8] >> code % 8 & 1, 0) << code;
    EXPECT_EQ(keys.u.bitmap[0] & 1, 0) << "KEY_RESERVED";
    EXPECT_EQ(ask(VIRTIO_INPUT_CFG_EV_BITS, EV_REP).size, 1) << "the guest repeats keys";
    EXPECT_EQ(ask(VIRTIO_INPUT_CFG_EV_BITS, EV_ABS).size, 0);
    EXPECT_EQ(ask(0x77, 0).size, 0);
}

TEST_F(Inputs, PointerSaysWhatItIs) {
    begin(Kind::Pointer);
    const auto buttons = ask(VIRTIO_INPUT_CFG_EV_BITS, EV_KEY);
    // Exactly these: Linux takes others for a joystick, too (joydev_dev_is_absolute_mouse()).
    for (uint32_t i = 0; i < sizeof buttons.u.bitmap; i++)
        EXPECT_EQ(buttons.u.bitmap[i], i == BTN_LEFT / 8 ? 7 : 0) << "left, right, middle";
    EXPECT_NE(ask(VIRTIO_INPUT_CFG_EV_BITS, EV_MSC).size, 0) << "as EV_REL needs";
    EXPECT_EQ(ask(VIRTIO_INPUT_CFG_EV_BITS, EV_ABS).u.bitmap[0], 3);
    EXPECT_EQ(ask(VIRTIO_INPUT_CFG_EV_BITS, EV_REL).u.bitmap[1], 1);
    EXPECT_EQ(ask(VIRTIO_INPUT_CFG_ABS_INFO, ABS_Y).u.abs.max, 32767u);
    EXPECT_EQ(ask(VIRTIO_INPUT_CFG_ABS_INFO, ABS_Z).size, 0);
}

TEST_F(Inputs, PartOfTheConfigIsWritten) {
    begin(Kind::Pointer);
    struct {
        vhost::ConfigMessage head{0, 1, 0};
        uint8_t byte = VIRTIO_INPUT_CFG_ABS_INFO;
    } __attribute__((packed)) select, subsel;
    subsel.head.offset = 1;
    subsel.byte = ABS_Y;
    front.send(Request::SetConfig, select);
    front.send(Request::SetConfig, subsel);
    step();
    virtio_input_config config{};
    std::memcpy(&config, input->device().config().data(), sizeof config);
    EXPECT_EQ(config.u.abs.max, 32767u);
}

TEST_F(Inputs, ConfigBeyondItsEndIsRefused) {
    begin(Kind::Keyboard);
    struct {
        vhost::ConfigMessage head{sizeof(virtio_input_config), 1, 0};
        uint8_t byte = 1;
    } __attribute__((packed)) beyond;
    front.send(Request::SetConfig, beyond);
    step();
    EXPECT_THAT(lines, testing::HasSubstr("1 bytes at 136 of 136"));
    std::vector<pollfd> waits;
    input->add_waits(waits);
    EXPECT_THAT(waits, IsEmpty()) << "the session is over";
}

TEST_F(Inputs, DisplayIsRefused) {
    begin(Kind::Keyboard);
    front.send_files(Request::GpuSetSocket, std::array{kicks[0].number()});
    step();
    EXPECT_THAT(lines, testing::HasSubstr("is not of this device"));
}

TEST_F(Inputs, KeysArriveInOrderAndOnce) {
    begin(Kind::Keyboard);
    offer_buffers();
    for (const bool down : {true, true, false, false}) input->device().key(KEY_A, down);
    input->device().key(KEY_B, true);
    input->device().serve();
    EXPECT_THAT(events(), ElementsAre(Event{EV_KEY, KEY_A, 1}, kReport, Event{EV_KEY, KEY_A, 0}, kReport,
                                      Event{EV_KEY, KEY_B, 1}, kReport));
    EXPECT_GT(vhost::test::count_of(calls[0]), 0u) << "the driver is told";
}

TEST_F(Inputs, KeysThatItHasNotAreNoEvents) {
    begin(Kind::Keyboard);
    offer_buffers();
    for (const uint32_t code : {0u, uint32_t{BTN_LEFT}, uint32_t{KEY_MAX}, 0x300u, ~0u})
        input->device().key(code, true);
    EXPECT_THAT(events(), IsEmpty());
}

TEST_F(Inputs, MovesAreReplacedByNewerOnesWhileNobodyTakesThem) {
    begin(Kind::Pointer);
    for (uint32_t i = 1; i < 1000; i++) input->device().move(i, i);
    input->device().key(BTN_LEFT, true);
    input->device().move(5, 6);
    input->device().move(32768, 0);
    EXPECT_THAT(events(),
                ElementsAre(Event{EV_ABS, ABS_X, 999}, Event{EV_ABS, ABS_Y, 999}, kReport, Event{EV_KEY, BTN_LEFT, 1},
                            kReport, Event{EV_ABS, ABS_X, 5}, Event{EV_ABS, ABS_Y, 6}, kReport));
}

TEST_F(Inputs, PointerOfANewDriverIsAtItsBeginning) {
    begin(Kind::Pointer);
    input->device().move(5, 6);
    EXPECT_EQ(events().size(), 3u);
    front.send(Request::ResetDevice);
    step();
    input->device().move(5, 6);
    EXPECT_EQ(events().size(), 3u);
}

TEST_F(Inputs, WheelTurns) {
    begin(Kind::Pointer);
    input->device().turn(REL_WHEEL, -1);
    EXPECT_THAT(events(), ElementsAre(Event{EV_REL, REL_WHEEL, ~0u}, kReport));
}

TEST_F(Inputs, GuestThatTakesNothingHasNoKeyDownInTheEnd) {
    begin(Kind::Keyboard);
    input->device().key(KEY_LEFTCTRL, true);
    for (int i = 0; i < 5000; i++) input->device().key(KEY_A, i % 2 == 0);
    const auto all = events();
    EXPECT_LE(all.size(), 2u * 520);
    std::set<uint32_t> down;
    for (const Event& event : all) {
        if (event.type != EV_KEY) continue;
        if (event.value != 0)
            down.insert(event.code);
        else
            down.erase(event.code);
    }
    input->device().key(KEY_LEFTCTRL, false);
    EXPECT_THAT(events(), IsEmpty()) << "it was let go";
    EXPECT_THAT(down, IsEmpty());
}

TEST_F(Inputs, WithoutADriverNobodyTypes) {
    input = std::make_unique<Input>(std::move(front.other), Kind::Keyboard, log);
    input->device().key(KEY_A, true);
    begin_driver();
    EXPECT_THAT(events(), IsEmpty());
}

TEST_F(Inputs, KeyThatIsLetGoDuringAPauseIsUpAfterIt) {
    begin(Kind::Keyboard);
    offer_buffers();
    input->device().key(KEY_A, true);
    EXPECT_EQ(events().size(), 2u);
    std::array<uint16_t, 2> next{};
    for (uint32_t i = 0; i < 2; i++) {
        front.send(Request::GetVringBase, QueueState{i, 0});
        step();
        next[i] = static_cast<uint16_t>(front.answer_as<QueueState>().number);
    }
    input->device().key(KEY_A, false);
    input->device().key(KEY_B, true);
    for (uint32_t i = 0; i < 2; i++) front.send_ring(drivers[i], i, next[i], kicks[i].number(), calls[i].number());
    step();
    EXPECT_THAT(events(), ElementsAre(Event{EV_KEY, KEY_A, 0}, kReport));
}

TEST_F(Inputs, LightsAreTakenAndForgotten) {
    begin(Kind::Keyboard);
    memory.as<virtio_input_event>(kBuffers + 0x1000) = {EV_LED, LED_CAPSL, 1};
    drivers[1].descriptor(0) = {kBuffers + 0x1000, 8, 0, 0};
    drivers[1].offer(0);
    kick(1);
    EXPECT_EQ(drivers[1].used().idx, 1);
}

/// A driver may make them as fast as they are taken; meanwhile, nobody else is served.
TEST_F(Inputs, LightsAreTakenBySome) {
    begin(Kind::Keyboard);
    front.send(Request::GetVringBase, QueueState{1, 0});
    step();
    vhost::test::Driver driver(memory, kBase + 0x20000, 256);
    front.send_ring(driver, 1, 0, kicks[1].number(), calls[1].number());
    step();
    driver.descriptor(0) = {kBuffers + 0x1000, 8, 0, 0};
    for (uint32_t i = 0; i < driver.size; i++) driver.offer(0);
    input->device().serve();
    EXPECT_EQ(driver.used().idx, 64);
    EXPECT_EQ(input->time_to_wait(), 0);
    step();
    EXPECT_EQ(driver.used().idx, 256);
    EXPECT_EQ(input->time_to_wait(), -1);
}

TEST_F(Inputs, WrongRingStopsOnlyItself) {
    begin(Kind::Keyboard);
    drivers[1].offer(99);
    kick(1);
    input->device().key(KEY_A, true);
    EXPECT_THAT(events(), ElementsAre(Event{EV_KEY, KEY_A, 1}, kReport));
}

TEST_F(Inputs, BufferThatIsTooSmallIsTheGuestsLoss) {
    begin(Kind::Keyboard);
    drivers[0].descriptor(0) = {kBuffers, 3, VRING_DESC_F_WRITE, 0};
    drivers[0].offer(0);
    input->device().key(KEY_A, true);
    kick(0);
    EXPECT_EQ(drivers[0].used().ring[0].len, 3u);
}

}  // namespace
}  // namespace tgsi2spv::virtio_input
