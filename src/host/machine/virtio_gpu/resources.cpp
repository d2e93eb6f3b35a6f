// Resources, their memory, and bytes between both.
#include <algorithm>
#include <utility>

#include "machine/virtio_gpu/commands.h"

namespace tgsi2spv::virtio_gpu {
namespace {

Answer create(Gpu& gpu, const virgl::ResourceRequest& request) {
    if (request.handle == 0 || gpu.resources.contains(request.handle)) return {VIRTIO_GPU_RESP_ERR_INVALID_RESOURCE_ID};
    if (gpu.resources.size() >= gpu.limits.resources) return {VIRTIO_GPU_RESP_ERR_OUT_OF_MEMORY};
    const virgl::Outcome outcome = gpu.renderer->create_resource(request, nullptr);
    if (outcome == virgl::Outcome::Done) gpu.resources[request.handle].request = request;
    return answer_of(gpu, outcome);
}

void take_backing(Gpu& gpu, Resource& resource) {
    if (resource.backing == nullptr) return;
    gpu.renderer->set_memory(resource.request.handle, nullptr);
    forget_pieces(gpu, resource.backing->pieces());
    resource.backing->take_away();
    resource.backing = nullptr;
}

/// Adds the entries of ATTACH_BACKING. False: not all of them are there, or are memory.
bool add_entries(const Gpu& gpu, const Command& command, uint32_t count, Backing& backing) {
    std::vector<virtio_gpu_mem_entry> entries(std::min(count, 1024u));
    for (uint64_t at = sizeof(virtio_gpu_resource_attach_backing); count > 0;
         count -= static_cast<uint32_t>(entries.size())) {
        entries.resize(std::min<size_t>(count, entries.size()));
        const auto bytes = std::as_writable_bytes(std::span(entries));
        if (gather(gpu.memory, command.chain->readable, at, bytes) != bytes.size()) return false;
        at += bytes.size();
        for (const virtio_gpu_mem_entry& entry : entries) {
            if (!gpu.memory.contains(entry.addr, entry.length)) return false;
            backing.add(entry.addr, entry.length);
        }
    }
    return true;
}

}  // namespace

void forget_pieces(Gpu& gpu, size_t pieces) {
    gpu.pieces -= pieces;
    gpu.renderer->charge(-static_cast<int64_t>(pieces * Backing::kPieceBytes));
}

Resource* find_resource(Gpu& gpu, uint32_t id) {
    const auto found = gpu.resources.find(id);
    return found == gpu.resources.end() ? nullptr : &found->second;
}

Answer create_2d(Gpu& gpu, const Command&, const virtio_gpu_resource_create_2d& c) {
    if (!is_pixel_format(c.format)) return {VIRTIO_GPU_RESP_ERR_INVALID_PARAMETER};
    return create(gpu, {.handle = c.resource_id,
                        .target = kTexture2D,
                        .format = c.format,
                        .bind = kBindRenderTarget,
                        .width = c.width,
                        .height = c.height,
                        .depth = 1,
                        .array_size = 1,
                        .last_level = 0,
                        .samples = 0});
}

Answer create_3d(Gpu& gpu, const Command&, const virtio_gpu_resource_create_3d& c) {
    return create(gpu, {c.resource_id, c.target, c.format, c.bind, c.width, c.height, c.depth, c.array_size,
                        c.last_level, c.nr_samples});
}

Answer unref(Gpu& gpu, const Command&, const virtio_gpu_resource_unref& c) {
    Resource* const resource = find_resource(gpu, c.resource_id);
    if (resource == nullptr) return {VIRTIO_GPU_RESP_ERR_INVALID_RESOURCE_ID};
    forget_scanouts(gpu, c.resource_id);
    take_backing(gpu, *resource);
    gpu.attachments -= resource->contexts.size();
    gpu.resources.erase(c.resource_id);
    return answer_of(gpu, gpu.renderer->destroy_resource(c.resource_id));
}

Answer attach_backing(Gpu& gpu, const Command& command, const virtio_gpu_resource_attach_backing& c) {
    Resource* const resource = find_resource(gpu, c.resource_id);
    if (resource == nullptr) return {VIRTIO_GPU_RESP_ERR_INVALID_RESOURCE_ID};
    if (resource->backing != nullptr) return {VIRTIO_GPU_RESP_ERR_UNSPEC};
    const uint64_t there = bytes_of(command.chain->readable) / sizeof(virtio_gpu_mem_entry);
    if (c.nr_entries == 0 || c.nr_entries > there) return {VIRTIO_GPU_RESP_ERR_INVALID_PARAMETER};
    if (c.nr_entries > gpu.limits.pieces - gpu.pieces || !gpu.renderer->charge(c.nr_entries * Backing::kPieceBytes))
        return {VIRTIO_GPU_RESP_ERR_OUT_OF_MEMORY};
    gpu.pieces += c.nr_entries;
    auto backing = std::make_shared<Backing>(gpu.memory, gpu.turns, c.nr_entries);
    Answer answer{VIRTIO_GPU_RESP_ERR_INVALID_PARAMETER};
    if (add_entries(gpu, command, c.nr_entries, *backing))
        answer = answer_of(gpu, gpu.renderer->set_memory(c.resource_id, backing));
    if (answer.type == VIRTIO_GPU_RESP_OK_NODATA)
        resource->backing = std::move(backing);
    else
        forget_pieces(gpu, c.nr_entries);
    return answer;
}

Answer detach_backing(Gpu& gpu, const Command&, const virtio_gpu_resource_detach_backing& c) {
    Resource* const resource = find_resource(gpu, c.resource_id);
    if (resource == nullptr) return {VIRTIO_GPU_RESP_ERR_INVALID_RESOURCE_ID};
    if (resource->backing == nullptr) return {VIRTIO_GPU_RESP_ERR_UNSPEC};
    take_backing(gpu, *resource);
    return {};
}

Answer transfer_2d(Gpu& gpu, const Command&, const virtio_gpu_transfer_to_host_2d& c) {
    const Resource* const resource = find_resource(gpu, c.resource_id);
    if (resource == nullptr) return {VIRTIO_GPU_RESP_ERR_INVALID_RESOURCE_ID};
    if (resource->backing == nullptr) return {VIRTIO_GPU_RESP_ERR_INVALID_PARAMETER};
    const virgl::TransferRequest request{c.resource_id, 0, 0, 0, {c.r.x, c.r.y, 0, c.r.width, c.r.height, 1}};
    return answer_of(gpu, gpu.renderer->write_from_memory(request, c.offset));
}

Answer transfer_3d(Gpu& gpu, const Command&, const virtio_gpu_transfer_host_3d& c) {
    const Resource* const resource = find_resource(gpu, c.resource_id);
    if (resource == nullptr) return {VIRTIO_GPU_RESP_ERR_INVALID_RESOURCE_ID};
    if (c.hdr.ctx_id != 0 && !gpu.contexts.contains(c.hdr.ctx_id)) return {VIRTIO_GPU_RESP_ERR_INVALID_CONTEXT_ID};
    if (c.hdr.ctx_id != 0 && !resource->contexts.contains(c.hdr.ctx_id))
        return {VIRTIO_GPU_RESP_ERR_INVALID_RESOURCE_ID};
    if (resource->backing == nullptr) return {VIRTIO_GPU_RESP_ERR_INVALID_PARAMETER};
    const virtio_gpu_box& b = c.box;
    const virgl::TransferRequest request{
        c.resource_id, c.level, c.stride, c.layer_stride, {b.x, b.y, b.z, b.w, b.h, b.d}};
    if (c.hdr.type == VIRTIO_GPU_CMD_TRANSFER_TO_HOST_3D)
        return answer_of(gpu, gpu.renderer->write_from_memory(request, c.offset));
    Answer answer = answer_of(gpu, gpu.renderer->read_to_memory(request, c.offset));
    answer.fenced = true;  // it says that the bytes are there
    return answer;
}

}  // namespace tgsi2spv::virtio_gpu
