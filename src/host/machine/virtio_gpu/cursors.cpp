// Cursors: pictures of 64 x 64 texels, copied when the guest sets them, and moved meanwhile.
#include <algorithm>
#include <cstring>
#include <utility>

#include "machine/virtio_gpu/commands.h"

namespace tgsi2spv::virtio_gpu {
namespace {

/// Whether the resource is a picture of a cursor.
bool is_cursor(const virgl::ResourceRequest& r) {
    return r.target == kTexture2D && r.width == kCursorExtent && r.height == kCursorExtent &&
           is_pixel_format(r.format) && r.samples <= 1;
}

virtio_gpu_update_cursor struct_of(const Command& command) {
    virtio_gpu_update_cursor c;
    std::memcpy(&c, command.bytes.data(), sizeof c);
    return c;
}

bool only_moves(const virtio_gpu_update_cursor& c) {
    return c.hdr.type == VIRTIO_GPU_CMD_MOVE_CURSOR || c.resource_id == 0;
}

void set_cursor(Gpu& gpu, uint32_t scanout, uint32_t id, const Cursor& cursor) {
    const Resource* const resource = find_resource(gpu, id);
    if (resource == nullptr || !is_cursor(resource->request)) return;
    virgl::Outcome outcome;
    auto picture = begin_copy(gpu, id, {0, 0, kCursorExtent, kCursorExtent}, outcome);
    if (picture == nullptr) return static_cast<void>(answer_of(gpu, outcome));
    gpu.cursors.push_back({gpu.renderer->fence(), scanout, resource->request.format, cursor, std::move(picture)});
}

void move_cursor(Gpu& gpu, uint32_t scanout, uint32_t x, uint32_t y, bool visible) {
    const auto next = std::find_if(gpu.cursors.rbegin(), gpu.cursors.rend(),
                                   [scanout](const CursorReading& reading) { return reading.scanout == scanout; });
    if (next != gpu.cursors.rend()) {
        next->cursor.x = x;
        next->cursor.y = y;
        next->cursor.visible = visible;
        visible &= gpu.display.screen(scanout).cursor.visible;  // the old picture does not come back
    }
    gpu.display.move_cursor(scanout, x, y, visible);
}

}  // namespace

bool only_moves(const Command& command) {
    return command.size < sizeof(virtio_gpu_update_cursor) || only_moves(struct_of(command));
}

void execute_cursor(Gpu& gpu, const Command& command) {
    if (command.size < sizeof(virtio_gpu_update_cursor)) return;
    const virtio_gpu_update_cursor c = struct_of(command);
    if (c.pos.scanout_id >= kScanouts) return;
    if (only_moves(c)) return move_cursor(gpu, c.pos.scanout_id, c.pos.x, c.pos.y, c.resource_id != 0);
    if (c.hdr.type != VIRTIO_GPU_CMD_UPDATE_CURSOR || c.hot_x >= kCursorExtent || c.hot_y >= kCursorExtent) return;
    set_cursor(gpu, c.pos.scanout_id, c.resource_id,
               {.x = c.pos.x, .y = c.pos.y, .hot_x = c.hot_x, .hot_y = c.hot_y, .visible = true, .pixels = {}});
}

void finish_cursors(Gpu& gpu) {
    while (!gpu.cursors.empty() && passed(gpu, gpu.cursors.front().fence)) {
        CursorReading& reading = gpu.cursors.front();
        to_display(reading.format, reading.picture->store, reading.cursor.pixels);
        gpu.display.set_cursor(reading.scanout, reading.cursor);
        gpu.cursors.pop_front();
    }
}

}  // namespace tgsi2spv::virtio_gpu
