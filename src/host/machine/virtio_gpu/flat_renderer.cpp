#include "machine/virtio_gpu/flat_renderer.h"

#include <utility>

#include "machine/virtio_gpu/pixels.h"

namespace tgsi2spv::virtio_gpu {

using virgl::Outcome;

bool FlatRenderer::charge(int64_t bytes) {
    if (bytes > 0 && static_cast<uint64_t>(bytes) > left_) return false;
    left_ -= static_cast<uint64_t>(bytes);
    return true;
}

Outcome FlatRenderer::create_resource(const virgl::ResourceRequest& r, std::shared_ptr<virgl::SharedMemory> memory) {
    const bool flat = r.target == kTexture2D && is_pixel_format(r.format) && r.depth == 1 && r.array_size == 1 &&
                      r.last_level == 0 && r.samples <= 1;
    if (!flat || r.width == 0 || r.height == 0 || r.width > kMostExtent || r.height > kMostExtent)
        return Outcome::Refused;
    const uint64_t bytes = uint64_t{r.width} * r.height * kPixelBytes;
    if (bytes > left_ || resources_.contains(r.handle)) return Outcome::Refused;
    resources_.emplace(r.handle, Flat{r.width, r.height, std::vector<std::byte>(bytes), std::move(memory)});
    left_ -= bytes;
    return Outcome::Done;
}

Outcome FlatRenderer::destroy_resource(uint32_t handle) {
    const Flat* const found = find(handle);
    if (found == nullptr) return Outcome::Refused;
    left_ += found->texels.size();
    resources_.erase(handle);
    return Outcome::Done;
}

Outcome FlatRenderer::set_memory(uint32_t handle, std::shared_ptr<virgl::SharedMemory> memory) {
    Flat* const found = find(handle);
    if (found == nullptr) return Outcome::Refused;
    found->memory = std::move(memory);
    return Outcome::Done;
}

FlatRenderer::Flat* FlatRenderer::find(uint32_t handle) {
    const auto found = resources_.find(handle);
    return found == resources_.end() ? nullptr : &found->second;
}

template <class Row>
Outcome FlatRenderer::for_rows(const virgl::TransferRequest& request, uint64_t offset, uint64_t memory_bytes,
                               const Row& row) {
    Flat* const flat = find(request.handle);
    const virgl::Box& b = request.box;
    if (flat == nullptr || request.level != 0 || b.z != 0 || b.depth != 1 ||
        !inside({b.x, b.y, b.width, b.height}, flat->width, flat->height))
        return Outcome::Refused;
    const uint64_t stride = request.stride == 0 ? uint64_t{flat->width} * kPixelBytes : request.stride;
    const uint64_t row_bytes = uint64_t{b.width} * kPixelBytes, last = (b.height - 1) * stride + row_bytes;
    if (stride < row_bytes || offset > memory_bytes || last > memory_bytes - offset) return Outcome::Refused;
    for (uint64_t y = 0; y < b.height; y++)
        row(std::span(flat->texels).subspan(((b.y + y) * flat->width + b.x) * kPixelBytes, row_bytes),
            offset + y * stride);
    return Outcome::Done;
}

Outcome FlatRenderer::read_into(const virgl::TransferRequest& request, std::shared_ptr<virgl::SharedMemory> memory,
                                uint64_t offset) {
    return for_rows(request, offset, memory->size(),
                    [&](std::span<std::byte> texels, uint64_t at) { memory->write(at, texels); });
}
Outcome FlatRenderer::write_from_memory(const virgl::TransferRequest& request, uint64_t offset) {
    const Flat* const flat = find(request.handle);
    if (flat == nullptr || flat->memory == nullptr) return Outcome::Refused;
    return for_rows(request, offset, flat->memory->size(),
                    [&](std::span<std::byte> texels, uint64_t at) { flat->memory->read(at, texels); });
}
Outcome FlatRenderer::read_to_memory(const virgl::TransferRequest& request, uint64_t offset) {
    const Flat* const flat = find(request.handle);
    return flat == nullptr || flat->memory == nullptr ? Outcome::Refused : read_into(request, flat->memory, offset);
}

}  // namespace tgsi2spv::virtio_gpu
