// A guest's driver of the device, and its display: sends commands, reads answers and pictures.
#pragma once

#include <gmock/gmock.h>
#include <linux/virtio_gpu.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "machine/vhost/front_end.h"
#include "machine/virtio_gpu/machine.h"
#include "renderer/renderer.h"

namespace tgsi2spv::virtio_gpu::test {

using vhost::test::kBase;
using vhost::test::kMiddle;
inline constexpr uint64_t kCommand = kBase + 0x10000, kAnswer = kBase + 0x20000, kPixels = kMiddle + 0x1000;

/// QEMU's end of the display's socket.
class DisplayEnd {
  public:
    struct Message {
        uint32_t request;
        std::vector<uint32_t> words;
    };
    /// Returns the back end's end.
    process::Descriptor connect() {
        std::array<int, 2> ends{};
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) abort();
        own_ = process::Descriptor(ends[0]);
        bytes_.clear();
        return process::Descriptor(ends[1]);
    }
    /// All messages that have come as a whole. Answers those that want to know how large displays are.
    std::vector<Message> receive() {
        std::array<std::byte, 65536> part;
        for (ssize_t got; (got = recv(own_.number(), part.data(), part.size(), MSG_DONTWAIT)) > 0;)
            bytes_.insert(bytes_.end(), part.begin(), part.begin() + got);
        std::vector<Message> messages;
        for (;;) {
            std::array<uint32_t, 3> header{};
            if (bytes_.size() < sizeof header) return messages;
            std::memcpy(header.data(), bytes_.data(), sizeof header);
            if (bytes_.size() < sizeof header + header[2]) return messages;
            messages.push_back({header[0], std::vector<uint32_t>(header[2] / 4)});
            Message& message = messages.back();
            if (header[2] > 0) std::memcpy(message.words.data(), bytes_.data() + sizeof header, header[2]);
            bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<ptrdiff_t>(sizeof header + header[2]));
            if (message.request == 3) answer();
        }
    }
    /// Whether the last message has come in part.
    bool waits() const { return !bytes_.empty(); }
    void send(std::span<const uint32_t> words) {
        if (::send(own_.number(), words.data(), words.size_bytes(), MSG_NOSIGNAL) < 0) abort();
    }
    uint32_t width = 800, height = 600;

  private:
    void answer() {
        struct {
            std::array<uint32_t, 3> header{3, 4, sizeof(virtio_gpu_resp_display_info)};
            virtio_gpu_resp_display_info info{};
        } out;
        static_assert(offsetof(decltype(out), info) == 16);
        out.info.hdr.type = VIRTIO_GPU_RESP_OK_DISPLAY_INFO;
        out.info.pmodes[0] = {.r = {0, 0, width, height}, .enabled = 1, .flags = 0};
        send(out.header);
        std::array<uint32_t, sizeof out.info / 4> info;
        std::memcpy(info.data(), &out.info, sizeof out.info);
        send(info);
    }
    process::Descriptor own_;
    std::vector<std::byte> bytes_;
};

inline std::unique_ptr<virgl::SharedRenderer> lavapipe() {
    host::HostOptions options;
    options.device = "llvmpipe";
    auto renderer = host::make_renderer(options);
    return renderer ? std::move(*renderer) : nullptr;
}

class Guests : public testing::Test {
  protected:
    void start(std::unique_ptr<virgl::MachineRenderer> renderer, const Limits& limits = {}) {
        machine = std::make_unique<Machine>(std::move(front.other), std::move(renderer), log, limits);
        begin_rings(0);
    }
    void begin_rings(uint16_t base) {
        begin_rings_alone(base);
        connect_display();
        step();
    }
    /// As a front end does that has no display (crosvm).
    void begin_rings_alone(uint16_t base) {
        front.send(vhost::Request::SetFeatures, vhost::test::kFeatures | 3);
        front.send_memory(memory);
        for (uint32_t i = 0; i < 2; i++)
            front.send_ring(drivers[i], i, base == 0 ? 0 : drivers[i].available().idx, kicks[i].number(),
                            calls[i].number());
        step();
    }
    void stop_rings() {
        for (uint32_t i = 0; i < 2; i++) {
            front.send(vhost::Request::GetVringBase, vhost::QueueState{i, 0});
            step();
            EXPECT_EQ(front.answer_as<vhost::QueueState>().queue, i);
        }
    }
    void connect_display() {
        const process::Descriptor end = display.connect();
        front.send_files(vhost::Request::GpuSetSocket, std::array{end.number()});
        step();
    }
    /// As often as there may be something to do.
    bool step() {
        bool on = true;
        for (int i = 0; i < 40 && on; i++) on = machine->step(0, progress);
        return on;
    }
    /// Sends a command with `more` after it; its answer has room for `room` bytes.
    template <class T>
    void send(T command, std::span<const std::byte> more = {}, uint32_t room = 2048, unsigned queue = kControl) {
        vhost::test::Driver& driver = drivers[queue];
        memory.write(kCommand, std::as_bytes(std::span(&command, 1)));
        memory.write(kCommand + sizeof command, more);
        const auto head = static_cast<uint16_t>(driver.available().idx * 2 % driver.size);
        const auto next = static_cast<uint16_t>(head + 1);
        driver.descriptor(head) = {kCommand, static_cast<uint32_t>(sizeof command + more.size()), VRING_DESC_F_NEXT,
                                   next};
        driver.descriptor(next) = {kAnswer + uint64_t{head} * 1024, room, VRING_DESC_F_WRITE, 0};
        driver.offer(head);
    }
    /// The answers since, in their order: their bytes.
    std::vector<std::vector<std::byte>> answers() {
        vhost::test::Driver& driver = drivers[kControl];
        std::vector<std::vector<std::byte>> all;
        for (; seen_ != driver.used().idx; seen_++) {
            const vring_used_elem& used = driver.used().ring[seen_ % driver.size];
            all.push_back(memory.read(kAnswer + uint64_t{used.id} * 1024, used.len));
        }
        return all;
    }
    /// Sends a command and returns its answer; zeros if there is none.
    template <class Result = virtio_gpu_ctrl_hdr, class T>
    Result call(const T& command, std::span<const std::byte> more = {}) {
        send(command, more);
        for (int i = 0; i < 500; i++) {
            if (i > 100) usleep(10000);  // a device may be slow on a busy machine
            step();
            for (const auto& message : display.receive()) shown.push_back(message);
            const auto all = answers();
            if (all.empty()) continue;
            Result result{};
            std::memcpy(&result, all[0].data(), std::min(sizeof result, all[0].size()));
            return result;
        }
        return {};
    }
    template <class T>
    uint32_t type_of_answer(const T& command, std::span<const std::byte> more = {}) {
        return call(command, more).type;
    }
    static virtio_gpu_ctrl_hdr header(uint32_t type, uint32_t context = 0) { return {type, 0, 0, context, 0, {}}; }
    uint32_t create(uint32_t id, uint32_t width, uint32_t height, uint32_t format = VIRTIO_GPU_FORMAT_B8G8R8X8_UNORM) {
        return type_of_answer(
            virtio_gpu_resource_create_2d{header(VIRTIO_GPU_CMD_RESOURCE_CREATE_2D), id, format, width, height});
    }
    uint32_t attach(uint32_t id, std::span<const virtio_gpu_mem_entry> entries) {
        return type_of_answer(virtio_gpu_resource_attach_backing{header(VIRTIO_GPU_CMD_RESOURCE_ATTACH_BACKING), id,
                                                                 static_cast<uint32_t>(entries.size())},
                              std::as_bytes(entries));
    }
    uint32_t attach(uint32_t id, uint32_t bytes) {
        return attach(id, std::array{virtio_gpu_mem_entry{kPixels, bytes, 0}});
    }
    uint32_t transfer(uint32_t id, Rect r, uint64_t offset = 0) {
        return type_of_answer(virtio_gpu_transfer_to_host_2d{
            header(VIRTIO_GPU_CMD_TRANSFER_TO_HOST_2D), {r.x, r.y, r.width, r.height}, offset, id, 0});
    }
    uint32_t set_scanout(uint32_t scanout, uint32_t id, Rect r) {
        return type_of_answer(
            virtio_gpu_set_scanout{header(VIRTIO_GPU_CMD_SET_SCANOUT), {r.x, r.y, r.width, r.height}, scanout, id});
    }
    uint32_t flush(uint32_t id, Rect r) {
        return type_of_answer(
            virtio_gpu_resource_flush{header(VIRTIO_GPU_CMD_RESOURCE_FLUSH), {r.x, r.y, r.width, r.height}, id, 0});
    }
    void fill(uint32_t texel, uint32_t count) {
        for (uint32_t i = 0; i < count; i++) memory.as<uint32_t>(kPixels + i * 4) = texel;
    }
    /// The messages of a kind since; waits a while for the first, since a device may draw it yet.
    std::vector<std::vector<uint32_t>> take_shown(uint32_t request) {
        std::vector<std::vector<uint32_t>> found;
        for (int i = 0; i < 50 && found.empty(); i++) {
            step();
            for (auto& message : display.receive()) shown.push_back(std::move(message));
            for (auto& message : std::exchange(shown, {}))
                if (message.request == request) found.push_back(std::move(message.words));
            if (found.empty()) usleep(1000);
        }
        return found;
    }

    static constexpr uint32_t kFine = VIRTIO_GPU_RESP_OK_NODATA;
    vhost::test::GuestMemory memory;
    std::array<vhost::test::Driver, 2> drivers{vhost::test::Driver(memory, kBase + 0x1000, 64),
                                               vhost::test::Driver(memory, kBase + 0x8000, 16)};
    std::array<process::Descriptor, 2> kicks{vhost::test::make_event(), vhost::test::make_event()},
        calls{vhost::test::make_event(), vhost::test::make_event()};
    vhost::test::FrontEnd front;
    DisplayEnd display;
    std::vector<DisplayEnd::Message> shown;
    std::string lines;
    process::Log log{"test", 1000, [this](const std::string& line) { lines += line; }};
    process::Progress progress;
    std::unique_ptr<Machine> machine;

  private:
    uint16_t seen_ = 0;
};

}  // namespace tgsi2spv::virtio_gpu::test
