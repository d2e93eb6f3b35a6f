// The guest's memory of a resource: pieces at guest addresses, which are translated at each use.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vhost/memory.h"
#include "vhost/ring.h"
#include "virgl/renderer.h"

namespace tgsi2spv::virtio_gpu {

class Backing final : public virgl::SharedMemory {
  public:
    Backing(const vhost::Memory& memory, std::span<const vhost::Piece> pieces);

    uint64_t size() const override { return ends_.empty() ? 0 : ends_.back(); }
    void read(uint64_t offset, std::span<std::byte> to) const override;
    void write(uint64_t offset, std::span<const std::byte> from) override;
    size_t pieces() const { return pieces_.size(); }
    /// Work that is not done yet leaves the memory alone.
    void take_away();

  private:
    template <class Action>
    void for_pieces(uint64_t offset, uint64_t length, const Action& action) const;

    const vhost::Memory& memory_;
    std::vector<vhost::Piece> pieces_;
    std::vector<uint64_t> ends_;  ///< bytes up to the end of each piece
};

}  // namespace tgsi2spv::virtio_gpu
