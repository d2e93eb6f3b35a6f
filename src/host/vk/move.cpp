#include "vk/move.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

namespace tgsi2spv::vk {
namespace {

bool is_volume(const Image& image) {
    return image.info().type == VK_IMAGE_TYPE_3D;
}

VkExtent3D extent_of(const Image& image, uint32_t level) {
    const VkExtent3D& e = image.info().extent;
    return {std::max(e.width >> level, 1U), std::max(e.height >> level, 1U), std::max(e.depth >> level, 1U)};
}

/// Slices or layers.
uint32_t slices_of(const Image& image, uint32_t level) {
    return is_volume(image) ? extent_of(image, level).depth : image.info().layers;
}

bool inside(uint64_t start, uint64_t size, uint64_t whole) {
    return size != 0 && start <= whole && size <= whole - start;
}

/// Whether a stretch is inside, and of whole blocks but for the level's end.
bool blocks_inside(uint32_t start, uint32_t size, uint32_t whole, uint32_t block) {
    return inside(start, size, whole) && start % block == 0 && (size % block == 0 || start + size == whole);
}

VkImageSubresourceLayers layers_of(const Image& image, const ImageBox& box, VkImageAspectFlags aspects) {
    return {aspects, box.level, is_volume(image) ? 0 : box.z, is_volume(image) ? 1 : box.depth};
}

VkOffset3D offset_of(const Image& image, const ImageBox& box) {
    return {static_cast<int32_t>(box.x), static_cast<int32_t>(box.y),
            is_volume(image) ? static_cast<int32_t>(box.z) : 0};
}

uint32_t divide_up(uint32_t value, uint32_t by) {
    return value / by + (value % by != 0);
}

bool overlaps(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size) {
    return a < b + b_size && b < a + a_size;
}

/// The region between a buffer and an image. Null: a rule forbids it.
std::optional<VkBufferImageCopy> buffer_region(const Image& image, VkImageAspectFlags aspect, const ImageBox& box,
                                               const Staging& staging, const Pitch& pitch = {}) {
    const Block& block = image.info().block;
    if ((image.aspects() & aspect) != aspect || !is_inside(image, box) || image.info().samples != VK_SAMPLE_COUNT_1_BIT)
        return std::nullopt;
    const uint32_t texel = texel_bytes(image, aspect);
    const uint64_t columns = divide_up(box.width, block.width), rows = divide_up(box.height, block.height);
    const uint64_t row = pitch.row != 0 ? pitch.row : columns, slice = pitch.slice != 0 ? pitch.slice : rows;
    if (row < columns || slice < rows || row > INT32_MAX / texel) return std::nullopt;
    const uint64_t bytes = (((box.depth - 1) * slice + rows - 1) * row + columns) * texel;
    const bool color = aspect == VK_IMAGE_ASPECT_COLOR_BIT;
    if (staging.offset % (color ? texel : 4) != 0 || staging.offset % 4 != 0 ||
        !inside(staging.offset, bytes, staging.buffer->size()))
        return std::nullopt;
    return VkBufferImageCopy{.bufferOffset = staging.offset,
                             .bufferRowLength = pitch.row * block.width,
                             .bufferImageHeight = pitch.slice * block.height,
                             .imageSubresource = layers_of(image, box, aspect),
                             .imageOffset = offset_of(image, box),
                             .imageExtent = {box.width, box.height, is_volume(image) ? box.depth : 1}};
}

/// Compressed images are not cleared, but copied to.
bool clear_blocks(Stream& stream, const std::shared_ptr<Image>& image) {
    constexpr uint64_t kMostBytes = 1U << 20;
    const ImageInfo& info = image->info();
    const Block& block = info.block;
    const uint64_t row = uint64_t{divide_up(info.extent.width, block.width)} * block.bytes;
    const uint32_t rows = divide_up(info.extent.height, block.height);
    const auto most_rows = static_cast<uint32_t>(std::clamp<uint64_t>(kMostBytes / row, 1, rows));
    const auto most_slices =
        static_cast<uint32_t>(std::clamp<uint64_t>(kMostBytes / (row * rows), 1, slices_of(*image, 0)));
    const Staging zeros = stream.stage(row * most_rows * most_slices, 16);
    if (zeros.data == nullptr) return false;
    std::memset(zeros.data, 0, row * most_rows * most_slices);
    for (uint32_t level = 0; level < info.levels; level++) {
        const VkExtent3D extent = extent_of(*image, level);
        const uint32_t step = most_rows * block.height, slices = slices_of(*image, level);
        for (uint32_t z = 0; z < slices; z += most_slices)
            for (uint32_t y = 0; y < extent.height; y += step)
                if (copy_to_image(stream, zeros, image, VK_IMAGE_ASPECT_COLOR_BIT,
                                  {level, 0, y, z, extent.width, std::min(step, extent.height - y),
                                   std::min(most_slices, slices - z)}) != Status::Done)
                    return false;
    }
    return true;
}

/// Whether one of both is 1D: no command copies between them.
bool is_one_flat(const ImageInfo& from, const ImageInfo& to) {
    return (from.type == VK_IMAGE_TYPE_1D) != (to.type == VK_IMAGE_TYPE_1D);
}

/// Images that are copied between: texels of one size, of the same samples, and the same depth and stencil.
bool are_compatible(const ImageInfo& from, const ImageInfo& to, VkImageAspectFlags aspects) {
    const bool color = aspects == VK_IMAGE_ASPECT_COLOR_BIT;
    return from.samples == to.samples && (color ? from.block.bytes == to.block.bytes : from.format == to.format);
}

/// Copies between texels and blocks, since vkCmdCopyImage does not write blocks that are only partly inside the level,
/// between blocks of which only one is whole, and between 1D and other images.
Status copy_through_buffer(Stream& stream, const std::shared_ptr<Image>& from, const ImageBox& source,
                           const std::shared_ptr<Image>& to, const ImageBox& target) {
    const Block& block = from->info().block;
    const uint64_t texels =
        uint64_t{divide_up(source.width, block.width)} * divide_up(source.height, block.height) * source.depth;
    std::vector<VkImageAspectFlags> aspects;
    VkDeviceSize bytes = 0;
    for (const auto aspect : {VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_ASPECT_STENCIL_BIT})
        if ((from->aspects() & aspect) != 0) {
            aspects.push_back(aspect);
            bytes = whole_words(bytes + texels * texel_bytes(*from, aspect));
        }
    const auto between = stream.make_buffer(bytes);
    if (between == nullptr) return Status::NoMemory;
    std::vector<VkBufferImageCopy> out, in;
    VkDeviceSize offset = 0;
    for (const VkImageAspectFlags aspect : aspects) {
        const Staging part{between, offset, between->mapped() + offset};
        const auto first = buffer_region(*from, aspect, source, part);
        const auto second = buffer_region(*to, aspect, target, part);
        if (!first || !second) return Status::BadRequest;
        out.push_back(*first);
        in.push_back(*second);
        offset = whole_words(offset + texels * texel_bytes(*from, aspect));
    }
    const auto regions = static_cast<uint32_t>(aspects.size());
    stream.order({reads(from), writes(between)});
    vkCmdCopyImageToBuffer(stream.commands(), from->handle(), VK_IMAGE_LAYOUT_GENERAL, between->handle(), regions,
                           out.data());
    stream.order({reads(between), writes(to)});
    vkCmdCopyBufferToImage(stream.commands(), between->handle(), to->handle(), VK_IMAGE_LAYOUT_GENERAL, regions,
                           in.data());
    return Status::Done;
}

bool is_within(int64_t start, int64_t size, int64_t whole) {
    return size != 0 && std::min(start, start + size) >= 0 && std::max(start, start + size) <= whole;
}

/// Vulkan's corners of a blit's side. False: they are not inside the level.
bool blit_side(const Image& image, const BlitBox& box, VkImageAspectFlags aspects, VkImageSubresourceLayers& layers,
               VkOffset3D* corners) {
    if (box.level >= image.info().levels) return false;
    const VkExtent3D extent = extent_of(image, box.level);
    const bool volume = is_volume(image);
    if (!is_within(box.x, box.width, extent.width) || !is_within(box.y, box.height, extent.height) ||
        !is_within(box.z, box.depth, slices_of(image, box.level)) || (!volume && box.depth < 0) ||
        (image.info().type == VK_IMAGE_TYPE_1D && box.height != 1))
        return false;
    layers = {aspects, box.level, volume ? 0 : static_cast<uint32_t>(box.z),
              volume ? 1 : static_cast<uint32_t>(box.depth)};
    corners[0] = {box.x, box.y, volume ? box.z : 0};
    corners[1] = {box.x + box.width, box.y + box.height, volume ? box.z + box.depth : 1};
    return true;
}

bool can_blit(const Device& device, const ImageInfo& from, const ImageInfo& to, VkFilter filter) {
    const VkFormatFeatureFlags source = device.format(from.format).optimalTilingFeatures;
    const VkFormatFeatureFlags target = device.format(to.format).optimalTilingFeatures;
    return from.type == to.type && from.samples == VK_SAMPLE_COUNT_1_BIT && to.samples == VK_SAMPLE_COUNT_1_BIT &&
           (source & VK_FORMAT_FEATURE_BLIT_SRC_BIT) != 0 && (target & VK_FORMAT_FEATURE_BLIT_DST_BIT) != 0 &&
           (filter == VK_FILTER_NEAREST || (source & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT) != 0);
}

}  // namespace

bool is_inside(const Image& image, const ImageBox& box) {
    if (box.level >= image.info().levels) return false;
    const VkExtent3D extent = extent_of(image, box.level);
    const Block& block = image.info().block;
    return blocks_inside(box.x, box.width, extent.width, block.width) &&
           blocks_inside(box.y, box.height, extent.height, block.height) &&
           inside(box.z, box.depth, slices_of(image, box.level));
}

uint32_t texel_bytes(const Image& image, VkImageAspectFlags aspect) {
    if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT) return 1;
    if (aspect == VK_IMAGE_ASPECT_DEPTH_BIT) return image.info().format == VK_FORMAT_D16_UNORM ? 2 : 4;
    return image.info().block.bytes;
}

bool share_layers(const ImageBox& a, const ImageBox& b) {
    return a.level == b.level && overlaps(a.z, a.depth, b.z, b.depth);
}

bool overlap(const ImageBox& a, const ImageBox& b) {
    return share_layers(a, b) && overlaps(a.x, a.width, b.x, b.width) && overlaps(a.y, a.height, b.y, b.height);
}

Status copy_buffer(Stream& stream, const std::shared_ptr<Buffer>& from, VkDeviceSize from_offset,
                   const std::shared_ptr<Buffer>& to, VkDeviceSize to_offset, VkDeviceSize bytes) {
    if (!inside(from_offset, bytes, from->size()) || !inside(to_offset, bytes, to->size())) return Status::BadRequest;
    if (from == to && overlaps(from_offset, bytes, to_offset, bytes)) {
        const auto between = stream.make_buffer(bytes);
        if (between == nullptr) return Status::NoMemory;
        const Status taken = copy_buffer(stream, from, from_offset, between, 0, bytes);
        return taken == Status::Done ? copy_buffer(stream, between, 0, to, to_offset, bytes) : taken;
    }
    stream.order({reads(from), writes(to)});
    const VkBufferCopy region{from_offset, to_offset, bytes};
    vkCmdCopyBuffer(stream.commands(), from->handle(), to->handle(), 1, &region);
    return Status::Done;
}

Status update_buffer(Stream& stream, const std::shared_ptr<Buffer>& to, VkDeviceSize offset, VkDeviceSize bytes,
                     const void* data) {
    constexpr VkDeviceSize kMost = 65536;
    if (!inside(offset, bytes, to->size()) || offset % 4 != 0 || bytes % 4 != 0 || bytes > kMost)
        return Status::BadRequest;
    stream.order({writes(to)});
    vkCmdUpdateBuffer(stream.commands(), to->handle(), offset, bytes, data);
    return Status::Done;
}

Status copy_to_image(Stream& stream, const Staging& from, const std::shared_ptr<Image>& to, VkImageAspectFlags aspect,
                     const ImageBox& box) {
    if (from.data == nullptr) return Status::NoMemory;
    const auto region = buffer_region(*to, aspect, box, from);
    if (!region) return Status::BadRequest;
    stream.order({writes(to)});
    vkCmdCopyBufferToImage(stream.commands(), from.buffer->handle(), to->handle(), VK_IMAGE_LAYOUT_GENERAL, 1,
                           &*region);
    return Status::Done;
}

Status copy_from_image(Stream& stream, const std::shared_ptr<Image>& from, VkImageAspectFlags aspect,
                       const ImageBox& box, const Staging& to, const Pitch& pitch) {
    if (to.data == nullptr) return Status::NoMemory;
    const auto region = buffer_region(*from, aspect, box, to, pitch);
    if (!region) return Status::BadRequest;
    to.buffer->is_imported() ? stream.order({reads(from), writes(to.buffer)}) : stream.order({reads(from)});
    vkCmdCopyImageToBuffer(stream.commands(), from->handle(), VK_IMAGE_LAYOUT_GENERAL, to.buffer->handle(), 1,
                           &*region);
    return Status::Done;
}

Status copy_image(Stream& stream, const std::shared_ptr<Image>& from, const ImageBox& box,
                  const std::shared_ptr<Image>& to, const ImageBox& origin) {
    const VkImageAspectFlags aspects = from->aspects();
    if (aspects != to->aspects() || !are_compatible(from->info(), to->info(), aspects) || !is_inside(*from, box) ||
        origin.level >= to->info().levels)
        return Status::BadRequest;
    const Block &source = from->info().block, &block = to->info().block;
    const VkExtent3D end = extent_of(*to, origin.level);
    // Whole blocks, of which the last may be only in part inside the level.
    const auto sized = [](uint32_t size, uint32_t of, uint32_t to_block, uint32_t start, uint32_t whole) {
        const uint64_t blocks = divide_up(size, of), last = start < whole ? divide_up(whole - start, to_block) : 0;
        return static_cast<uint32_t>(blocks == last ? whole - start : blocks * to_block);
    };
    ImageBox target = origin;
    target.width = sized(box.width, source.width, block.width, origin.x, end.width);
    target.height = sized(box.height, source.height, block.height, origin.y, end.height);
    target.depth = box.depth;
    if (!is_inside(*to, target) || (from == to && overlap(box, target))) return Status::BadRequest;
    if (source.width != block.width || source.height != block.height || target.width != box.width ||
        target.height != box.height || is_one_flat(from->info(), to->info()))
        return copy_through_buffer(stream, from, box, to, target);
    const uint32_t depth = is_volume(*from) || is_volume(*to) ? box.depth : 1;
    const VkImageCopy region{.srcSubresource = layers_of(*from, box, aspects),
                             .srcOffset = offset_of(*from, box),
                             .dstSubresource = layers_of(*to, target, aspects),
                             .dstOffset = offset_of(*to, target),
                             .extent = {box.width, box.height, depth}};
    stream.order({reads(from), writes(to)});
    vkCmdCopyImage(stream.commands(), from->handle(), VK_IMAGE_LAYOUT_GENERAL, to->handle(), VK_IMAGE_LAYOUT_GENERAL, 1,
                   &region);
    return Status::Done;
}

Status blit_image(Stream& stream, const std::shared_ptr<Image>& from, const BlitBox& source,
                  const std::shared_ptr<Image>& to, const BlitBox& target, VkImageAspectFlags aspects,
                  VkFilter filter) {
    VkImageBlit region{};
    if (!can_blit(stream.device(), from->info(), to->info(), filter) || (from->aspects() & aspects) != aspects ||
        (to->aspects() & aspects) != aspects ||
        !blit_side(*from, source, aspects, region.srcSubresource, region.srcOffsets) ||
        !blit_side(*to, target, aspects, region.dstSubresource, region.dstOffsets) ||
        region.srcSubresource.layerCount != region.dstSubresource.layerCount)
        return Status::Unsupported;
    const bool color = aspects == VK_IMAGE_ASPECT_COLOR_BIT;
    if (!color && (from->info().format != to->info().format || filter != VK_FILTER_NEAREST)) return Status::Unsupported;
    stream.order({reads(from), writes(to)});
    vkCmdBlitImage(stream.commands(), from->handle(), VK_IMAGE_LAYOUT_GENERAL, to->handle(), VK_IMAGE_LAYOUT_GENERAL, 1,
                   &region, filter);
    return Status::Done;
}

bool begin_image(Stream& stream, const std::shared_ptr<Image>& image) {
    const VkImageSubresourceRange all{image->aspects(), 0, image->info().levels, 0, image->info().layers};
    stream.order({writes(image)});
    const VkImageMemoryBarrier barrier{.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                       .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                       .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                       .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                       .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                       .image = image->handle(),
                                       .subresourceRange = all};
    vkCmdPipelineBarrier(stream.commands(), VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                         nullptr, 0, nullptr, 1, &barrier);
    if (image->info().block.width * image->info().block.height > 1) return clear_blocks(stream, image);
    const VkClearColorValue black{};
    const VkClearDepthStencilValue zero{};
    if (all.aspectMask == VK_IMAGE_ASPECT_COLOR_BIT)
        vkCmdClearColorImage(stream.commands(), image->handle(), VK_IMAGE_LAYOUT_GENERAL, &black, 1, &all);
    else
        vkCmdClearDepthStencilImage(stream.commands(), image->handle(), VK_IMAGE_LAYOUT_GENERAL, &zero, 1, &all);
    return true;
}

}  // namespace tgsi2spv::vk
