#include <algorithm>
#include <cstring>

#include "renderer/draw/draw.h"
#include "renderer/record/based_views.h"
#include "renderer/record/condition.h"
#include "renderer/record/descriptors.h"
#include "renderer/record/framebuffer.h"
#include "renderer/record/host_recorder.h"
#include "renderer/record/pipeline.h"
#include "renderer/record/program.h"
#include "renderer/record/query.h"

namespace tgsi2spv::host {
namespace {

/// The size of a block that the text does not fix must be within the device's limits; the library checks the others.
Problem check_block(const VkPhysicalDeviceLimits& limits, const std::array<uint32_t, 3>& block) {
    uint64_t invocations = 1;
    for (size_t i = 0; i < 3; i++) {
        const uint32_t most = limits.maxComputeWorkGroupSize[i];
        if (block[i] == 0 || block[i] > most) return {Problem::BadSize, block[i], most};
        invocations *= block[i];
    }
    const uint32_t most = limits.maxComputeWorkGroupInvocations;
    return invocations <= most ? Problem::None : Problem(Problem::BadSize, invocations, most);
}

/// Reads an indirect grid here, since a device need not check it.
Problem read_grid(HostState& host, const virgl::LaunchGrid& command, std::array<uint32_t, 3>& grid) {
    std::shared_ptr<Resource> resource;
    if (const Problem p = find_buffer(host, command.indirect_resource, resource)) return p;
    vk::Buffer& buffer = *resource->buffer;
    if (command.indirect_offset % 4 != 0) return {Problem::Misaligned, command.indirect_offset, 4};
    if (const Problem p = check_bytes(command.indirect_offset, sizeof grid, buffer.size())) return p;
    if (!host.stream.wait(buffer.uses.last_batch)) return Problem::NoMemory;
    std::memcpy(grid.data(), buffer.mapped() + command.indirect_offset, sizeof grid);
    return Problem::None;
}

}  // namespace

Problem launch_grid(HostRecorder& host, SubContext& context, const virgl::LaunchGrid& command) {
    const auto& limits = host.device->report().limits;
    std::array<uint32_t, 3> grid = command.grid;
    if (command.indirect_resource != 0)
        if (const Problem p = read_grid(host, command, grid)) return p;
    const Shader* shader = context.stage(virgl::Stage::Comp).shader.get();
    if (shader == nullptr || std::ranges::find(grid, 0u) != grid.end()) return Problem::None;
    for (size_t i = 0; i < 3; i++)
        if (grid[i] > limits.maxComputeWorkGroupCount[i])
            return {Problem::BadSize, grid[i], limits.maxComputeWorkGroupCount[i]};
    if (const Problem p = check_block(limits, command.block)) return p;
    const Decision decision = check_condition(host, context);
    if (decision == Decision::Skip) return Problem::None;
    const auto program = find_compute_program(host, *shader, resources_in_shader(context.stage(virgl::Stage::Comp)));
    if (program == nullptr) return Problem::NoMemory;
    if (program->failed) return Problem::None;
    const auto pipeline = find_compute_pipeline(host, context, *program, command.block);
    if (pipeline == nullptr) return Problem::NoMemory;
    if (pipeline->handle == VK_NULL_HANDLE) return Problem::None;

    std::optional<Bindings> based;
    if (misreads_levels(host, context, *program)) {
        based = copy_based_views(host, context, *program);
        if (!based) return Problem::NoMemory;
    }
    const Bindings& bindings = based ? *based : context;
    if (!flush_clears(host)) return Problem::NoMemory;
    host.stream.end_scope();
    std::vector<vk::Use> uses;
    add_resources(bindings, *program, uses);
    if (decision == Decision::AskDevice) uses.push_back(use_of_condition(context.condition));
    host.stream.order(uses);
    const VkCommandBuffer commands = host.stream.commands();
    bind_pipeline(host, VK_PIPELINE_BIND_POINT_COMPUTE, program, pipeline);
    BoundSets sets;
    if (!bind_resources(host, bindings, program, VK_PIPELINE_BIND_POINT_COMPUTE, sets)) return Problem::NoMemory;
    begin_counting_dispatch(host, context);
    if (decision == Decision::AskDevice) begin_condition(host, context.condition);
    vkCmdDispatch(commands, grid[0], grid[1], grid[2]);
    host.stats.counts.dispatches++;
    if (decision == Decision::AskDevice) end_condition(host);
    end_counting_dispatch(host, context);
    return Problem::None;
}

}  // namespace tgsi2spv::host
