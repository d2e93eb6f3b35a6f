#include "machine/vhost/ring.h"

#include <fmt/format.h>
#define VIRTIO_RING_NO_LEGACY  // the omitted part is not valid C++
#include <linux/virtio_ring.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tgsi2spv::vhost {
namespace {

static_assert(std::endian::native == std::endian::little, "rings are little endian, and are not converted");
static_assert(sizeof(vring_desc) == 16 && sizeof(vring_used_elem) == 8);

uint16_t load(uint16_t& from) {
    return std::atomic_ref(from).load(std::memory_order_acquire);
}
void store(uint16_t& to, uint16_t value) {
    std::atomic_ref(to).store(value, std::memory_order_release);
}

void write_event(const process::Descriptor& file) {
    const uint64_t one = 1;
    if (file.number() >= 0 && write(file.number(), &one, sizeof one) < 0) return;  // the front end has closed it
}

uint16_t index_of(size_t at) {
    return static_cast<uint16_t>(at);
}

}  // namespace

uint64_t bytes_of(std::span<const Piece> pieces) {
    uint64_t sum = 0;
    for (const Piece& piece : pieces) sum += piece.bytes;
    return sum;
}

size_t gather(const Memory& memory, std::span<const Piece> pieces, uint64_t skip, std::span<std::byte> to) {
    size_t at = 0;
    for (const Piece& piece : pieces) {
        if (at == to.size()) break;
        if (skip >= piece.bytes) {
            skip -= piece.bytes;
            continue;
        }
        const size_t part = std::min<size_t>(piece.bytes - skip, to.size() - at);
        if (!memory.read(piece.address + skip, to.subspan(at, part))) break;
        at += part;
        skip = 0;
    }
    return at;
}

bool Ring::set_size(uint32_t size) {
    if (size == 0 || size > kMostRingSize || !std::has_single_bit(size)) return false;
    size_ = size;
    return true;
}

void Ring::set_features(uint64_t features) {
    event_index_ = (features >> VIRTIO_RING_F_EVENT_IDX & 1) != 0;
    indirect_ = (features >> VIRTIO_RING_F_INDIRECT_DESC & 1) != 0;
}

void Ring::start(const Memory& memory) {
    const bool again = std::exchange(started_, true) && why_broken_.empty();
    why_broken_.clear();
    // With the places of the event indexes after both rings.
    const uint64_t avail_bytes = sizeof(vring_avail) + (uint64_t{size_} + 1) * sizeof(uint16_t);
    const uint64_t used_bytes = sizeof(vring_used) + uint64_t{size_} * sizeof(vring_used_elem) + sizeof(uint16_t);
    std::byte* const descriptors = memory.find_user(addresses_.descriptors, uint64_t{size_} * sizeof(vring_desc));
    std::byte* const available = memory.find_user(addresses_.available, avail_bytes);
    std::byte* const used = memory.find_user(addresses_.used, used_bytes);
    const auto aligned = [](const std::byte* at, uintptr_t to) { return reinterpret_cast<uintptr_t>(at) % to == 0; };
    descriptors_ = nullptr;
    if (size_ == 0 || descriptors == nullptr || available == nullptr || used == nullptr ||
        !aligned(descriptors, VRING_DESC_ALIGN_SIZE) || !aligned(available, VRING_AVAIL_ALIGN_SIZE) ||
        !aligned(used, VRING_USED_ALIGN_SIZE)) {
        broken("it is not in the guest's memory");
        return;
    }
    descriptors_ = reinterpret_cast<vring_desc*>(descriptors);
    available_ = reinterpret_cast<vring_avail*>(available);
    used_ = reinterpret_cast<vring_used*>(used);
    available_event_ = reinterpret_cast<uint16_t*>(used + used_bytes - sizeof(uint16_t));
    if (!again) answered_ = signalled_ = load(used_->idx);
}

uint16_t Ring::stop() {
    started_ = false;
    descriptors_ = nullptr;
    return next_;
}

bool Ring::broken(std::string why) {
    why_broken_ = std::move(why);
    write_event(error);
    return false;
}

bool Ring::take(const Memory& memory, Chain& chain) {
    if (!runs()) return false;
    uint16_t available = load(available_->idx);
    if (available == next_ && event_index_) {
        // Asks for a kick, and looks again: the driver may have looked just before.
        store(*available_event_, next_);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        available = load(available_->idx);
    }
    if (available == next_) return false;
    if (index_of(available - next_) > size_)
        return broken(fmt::format("{} requests are available, of {}", index_of(available - next_), size_));
    // A driver could make a request available again before its answer.
    if (in_flight_ >= size_) return broken(fmt::format("more than {} requests wait for an answer", size_));
    chain = {.head = load(available_->ring[next_ % size_]), .readable = {}, .writable = {}};
    if (!follow(memory, chain)) return false;
    next_++;
    in_flight_++;
    return true;
}

/// Collects the pieces of a chain, which ends after as many descriptors as a chain may have: it may be a loop.
bool Ring::follow(const Memory& memory, Chain& chain) {
    uint32_t entries = size_, left = size_, at = chain.head;
    bool in_table = false;
    uint64_t table = 0;
    for (;;) {
        if (at >= entries) return broken(fmt::format("descriptor {} of {}", at, entries));
        if (left-- == 0) return broken(fmt::format("a chain of more than {} descriptors", entries));
        vring_desc d;
        if (!in_table)
            std::memcpy(&d, descriptors_ + at, sizeof d);
        else if (!memory.read(table + uint64_t{at} * sizeof d, std::as_writable_bytes(std::span(&d, 1))))
            return broken("an indirect table that is not in memory");
        if ((d.flags & VRING_DESC_F_INDIRECT) == 0) {
            if (!add(memory, d, chain)) return false;
            if ((d.flags & VRING_DESC_F_NEXT) == 0) return true;
            at = d.next;
            continue;
        }
        if (!indirect_ || in_table || (d.flags & VRING_DESC_F_NEXT) != 0)
            return broken("an indirect table where none may be");
        if (d.len == 0 || d.len % sizeof d != 0 || d.len / sizeof d > kMostIndirect || !memory.contains(d.addr, d.len))
            return broken(fmt::format("an indirect table of {} bytes at {:#x}", d.len, d.addr));
        in_table = true;
        table = d.addr;
        entries = left = d.len / sizeof d;
        at = 0;
    }
}

bool Ring::add(const Memory& memory, const vring_desc& d, Chain& chain) {
    if (!memory.contains(d.addr, d.len))
        return broken(fmt::format("{} bytes at {:#x}, which is not memory", d.len, d.addr));
    const bool writable = (d.flags & VRING_DESC_F_WRITE) != 0;
    if (!writable && !chain.writable.empty()) return broken("a readable descriptor after a writable one");
    (writable ? chain.writable : chain.readable).push_back({d.addr, d.len});
    return true;
}

void Ring::give(const Memory& memory, const Chain& chain, std::span<const std::byte> answer) {
    if (in_flight_ > 0) in_flight_--;
    if (!runs()) return;
    uint32_t written = 0;
    for (const Piece& piece : chain.writable) {
        const auto part = answer.subspan(written, std::min<size_t>(piece.bytes, answer.size() - written));
        if (!memory.write(piece.address, part)) break;  // the table has changed
        written += static_cast<uint32_t>(part.size());
    }
    used_->ring[answered_ % size_] = {chain.head, written};
    store(used_->idx, ++answered_);
}

void Ring::take_kicks() {
    uint64_t kicks;
    if (read(kick.number(), &kicks, sizeof kicks) < 0 && errno != EAGAIN) kick = process::Descriptor();
}

void Ring::signal() {
    if (!runs() || answered_ == signalled_) return;
    // Before the driver's wish is read, it must see the answers.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const bool wanted = event_index_ ? vring_need_event(load(available_->ring[size_]), answered_, signalled_) != 0
                                     : (load(available_->flags) & VRING_AVAIL_F_NO_INTERRUPT) == 0;
    signalled_ = answered_;
    if (wanted) write_event(call);
}

}  // namespace tgsi2spv::vhost
