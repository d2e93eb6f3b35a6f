// Writes and reads the texels of multisampled images with compute shaders, since copies cannot. Internal to this
// folder.
#pragma once

#include "harness/frame.h"

namespace tgsi2spv::harness {

/// Returns a format of unsigned integers with the texel's size, through which samples are written and read, or
/// VK_FORMAT_UNDEFINED if there is none.
VkFormat sample_format(const Image& image);
/// Whether the image's texels are written or read by these shaders.
bool passes_samples(const Image& image);

/// Checks, before images are created, whether the device can store to multisampled images.
Status check_sample_passes(const Frame& frame);
/// Creates, after the images, the passes of the images that have data or are read back.
Status make_sample_passes(Frame& frame);
void destroy_sample_passes(Frame& frame);
/// Records one pass. The image must be in layout GENERAL. `index` is an index into Job::images.
void record_sample_pass(const Frame& frame, VkCommandBuffer commands, size_t index, bool write);

}  // namespace tgsi2spv::harness
