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
bool is_plain_texture(const Resource& resource);
bool has_memory(const Resource& resource);

/// A resource that the words after it are of; another one that it can be copied to.
uint32_t choose(Stream& stream, Filling& filling, const std::function<bool(const Resource&)>& fits);
uint32_t choose_like(Stream& stream, Filling& filling);
uint32_t choose_anything(Stream& stream, Filling& filling);
/// A position of a box on an axis: at a block, often 0; and sizes.
uint32_t start_of(Stream& stream, Filling& filling, size_t axis);
uint32_t size_of(Stream& stream, Filling& filling, size_t axis, bool bounded);
uint32_t blit_depth(Stream& stream, Filling& filling);
uint32_t stride_of(Stream& stream, Filling& filling, bool layer);
/// Bytes that the box takes with its strides.
uint32_t data_bytes(Stream& stream, const Filling& filling);

}  // namespace tgsi2spv::fuzz
