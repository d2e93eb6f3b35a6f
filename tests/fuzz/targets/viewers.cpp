// Hostile viewers' processes, a hostile agent, and a hostile driver of the keyboard and the pointer: whatever they
// write, the machine's process goes on, keeps no file of theirs, and no key stays down when they have left.
//
// Input: actions. Each is a byte that selects it and a few bytes of its own.
#include <fcntl.h>

#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "actions.h"
#include "machine/vhost/front_end.h"
#include "machine/virtio_gpu/machine.h"
#include "target.h"
#include "tgsi-host/screen.h"

using namespace tgsi2spv;
using virtio_gpu::ViewerEvent;

namespace {

constexpr uint64_t kRings = vhost::test::kBase, kBuffers = vhost::test::kBase + 0x4000;
constexpr uint16_t kSize = 4;  // QEMU's
constexpr uint32_t kMostExtent = 64;

std::array<process::Descriptor, 2> make_pair(int type) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) std::abort();
    return {process::Descriptor(ends[0]), process::Descriptor(ends[1])};
}

/// Sends a byte, with files.
void give(int channel, std::span<const int> files) {
    process::test::send_files(channel, std::array{std::byte{}}, files, MSG_DONTWAIT);
}

/// The monitor's and the driver's side of one of the devices.
struct Inputs {
    Inputs(vhost::test::GuestMemory& memory, uint64_t rings)
        : buffer(rings + 0x3c0),
          drivers{vhost::test::Driver(memory, rings, kSize), vhost::test::Driver(memory, rings + 0x200, kSize)} {}
    void begin(const vhost::test::GuestMemory& memory) {
        front.send(vhost::Request::SetFeatures, vhost::test::kFeatures);
        front.send_memory(memory);
        for (uint32_t i = 0; i < 2; i++) send_ring(i, 0);
    }
    void send_ring(uint32_t queue, uint32_t base) {
        front.send_ring(drivers[queue], queue, base, event.number(), event.number());
    }
    const uint64_t buffer;  ///< of an event
    vhost::test::FrontEnd front;
    std::array<vhost::test::Driver, 2> drivers;
    process::Descriptor event = vhost::test::make_event();
};

class Machine {
  public:
    Machine()
        : machine_(std::move(front_.other), nullptr, log_),
          screen_(machine_,
                  {std::move(channel_[1]), process::Descriptor(), std::move(devices_[0].front.other),
                   std::move(devices_[1].front.other), std::move(agent_[1]), process::Descriptor(), nullptr,
                   process::Descriptor()},
                  log_) {
        for (Inputs& device : devices_) device.begin(memory_);
        front_.send(vhost::Request::SetProtocolFeatures, vhost::kReplyAck | vhost::kBackendSocket | vhost::kConfig);
        front_.send_files(vhost::Request::SetBackendSocket, std::array{back_[1].number()});
        step(20);
    }
    void act(fuzz::Actions& input);
    void step(int times) {
        for (int i = 0; i < times; i++) fuzz::require(machine_.step(0, progress_), "the machine has ended");
    }
    /// All viewers leave. Another one can then press each button: none is down.
    void end();

  private:
    void let_in(uint32_t how);
    void say(fuzz::Actions& input, int socket);
    void say_as_agent(fuzz::Actions& input);
    void write_memory(fuzz::Actions& input);
    void configure(Inputs& device, fuzz::Actions& input);
    void show(fuzz::Actions& input);
    void answer_news(uint32_t how);
    void restart(Inputs& device, uint32_t queue, bool anew);
    void kick(Inputs& device);
    size_t count_presses(Inputs& device);

    vhost::test::GuestMemory memory_;
    std::array<Inputs, 2> devices_{Inputs(memory_, kRings), Inputs(memory_, kRings + 0x400)};
    std::array<process::Descriptor, 2> channel_ = make_pair(SOCK_SEQPACKET), back_ = make_pair(SOCK_STREAM),
                                       agent_ = make_pair(SOCK_STREAM);
    std::vector<process::Descriptor> viewers_;
    bool endless_ =
        false;  ///< one of them is not known to have left: what it pressed stays down until another lets it go
    vhost::test::FrontEnd front_;
    process::Log log_{"log", 10, [](const std::string&) {}};
    process::Progress progress_;
    virtio_gpu::Machine machine_;
    tools::MachineScreen screen_;
};

void Machine::act(fuzz::Actions& input) {
    const uint32_t action = input.number(1), which = action >> 4;
    Inputs& device = devices_[which % 2];
    vhost::test::Driver& driver = device.drivers[which >> 1 & 1];
    const int viewer = viewers_.empty() ? -1 : viewers_[which % viewers_.size()].number();
    switch (action & 0xf) {
        case 0:
            return let_in(which);
        case 1: {
            std::array<uint32_t, 4> event{input.number(1), input.number(2), input.number(2), input.number(2)};
            send(viewer, event.data(), sizeof event, MSG_DONTWAIT | MSG_NOSIGNAL);
            return;
        }
        case 2:
            return say(input, viewer);
        case 3:
            if (viewer >= 0) viewers_.erase(viewers_.begin() + which % static_cast<uint32_t>(viewers_.size()));
            return;
        case 4: {
            std::array<std::byte, 65536> bytes;
            while (recv(viewer, bytes.data(), bytes.size(), MSG_DONTWAIT) > 0) continue;
            return;
        }
        case 5:
            return configure(device, input);
        case 6:
            return driver.offer(static_cast<uint16_t>(input.number(1)));
        case 7:
            driver.descriptor(input.number(1) % kSize) = {kBuffers - 0x100 + input.number(2), input.number(2),
                                                          static_cast<uint16_t>(input.number(1) % 8),
                                                          static_cast<uint16_t>(input.number(1) % (kSize + 1))};
            return;
        case 8:
            return write_memory(input);
        case 9:
            return restart(device, which >> 1 & 1, (which & 4) != 0);
        case 10:
            return show(input);
        case 11:
            return answer_news(which);
        case 12:
            device.front.send(vhost::Request::ResetDevice);
            return;
        case 13:
            return device.front.send_memory(memory_);
        case 14:
            return kick(device);
        default:
            return which == 15 ? say(input, agent_[0].number()) : say_as_agent(input);
    }
}

/// A message of the agent's protocol, in a chunk; a pair of its words is the type and a word of the content.
void Machine::say_as_agent(fuzz::Actions& input) {
    const uint32_t type = input.number(1);
    const std::array<uint32_t, 2> words{input.number(1), input.number(1)};
    std::vector<std::byte> bytes;
    vdagent::write(bytes, static_cast<vdagent::Message>(type), words, std::as_bytes(input.take(input.number(1))));
    send(agent_[0].number(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    step(1);
    std::array<std::byte, 4096> answers;
    while (recv(agent_[0].number(), answers.data(), answers.size(), MSG_DONTWAIT) > 0) continue;
}

void Machine::let_in(uint32_t how) {
    if (how == 15) return give(channel_[0].number(), {});
    auto [own, other] = make_pair(how == 14 ? SOCK_DGRAM : how == 13 ? SOCK_SEQPACKET : SOCK_STREAM);
    endless_ |= how == 14;
    const std::array<int, 2> files{how == 12 ? STDIN_FILENO : other.number(), own.number()};
    give(channel_[0].number(), std::span(files).first(how == 11 ? 2 : 1));
    viewers_.push_back(std::move(own));
}

void Machine::say(fuzz::Actions& input, int socket) {
    const auto bytes = input.take(input.number(1));
    send(socket, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

void Machine::write_memory(fuzz::Actions& input) {
    const uint64_t at = kRings + input.number(2) % 0x800;
    memory_.write(at, std::as_bytes(input.take(input.number(1))));
}

/// The driver writes to the config space, of which the monitor sends a part, and reads it.
void Machine::configure(Inputs& device, fuzz::Actions& input) {
    struct {
        vhost::ConfigMessage head{};
        virtio_input_config config{};
    } message;
    auto bytes = std::as_writable_bytes(std::span(&message.config, 1));
    const uint32_t offset = input.number(1) % sizeof message.config;
    const auto part = std::as_bytes(input.take(1 + input.number(1) % (bytes.size() - offset)));
    message.head = {offset, static_cast<uint32_t>(part.size()), 0};
    std::ranges::copy(part, bytes.begin());
    const auto whole = std::as_bytes(std::span(&message, 1));
    device.front.send(vhost::Request::SetConfig, whole.first(sizeof message.head + part.size()));
    message.head = {0, sizeof message.config, 0};
    device.front.send(vhost::Request::GetConfig, message);
    step(2);
    const auto got = device.front.answer_as<decltype(message)>().config;
    fuzz::require(got.size <= sizeof got.u, "a config that is longer than its room");
}

void Machine::show(fuzz::Actions& input) {
    virtio_gpu::Display& display = machine_.display();
    const uint32_t scanout = input.number(1) % 2, width = input.number(1) % kMostExtent,
                   height = input.number(1) % kMostExtent;
    display.resize(scanout, width, height);
    display.put(scanout, {0, 0, width, height}, VIRTIO_GPU_FORMAT_B8G8R8X8_UNORM,
                std::vector<std::byte>(size_t{width} * height * 4));
    display.move_cursor(scanout, width, height, width % 2 != 0);
    if (height % 2 != 0) display.set_cursor(scanout, {});
}

/// The monitor's answer to the news of another size: right, wrong, or in part.
void Machine::answer_news(uint32_t how) {
    std::array<std::byte, 4096> asked;
    while (recv(back_[0].number(), asked.data(), asked.size(), MSG_DONTWAIT) > 0) continue;
    const std::array<uint32_t, 5> answer{vhost::kConfigChange, vhost::kVersion | vhost::kReply, 8, how == 1, 0};
    send(back_[0].number(), answer.data(), how == 2 ? 10 : sizeof answer, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/// Stops a ring and starts it again, where it was, or as a driver that starts.
void Machine::restart(Inputs& device, uint32_t queue, bool anew) {
    device.front.send(vhost::Request::GetVringBase, vhost::QueueState{queue, 0});
    step(1);
    const uint32_t next = device.front.answer_as<vhost::QueueState>().number;
    device.send_ring(queue, anew ? 0 : next);
    step(6);
}

void Machine::kick(Inputs& device) {
    const uint64_t one = 1;
    if (write(device.event.number(), &one, sizeof one) != sizeof one) std::abort();
    step(1);
}

/// Takes all events, one by one, with rings as they should be.
size_t Machine::count_presses(Inputs& device) {
    vhost::test::Driver& driver = device.drivers[0];
    for (size_t presses = 0;;) {
        if (driver.available().idx != driver.used().idx) return presses;
        const auto event = memory_.as<virtio_input_event>(device.buffer);
        presses += event.type == EV_KEY && event.value == 1;
        driver.descriptor(0) = {device.buffer, sizeof event, VRING_DESC_F_WRITE, 0};
        driver.offer(0);
        kick(device);
    }
}

void Machine::end() {
    viewers_.clear();
    step(2);
    for (Inputs& device : devices_) {
        restart(device, 1, false);
        // The driver's indexes are what the device has: what it wrote there is forgotten.
        device.front.send(vhost::Request::GetVringBase, vhost::QueueState{0, 0});
        step(1);
        const uint32_t next = device.front.answer_as<vhost::QueueState>().number;
        device.drivers[0].available() = {0, static_cast<uint16_t>(next)};
        device.drivers[0].used() = {0, static_cast<uint16_t>(next)};
        device.send_ring(0, next);
        step(6);
        count_presses(device);
    }
    let_in(0);
    const std::array<ViewerEvent, 2> none{{{ViewerEvent::Key, KEY_A, 0, 0}, {ViewerEvent::Pointer, 1, 1, 0}}};
    if (endless_) send(viewers_[0].number(), none.data(), sizeof none, MSG_NOSIGNAL);
    const std::array<ViewerEvent, 2> events{
        {{ViewerEvent::Key, KEY_A, 1, 0},
         {ViewerEvent::Pointer, 1, 1, 1u << 0 | 1u << 1 | 1u << 2 | 1u << 7 | 1u << 8}}};
    send(viewers_[0].number(), events.data(), sizeof events, MSG_NOSIGNAL);
    step(2);
    fuzz::require(count_presses(devices_[0]) == 3, "a key is down, or cannot be pressed");
    fuzz::require(count_presses(devices_[1]) == 3, "a button is down, or cannot be pressed");
}

/// The lowest number that is free: a file that stays open takes it.
int next_file() {
    return process::Descriptor(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)).number();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    fuzz::Actions input(std::span(data, size));
    const int before = next_file();
    {
        Machine machine;
        while (!input.ended()) {
            machine.act(input);
            machine.step(1);
        }
        machine.end();
    }
    fuzz::require(next_file() == before, "a file stays open");
    return 0;
}
