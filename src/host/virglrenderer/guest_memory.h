// Guest memory in many pieces, as a virtio-gpu device gives it to a resource. The monitor gives the addresses; the
// guest may change the contents at any time.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <span>
#include <vector>

#include "virgl/renderer.h"

namespace tgsi2spv::virglrenderer {

class GuestMemory final : public virgl::SharedMemory {
  public:
    explicit GuestMemory(std::span<const iovec> pieces);

    uint64_t size() const override { return ends_.empty() ? 0 : ends_.back(); }
    void read(uint64_t offset, std::span<std::byte> to) const override;
    void write(uint64_t offset, std::span<const std::byte> from) override;
    /// The monitor takes the memory away: work that is not done yet leaves it alone.
    void take_away();

  private:
    /// Calls action(piece, at) for the pieces of a range; `at` counts the range's bytes before the piece.
    template <class Action>
    void for_pieces(uint64_t offset, uint64_t length, const Action& action) const;

    std::vector<std::span<std::byte>> pieces_;
    std::vector<uint64_t> ends_;  ///< bytes up to the end of each piece
};

}  // namespace tgsi2spv::virglrenderer
