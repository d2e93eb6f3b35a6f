#include "machine/virtio_gpu/pixels.h"

#include <linux/virtio_gpu.h>

#include <bit>
#include <cstring>

namespace tgsi2spv::virtio_gpu {

bool is_pixel_format(uint32_t format) {
    switch (format) {
        case VIRTIO_GPU_FORMAT_B8G8R8A8_UNORM:
        case VIRTIO_GPU_FORMAT_B8G8R8X8_UNORM:
        case VIRTIO_GPU_FORMAT_A8R8G8B8_UNORM:
        case VIRTIO_GPU_FORMAT_X8R8G8B8_UNORM:
        case VIRTIO_GPU_FORMAT_R8G8B8A8_UNORM:
        case VIRTIO_GPU_FORMAT_X8B8G8R8_UNORM:
        case VIRTIO_GPU_FORMAT_A8B8G8R8_UNORM:
        case VIRTIO_GPU_FORMAT_R8G8B8X8_UNORM:
            return true;
        default:
            return false;
    }
}

void to_display(uint32_t format, std::span<const std::byte> from, std::span<uint32_t> to) {
    std::memcpy(to.data(), from.data(), to.size_bytes());
    // The first byte of a format's name is the lowest one of a word.
    switch (format) {
        case VIRTIO_GPU_FORMAT_A8R8G8B8_UNORM:
        case VIRTIO_GPU_FORMAT_X8R8G8B8_UNORM:
            for (uint32_t& t : to) t = __builtin_bswap32(t);
            break;
        case VIRTIO_GPU_FORMAT_R8G8B8A8_UNORM:
        case VIRTIO_GPU_FORMAT_R8G8B8X8_UNORM:
            for (uint32_t& t : to) t = std::rotr(__builtin_bswap32(t), 8);
            break;
        case VIRTIO_GPU_FORMAT_X8B8G8R8_UNORM:
        case VIRTIO_GPU_FORMAT_A8B8G8R8_UNORM:
            for (uint32_t& t : to) t = std::rotr(t, 8);
            break;
        default:
            break;
    }
}

}  // namespace tgsi2spv::virtio_gpu
