// 3D contexts, their resources and commands, and the capability sets.

#include "machine/virtio_gpu/commands.h"

namespace tgsi2spv::virtio_gpu {

Answer create_context(Gpu& gpu, const Command& command, const virtio_gpu_ctx_create&) {
    const uint32_t context = command.header.ctx_id;
    if (context == 0 || gpu.contexts.contains(context)) return {VIRTIO_GPU_RESP_ERR_INVALID_CONTEXT_ID};
    if (gpu.contexts.size() >= gpu.limits.contexts) return {VIRTIO_GPU_RESP_ERR_OUT_OF_MEMORY};
    const virgl::Outcome outcome = gpu.renderer->create_context(context);
    if (outcome == virgl::Outcome::Done) gpu.contexts.insert(context);
    return answer_of(gpu, outcome);
}

Answer destroy_context(Gpu& gpu, const Command& command, const virtio_gpu_ctx_destroy&) {
    const uint32_t context = command.header.ctx_id;
    if (gpu.contexts.erase(context) == 0) return {VIRTIO_GPU_RESP_ERR_INVALID_CONTEXT_ID};
    for (auto& [id, resource] : gpu.resources) gpu.attachments -= resource.contexts.erase(context);
    return answer_of(gpu, gpu.renderer->destroy_context(context));
}

Answer attach_resource(Gpu& gpu, const Command& command, const virtio_gpu_ctx_resource& c) {
    const uint32_t context = command.header.ctx_id;
    Resource* const resource = find_resource(gpu, c.resource_id);
    if (!gpu.contexts.contains(context)) return {VIRTIO_GPU_RESP_ERR_INVALID_CONTEXT_ID};
    if (resource == nullptr) return {VIRTIO_GPU_RESP_ERR_INVALID_RESOURCE_ID};
    if (resource->contexts.contains(context)) return {};
    if (gpu.attachments >= gpu.limits.attachments) return {VIRTIO_GPU_RESP_ERR_OUT_OF_MEMORY};
    const virgl::Outcome outcome = gpu.renderer->attach(context, c.resource_id);
    if (outcome == virgl::Outcome::Done) gpu.attachments += resource->contexts.insert(context).second;
    return answer_of(gpu, outcome);
}

Answer detach_resource(Gpu& gpu, const Command& command, const virtio_gpu_ctx_resource& c) {
    const uint32_t context = command.header.ctx_id;
    Resource* const resource = find_resource(gpu, c.resource_id);
    if (!gpu.contexts.contains(context)) return {VIRTIO_GPU_RESP_ERR_INVALID_CONTEXT_ID};
    if (resource == nullptr || resource->contexts.erase(context) == 0) return {VIRTIO_GPU_RESP_ERR_INVALID_RESOURCE_ID};
    gpu.attachments--;
    return answer_of(gpu, gpu.renderer->detach(context, c.resource_id));
}

Answer submit_3d(Gpu& gpu, const Command& command, const virtio_gpu_cmd_submit& c) {
    const uint32_t context = command.header.ctx_id;
    if (!gpu.contexts.contains(context)) return {VIRTIO_GPU_RESP_ERR_INVALID_CONTEXT_ID};
    if (c.size % sizeof(uint32_t) != 0 || c.size / sizeof(uint32_t) > virgl::kMaxBufferWords)
        return {VIRTIO_GPU_RESP_ERR_INVALID_PARAMETER};
    gpu.words.resize(c.size / sizeof(uint32_t));
    const auto bytes = std::as_writable_bytes(std::span(gpu.words));
    if (gather(gpu.memory, command.chain->readable, sizeof c, bytes) != bytes.size())
        return {VIRTIO_GPU_RESP_ERR_INVALID_PARAMETER};
    return answer_of(gpu, gpu.renderer->submit(context, gpu.words));
}

Answer capset_info(Gpu&, const Command&, const virtio_gpu_get_capset_info& c) {
    constexpr std::array<uint32_t, 2> kSizes{sizeof(virgl::CapsV1), sizeof(virgl::CapsV2)};
    std::array<uint32_t, 4> info{};  // zeros: the set does not exist
    if (c.capset_index < kSizes.size()) {
        const uint32_t id = c.capset_index + VIRTIO_GPU_CAPSET_VIRGL;
        info = {id, id, kSizes[c.capset_index], 0};
    }
    const auto bytes = std::as_bytes(std::span(info));
    return {VIRTIO_GPU_RESP_OK_CAPSET_INFO, {bytes.begin(), bytes.end()}};
}

Answer capset(Gpu& gpu, const Command&, const virtio_gpu_get_capset& c) {
    if ((c.capset_id != VIRTIO_GPU_CAPSET_VIRGL && c.capset_id != VIRTIO_GPU_CAPSET_VIRGL2) ||
        c.capset_version > c.capset_id)
        return {VIRTIO_GPU_RESP_ERR_INVALID_PARAMETER};
    virgl::CapsV2 caps = gpu.renderer->caps();
    const bool first = c.capset_id == VIRTIO_GPU_CAPSET_VIRGL;
    if (first) caps.v1.max_version = 1;
    const auto bytes = std::as_bytes(std::span(&caps, 1)).first(first ? sizeof caps.v1 : sizeof caps);
    return {VIRTIO_GPU_RESP_OK_CAPSET, {bytes.begin(), bytes.end()}};
}

}  // namespace tgsi2spv::virtio_gpu
