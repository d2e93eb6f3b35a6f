#include "host/copy.h"

#include <algorithm>
#include <cstring>

#include "host/blit_draw.h"
#include "host/framebuffer.h"
#include "host/layout.h"
#include "host/resource.h"
#include "host/transfer.h"

namespace tgsi2spv::host {
namespace {

bool inside(uint64_t start, uint64_t size, uint64_t whole) {
    return size != 0 && start + size <= whole;
}

/// Whether a box is inside a level; z and depth count slices.
bool box_inside(const Resource& resource, uint32_t level, const virgl::Box& box) {
    if (level > resource.info.last_level) return false;
    const VkExtent3D e = resource.extent(level);
    return inside(box.x, box.width, e.width) && inside(box.y, box.height, e.height) &&
           inside(box.z, box.depth, resource.slices(level));
}

bool is_volume(const Resource& resource) {
    return resource.image->info().type == VK_IMAGE_TYPE_3D;
}

VkImageSubresourceLayers subresource(const Resource& resource, uint32_t level, uint32_t z, uint32_t depth,
                                     VkImageAspectFlags aspects) {
    return {aspects, level, is_volume(resource) ? 0 : z, is_volume(resource) ? 1 : depth};
}

VkOffset3D offset_of(const Resource& resource, uint32_t x, uint32_t y, uint32_t z) {
    return {static_cast<int32_t>(x), static_cast<int32_t>(y), is_volume(resource) ? static_cast<int32_t>(z) : 0};
}

Problem copy_buffer(Host& host, const Resource& dst, const Resource& src, const virgl::CopyRegion& command) {
    const uint64_t size = command.box.width;
    if (!inside(command.dst_x, size, dst.buffer->size()) || !inside(command.box.x, size, src.buffer->size()))
        return Problem::BadBox;
    std::shared_ptr<gpu::Buffer> from = src.buffer;
    VkDeviceSize start = command.box.x;
    const bool overlaps = dst.buffer == src.buffer && start < command.dst_x + size && command.dst_x < start + size;
    if (overlaps) {
        from = gpu::Buffer::create(*host.device, host.memory, size);
        if (from == nullptr) return Problem::NoMemory;
        host.stream.read(src.buffer);
        host.stream.write(from);
        host.stream.order();
        const VkBufferCopy region{start, 0, size};
        vkCmdCopyBuffer(host.stream.commands(), src.buffer->handle(), from->handle(), 1, &region);
        start = 0;
    }
    host.stream.read(from);
    host.stream.write(dst.buffer);
    host.stream.order();
    const VkBufferCopy region{start, command.dst_x, size};
    vkCmdCopyBuffer(host.stream.commands(), from->handle(), dst.buffer->handle(), 1, &region);
    return Problem::None;
}

bool rows_inside(const virgl::BlitSide& side, const VkExtent3D& e) {
    const auto within = [](int64_t start, int64_t size, int64_t whole) {
        return std::min(start, start + size) >= 0 && std::max(start, start + size) <= whole;
    };
    return within(side.x, side.width, e.width) && within(side.y, side.height, e.height);
}

/// Blits between formats and sizes that Vulkan converts itself (Vulkan, vkCmdBlitImage).
bool can_blit(const Host& host, const virgl::Blit& blit, const Resource& dst, const Resource& src) {
    const FormatInfo& from = *format_info(blit.src.format, host.depth24);
    const FormatInfo& to = *format_info(blit.dst.format, host.depth24);
    if (from.vulkan != src.image->info().format || to.vulkan != dst.image->info().format) return false;
    if (src.image->info().samples != 1 || dst.image->info().samples != 1) return false;
    if (from.has(kUint | kSint) != to.has(kUint | kSint) || from.has(kUint) != to.has(kUint)) return false;
    if (blit.alpha_blend || blit.scissor_enable) return false;
    if (!rows_inside(blit.src, src.extent(blit.src.level)) || !rows_inside(blit.dst, dst.extent(blit.dst.level)))
        return false;
    const bool depth = (blit.mask & (virgl::kBlitDepth | virgl::kBlitStencil)) != 0;
    if (depth && (from.vulkan != to.vulkan || blit.filter != virgl::Filter::Nearest)) return false;
    // lavapipe copies the stencil, too.
    const bool spares_stencil = (blit.mask & virgl::kBlitStencil) == 0 && dst.format->has(kStencil);
    if (depth && spares_stencil) return false;
    const bool moves = from.swizzle != to.swizzle || alpha_in(to) == AlphaIn::Nowhere;
    if (!depth && (moves || (blit.mask & virgl::kBlitColor) != virgl::kBlitColor)) return false;
    VkFormatProperties p{}, q{};
    vkGetPhysicalDeviceFormatProperties(host.device->physical(), from.vulkan, &p);
    vkGetPhysicalDeviceFormatProperties(host.device->physical(), to.vulkan, &q);
    if ((p.optimalTilingFeatures & VK_FORMAT_FEATURE_BLIT_SRC_BIT) == 0 ||
        (q.optimalTilingFeatures & VK_FORMAT_FEATURE_BLIT_DST_BIT) == 0)
        return false;
    return blit.filter == virgl::Filter::Nearest ||
           (p.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT) != 0;
}

/// A side's box, whose corners may be in any order. Guests leave it to the host to clip x and y.
Problem check_side(const Host& host, const Resource& resource, const virgl::BlitSide& side) {
    if (side.level > resource.info.last_level) return Problem::BadLevel;
    const auto& limits = host.device->report().limits;
    const auto drawable = [&](int64_t start, int64_t size, uint32_t most) {
        return size != 0 && std::abs(size) <= most &&
               std::min(start, start + size) >= static_cast<int64_t>(limits.viewportBoundsRange[0]) &&
               std::max(start, start + size) <= static_cast<int64_t>(limits.viewportBoundsRange[1]);
    };
    const int64_t bottom = std::min<int64_t>(side.z, int64_t{side.z} + side.depth);
    const auto depth = static_cast<uint64_t>(std::abs(int64_t{side.depth}));
    return drawable(side.x, side.width, limits.maxViewportDimensions[0]) &&
                   drawable(side.y, side.height, limits.maxViewportDimensions[1]) && depth != 0 && bottom >= 0 &&
                   inside(static_cast<uint64_t>(bottom), depth, resource.slices(side.level))
               ? Problem::None
               : Problem::BadBox;
}

VkImageBlit2 region_of(const virgl::Blit& blit, const Resource& dst, const Resource& src, VkImageAspectFlags aspects) {
    VkImageBlit2 region{.sType = VK_STRUCTURE_TYPE_IMAGE_BLIT_2};
    const auto side = [&](const Resource& r, const virgl::BlitSide& s, VkImageSubresourceLayers& layers,
                          VkOffset3D* corners) {
        const bool volume = is_volume(r);
        layers = {aspects, s.level, volume ? 0 : static_cast<uint32_t>(s.z),
                  volume ? 1 : static_cast<uint32_t>(s.depth)};
        corners[0] = {s.x, s.y, volume ? s.z : 0};
        corners[1] = {s.x + s.width, s.y + s.height, volume ? s.z + s.depth : 1};
    };
    side(src, blit.src, region.srcSubresource, region.srcOffsets);
    side(dst, blit.dst, region.dstSubresource, region.dstOffsets);
    return region;
}

VkImageAspectFlags aspects_of_mask(uint32_t mask, const gpu::Image& image) {
    VkImageAspectFlags aspects = 0;
    if ((mask & virgl::kBlitColor) != 0) aspects |= VK_IMAGE_ASPECT_COLOR_BIT;
    if ((mask & virgl::kBlitDepth) != 0) aspects |= VK_IMAGE_ASPECT_DEPTH_BIT;
    if ((mask & virgl::kBlitStencil) != 0) aspects |= VK_IMAGE_ASPECT_STENCIL_BIT;
    return aspects & image.aspects();
}

}  // namespace

Problem copy_region(Host& host, const virgl::CopyRegion& command) {
    const auto dst = host.find_resource(command.dst), src = host.find_resource(command.src);
    if (dst == nullptr || src == nullptr) return Problem::NoResource;
    flush_clears(host);
    if (dst->buffer != nullptr && src->buffer != nullptr) return copy_buffer(host, *dst, *src, command);
    if (dst->image == nullptr || src->image == nullptr) return Problem::Incompatible;
    const virgl::Box& b = command.box;
    if (!box_inside(*src, command.src_level, b)) return Problem::BadBox;
    const FormatInfo &from = *src->format, &to = *dst->format;
    if (from.block_bytes != to.block_bytes || src->image->aspects() != dst->image->aspects() ||
        src->image->info().samples != dst->image->info().samples)
        return Problem::Incompatible;
    // The destination counts texels of its own: blocks of the source become texels and the other way round.
    const uint32_t width = (b.width + from.block_width - 1) / from.block_width * to.block_width;
    const uint32_t height = (b.height + from.block_height - 1) / from.block_height * to.block_height;
    const VkExtent3D end = command.dst_level > dst->info.last_level ? VkExtent3D{} : dst->extent(command.dst_level);
    const virgl::Box target{command.dst_x,
                            command.dst_y,
                            command.dst_z,
                            command.dst_x < end.width ? std::min(width, end.width - command.dst_x) : width,
                            command.dst_y < end.height ? std::min(height, end.height - command.dst_y) : height,
                            b.depth};
    if (!box_inside(*dst, command.dst_level, target)) return Problem::BadBox;
    const VkImageAspectFlags aspects = src->image->aspects();
    const uint32_t depth = is_volume(*src) || is_volume(*dst) ? b.depth : 1;
    const VkImageCopy region{.srcSubresource = subresource(*src, command.src_level, b.z, b.depth, aspects),
                             .srcOffset = offset_of(*src, b.x, b.y, b.z),
                             .dstSubresource = subresource(*dst, command.dst_level, command.dst_z, b.depth, aspects),
                             .dstOffset = offset_of(*dst, command.dst_x, command.dst_y, command.dst_z),
                             .extent = {b.width, b.height, depth}};
    host.stream.read(src->image);
    host.stream.write(dst->image);
    host.stream.order();
    vkCmdCopyImage(host.stream.commands(), src->image->handle(), VK_IMAGE_LAYOUT_GENERAL, dst->image->handle(),
                   VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    return Problem::None;
}

Problem blit(Host& host, const virgl::Blit& command) {
    const auto dst = host.find_resource(command.dst.resource), src = host.find_resource(command.src.resource);
    if (dst == nullptr || src == nullptr) return Problem::NoResource;
    if (dst->image == nullptr || src->image == nullptr) return Problem::Incompatible;
    for (const auto& [r, side] : {std::pair(dst.get(), &command.dst), std::pair(src.get(), &command.src)}) {
        const FormatInfo* const format = format_info(side->format, host.depth24);
        if (format == nullptr || !r->has_views_of(*format)) return Problem::BadFormat;
        if (const Problem p = check_side(host, *r, *side); p != Problem::None) return p;
    }
    flush_clears(host);
    const VkImageAspectFlags aspects = aspects_of_mask(command.mask, *src->image) & dst->image->aspects();
    if (aspects == 0) return Problem::None;
    if (!can_blit(host, command, *dst, *src)) return blit_by_drawing(host, command, *dst, *src);
    const VkImageBlit2 region = region_of(command, *dst, *src, aspects);
    const VkBlitImageInfo2 info{
        .sType = VK_STRUCTURE_TYPE_BLIT_IMAGE_INFO_2,
        .srcImage = src->image->handle(),
        .srcImageLayout = VK_IMAGE_LAYOUT_GENERAL,
        .dstImage = dst->image->handle(),
        .dstImageLayout = VK_IMAGE_LAYOUT_GENERAL,
        .regionCount = 1,
        .pRegions = &region,
        .filter = command.filter == virgl::Filter::Linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST};
    host.stream.read(src->image);
    host.stream.write(dst->image);
    host.stream.order();
    vkCmdBlitImage2(host.stream.commands(), &info);
    return Problem::None;
}

namespace {

/// Uploads the texel to every place of the box, in parts of bounded size.
Problem fill_box(Host& host, Resource& resource, const virgl::ClearTexture& command) {
    constexpr size_t kPart = 1u << 20;
    const FormatInfo& format = *resource.format;
    const size_t row = size_t{command.box.width} * format.block_bytes;
    const auto rows = static_cast<uint32_t>(std::clamp<size_t>(kPart / row, 1, command.box.height));
    std::vector<std::byte> texels(row * rows);
    for (size_t at = 0; at < texels.size(); at += format.block_bytes)
        std::memcpy(&texels[at], command.texel.data(), format.block_bytes);
    virgl::TransferRequest part{command.resource, command.level, 0, 0, command.box};
    part.stride = static_cast<uint32_t>(row);
    part.box.depth = 1;
    for (uint32_t slice = 0; slice < command.box.depth; slice++)
        for (uint32_t y = 0; y < command.box.height; y += rows) {
            part.box.z = command.box.z + slice;
            part.box.y = command.box.y + y;
            part.box.height = std::min(rows, command.box.height - y);
            if (const Problem p = write_box(host, resource, part, texels); p != Problem::None) return p;
        }
    return Problem::None;
}

/// Multisampled images are not uploaded to: a texel of a single sample is stretched over the box.
Problem stretch_texel(Host& host, const Resource& resource, const virgl::ClearTexture& command) {
    Resource one;
    one.target = virgl::Target::Tex2d;
    one.format = resource.format;
    one.info = {0, static_cast<uint32_t>(one.target), resource.info.format, resource.info.bind, 1, 1, 1, 1, 0, 0};
    if (const Problem p = make_image(host, one); p != Problem::None) return p;
    const virgl::TransferRequest texel{0, 0, 0, 0, {0, 0, 0, 1, 1, 1}};
    if (const Problem p = write_box(host, one, texel, std::as_bytes(std::span(command.texel))); p != Problem::None)
        return p;
    const auto format = static_cast<uint16_t>(resource.info.format);
    const auto number = [](uint32_t n) { return static_cast<int32_t>(n); };
    const virgl::Box& b = command.box;
    virgl::Blit blit{};
    blit.mask = resource.format->has(kDepthStencil) ? virgl::kBlitDepth | virgl::kBlitStencil : virgl::kBlitColor;
    blit.src = {0, 0, format, 0, 0, 0, 1, 1, 1};
    for (uint32_t slice = 0; slice < b.depth; slice++) {
        blit.dst = {command.resource, command.level,    format, number(b.x), number(b.y), number(b.z + slice),
                    number(b.width),  number(b.height), 1};
        if (const Problem p = blit_by_drawing(host, blit, resource, one); p != Problem::None) return p;
    }
    return Problem::None;
}

}  // namespace

Problem clear_texture(Host& host, const virgl::ClearTexture& command) {
    const auto resource = host.find_resource(command.resource);
    if (resource == nullptr) return Problem::NoResource;
    if (resource->image == nullptr || resource->format->has(kCompressed)) return Problem::Incompatible;
    if (!box_inside(*resource, command.level, command.box)) return Problem::BadBox;
    return resource->image->info().samples == VK_SAMPLE_COUNT_1_BIT ? fill_box(host, *resource, command)
                                                                    : stretch_texel(host, *resource, command);
}

}  // namespace tgsi2spv::host
