#include "renderer/move/layout.h"

#include <algorithm>

namespace tgsi2spv::host {
namespace {

uint32_t halved(uint32_t size, uint32_t level) {
    return level < 32 ? std::max(size >> level, 1u) : 1;
}

uint64_t blocks(uint64_t texels, uint64_t block) {
    return (texels + block - 1) / block;
}

struct Block {
    uint32_t width, height, bytes;
};

/// Buffers are bytes, with any format.
Block block_of(const virgl::ResourceRequest& request, const FormatInfo& format) {
    if (request.target == static_cast<uint32_t>(virgl::Target::Buffer)) return {1, 1, 1};
    return {format.block_width, format.block_height, format.block_bytes};
}

uint32_t slices_of(const virgl::ResourceRequest& request, uint32_t level) {
    switch (static_cast<virgl::Target>(request.target)) {
        case virgl::Target::Tex3d:
            return halved(request.depth, level);
        case virgl::Target::Cube:
            return 6;
        default:
            return std::max(request.array_size, 1u);
    }
}

}  // namespace

LevelLayout level_layout(const virgl::ResourceRequest& request, const FormatInfo& format, uint32_t level) {
    const Block block = block_of(request, format);
    LevelLayout layout;
    uint64_t end = 0;
    for (uint32_t l = 0; l <= level; l++) {
        layout.offset = end;
        layout.width = halved(request.width, l);
        layout.height = halved(request.height, l);
        layout.slices = slices_of(request, l);
        layout.row_stride = blocks(layout.width, block.width) * block.bytes;
        layout.layer_stride = layout.row_stride * blocks(layout.height, block.height);
        end += layout.layer_stride * layout.slices;
    }
    return layout;
}

Problem check_transfer(const virgl::ResourceRequest& request, const FormatInfo& format, const virgl::TransferRequest& t,
                       uint64_t offset, uint64_t memory_bytes, CheckedTransfer& result) {
    if (t.level > request.last_level) return {Problem::BadLevel, t.level, uint64_t{request.last_level} + 1};
    const Block block = block_of(request, format);
    const LevelLayout level = level_layout(request, format, t.level);
    const virgl::Box& b = t.box;
    if (const Problem p = check_side(b.x, b.width, level.width, block.width)) return p;
    if (const Problem p = check_side(b.y, b.height, level.height, block.height)) return p;
    if (const Problem p = check_side(b.z, b.depth, level.slices, 1)) return p;
    result.box = b;
    result.row_bytes = blocks(b.width, block.width) * block.bytes;
    result.rows = static_cast<uint32_t>(blocks(b.height, block.height));
    result.row_stride = t.stride == 0 ? level.row_stride : t.stride;
    result.layer_stride = t.layer_stride == 0 ? result.row_stride * blocks(level.height, block.height) : t.layer_stride;
    if (t.stride == 0 && t.layer_stride == 0) result.layer_stride = level.layer_stride;
    if (result.row_stride < result.row_bytes && result.rows > 1)
        return {Problem::BadStride, result.row_stride, result.row_bytes};
    const uint64_t layer_bytes = result.row_stride * (result.rows - 1) + result.row_bytes;
    if (result.layer_stride < layer_bytes && b.depth > 1) return {Problem::BadStride, result.layer_stride, layer_bytes};
    // Below 2^64: a box has at most 2^16 slices and rows, and a row stride is at most 2^32.
    const uint64_t bytes = (b.depth - 1) * result.layer_stride + layer_bytes;
    return check_bytes(offset, bytes, memory_bytes);
}

}  // namespace tgsi2spv::host
