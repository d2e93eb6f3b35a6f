// A module rewritten so that nothing undefined looks right by chance. Internal to run.cpp.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace tgsi2spv::difftest {

/// Replaces an undefined word.
inline constexpr uint32_t kUndefinedMark = 0x3a5c0100;

/// Descriptor set and binding.
using BindingSet = std::set<std::pair<uint32_t, uint32_t>>;

/// Images of which the module uses only the size, and texels by numbers that it checks against that size.
BindingSet images_by_texel(std::span<const uint32_t> words);

/// Replaces what is undefined with a mark:
/// - Each buffer at one of `buffers` reports `less` fewer words. So the words past its end hold something else, as on
/// devices that do not bounds-check accesses. An atomic operation there changes the last of these words.
/// - Each image at one of `images` reports only the part between marks, and one level less (texel_margins.h).
/// - What a lane outside the subgroup would give.
/// - An element past the end of an array in the invocation's own memory is an element of its middle.
/// - Shifts by the number of bits or more, conversions of floats that the integer type cannot hold, sines and cosines
/// of angles beyond π.
/// `subgroup_size`: of the device; 0: not known.
std::vector<uint32_t> as_on_hostile_device(std::span<const uint32_t> words, const BindingSet& buffers, uint32_t less,
                                           const BindingSet& images, uint32_t subgroup_size = 0);

}  // namespace tgsi2spv::difftest
