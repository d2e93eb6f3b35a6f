// The resource that the words of a call are of, and boxes of its levels.
#pragma once

#include <cstdint>

#include "stream.h"

namespace tgsi2spv::fuzz {

bool is_depth(const Resource& resource);
bool is_texture(const Resource& resource);
/// Whether the device has it, and it may hold anything.
bool is_buffer(const Resource& resource);
uint32_t handle_of(const Resource* resource);

/// The resource of the words so far; null: none.
const Resource* chosen(const Stream& stream, const Filling& filling);
/// A format whose views the resource has.
uint32_t view_format(Stream& stream, const Resource* resource);
/// Words from Kind::Texture to Kind::DataBytes.
uint32_t box_word(Stream& stream, Filling& filling, Kind kind);

}  // namespace tgsi2spv::fuzz
