#include "renderer/draw/indirect.h"

#include <algorithm>
#include <cstring>

#include "renderer/host.h"

namespace tgsi2spv::host {
namespace {

bool has_room(const gpu::Buffer& buffer, VkDeviceSize offset, VkDeviceSize bytes) {
    return offset % 4 == 0 && bytes <= buffer.size() && offset <= buffer.size() - bytes;
}

Problem find_arguments(const Host& host, uint32_t handle, std::shared_ptr<Resource>& resource) {
    resource = host.find_resource(handle);
    if (resource == nullptr) return Problem::NoResource;
    return resource->buffer == nullptr ? Problem::Incompatible : Problem::None;
}

/// Writes draw_id empty draws and then this one. Returns no data if memory is short.
template <class Command>
gpu::Staging stage_numbered(Host& host, uint32_t draw_id, const Command& draw) {
    constexpr uint32_t kMaxDrawId = 4096;  // a guest must not fill the memory with empty draws
    if (draw_id > std::min(kMaxDrawId, host.device->report().limits.maxDrawIndirectCount - 1)) return {};
    gpu::Staging staging = host.stream.stage((draw_id + 1) * sizeof draw, 4);
    if (staging.data == nullptr) return {};
    std::memset(staging.data, 0, draw_id * sizeof draw);
    std::memcpy(staging.data + draw_id * sizeof draw, &draw, sizeof draw);
    return staging;
}

}  // namespace

Problem prepare_indirect(const Host& host, const virgl::Draw& command, IndirectDraws& draws) {
    const vulkan::DeviceReport& report = host.device->report();
    if (const Problem p = find_arguments(host, command.indirect_resource, draws.arguments); p != Problem::None)
        return p;
    const uint32_t size = command.indexed ? sizeof(VkDrawIndexedIndirectCommand) : sizeof(VkDrawIndirectCommand);
    draws.draws = std::max(command.indirect_draw_count, 1u);
    draws.stride = command.indirect_stride == 0 ? size : command.indirect_stride;
    draws.offset = command.indirect_offset;
    if (draws.draws > 1 && (draws.stride % 4 != 0 || draws.stride < size)) return Problem::BadStride;
    if (draws.draws > report.limits.maxDrawIndirectCount) return Problem::BadRange;
    if (!has_room(*draws.arguments->buffer, draws.offset, VkDeviceSize{draws.stride} * (draws.draws - 1) + size))
        return Problem::BadRange;
    if (command.indirect_count_resource == 0) return Problem::None;
    if (report.features12.drawIndirectCount == 0) return Problem::Unsupported;
    if (draws.stride % 4 != 0 || draws.stride < size) return Problem::BadStride;
    draws.count_offset = command.indirect_count_offset;
    if (const Problem p = find_arguments(host, command.indirect_count_resource, draws.counts); p != Problem::None)
        return p;
    return has_room(*draws.counts->buffer, draws.count_offset, 4) ? Problem::None : Problem::BadRange;
}

void record_indirect(VkCommandBuffer commands, const IndirectDraws& draws, bool indexed) {
    const VkBuffer arguments = draws.arguments->buffer->handle();
    if (draws.counts != nullptr) {
        const auto draw = indexed ? vkCmdDrawIndexedIndirectCount : vkCmdDrawIndirectCount;
        draw(commands, arguments, draws.offset, draws.counts->buffer->handle(), draws.count_offset, draws.draws,
             draws.stride);
    } else {
        const auto draw = indexed ? vkCmdDrawIndexedIndirect : vkCmdDrawIndirect;
        draw(commands, arguments, draws.offset, draws.draws, draws.stride);
    }
}

bool record_numbered(Host& host, uint32_t draw_id, const VkDrawIndirectCommand& draw) {
    const gpu::Staging staging = stage_numbered(host, draw_id, draw);
    if (staging.data == nullptr) return false;
    vkCmdDrawIndirect(host.stream.commands_in_scope(), staging.buffer->handle(), staging.offset, draw_id + 1,
                      sizeof draw);
    return true;
}

bool record_numbered(Host& host, uint32_t draw_id, const VkDrawIndexedIndirectCommand& draw) {
    const gpu::Staging staging = stage_numbered(host, draw_id, draw);
    if (staging.data == nullptr) return false;
    vkCmdDrawIndexedIndirect(host.stream.commands_in_scope(), staging.buffer->handle(), staging.offset, draw_id + 1,
                             sizeof draw);
    return true;
}

}  // namespace tgsi2spv::host
