// A hostile driver of the virtio-gpu device: for anything that it does to rings, memory and commands, the device must
// come to an end, answer each request at most once, and never with more bytes than there is room for.
//
// Input: actions. Each is a byte that selects it and a few bytes of its own; when they end, they are zeros.
#define VIRTIO_RING_NO_LEGACY
#include <linux/virtio_config.h>
#include <linux/virtio_gpu.h>
#include <linux/virtio_ring.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "actions.h"
#include "machine/virtio_gpu/device.h"
#include "machine/virtio_gpu/flat_renderer.h"
#include "target.h"

using namespace tgsi2spv;

namespace {

constexpr uint64_t kBase = 0x1000, kMiddle = 0x9000, kEnd = 0x11000, kUser = 0x7f0000000000;
constexpr uint16_t kSize = 16;
/// The rings of both queues: descriptors, then the available and the used ring. Commands and answers are after them.
constexpr std::array<uint64_t, 2> kRings{kBase, kBase + 0x400};
constexpr uint64_t kAvailable = 0x100, kUsed = 0x180, kCommand = kBase + 0x800, kAnswer = kBase + 0x2000;

/// Contexts and resources of every kind, of which only flat ones have texels; work that is done when the input says so.
struct Renderer final : virtio_gpu::FlatRenderer {
    Renderer() : FlatRenderer(1u << 16) {}
    virgl::Outcome create_context(uint32_t) override { return next(); }
    virgl::Outcome destroy_context(uint32_t) override { return next(); }
    virgl::Outcome attach(uint32_t, uint32_t) override { return next(); }
    virgl::Outcome detach(uint32_t, uint32_t) override { return next(); }
    virgl::Outcome submit(uint32_t, virgl::Words words) override {
        return words.size() > 0 && words[0] == 0xdeadbeef ? virgl::Outcome::Lost : next();
    }
    uint64_t fence() override { return ++fences; }
    // Waiting for it ends, and what has passed stays so.
    bool passed(uint64_t fence) override {
        if (++asked % 8 == 0) done = std::max(done, fence);
        return fence <= done;
    }
    virgl::Outcome next() const { return fences % 5 == 4 ? virgl::Outcome::Refused : virgl::Outcome::Done; }
    uint64_t fences = 0, done = 0, asked = 0;
};

/// One file, in two regions that touch each other.
class Guest {
  public:
    Guest() : file_(memfd_create("guest", MFD_CLOEXEC)) {
        if (ftruncate(file_.number(), kEnd - kBase) != 0) std::abort();
        bytes =
            static_cast<uint8_t*>(mmap(nullptr, kEnd - kBase, PROT_READ | PROT_WRITE, MAP_SHARED, file_.number(), 0));
    }
    ~Guest() { munmap(bytes, kEnd - kBase); }
    void map(vhost::Memory& memory, size_t regions) {
        const std::array<vhost::RegionMessage, 2> table{
            {{kBase, kMiddle - kBase, kUser, 0}, {kMiddle, kEnd - kMiddle, kUser + 0x100000, kMiddle - kBase}}};
        std::vector<process::Descriptor> files;
        for (size_t i = 0; i < regions; i++) files.emplace_back(dup(file_.number()));
        fuzz::require(memory.set(std::span(table).first(regions), files).empty(), "a table that is right");
    }
    template <class T>
    T& as(uint64_t address) {
        return *reinterpret_cast<T*>(bytes + (address - kBase));
    }
    uint8_t* bytes;

  private:
    process::Descriptor file_;
};

class Machine {
  public:
    Machine() : device_(std::make_unique<Renderer>(), memory_, rings_, log_, limits()) {
        guest_.map(memory_, 2);
        for (uint32_t i = 0; i < 2; i++) start(i, 0);
    }
    void act(fuzz::Actions& input) {
        const uint32_t action = input.number(1), queue = action >> 7;
        switch (action & 0xf) {
            case 0:
                return write(input, kBase + input.number(2), input.number(1));
            case 1:
                return offer(queue, static_cast<uint16_t>(input.number(2)));
            case 2:
                available(queue)[1] = static_cast<uint16_t>(input.number(2));
                return;
            case 3:
                return stop_and_start(queue, input.number(1));
            case 4:
                guest_.map(memory_, 1 + input.number(1) % 2);
                for (vhost::Ring& ring : rings_)
                    if (ring.started()) ring.start(memory_);
                return;
            case 5:
                return connect();
            case 6:
                return read_display(input);
            case 7:
                device_.reset();
                for (vhost::Ring& ring : rings_) ring.forget();
                return;
            case 8:
                return descriptor(input, queue);
            default:
                return command(input, queue);
        }
    }
    void serve() {
        device_.serve();
        device_.poll();
        device_.display().receive();
        device_.display().send();
        for (vhost::Ring& ring : rings_) ring.signal();
    }

  private:
    static virtio_gpu::Limits limits() {
        return {.resources = 8,
                .contexts = 4,
                .attachments = 8,
                .pieces = 64,
                .flat_bytes = 1 << 16,
                .screen_bytes = 1 << 16};
    }
    void start(uint32_t queue, uint16_t base) {
        vhost::Ring& ring = rings_[queue];
        const uint64_t at = kUser + (kRings[queue] - kBase);
        ring.set_size(kSize);
        ring.set_base(base);
        ring.set_addresses({queue, 0, at, at + kUsed, at + kAvailable, 0});
        ring.set_features(uint64_t{1} << VIRTIO_RING_F_INDIRECT_DESC | uint64_t{1} << VIRTIO_RING_F_EVENT_IDX);
        ring.enabled = true;
        ring.start(memory_);
    }
    uint16_t* available(uint32_t queue) { return &guest_.as<uint16_t>(kRings[queue] + kAvailable); }
    void offer(uint32_t queue, uint16_t head) {
        uint16_t* const ring = available(queue);
        ring[2 + ring[1] % kSize] = head;
        ring[1]++;
    }
    void write(fuzz::Actions& input, uint64_t address, size_t bytes) {
        const auto part = input.take(std::min<uint64_t>(bytes, address < kEnd ? kEnd - address : 0));
        if (!part.empty()) std::memcpy(guest_.bytes + (address - kBase), part.data(), part.size());
    }
    void stop_and_start(uint32_t queue, uint32_t how) {
        const uint16_t next = rings_[queue].stop();
        serve();
        start(queue, how % 2 != 0 ? next : available(queue)[1]);
    }
    void descriptor(fuzz::Actions& input, uint32_t queue) {
        auto& d = guest_.as<vring_desc>(kRings[queue] + input.number(1) % kSize * sizeof(vring_desc));
        d = {kBase - 0x100 + input.number(2), input.number(2), static_cast<uint16_t>(input.number(1) % 8),
             static_cast<uint16_t>(input.number(1) % (kSize + 1))};
    }
    /// A command in a valid chain, with small numbers, which are likely to exist.
    void command(fuzz::Actions& input, uint32_t queue) {
        const uint32_t row = input.number(1), n = row & 0x7f;
        const uint32_t type = queue != 0 ? 0x300 + n % 2 : (row & 0x80) != 0 ? 0x200 + n % 10 : 0x100 + n % 14;
        const uint32_t flags = input.number(1), words = 6 + input.number(1) % 26;
        auto* const command = &guest_.as<uint32_t>(kCommand);
        std::fill_n(command, 64, 0);
        command[0] = type;
        command[1] = flags % 4;
        command[4] = flags >> 2 & 3;
        for (uint32_t i = 6; i < words; i++) {
            const uint32_t number = input.number(1);
            command[i] = number < 0xf0 ? number : number == 0xff ? 0xffffffff : input.number(4);
        }
        // Entries of memory: where there is some.
        if (type == VIRTIO_GPU_CMD_RESOURCE_ATTACH_BACKING)
            for (uint32_t i = 8; i + 3 < 64; i += 4) {
                command[i] = static_cast<uint32_t>(kBase) + command[i] * 64;
                command[i + 1] = 0;
                command[i + 2] *= 64;
            }
        guest_.as<vring_desc>(kRings[queue]) = {kCommand, words * 4, VRING_DESC_F_NEXT, 1};
        guest_.as<vring_desc>(kRings[queue] + 16) = {kAnswer, 512, VRING_DESC_F_WRITE, 0};
        const uint16_t answered = guest_.as<uint16_t>(kRings[queue] + kUsed + 2);
        offer(queue, 0);
        serve();
        const uint16_t now = guest_.as<uint16_t>(kRings[queue] + kUsed + 2);
        if (static_cast<uint16_t>(now - answered) != 1) return;
        const auto& used = guest_.as<vring_used_elem>(kRings[queue] + kUsed + 4 + answered % kSize * 8);
        fuzz::require(used.id != 0 || used.len <= 512, "an answer longer than its room");
    }
    void connect() {
        std::array<int, 2> ends{};
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) std::abort();
        display_ = process::Descriptor(ends[0]);
        device_.display().connect(process::Descriptor(ends[1]));
    }
    /// Reads some, perhaps; answers a question, or says anything.
    void read_display(fuzz::Actions& input) {
        const uint32_t how = input.number(1);
        if (display_.number() < 0) return;
        std::array<uint8_t, 4096> bytes;
        if ((how & 1) != 0)
            while (read(display_.number(), bytes.data(), bytes.size()) > 0) continue;
        std::array<uint32_t, 3 + 102> answer{3, 4, 408};
        answer[9] = input.number(2);
        answer[10] = input.number(2);
        if ((how & 2) != 0) send(display_.number(), answer.data(), sizeof answer, MSG_NOSIGNAL);
        if ((how & 4) != 0) send(display_.number(), answer.data(), how, MSG_NOSIGNAL);
    }

    Guest guest_;
    vhost::Memory memory_;
    std::array<vhost::Ring, 2> rings_;
    process::Log log_{"log", 10, [](const std::string&) {}};
    virtio_gpu::Device device_;
    process::Descriptor display_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    fuzz::Actions input(std::span(data, size));
    Machine machine;
    while (!input.ended()) {
        machine.act(input);
        machine.serve();
    }
    return 0;
}
