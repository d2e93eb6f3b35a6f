#include "virglrenderer/guest_memory.h"

#include <algorithm>
#include <cstring>

namespace tgsi2spv::virglrenderer {

GuestMemory::GuestMemory(std::span<const iovec> pieces) {
    for (const iovec& piece : pieces) {
        if (piece.iov_base == nullptr || piece.iov_len == 0 || piece.iov_len > UINT64_MAX - size()) continue;
        const uint64_t before = size();
        pieces_.emplace_back(static_cast<std::byte*>(piece.iov_base), piece.iov_len);
        ends_.push_back(before + piece.iov_len);
    }
}

template <class Action>
void GuestMemory::for_pieces(uint64_t offset, uint64_t length, const Action& action) const {
    if (offset > size() || length > size() - offset) return;
    auto i = static_cast<size_t>(std::ranges::upper_bound(ends_, offset) - ends_.begin());
    for (uint64_t at = 0; at < length; i++) {
        const std::span<std::byte> piece = pieces_[i];
        const uint64_t skip = offset + at - (ends_[i] - piece.size());
        const uint64_t part = std::min<uint64_t>(piece.size() - skip, length - at);
        action(piece.subspan(skip, part), at);
        at += part;
    }
}

void GuestMemory::read(uint64_t offset, std::span<std::byte> to) const {
    for_pieces(offset, to.size(), [&](std::span<std::byte> piece, uint64_t at) {
        std::memcpy(to.data() + at, piece.data(), piece.size());
    });
}

void GuestMemory::write(uint64_t offset, std::span<const std::byte> from) {
    for_pieces(offset, from.size(), [&](std::span<std::byte> piece, uint64_t at) {
        std::memcpy(piece.data(), from.data() + at, piece.size());
    });
}

void GuestMemory::take_away() {
    pieces_.clear();
    ends_.clear();
}

}  // namespace tgsi2spv::virglrenderer
