// The guest's memory of a resource: pieces at guest addresses, which are translated at each use. A renderer uses it in
// calls aside, so each use waits for a turn (turns.h): the loop may change the memory's table, or stop the ring.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/vhost/memory.h"
#include "machine/vhost/ring.h"
#include "machine/virtio_gpu/turns.h"
#include "virgl/renderer.h"

namespace tgsi2spv::virtio_gpu {

class Backing final : public virgl::SharedMemory {
  public:
    static constexpr uint64_t kPieceBytes = 16;
    /// Has room for `pieces`.
    Backing(const vhost::Memory& memory, Turns& turns, size_t pieces) : memory_(memory), turns_(turns) {
        pieces_.reserve(pieces);
    }
    void add(uint64_t address, uint32_t length);

    uint64_t size() const override {
        return turns_.in_turn([this] { return end(); });
    }
    void read(uint64_t offset, std::span<std::byte> to) const override;
    void write(uint64_t offset, std::span<const std::byte> from) override;
    size_t pieces() const { return pieces_.capacity(); }
    /// Work that is not done yet leaves the memory alone.
    void take_away();

  private:
    struct Piece {
        uint64_t address;
        uint64_t end;  ///< end of its bytes in the resource's memory
    };
    static_assert(sizeof(Piece) == kPieceBytes);
    uint64_t end() const { return pieces_.empty() ? 0 : pieces_.back().end; }
    template <class Action>
    void for_pieces(uint64_t offset, uint64_t length, const Action& action) const;

    const vhost::Memory& memory_;
    Turns& turns_;
    std::vector<Piece> pieces_;
};

}  // namespace tgsi2spv::virtio_gpu
