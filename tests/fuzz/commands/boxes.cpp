#include "boxes.h"

#include <algorithm>

namespace tgsi2spv::fuzz {

bool is_depth(const Resource& r) {
    return r.format->has(host::kDepthStencil);
}
bool is_texture(const Resource& r) {
    return !r.is_buffer();
}
bool is_buffer(const Resource& r) {
    return r.is_buffer() && !r.bytes_only && !r.arguments;
}
uint32_t handle_of(const Resource* resource) {
    return resource == nullptr ? 0 : resource->info.handle;
}

const Resource* chosen(const Stream& s, const Filling& f) {
    const auto at = s.resources.find(f.resource);
    return at == s.resources.end() ? nullptr : &at->second;
}

uint32_t view_format(Stream& s, const Resource* resource) {
    if (resource == nullptr) return 0;
    const uint32_t own = resource->info.format;
    if (!resource->is_buffer() && s.random.below(3) != 0) return own;
    for (int tries = 0; tries < 8; tries++) {
        const uint32_t number = s.random.pick(s.offers.sampled);
        const host::FormatInfo& other = *host::format_info(number, {});
        const host::FormatInfo& format = *resource->format;
        if (resource->is_buffer() && !other.has(host::kDepthStencil | host::kCompressed)) return number;
        if (is_texture(*resource) && other.block_bytes == format.block_bytes &&
            other.block_width == format.block_width && other.block_height == format.block_height &&
            other.conversion == format.conversion && !other.has(host::kDepthStencil) && !is_depth(*resource))
            return number;
    }
    return own;
}

namespace {

uint32_t numbers_of(const Resource& r) {
    return r.format->flags & (host::kUint | host::kSint);
}

/// Texels of a block, and of all.
std::pair<uint32_t, uint32_t> axis_of(const Resource& r, uint32_t level, size_t axis) {
    const uint32_t block = axis == 0 ? r.format->block_width : axis == 1 ? r.format->block_height : 1;
    const uint32_t end = axis == 0 ? r.width(level) : axis == 1 ? r.height(level) : r.slices(level);
    return {r.is_buffer() ? 4 : block, end};
}

uint32_t row_bytes(const Resource& r, uint32_t texels) {
    return r.is_buffer() ? texels
                         : (texels + r.format->block_width - 1) / r.format->block_width * r.format->block_bytes;
}
uint32_t block_rows(const Resource& r, uint32_t rows) {
    return (rows + r.format->block_height - 1) / r.format->block_height;
}

}  // namespace

uint32_t choose(Stream& s, Filling& f, const std::function<bool(const Resource&)>& fits) {
    if (const Resource* before = chosen(s, f); before != nullptr) {
        const std::array<uint32_t, 3> ends{before->width(f.level), before->height(f.level), before->slices(f.level)};
        for (size_t i = 0; i < 3; i++) f.room[i] = ends[i] - std::min(f.start[i], ends[i]);
    }
    f.resource = handle_of(find(s, fits));
    f.level = 0;
    return f.resource;
}

uint32_t choose_like(Stream& s, Filling& f) {
    const Resource* before = chosen(s, f);
    if (before == nullptr) return choose(s, f, is_texture);
    const Resource first = *before;
    return choose(s, f, [&](const Resource& r) {
        return r.is_buffer() == first.is_buffer() && !r.bytes_only && !r.arguments && is_depth(r) == is_depth(first) &&
               r.format->vulkan_bytes() == first.format->vulkan_bytes() &&
               r.is_sampled_many() == first.is_sampled_many() && (!is_depth(r) || r.format == first.format) &&
               (f.row->op >> 16 != 0 || f.row->fields[0] != Kind::BlitMask || numbers_of(r) == numbers_of(first));
    });
}

uint32_t start_of(Stream& s, Filling& f, size_t axis) {
    const Resource* r = chosen(s, f);
    f.start[axis] = 0;
    if (r == nullptr || s.random.one_in(2)) return 0;
    const auto [block, end] = axis_of(*r, f.level, axis);
    f.start[axis] = s.random.below(std::max(end / block, 1U)) * block;
    if (f.start[axis] >= end) f.start[axis] = 0;
    return f.start[axis];
}

uint32_t size_of(Stream& s, Filling& f, size_t axis, bool bounded) {
    const Resource* r = chosen(s, f);
    if (r == nullptr) return f.size[axis] = 1;
    const auto [block, end] = axis_of(*r, f.level, axis);
    const uint32_t rest = std::max(end - std::min(f.start[axis], end), 1U);
    uint32_t size = std::min(rest, bounded ? std::max(f.room[axis], 1U) : rest);
    if (size > block && s.random.one_in(3)) size = (1 + s.random.below(size / block)) * block;
    return f.size[axis] = std::min(size, rest);
}

uint32_t stride_of(Stream& s, Filling& f, bool layer) {
    const Resource* r = chosen(s, f);
    if (r == nullptr) return 0;
    uint32_t& stride = layer ? f.layer_stride : f.row_stride;
    const uint32_t row = f.row_stride != 0 ? f.row_stride : row_bytes(*r, r->width(f.level));
    const uint32_t least = layer ? row * block_rows(*r, r->height(f.level)) : row;
    stride = s.random.one_in(2) ? 0 : least + 16 * s.random.below(2);
    return stride;
}

uint32_t data_bytes(Stream& s, const Filling& f) {
    const Resource* r = chosen(s, f);
    if (r == nullptr) return 0;
    const uint32_t row = f.row_stride != 0 ? f.row_stride : row_bytes(*r, r->width(f.level));
    const uint32_t layer = f.layer_stride != 0 ? f.layer_stride : row * block_rows(*r, r->height(f.level));
    return layer * (f.size[2] - 1) + row * (block_rows(*r, f.size[1]) - 1) + row_bytes(*r, f.size[0]);
}

bool is_plain_texture(const Resource& r) {
    return is_texture(r) && !r.format->has(host::kCompressed);
}
bool has_memory(const Resource& r) {
    return !r.bytes_only && r.memory != 0 && !r.is_sampled_many() && !r.arguments;
}

uint32_t choose_anything(Stream& s, Filling& f) {
    const bool small_data = f.row->op == kWrite || f.row->tail == Tail::BoxData;
    return choose(s, f, [&](const Resource& r) {
        return !r.bytes_only && (!r.arguments || small_data) && (f.row->op >> 16 == 0 || !r.is_sampled_many());
    });
}

uint32_t blit_depth(Stream& s, Filling& f) {
    const uint32_t before = f.size[2], size = size_of(s, f, 2, false);
    return f.size[2] = before == 0 ? size : std::min(before, std::max(size, 1U));
}

}  // namespace tgsi2spv::fuzz
