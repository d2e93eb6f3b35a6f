// A split virtqueue (Virtio 1.2, 2.7), the device's side. The driver is the guest: it may write anything to the ring at
// any time, so each index and descriptor is copied once, and the copy is checked.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "machine/vhost/memory.h"
#include "process/socket.h"

struct vring_avail;
struct vring_desc;
struct vring_used;

namespace tgsi2spv::vhost {

/// Guest memory that a descriptor names.
struct Piece {
    uint64_t address;
    uint32_t bytes;
};

/// A request of the driver: its bytes, and the room for the answer. It has guest addresses, since the memory table may
/// change before the answer.
struct Chain {
    uint16_t head = 0;
    std::vector<Piece> readable, writable;
};

uint64_t bytes_of(std::span<const Piece> pieces);
/// Copies from the pieces' bytes, after `skip` of them. Returns how many were copied.
size_t gather(const Memory& memory, std::span<const Piece> pieces, uint64_t skip, std::span<std::byte> to);

inline constexpr uint32_t kMostRingSize = 32768;
/// The limit of descriptors in an indirect table. Linux makes these longer than the ring: a command of 4 MiB has 1,024
/// pages.
inline constexpr uint32_t kMostIndirect = 4096;

class Ring {
  public:
    // As the front end's messages set it up; false if that cannot be.
    bool set_size(uint32_t size);
    void set_addresses(const QueueAddresses& addresses) { addresses_ = addresses; }
    void set_base(uint16_t next) { next_ = next; }
    void set_features(uint64_t features);
    /// Starts the ring, or maps its parts again after another memory table. A ring that is not in memory is broken.
    void start(const Memory& memory);
    /// Returns the index of the next request. Nothing touches the ring until it is started again.
    uint16_t stop();
    /// Forgets the requests that have no answer.
    void forget() { in_flight_ = 0; }

    bool started() const { return started_; }
    bool runs() const { return started_ && enabled && why_broken_.empty() && descriptors_ != nullptr; }
    /// Why it is broken; empty if it is not.
    const std::string& why_broken() const { return why_broken_; }
    uint16_t next() const { return next_; }

    /// Takes the driver's next request; false if there is none, or the ring is broken: then it stays broken until it is
    /// started again, and the error file is signalled.
    bool take(const Memory& memory, Chain& chain);
    /// Answers a request with as many bytes as there is room for.
    void give(const Memory& memory, const Chain& chain, std::span<const std::byte> answer);
    /// Reads the kicks that have come. A file that cannot be read is closed.
    void take_kicks();
    /// Tells the driver of the answers, if it wants to know.
    void signal();

    bool enabled = false;
    process::Descriptor kick, call, error;

  private:
    bool follow(const Memory& memory, Chain& chain);
    bool add(const Memory& memory, const vring_desc& descriptor, Chain& chain);
    bool broken(std::string why);

    uint32_t size_ = 0;
    QueueAddresses addresses_{};
    bool event_index_ = false, indirect_ = false, started_ = false;
    std::string why_broken_;
    vring_desc* descriptors_ = nullptr;  ///< null: not in memory
    vring_avail* available_ = nullptr;
    vring_used* used_ = nullptr;
    uint16_t* available_event_ = nullptr;  ///< the word after the used ring
    uint16_t next_ = 0;                    ///< next place in the available ring
    uint16_t answered_ = 0;                ///< next place in the used ring
    uint16_t signalled_ = 0;
    uint32_t in_flight_ = 0;
};

}  // namespace tgsi2spv::vhost
