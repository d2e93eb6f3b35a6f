// An input as a list of actions: numbers and bytes in order; when they end, they are zeros.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>

namespace fuzz {

class Actions {
  public:
    explicit Actions(std::span<const uint8_t> bytes) : bytes_(bytes) {}
    bool ended() const { return bytes_.empty(); }
    uint32_t number(unsigned bytes) {
        uint32_t value = 0;
        const auto part = take(bytes);
        if (!part.empty()) std::memcpy(&value, part.data(), part.size());
        return value;
    }
    std::span<const uint8_t> take(size_t bytes) {
        const auto part = bytes_.first(std::min(bytes, bytes_.size()));
        bytes_ = bytes_.subspan(part.size());
        return part;
    }

  private:
    std::span<const uint8_t> bytes_;
};

}  // namespace fuzz
