// Scan-outs: parts of resources, copied when the guest flushes them.
#include <utility>

#include "machine/virtio_gpu/commands.h"

namespace tgsi2spv::virtio_gpu {
namespace {

constexpr size_t kMostReadings = 4;

/// Begins to copy the shown part of a display's resource.
virgl::Outcome begin_reading(Gpu& gpu, const Resource& resource, uint32_t scanout, const Rect& part) {
    const Rect& shown = gpu.scanouts[scanout].part;
    virgl::Outcome outcome;
    if (auto picture = begin_copy(gpu, resource.request.handle, part, outcome))
        gpu.readings.push_back({.fence = gpu.renderer->fence(),
                                .scanout = scanout,
                                .format = resource.request.format,
                                .where = {part.x - shown.x, part.y - shown.y, part.width, part.height},
                                .width = shown.width,
                                .height = shown.height,
                                .picture = std::move(picture)});
    return outcome;
}

}  // namespace

std::shared_ptr<virgl::OwnMemory> begin_copy(Gpu& gpu, uint32_t resource, const Rect& part, virgl::Outcome& outcome) {
    auto picture = std::make_shared<virgl::OwnMemory>(size_t{part.width} * part.height * kPixelBytes);
    const virgl::TransferRequest request{
        resource, 0, part.width * kPixelBytes, 0, {part.x, part.y, 0, part.width, part.height, 1}};
    outcome = gpu.renderer->read_into(request, picture, 0);
    return outcome == virgl::Outcome::Done ? picture : nullptr;
}

bool has_room_for_flush(const Gpu& gpu) {
    if (gpu.readings.empty()) return true;
    uint64_t bytes = 0;
    for (const Screen& screen : gpu.display.screens()) bytes += screen.pixels.size() * kPixelBytes;
    for (const Reading& reading : gpu.readings) bytes += reading.picture->size();
    return gpu.readings.size() < kMostReadings && bytes <= gpu.limits.screen_bytes;
}

Answer set_scanout(Gpu& gpu, const Command&, const virtio_gpu_set_scanout& c) {
    if (c.scanout_id >= kScanouts) return {VIRTIO_GPU_RESP_ERR_INVALID_SCANOUT_ID};
    if (c.resource_id == 0) {
        gpu.scanouts[c.scanout_id] = {};
        gpu.display.resize(c.scanout_id, 0, 0);
        return {};
    }
    const Resource* const resource = find_resource(gpu, c.resource_id);
    if (resource == nullptr) return {VIRTIO_GPU_RESP_ERR_INVALID_RESOURCE_ID};
    const virgl::ResourceRequest& r = resource->request;
    const Rect part{c.r.x, c.r.y, c.r.width, c.r.height};
    if (r.target != kTexture2D || r.samples > 1 || !is_pixel_format(r.format) || r.width > kMostExtent ||
        r.height > kMostExtent || !inside(part, r.width, r.height))
        return {VIRTIO_GPU_RESP_ERR_INVALID_PARAMETER};
    if (!gpu.display.has_room(c.scanout_id, part.width, part.height)) return {VIRTIO_GPU_RESP_ERR_OUT_OF_MEMORY};
    gpu.scanouts[c.scanout_id] = {c.resource_id, part};
    gpu.display.resize(c.scanout_id, part.width, part.height);
    return {};
}

Answer flush(Gpu& gpu, const Command&, const virtio_gpu_resource_flush& c) {
    const Resource* const resource = find_resource(gpu, c.resource_id);
    if (resource == nullptr) return {VIRTIO_GPU_RESP_ERR_INVALID_RESOURCE_ID};
    const Rect part{c.r.x, c.r.y, c.r.width, c.r.height};
    if (!inside(part, resource->request.width, resource->request.height))
        return {VIRTIO_GPU_RESP_ERR_INVALID_PARAMETER};
    for (uint32_t i = 0; i < kScanouts; i++) {
        if (gpu.scanouts[i].resource != c.resource_id) continue;
        const Rect seen = intersection(part, gpu.scanouts[i].part);
        if (seen.empty()) continue;
        const virgl::Outcome outcome = begin_reading(gpu, *resource, i, seen);
        if (outcome != virgl::Outcome::Done) return answer_of(gpu, outcome);
    }
    return {};
}

void forget_scanouts(Gpu& gpu, uint32_t resource) {
    for (uint32_t i = 0; i < kScanouts; i++) {
        if (gpu.scanouts[i].resource != resource) continue;
        gpu.scanouts[i] = {};
        gpu.display.resize(i, 0, 0);
    }
}

void finish_readings(Gpu& gpu) {
    while (!gpu.readings.empty() && passed(gpu, gpu.readings.front().fence)) {
        const Reading r = std::move(gpu.readings.front());
        gpu.readings.pop_front();
        const Screen& screen = gpu.display.screen(r.scanout);
        if (screen.width == r.width && screen.height == r.height)
            gpu.display.put(r.scanout, r.where, r.format, r.picture->store);
    }
}

}  // namespace tgsi2spv::virtio_gpu
