// The guest's memory: files of the front end, mapped here. The guest may write all of it at any time, so copy first,
// then check the copy. Addresses are translated at each use, since the table may be replaced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "machine/vhost/messages.h"

namespace tgsi2spv::vhost {

class Memory {
  public:
    Memory() = default;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory() { clear(); }

    /// Replaces the whole table. Returns why it cannot be mapped, or an empty string; then no memory is mapped.
    std::string set(std::span<const RegionMessage> table, std::span<const process::Descriptor> files);
    void clear();

    /// Whether a range of guest addresses is memory; it may go over from one region to the next.
    bool contains(uint64_t address, uint64_t bytes) const;
    /// False if the range is not memory; then nothing, or only a part, has been copied.
    bool read(uint64_t address, std::span<std::byte> to) const;
    bool write(uint64_t address, std::span<const std::byte> from) const;
    /// Where a range of the front end's addresses is mapped here; null if it is not in one region.
    std::byte* find_user(uint64_t address, uint64_t bytes) const;

  private:
    struct Region {
        uint64_t guest_address, user_address, size;
        std::byte* bytes;  ///< the byte at its first address
        void* mapped;
        uint64_t mapped_bytes;
    };
    /// Calls action(bytes, at) for the pieces of a range, in order; `at` counts the range's bytes before the piece.
    template <class Action>
    bool for_pieces(uint64_t address, uint64_t bytes, const Action& action) const;

    std::vector<Region> regions_;
};

}  // namespace tgsi2spv::vhost
