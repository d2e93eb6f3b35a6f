// A module as a device sees it that leaves nothing that is undefined looking well. Internal to mutate_run.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace tgsi2spv::difftest {

/// What stands in place of a word that is undefined.
inline constexpr uint32_t kUndefinedMark = 0x3a5c0100;

/// Descriptor set and binding.
using BindingSet = std::set<std::pair<uint32_t, uint32_t>>;

/// Images of which the module wants nothing but how large they are, and texels by numbers that it holds against that.
BindingSet images_by_texel(std::span<const uint32_t> words);

/// What is undefined becomes a mark:
/// - each buffer at one of the bindings says that it has `less` words less: what stands behind its last word is then
///   something else's, as on devices that bound no access; an atomic operation there changes the last of these words;
/// - each image at one of the bindings says that it is the part between marks, and has a level less
///   (texel_margins.h);
/// - what a lane beyond the subgroup says;
/// - behind the end of an array in the invocation's own memory stands an element of its middle;
/// - shifts by as many bits as there are or more, conversions of floats that no integer of the type is, sines and
///   cosines of angles beyond π.
/// `subgroup_size`: of the device; 0: not known.
std::vector<uint32_t> as_on_hostile_device(std::span<const uint32_t> words, const BindingSet& buffers, uint32_t less,
                                           const BindingSet& images, uint32_t subgroup_size = 0);

}  // namespace tgsi2spv::difftest
