// Texels of multisampled images: written and read by a compute shader, since no copy does. Internal to this folder.
#pragma once

#include "vulkan/frame.h"

namespace tgsi2spv::vulkan {

/// A format of unsigned words as wide as a texel, by which samples are written and read; undefined if there is none.
VkFormat sample_format(const Image& image);
/// Does the image go through the shaders?
bool passes_samples(const Image& image);

/// Before the images: whether the device can store to those of several samples.
Status check_sample_passes(const Frame& frame);
/// After the images: the passes of those that are filled or come back.
Status make_sample_passes(Frame& frame);
void destroy_sample_passes(Frame& frame);
/// In layout GENERAL. `index` counts Job::images.
void record_sample_pass(const Frame& frame, VkCommandBuffer commands, size_t index, bool write);

}  // namespace tgsi2spv::vulkan
