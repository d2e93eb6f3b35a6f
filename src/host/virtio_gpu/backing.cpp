#include "virtio_gpu/backing.h"

#include <algorithm>

namespace tgsi2spv::virtio_gpu {

Backing::Backing(const vhost::Memory& memory, std::span<const vhost::Piece> pieces) : memory_(memory) {
    for (const vhost::Piece& piece : pieces) {
        if (piece.bytes == 0) continue;
        const uint64_t before = size();
        pieces_.push_back(piece);
        ends_.push_back(before + piece.bytes);
    }
}

template <class Action>
void Backing::for_pieces(uint64_t offset, uint64_t length, const Action& action) const {
    if (offset > size() || length > size() - offset) return;
    auto i = static_cast<size_t>(std::ranges::upper_bound(ends_, offset) - ends_.begin());
    for (uint64_t at = 0; at < length; i++) {
        const vhost::Piece& piece = pieces_[i];
        const uint64_t skip = offset + at - (ends_[i] - piece.bytes);
        const uint64_t part = std::min<uint64_t>(piece.bytes - skip, length - at);
        action(piece.address + skip, at, part);
        at += part;
    }
}

void Backing::read(uint64_t offset, std::span<std::byte> to) const {
    for_pieces(offset, to.size(), [&](uint64_t address, uint64_t at, uint64_t part) {
        // Memory that has been removed since reads as zeros.
        if (!memory_.read(address, to.subspan(at, part))) std::ranges::fill(to.subspan(at, part), std::byte{0});
    });
}

void Backing::write(uint64_t offset, std::span<const std::byte> from) {
    for_pieces(offset, from.size(), [&](uint64_t address, uint64_t at, uint64_t part) {
        static_cast<void>(memory_.write(address, from.subspan(at, part)));
    });
}

void Backing::take_away() {
    pieces_.clear();
    ends_.clear();
}

}  // namespace tgsi2spv::virtio_gpu
