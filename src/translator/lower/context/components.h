// The components of a register.
#pragma once

#include <cstdint>
#include <span>

namespace tgsi2spv::lower {

struct MaskComponents {
    uint8_t components[4], count;
};
inline constexpr MaskComponents kMaskComponents[16] = {
    {{}, 0},  {{0}, 1},    {{1}, 1},    {{0, 1}, 2},    {{2}, 1},    {{0, 2}, 2},    {{1, 2}, 2},    {{0, 1, 2}, 3},
    {{3}, 1}, {{0, 3}, 2}, {{1, 3}, 2}, {{0, 1, 3}, 3}, {{2, 3}, 2}, {{0, 2, 3}, 3}, {{1, 2, 3}, 3}, {{0, 1, 2, 3}, 4}};
/// The components of a write mask, in rising order.
inline std::span<const uint8_t> components_of(uint8_t mask) {
    const MaskComponents& of = kMaskComponents[mask & 0xf];
    return {of.components, of.count};
}
inline std::span<const uint8_t> all_components() {
    return components_of(0xf);
}
/// x, or x and y, ...
inline std::span<const uint8_t> first_components(int n) {
    return all_components().first(static_cast<size_t>(n));
}

}  // namespace tgsi2spv::lower
