// Commands that move bytes between buffers and images. Vulkan's rules for them are checked here and nowhere else: each
// function checks its request against the objects and the device, orders it after what it needs, and records it outside
// of the rendering scope. A request that fails records nothing.
#pragma once

#include <volk.h>

#include <cstdint>
#include <memory>

#include "vk/status.h"
#include "vk/stream.h"

namespace tgsi2spv::vk {

/// Texels of a level. z and depth are slices of a 3D image, layers of others.
struct ImageBox {
    uint32_t level = 0, x = 0, y = 0, z = 0, width = 1, height = 1, depth = 1;
};

/// Whether the box is inside the level and begins and ends between blocks, or at the level's end.
bool is_inside(const Image& image, const ImageBox& box);

/// Also copies within one buffer, as if all bytes were read before any is written.
Status copy_buffer(Stream& stream, const std::shared_ptr<Buffer>& from, VkDeviceSize from_offset,
                   const std::shared_ptr<Buffer>& to, VkDeviceSize to_offset, VkDeviceSize bytes);

/// Writes at most 64 KiB of the host's bytes, by multiples of 4.
Status update_buffer(Stream& stream, const std::shared_ptr<Buffer>& to, VkDeviceSize offset, VkDeviceSize bytes,
                     const void* data);

/// The bytes of an aspect's texel or block in a buffer (Vulkan, "Copying Data Between Buffers and Images").
uint32_t texel_bytes(const Image& image, VkImageAspectFlags aspect);
/// From a row to the next, and from a slice to the next, in texels or blocks and in rows of them. 0: packed tightly.
struct Pitch {
    uint32_t row = 0, slice = 0;
};

/// One aspect of a box, packed tightly in the staging memory, whose offset is a multiple of a texel's bytes there.
Status copy_to_image(Stream& stream, const Staging& from, const std::shared_ptr<Image>& to, VkImageAspectFlags aspect,
                     const ImageBox& box);
Status copy_from_image(Stream& stream, const std::shared_ptr<Image>& from, VkImageAspectFlags aspect,
                       const ImageBox& box, const Staging& to, const Pitch& pitch = {});

/// All aspects of `box` to the place of `to` with that level and origin, block by block: a block of the one is a texel
/// of the other if one of both is compressed. The destination's size follows from the source's. Both images may be one,
/// unless the boxes overlap.
Status copy_image(Stream& stream, const std::shared_ptr<Image>& from, const ImageBox& box,
                  const std::shared_ptr<Image>& to, const ImageBox& origin);

/// Whether two boxes of one image have a layer or slice of one level in common.
bool share_layers(const ImageBox& a, const ImageBox& b);
bool overlap(const ImageBox& a, const ImageBox& b);

/// A box whose corners may be in any order, in x, y and, for 3D images, z.
struct BlitBox {
    uint32_t level = 0;
    int32_t x = 0, y = 0, z = 0, width = 1, height = 1, depth = 1;
};
/// vkCmdBlitImage2. Unsupported: the device does not blit so, or a rule of this command forbids it; drawing may do it.
Status blit_image(Stream& stream, const std::shared_ptr<Image>& from, const BlitBox& source,
                  const std::shared_ptr<Image>& to, const BlitBox& target, VkImageAspectFlags aspects, VkFilter filter);

/// The layout GENERAL, and zeros everywhere: an image's first use. False: no memory.
[[nodiscard]] bool begin_image(Stream& stream, const std::shared_ptr<Image>& image);

}  // namespace tgsi2spv::vk
