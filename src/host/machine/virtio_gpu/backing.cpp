#include "machine/virtio_gpu/backing.h"

#include <algorithm>
#include <iterator>

namespace tgsi2spv::virtio_gpu {

void Backing::add(uint64_t address, uint32_t length) {
    if (length > 0) pieces_.push_back({address, end() + length});
}

template <class Action>
void Backing::for_pieces(uint64_t offset, uint64_t length, const Action& action) const {
    if (offset > end() || length > end() - offset) return;
    auto piece = std::ranges::upper_bound(pieces_, offset, {}, &Piece::end);
    for (uint64_t at = 0; at < length; ++piece) {
        const uint64_t begin = piece == pieces_.begin() ? 0 : std::prev(piece)->end, skip = offset + at - begin;
        const uint64_t part = std::min(piece->end - begin - skip, length - at);
        action(piece->address + skip, at, part);
        at += part;
    }
}

void Backing::read(uint64_t offset, std::span<std::byte> to) const {
    turns_.in_turn([&] {
        // It may have been taken away during the call.
        if (pieces_.empty()) std::ranges::fill(to, std::byte{0});
        for_pieces(offset, to.size(), [&](uint64_t address, uint64_t at, uint64_t part) {
            // Memory that has been removed since reads as zeros.
            if (!memory_.read(address, to.subspan(at, part))) std::ranges::fill(to.subspan(at, part), std::byte{0});
        });
    });
}

void Backing::write(uint64_t offset, std::span<const std::byte> from) {
    turns_.in_turn([&] {
        for_pieces(offset, from.size(), [&](uint64_t address, uint64_t at, uint64_t part) {
            static_cast<void>(memory_.write(address, from.subspan(at, part)));
        });
    });
}

void Backing::take_away() {
    pieces_ = std::vector<Piece>();  // which frees them
}

}  // namespace tgsi2spv::virtio_gpu
