#include "machine/agent/messages.h"

#include <algorithm>
#include <cstring>

namespace tgsi2spv::vdagent {
namespace {

/// Fills `words` from its byte `at` on, with what `bytes` has of it.
void fill(std::span<uint32_t> words, size_t& at, std::span<const std::byte>& bytes) {
    const size_t part = std::min(words.size_bytes() - at, bytes.size());
    std::ranges::copy(bytes.first(part), std::as_writable_bytes(words).begin() + static_cast<ptrdiff_t>(at));
    at += part;
    bytes = bytes.subspan(part);
}

void append(std::vector<std::byte>& out, std::span<const std::byte> bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
}

}  // namespace

bool Reader::read(std::span<const std::byte>& bytes) {
    if (whole_) {
        whole_ = false;
        of_header_ = 0;
    }
    while (!bytes.empty() && !whole_) {
        if (left_in_chunk_ == 0) {
            fill(chunk_, of_chunk_, bytes);
            if (of_chunk_ < sizeof chunk_) return true;
            if ((chunk_[0] != kClientPort && chunk_[0] != kServerPort) || chunk_[1] > kMostChunk) return false;
            of_chunk_ = 0;
            left_in_chunk_ = chunk_[1];
            continue;
        }
        std::span<const std::byte> part = bytes.first(std::min(left_in_chunk_, bytes.size()));
        const size_t before = part.size();
        if (chunk_[0] == kServerPort)
            part = {};  // what SPICE's server would be told
        else if (!take(part))
            return false;
        bytes = bytes.subspan(before - part.size());
        left_in_chunk_ -= before - part.size();
    }
    return true;
}

/// Takes bytes of the message off `part`, up to its end.
bool Reader::take(std::span<const std::byte>& part) {
    if (of_header_ < sizeof header_) {
        fill(header_, of_header_, part);
        if (of_header_ < sizeof header_) return true;
        if (header_[0] != kProtocol) return false;
        left_ = header_[4];
        message_.clear();
    }
    const size_t some = std::min(left_, part.size());
    if (header_[4] <= kMostMessage)
        message_.insert(message_.end(), part.begin(), part.begin() + static_cast<ptrdiff_t>(some));
    part = part.subspan(some);
    left_ -= some;
    whole_ = left_ == 0;
    return true;
}

size_t find_agent(std::span<const std::byte> bytes) {
    constexpr uint32_t kHeader = 5 * sizeof(uint32_t), kMostCapabilities = 64;
    std::array<uint32_t, 8> words;  // the chunk's two, the message's five, whether an answer is wanted
    for (size_t at = 0; at + sizeof words <= bytes.size(); at++) {
        std::memcpy(words.data(), bytes.data() + at, sizeof words);
        const auto& [port, chunk, protocol, type, zero, zero_too, size, wants] = words;
        if (port == kClientPort && protocol == kProtocol && type == kCapabilities && zero == 0 && zero_too == 0 &&
            size <= kMostCapabilities && chunk == kHeader + size && wants <= 1)
            return at;
    }
    return bytes.size();
}

void write(std::vector<std::byte>& out, Message type, std::span<const uint32_t> words,
           std::span<const std::byte> content) {
    const auto size = static_cast<uint32_t>(words.size_bytes() + content.size());
    const std::array<uint32_t, 5> header{kProtocol, type, 0, 0, size};
    std::vector<std::byte> message;
    append(message, std::as_bytes(std::span(header)));
    append(message, std::as_bytes(words));
    append(message, content);
    for (std::span<const std::byte> rest = message; !rest.empty();) {
        const auto part = rest.first(std::min(rest.size(), kMostChunk));
        const std::array chunk{kClientPort, static_cast<uint32_t>(part.size())};
        append(out, std::as_bytes(std::span(chunk)));
        append(out, part);
        rest = rest.subspan(part.size());
    }
}

}  // namespace tgsi2spv::vdagent
