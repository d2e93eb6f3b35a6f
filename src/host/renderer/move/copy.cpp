#include "renderer/move/copy.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>

#include "renderer/move/transfer.h"
#include "renderer/record/framebuffer.h"
#include "renderer/record/host_recorder.h"
#include "renderer/state/resource.h"
#include "vk/move.h"

namespace tgsi2spv::host {
namespace {

bool is_volume(const Resource& resource) {
    return resource.image->info().type == VK_IMAGE_TYPE_3D;
}

vk::ImageBox to_gpu(uint32_t level, const virgl::Box& box) {
    return {level, box.x, box.y, box.z, box.width, box.height, box.depth};
}

/// Why a copy of the box fails: its place, or else the kinds of images.
Problem place_problem(const Resource& resource, const vk::ImageBox& box) {
    if (box.level > resource.info.last_level)
        return {Problem::BadLevel, box.level, uint64_t{resource.info.last_level} + 1};
    const VkExtent3D extent = resource.extent(box.level);
    if (const Problem p = check_side(box.x, box.width, extent.width)) return p;
    if (const Problem p = check_side(box.y, box.height, extent.height)) return p;
    if (const Problem p = check_side(box.z, box.depth, resource.slices(box.level))) return p;
    return Problem::Incompatible;
}

/// Copies a box between images, to the place of `target`.
Problem copy(HostState& host, const Resource& from, const vk::ImageBox& source, const Resource& to,
             const vk::ImageBox& target) {
    const vk::Status done =
        or_reclaim(host, [&] { return vk::copy_image(host.stream, from.image, source, to.image, target); });
    if (done != vk::Status::BadRequest) return problem_of(done);
    if (const Problem problem = place_problem(from, source); problem != Problem::Incompatible) return problem;
    if (const Problem problem = place_problem(to, target); problem != Problem::Incompatible) return problem;
    // The device may have other numbers of samples for the one format than for the other.
    const bool alike = std::max(from.info.samples, 1U) == std::max(to.info.samples, 1U);
    return alike && from.image->info().samples != to.image->info().samples ? Problem::Unsupported
                                                                           : Problem::Incompatible;
}

bool is_line(const Resource& resource) {
    return resource.image->info().type == VK_IMAGE_TYPE_1D;
}

/// How a part that is taken out differs from its source.
struct Changes {
    bool plane = false;                  ///< it is 2D, in place of 1D
    const FormatInfo* target = nullptr;  ///< it is a colour target of this format, of the same texel size
};

/// A copy of the box as a separate resource, for commands that may not read and write the same level.
Problem take_out(HostState& host, const Resource& source, const vk::ImageBox& box, Resource& part,
                 const Changes& changes = {}) {
    if (!vk::is_inside(*source.image, box)) return place_problem(source, box);
    const bool volume = is_volume(source);
    part.target = source.target;
    part.format = source.format;
    part.info = source.info;
    part.info.width = box.width;
    part.info.height = box.height;
    part.info.depth = volume ? box.depth : 1;
    part.info.array_size = volume ? 1 : box.depth;
    part.info.last_level = 0;
    vk::ImageInfo info = source.image->info();
    if (changes.plane) info.type = VK_IMAGE_TYPE_2D;
    if (changes.target != nullptr) {
        part.format = changes.target;
        info.format = changes.target->vulkan;
        info.usage =
            VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | color_target_usage(*host.device);
    }
    info.extent = {part.info.width, part.info.height, part.info.depth};
    info.layers = part.info.array_size;
    info.levels = 1;
    info.flags &= ~static_cast<VkImageCreateFlags>(VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT);
    const auto make = [&] {
        part.image = nullptr;  // of the first try: its memory
        part.image = vk::Image::create(*host.device, host.memory, info);
        return part.image != nullptr && vk::begin_image(host.stream, part.image);
    };
    return or_reclaim(host, make) ? copy(host, source, box, part, {}) : Problem::NoMemory;
}

VkImageAspectFlags aspects_of_mask(uint32_t mask, const vk::Image& image) {
    VkImageAspectFlags aspects = 0;
    if ((mask & virgl::kBlitColor) != 0) aspects |= VK_IMAGE_ASPECT_COLOR_BIT;
    if ((mask & virgl::kBlitDepth) != 0) aspects |= VK_IMAGE_ASPECT_DEPTH_BIT;
    if ((mask & virgl::kBlitStencil) != 0) aspects |= VK_IMAGE_ASPECT_STENCIL_BIT;
    return aspects & image.aspects();
}

/// Blits whose meaning is that of vkCmdBlitImage; vk::blit_image() knows whether the device does it.
bool can_blit(const HostState& host, const virgl::Blit& blit, const Resource& dst, const Resource& src) {
    const FormatInfo& from = *format_info(blit.src.format, host.depth24);
    const FormatInfo& to = *format_info(blit.dst.format, host.depth24);
    if (from.vulkan != src.image->info().format || to.vulkan != dst.image->info().format) return false;
    if (from.has(kUint | kSint) != to.has(kUint | kSint) || from.has(kUint) != to.has(kUint)) return false;
    if (blit.alpha_blend || blit.scissor_enable) return false;
    const bool depth = (blit.mask & (virgl::kBlitDepth | virgl::kBlitStencil)) != 0;
    // lavapipe copies the other part of a texel, too.
    if (depth && aspects_of_mask(blit.mask, *dst.image) != dst.image->aspects()) return false;
    const bool moves = from.swizzle != to.swizzle || alpha_in(to) == AlphaIn::Nowhere;
    if (!depth && (moves || (blit.mask & virgl::kBlitColor) != virgl::kBlitColor)) return false;
    return true;
}

/// Whether a blit leaves texels as they are, so that their bytes can be copied, whatever the images' formats are.
/// vk::copy_image() knows whether the boxes are inside.
bool is_copy(const HostState& host, const virgl::Blit& blit, const Resource& dst, const Resource& src) {
    const virgl::BlitSide &d = blit.dst, &s = blit.src;
    if (d.width != s.width || d.height != s.height || d.depth != s.depth || std::min({d.width, d.height, d.depth}) < 0)
        return false;
    if (blit.alpha_blend || blit.scissor_enable) return false;
    if (src.image->aspects() != VK_IMAGE_ASPECT_COLOR_BIT)
        return aspects_of_mask(blit.mask, *src.image) == src.image->aspects() &&
               aspects_of_mask(blit.mask, *dst.image) == dst.image->aspects();
    const FormatInfo& from = *format_info(s.format, host.depth24);
    const FormatInfo& to = *format_info(d.format, host.depth24);
    return from.vulkan == to.vulkan && from.swizzle == to.swizzle && alpha_in(to) != AlphaIn::Nowhere &&
           (blit.mask & virgl::kBlitColor) == virgl::kBlitColor;
}

/// A side's box, whose corners may be in any order. Guests leave it to the host to clip x and y: OpenGL's boxes end
/// anywhere within 32 bits.
Problem check_blit_side(const Resource& resource, const virgl::BlitSide& side) {
    if (side.level > resource.info.last_level)
        return {Problem::BadLevel, side.level, uint64_t{resource.info.last_level} + 1};
    for (const auto& [start, size] : {std::pair<int64_t, int64_t>{side.x, side.width}, {side.y, side.height}}) {
        const int64_t end = start + size;
        if (size == 0 || end != static_cast<int32_t>(end))
            return {Problem::BadBox, static_cast<uint64_t>(std::abs(end)), std::numeric_limits<int32_t>::max()};
    }
    const int64_t bottom = std::min<int64_t>(side.z, int64_t{side.z} + side.depth);
    if (bottom < 0) return {Problem::BadBox, 0, resource.slices(side.level)};
    return check_side(static_cast<uint32_t>(bottom), static_cast<uint32_t>(std::abs(int64_t{side.depth})),
                      resource.slices(side.level));
}

vk::BlitBox to_gpu(const virgl::BlitSide& s) {
    return {s.level, s.x, s.y, s.z, s.width, s.height, s.depth};
}

/// The box of a side whose sizes are positive. Places before the level become places after it.
vk::ImageBox to_box(const virgl::BlitSide& s) {
    const auto number = [](int32_t n) { return static_cast<uint32_t>(n); };
    return {s.level, number(s.x), number(s.y), number(s.z), number(s.width), number(s.height), number(s.depth)};
}

/// The whole slices of the side's level that the box names.
vk::ImageBox slices_of(const Resource& resource, const virgl::BlitSide& s) {
    const VkExtent3D extent = resource.extent(s.level);
    const auto bottom = static_cast<uint32_t>(std::min(s.z, s.z + s.depth));
    return {s.level, 0, 0, bottom, extent.width, extent.height, static_cast<uint32_t>(std::abs(s.depth))};
}

}  // namespace

Problem copy_region(HostRecorder& host, const virgl::CopyRegion& command) {
    const auto dst = host.find_resource(command.dst), src = host.find_resource(command.src);
    if (dst == nullptr) return {Problem::NoResource, command.dst};
    if (src == nullptr) return {Problem::NoResource, command.src};
    if (!or_reclaim(host, [&] { return flush_clears(host); })) return Problem::NoMemory;
    const virgl::Box& b = command.box;
    if (dst->buffer != nullptr && src->buffer != nullptr) {
        if (const Problem p = check_bytes(b.x, b.width, src->buffer->size())) return p;
        if (const Problem p = check_bytes(command.dst_x, b.width, dst->buffer->size())) return p;
        return problem_of(or_reclaim(
            host, [&] { return vk::copy_buffer(host.stream, src->buffer, b.x, dst->buffer, command.dst_x, b.width); }));
    }
    if (dst->image == nullptr || src->image == nullptr) return Problem::Incompatible;
    const vk::ImageBox from = to_gpu(command.src_level, b);
    const vk::ImageBox to{command.dst_level, command.dst_x, command.dst_y, command.dst_z, b.width, b.height, b.depth};
    if (src != dst || !vk::overlap(from, to)) return copy(host, *src, from, *dst, to);
    Resource between;
    if (const Problem p = take_out(host, *src, from, between)) return p;
    const vk::ImageBox all{0, 0, 0, 0, b.width, b.height, b.depth};
    return copy(host, between, all, *dst, to);
}

namespace {

/// A blit to an image that the device does not draw to, as to RGB9_E5, by a copy that has the view's format.
Problem blit_beside(HostRecorder& host, const virgl::Blit& command, const Resource& dst, const Resource& src) {
    const FormatInfo& to = *format_info(command.dst.format, host.depth24);
    const VkFormatFeatureFlags features = host.device->format(to.vulkan).optimalTilingFeatures;
    if (to.has(kDepthStencil | kCompressed) || (features & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT) == 0)
        return Problem::Unsupported;
    const vk::ImageBox slices = slices_of(dst, command.dst);
    Resource between;
    if (const Problem p = take_out(host, dst, slices, between, {.target = &to})) return p;
    virgl::Blit moved = command;
    moved.dst.level = 0;
    moved.dst.z -= static_cast<int32_t>(slices.z);
    if (const Problem p = blit_by_drawing(host, moved, between, src)) return p;
    return copy(host, between, {0, 0, 0, 0, slices.width, slices.height, slices.depth}, dst, slices);
}

Problem blit_between(HostRecorder& host, const virgl::Blit& command, const Resource& dst, const Resource& src) {
    const VkImageAspectFlags aspects = aspects_of_mask(command.mask, *src.image) & dst.image->aspects();
    if (aspects == 0) return Problem::None;
    const VkFilter filter = command.filter == virgl::Filter::Linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    if (can_blit(host, command, dst, src) && vk::blit_image(host.stream, src.image, to_gpu(command.src), dst.image,
                                                            to_gpu(command.dst), aspects, filter) == vk::Status::Done)
        return Problem::None;
    if (is_copy(host, command, dst, src)) {
        const vk::Status done = or_reclaim(host, [&] {
            return vk::copy_image(host.stream, src.image, to_box(command.src), dst.image, to_box(command.dst));
        });
        if (done == vk::Status::Done || done == vk::Status::NoMemory) return problem_of(done);
    }
    const Problem p = blit_by_drawing(host, command, dst, src);
    return p == Problem::Unsupported && !is_line(src) ? blit_beside(host, command, dst, src) : p;
}

}  // namespace

Problem blit(HostRecorder& host, const virgl::Blit& command) {
    const auto dst = host.find_resource(command.dst.resource), src = host.find_resource(command.src.resource);
    if (dst == nullptr) return {Problem::NoResource, command.dst.resource};
    if (src == nullptr) return {Problem::NoResource, command.src.resource};
    if (dst->image == nullptr || src->image == nullptr) return Problem::Incompatible;
    for (const auto& [r, side] : {std::pair(dst.get(), &command.dst), std::pair(src.get(), &command.src)}) {
        const FormatInfo* const format = format_info(side->format, host.depth24);
        if (format == nullptr || !r->has_views_of(*format)) return {Problem::BadFormat, side->format};
        if (const Problem p = check_blit_side(*r, *side)) return p;
    }
    if (!or_reclaim(host, [&] { return flush_clears(host); })) return Problem::NoMemory;
    const vk::ImageBox slices = slices_of(*src, command.src);
    // A line is drawn from a plane.
    const bool draws = !is_line(*dst) || !can_blit(host, command, *dst, *src);
    const bool line = is_line(*src);
    if ((src != dst || !vk::share_layers(slices, slices_of(*dst, command.dst))) && !(line && draws)) {
        const Problem p = blit_between(host, command, *dst, *src);
        if (p != Problem::Unsupported || !line) return p;
    }
    // One level cannot be read and drawn to at once, even if the boxes do not overlap.
    Resource between;
    if (const Problem p = take_out(host, *src, slices, between, {.plane = line})) return p;
    virgl::Blit moved = command;
    moved.src.level = 0;
    moved.src.z -= static_cast<int32_t>(slices.z);
    return blit_between(host, moved, *dst, between);
}

namespace {

/// Uploads the texel to every place of the box, in parts of bounded size.
Problem fill_box(HostRecorder& host, Resource& resource, const virgl::ClearTexture& command) {
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
            if (const Problem p = write_box(host, resource, part, texels)) return p;
        }
    return Problem::None;
}

/// Multisampled images are not uploaded to: a texel of a single sample is stretched over the box.
Problem stretch_texel(HostRecorder& host, const Resource& resource, const virgl::ClearTexture& command) {
    Resource one;
    one.target = virgl::Target::Tex2d;
    one.format = resource.format;
    one.info = {0, static_cast<uint32_t>(one.target), resource.info.format, resource.info.bind, 1, 1, 1, 1, 0, 0};
    if (const Problem p = or_reclaim(host, [&] { return make_image(host, one); })) return p;
    const virgl::TransferRequest texel{0, 0, 0, 0, {0, 0, 0, 1, 1, 1}};
    if (const Problem p = write_box(host, one, texel, std::as_bytes(std::span(command.texel)))) return p;
    const auto format = static_cast<uint16_t>(resource.info.format);
    const auto number = [](uint32_t n) { return static_cast<int32_t>(n); };
    const virgl::Box& b = command.box;
    virgl::Blit blit{};
    blit.mask = resource.format->has(kDepthStencil) ? virgl::kBlitDepth | virgl::kBlitStencil : virgl::kBlitColor;
    blit.src = {0, 0, format, 0, 0, 0, 1, 1, 1};
    for (uint32_t slice = 0; slice < b.depth; slice++) {
        blit.dst = {command.resource, command.level,    format, number(b.x), number(b.y), number(b.z + slice),
                    number(b.width),  number(b.height), 1};
        if (const Problem p = blit_by_drawing(host, blit, resource, one)) return p;
    }
    return Problem::None;
}

}  // namespace

Problem clear_texture(HostRecorder& host, const virgl::ClearTexture& command) {
    const auto resource = host.find_resource(command.resource);
    if (resource == nullptr) return {Problem::NoResource, command.resource};
    if (resource->image == nullptr || resource->format->has(kCompressed))
        return {Problem::Incompatible, command.resource};
    const vk::ImageBox box = to_gpu(command.level, command.box);
    if (!vk::is_inside(*resource->image, box)) return place_problem(*resource, box);
    return resource->image->info().samples == VK_SAMPLE_COUNT_1_BIT ? fill_box(host, *resource, command)
                                                                    : stretch_texel(host, *resource, command);
}

}  // namespace tgsi2spv::host
