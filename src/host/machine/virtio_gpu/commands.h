// The commands of both queues.
#pragma once

#include <linux/virtio_gpu.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine/virtio_gpu/state.h"

namespace tgsi2spv::virtio_gpu {

/// A copy of a command's beginning, which the guest cannot change any more. The rest is read from the chain.
struct Command {
    virtio_gpu_ctrl_hdr header{};
    std::array<std::byte, sizeof(virtio_gpu_ctx_create)> bytes{};
    size_t size = 0;  ///< bytes that the command has
    const vhost::Chain* chain = nullptr;
};

/// A type, and the bytes after the header.
struct Answer {
    uint32_t type = VIRTIO_GPU_RESP_OK_NODATA;
    std::vector<std::byte> more = {};
    bool later = false;   ///< GET_DISPLAY_INFO: the answer waits for the front end
    bool fenced = false;  ///< the answer waits for the device, even if the guest has asked for no fence
};

Answer execute(Gpu& gpu, const Command& command);
/// Whether a command of the cursor's queue does without the renderer.
bool only_moves(const Command& command);
/// A command of the cursor's queue, which has no answers.
void execute_cursor(Gpu& gpu, const Command& command);
/// Shows the cursors that the device has copied since.
void finish_cursors(Gpu& gpu);
/// Begins to copy texels. They arrive with the device's next fence. Null: the outcome says why not.
std::shared_ptr<virgl::OwnMemory> begin_copy(Gpu& gpu, uint32_t resource, const Rect& part, virgl::Outcome& outcome);

/// The error of virtio for an outcome, if it is one; a lost device is noted.
Answer answer_of(Gpu& gpu, virgl::Outcome outcome);

// Resources: those of both kinds, and their memory.
Answer create_2d(Gpu& gpu, const Command& command, const virtio_gpu_resource_create_2d& c);
Answer create_3d(Gpu& gpu, const Command& command, const virtio_gpu_resource_create_3d& c);
Answer unref(Gpu& gpu, const Command& command, const virtio_gpu_resource_unref& c);
Answer attach_backing(Gpu& gpu, const Command& command, const virtio_gpu_resource_attach_backing& c);
Answer detach_backing(Gpu& gpu, const Command& command, const virtio_gpu_resource_detach_backing& c);
Answer transfer_2d(Gpu& gpu, const Command& command, const virtio_gpu_transfer_to_host_2d& c);
Answer transfer_3d(Gpu& gpu, const Command& command, const virtio_gpu_transfer_host_3d& c);

// Displays.
Answer set_scanout(Gpu& gpu, const Command& command, const virtio_gpu_set_scanout& c);
Answer flush(Gpu& gpu, const Command& command, const virtio_gpu_resource_flush& c);
/// Whether another flush can be begun: a guest that flushes faster than the device copies waits.
bool has_room_for_flush(const Gpu& gpu);
/// Turns off the scan-outs of a resource.
void forget_scanouts(Gpu& gpu, uint32_t resource);
/// Puts the pictures that the device has copied since into the displays.
void finish_readings(Gpu& gpu);

// Contexts.
Answer create_context(Gpu& gpu, const Command& command, const virtio_gpu_ctx_create& c);
Answer destroy_context(Gpu& gpu, const Command& command, const virtio_gpu_ctx_destroy& c);
Answer attach_resource(Gpu& gpu, const Command& command, const virtio_gpu_ctx_resource& c);
Answer detach_resource(Gpu& gpu, const Command& command, const virtio_gpu_ctx_resource& c);
Answer submit_3d(Gpu& gpu, const Command& command, const virtio_gpu_cmd_submit& c);
Answer capset_info(Gpu& gpu, const Command& command, const virtio_gpu_get_capset_info& c);
Answer capset(Gpu& gpu, const Command& command, const virtio_gpu_get_capset& c);

}  // namespace tgsi2spv::virtio_gpu
