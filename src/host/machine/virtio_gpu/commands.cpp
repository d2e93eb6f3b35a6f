#include "machine/virtio_gpu/commands.h"

#include <fmt/format.h>

#include <cstring>

namespace tgsi2spv::virtio_gpu {
namespace {

Answer get_display_info(Gpu& gpu, const Command& command, const virtio_gpu_ctrl_hdr&) {
    gpu.asking.push_back({*command.chain, command.header, 0});
    gpu.display.ask();
    return {.type = VIRTIO_GPU_RESP_OK_DISPLAY_INFO, .later = true};
}

Answer get_edid(Gpu& gpu, const Command& command, const virtio_gpu_cmd_get_edid& c) {
    if (c.scanout >= kScanouts) return {.type = VIRTIO_GPU_RESP_ERR_INVALID_SCANOUT_ID};
    gpu.asking.push_back({*command.chain, command.header, c.scanout});
    gpu.display.ask();
    return {.type = VIRTIO_GPU_RESP_OK_EDID, .later = true};
}

struct Row {
    uint32_t type;
    size_t bytes;
    bool is_3d;
    Answer (*run)(Gpu& gpu, const Command& command);
};

template <class T, Answer (*kRun)(Gpu&, const Command&, const T&)>
constexpr Row row(uint32_t type, bool is_3d) {
    static_assert(sizeof(T) <= sizeof Command{}.bytes);
    return {type, sizeof(T), is_3d, [](Gpu& gpu, const Command& command) {
                T c;
                std::memcpy(&c, command.bytes.data(), sizeof c);
                return kRun(gpu, command, c);
            }};
}

constexpr std::array kRows{
    row<virtio_gpu_ctrl_hdr, get_display_info>(VIRTIO_GPU_CMD_GET_DISPLAY_INFO, false),
    row<virtio_gpu_cmd_get_edid, get_edid>(VIRTIO_GPU_CMD_GET_EDID, false),
    row<virtio_gpu_resource_create_2d, create_2d>(VIRTIO_GPU_CMD_RESOURCE_CREATE_2D, false),
    row<virtio_gpu_resource_unref, unref>(VIRTIO_GPU_CMD_RESOURCE_UNREF, false),
    row<virtio_gpu_set_scanout, set_scanout>(VIRTIO_GPU_CMD_SET_SCANOUT, false),
    row<virtio_gpu_resource_flush, flush>(VIRTIO_GPU_CMD_RESOURCE_FLUSH, false),
    row<virtio_gpu_transfer_to_host_2d, transfer_2d>(VIRTIO_GPU_CMD_TRANSFER_TO_HOST_2D, false),
    row<virtio_gpu_resource_attach_backing, attach_backing>(VIRTIO_GPU_CMD_RESOURCE_ATTACH_BACKING, false),
    row<virtio_gpu_resource_detach_backing, detach_backing>(VIRTIO_GPU_CMD_RESOURCE_DETACH_BACKING, false),
    row<virtio_gpu_get_capset_info, capset_info>(VIRTIO_GPU_CMD_GET_CAPSET_INFO, true),
    row<virtio_gpu_get_capset, capset>(VIRTIO_GPU_CMD_GET_CAPSET, true),
    row<virtio_gpu_ctx_create, create_context>(VIRTIO_GPU_CMD_CTX_CREATE, true),
    row<virtio_gpu_ctx_destroy, destroy_context>(VIRTIO_GPU_CMD_CTX_DESTROY, true),
    row<virtio_gpu_ctx_resource, attach_resource>(VIRTIO_GPU_CMD_CTX_ATTACH_RESOURCE, true),
    row<virtio_gpu_ctx_resource, detach_resource>(VIRTIO_GPU_CMD_CTX_DETACH_RESOURCE, true),
    row<virtio_gpu_resource_create_3d, create_3d>(VIRTIO_GPU_CMD_RESOURCE_CREATE_3D, true),
    row<virtio_gpu_transfer_host_3d, transfer_3d>(VIRTIO_GPU_CMD_TRANSFER_TO_HOST_3D, true),
    row<virtio_gpu_transfer_host_3d, transfer_3d>(VIRTIO_GPU_CMD_TRANSFER_FROM_HOST_3D, true),
    row<virtio_gpu_cmd_submit, submit_3d>(VIRTIO_GPU_CMD_SUBMIT_3D, true),
};

}  // namespace

Answer execute(Gpu& gpu, const Command& command) {
    for (const Row& row : kRows) {
        if (row.type != command.header.type) continue;
        if (row.is_3d && (!gpu.offers_3d || gpu.lost)) return {.type = VIRTIO_GPU_RESP_ERR_UNSPEC};
        if (command.size < row.bytes) return {.type = VIRTIO_GPU_RESP_ERR_INVALID_PARAMETER};
        return row.run(gpu, command);
    }
    return {.type = VIRTIO_GPU_RESP_ERR_UNSPEC};
}

Answer answer_of(Gpu& gpu, virgl::Outcome outcome) {
    switch (outcome) {
        case virgl::Outcome::Done:
            return {};
        case virgl::Outcome::Refused:
            return {.type = VIRTIO_GPU_RESP_ERR_INVALID_PARAMETER};
        case virgl::Outcome::Lost:
            break;
    }
    lose(gpu);
    return {.type = VIRTIO_GPU_RESP_ERR_UNSPEC};
}

}  // namespace tgsi2spv::virtio_gpu
