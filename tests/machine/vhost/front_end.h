// A front end and a guest's driver, in this process: memory in files, rings in it, eventfds, a socket pair. It may lie
// in every way that a guest can.
#pragma once

#define VIRTIO_RING_NO_LEGACY
#include <linux/virtio_config.h>
#include <linux/virtio_ring.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "../../vtest/files.h"
#include "machine/vhost/messages.h"
#include "machine/vhost/ring.h"

namespace tgsi2spv::vhost::test {

/// Two regions, which touch each other at guest addresses: [kBase, kMiddle) and [kMiddle, kEnd). Rings are in the
/// first.
inline constexpr uint64_t kBase = 0x100000, kMiddle = 0x140000, kEnd = 0x240000, kUser = 0x7f0000000000;
/// The first region begins there in its file, which is not a multiple of a page.
inline constexpr uint64_t kFileOffset = 0x200;
inline constexpr uint64_t kFeatures = uint64_t{1} << VIRTIO_RING_F_INDIRECT_DESC |
                                      uint64_t{1} << VIRTIO_RING_F_EVENT_IDX | kProtocolFeatures |
                                      uint64_t{1} << VIRTIO_F_VERSION_1;

class GuestMemory {
  public:
    GuestMemory() {
        const std::array<uint64_t, 2> sizes{kMiddle - kBase, kEnd - kMiddle}, offsets{kFileOffset, 0};
        const std::array<uint64_t, 2> at{kBase, kMiddle};
        for (size_t i = 0; i < 2; i++) {
            files[i] = process::Descriptor(memfd_create("guest", MFD_CLOEXEC));
            const uint64_t bytes = offsets[i] + sizes[i];
            if (ftruncate(files[i].number(), static_cast<off_t>(bytes)) != 0) abort();
            void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, files[i].number(), 0);
            bytes_[i] = static_cast<std::byte*>(mapped) + offsets[i];
            mapped_[i] = {static_cast<std::byte*>(mapped), bytes};
            table[i] = {at[i], sizes[i], kUser + at[i], offsets[i]};
        }
    }
    ~GuestMemory() {
        for (const auto& mapped : mapped_) munmap(mapped.data(), mapped.size());
    }
    std::byte* at(uint64_t address) const {
        return address < kMiddle ? bytes_[0] + (address - kBase) : bytes_[1] + (address - kMiddle);
    }
    template <class T>
    T& as(uint64_t address) const {
        return *reinterpret_cast<T*>(at(address));
    }
    /// Byte by byte: a range may go over from one region to the next.
    void write(uint64_t address, std::span<const std::byte> from) const {
        for (size_t i = 0; i < from.size(); i++) *at(address + i) = from[i];
    }
    std::vector<std::byte> read(uint64_t address, size_t bytes) const {
        std::vector<std::byte> out(bytes);
        for (size_t i = 0; i < bytes; i++) out[i] = *at(address + i);
        return out;
    }

    std::array<process::Descriptor, 2> files;
    std::array<RegionMessage, 2> table{};

  private:
    std::array<std::byte*, 2> bytes_{};
    std::array<std::span<std::byte>, 2> mapped_{};
};

/// A ring as the driver has it. Each field of it can be written as a hostile driver would.
class Driver {
  public:
    Driver(GuestMemory& memory, uint64_t base, uint16_t entries) : size(entries), memory_(memory), base_(base) {}
    QueueAddresses addresses(uint32_t queue) const {
        return {queue, 0, kUser + base_, kUser + used_at(), kUser + available_at(), 0};
    }
    vring_desc& descriptor(uint32_t i) { return memory_.as<vring_desc>(base_ + i * sizeof(vring_desc)); }
    vring_avail& available() { return memory_.as<vring_avail>(available_at()); }
    vring_used& used() { return memory_.as<vring_used>(used_at()); }
    uint16_t& used_event() { return available().ring[size]; }
    uint16_t& available_event() {
        return memory_.as<uint16_t>(used_at() + sizeof(vring_used) + size * sizeof(vring_used_elem));
    }
    /// Makes a chain's head available.
    void offer(uint16_t head) {
        available().ring[available().idx % size] = head;
        available().idx++;
    }
    const uint16_t size;

  private:
    uint64_t available_at() const { return base_ + uint64_t{size} * sizeof(vring_desc); }
    uint64_t used_at() const { return (available_at() + 6 + uint64_t{size} * 2 + 3) & ~uint64_t{3}; }
    GuestMemory& memory_;
    uint64_t base_;
};

/// Sends messages, and reads their answers.
class FrontEnd {
  public:
    FrontEnd() {
        std::array<int, 2> ends{};
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) abort();
        own_ = process::Descriptor(ends[0]);
        other = process::Descriptor(ends[1]);
    }
    void send(Request request, std::span<const std::byte> payload, std::span<const int> files = {},
              uint32_t flags = kVersion) {
        std::vector<std::byte> bytes(sizeof(Header) + payload.size());
        const Header header{static_cast<uint32_t>(request), flags, static_cast<uint32_t>(payload.size())};
        std::memcpy(bytes.data(), &header, sizeof header);
        if (!payload.empty()) std::memcpy(bytes.data() + sizeof header, payload.data(), payload.size());
        send_bytes(bytes, files);
    }
    template <class T>
    void send(Request request, const T& payload, std::span<const int> files = {}, uint32_t flags = kVersion) {
        send(request, std::as_bytes(std::span(&payload, 1)), files, flags);
    }
    void send(Request request) { send(request, std::span<const std::byte>()); }
    void send_files(Request request, std::span<const int> files) { send(request, std::span<const std::byte>(), files); }
    void send_bytes(std::span<const std::byte> bytes, std::span<const int> files = {}) {
        const ssize_t sent = process::test::send_files(own_.number(), bytes, files);
        if (sent != static_cast<ssize_t>(bytes.size())) abort();
    }
    /// The payload of the next answer; empty if there is none.
    std::vector<std::byte> answer() {
        Header header{};
        if (recv(own_.number(), &header, sizeof header, MSG_DONTWAIT) != sizeof header) return {};
        std::vector<std::byte> payload(header.size);
        if (header.size > 0 && recv(own_.number(), payload.data(), payload.size(), MSG_WAITALL) < 0) abort();
        last = header;
        return payload;
    }
    template <class T>
    T answer_as() {
        T value{};
        const auto payload = answer();
        if (payload.size() == sizeof value) std::memcpy(&value, payload.data(), sizeof value);
        return value;
    }
    void send_memory(const GuestMemory& memory) {
        struct {
            uint32_t count = 2, padding = 0;
            std::array<RegionMessage, 2> regions;
        } const table{.regions = memory.table};
        send(Request::SetMemTable, table, std::array{memory.files[0].number(), memory.files[1].number()});
    }
    /// QEMU's messages for a ring.
    void send_ring(const Driver& driver, uint32_t queue, uint32_t base, int kick, int call) {
        send(Request::SetVringNum, QueueState{queue, driver.size});
        send(Request::SetVringBase, QueueState{queue, base});
        send(Request::SetVringAddr, driver.addresses(queue));
        send(Request::SetVringKick, uint64_t{queue}, std::array{kick});
        send(Request::SetVringCall, uint64_t{queue}, std::array{call});
        send(Request::SetVringEnable, QueueState{queue, 1});
    }
    void close() { own_ = process::Descriptor(); }
    int socket() const { return own_.number(); }

    process::Descriptor other;  ///< the back end's
    Header last{};

  private:
    process::Descriptor own_;
};

/// How often an eventfd was written since.
inline uint64_t count_of(const process::Descriptor& event) {
    uint64_t count = 0;
    return read(event.number(), &count, sizeof count) == sizeof count ? count : 0;
}
inline process::Descriptor make_event() {
    return process::Descriptor(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
}

}  // namespace tgsi2spv::vhost::test
