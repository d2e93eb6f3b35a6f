#include "renderer/record/indirect.h"

#include <algorithm>
#include <cstring>

#include "renderer/state/host_state.h"

namespace tgsi2spv::host {
namespace {

Problem check_words(const vk::Buffer& buffer, VkDeviceSize offset, VkDeviceSize bytes) {
    if (offset % 4 != 0) return {Problem::Misaligned, offset, 4};
    return check_bytes(offset, bytes, buffer.size());
}

Problem check_stride(uint32_t stride, uint32_t size) {
    if (stride % 4 != 0) return {Problem::Misaligned, stride, 4};
    if (stride < size) return {Problem::BadStride, stride, size};
    return Problem::None;
}

/// Records draw_id empty draws and then this one.
template <class Command>
void record_after_others(HostState& host, const vk::Staging& room, uint32_t draw_id, const Command& draw,
                         PFN_vkCmdDrawIndirect record) {
    std::memset(room.data, 0, draw_id * sizeof draw);
    std::memcpy(room.data + draw_id * sizeof draw, &draw, sizeof draw);
    record(host.stream.commands_in_scope(), room.buffer->handle(), room.offset, draw_id + 1, sizeof draw);
}

}  // namespace

Problem prepare_indirect(const HostState& host, const virgl::Draw& command, IndirectDraws& draws) {
    const vulkan::DeviceReport& report = host.device->report();
    if (const Problem p = find_buffer(host, command.indirect_resource, draws.arguments)) return p;
    const uint32_t size = command.indexed ? sizeof(VkDrawIndexedIndirectCommand) : sizeof(VkDrawIndirectCommand);
    draws.draws = std::max(command.indirect_draw_count, 1u);
    draws.stride = command.indirect_stride == 0 ? size : command.indirect_stride;
    draws.offset = command.indirect_offset;
    if (draws.draws > 1 || command.indirect_count_resource != 0)
        if (const Problem p = check_stride(draws.stride, size)) return p;
    if (draws.draws > report.limits.maxDrawIndirectCount)
        return {Problem::BadSize, draws.draws, report.limits.maxDrawIndirectCount};
    const VkDeviceSize bytes = VkDeviceSize{draws.stride} * (draws.draws - 1) + size;
    if (const Problem p = check_words(*draws.arguments->buffer, draws.offset, bytes)) return p;
    if (command.indirect_count_resource == 0) return Problem::None;
    if (report.features12.drawIndirectCount == 0) return Problem::Unsupported;
    draws.count_offset = command.indirect_count_offset;
    if (const Problem p = find_buffer(host, command.indirect_count_resource, draws.counts)) return p;
    return check_words(*draws.counts->buffer, draws.count_offset, 4);
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

bool has_number(const HostState& host, uint32_t draw_id) {
    constexpr uint32_t kMaxDrawId = 4096;  // a guest must not fill the memory with empty draws
    return draw_id != 0 && draw_id <= std::min(kMaxDrawId, host.device->report().limits.maxDrawIndirectCount - 1);
}

vk::Staging stage_numbered(HostState& host, uint32_t draw_id) {
    return host.stream.stage((draw_id + 1) * sizeof(VkDrawIndexedIndirectCommand), 4);
}

void record_numbered(HostState& host, const vk::Staging& room, uint32_t draw_id, const VkDrawIndirectCommand& draw) {
    record_after_others(host, room, draw_id, draw, vkCmdDrawIndirect);
}

void record_numbered(HostState& host, const vk::Staging& room, uint32_t draw_id,
                     const VkDrawIndexedIndirectCommand& draw) {
    record_after_others(host, room, draw_id, draw, vkCmdDrawIndexedIndirect);
}

}  // namespace tgsi2spv::host
