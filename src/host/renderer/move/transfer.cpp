#include "renderer/move/transfer.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "renderer/move/layout.h"
#include "renderer/move/texel_convert.h"
#include "renderer/record/framebuffer.h"
#include "renderer/record/host_recorder.h"
#include "vk/move.h"

namespace tgsi2spv::host {
namespace {

/// Where a box's bytes come from: a command, or memory from an offset on.
struct Source {
    std::span<const std::byte> data;
    const virgl::SharedMemory* memory = nullptr;
    uint64_t offset = 0;

    void read(uint64_t at, std::span<std::byte> to) const {
        memory != nullptr ? memory->read(offset + at, to)
                          : static_cast<void>(std::memcpy(to.data(), data.data() + at, to.size()));
    }
};

/// Copies a box of rows between two layouts. `row` copies one row.
template <class Row>
void for_rows(const CheckedTransfer& transfer, const Row& row) {
    for (uint32_t slice = 0; slice < transfer.box.depth; slice++)
        for (uint32_t r = 0; r < transfer.rows; r++) row(slice, r);
}

vk::ImageBox box_of(const virgl::TransferRequest& request) {
    const virgl::Box& b = request.box;
    return {request.level, b.x, b.y, b.z, b.width, b.height, b.depth};
}

using Stage = vk::Staging (vk::Stream::*)(VkDeviceSize size, VkDeviceSize alignment);

/// Whether the bytes are those of the buffer itself, in memory that the guest keeps mapped.
bool is_in_place(const Resource& resource, const virgl::SharedMemory* memory, uint64_t offset, uint64_t start) {
    return resource.buffer->is_imported() && memory == resource.memory.get() && offset == start;
}

Problem write_buffer(HostState& host, Resource& resource, const CheckedTransfer& transfer, const Source& source) {
    vk::Buffer& buffer = *resource.buffer;
    const uint64_t offset = transfer.box.x, size = transfer.row_bytes;
    if (is_in_place(resource, source.memory, source.offset, offset)) return Problem::None;
    if (host.stream.done(buffer.uses.last_batch)) {
        source.read(0, {buffer.mapped() + offset, size});
        host.stream.counters().uploaded += size;
        return Problem::None;
    }
    const vk::Staging staging = host.stream.stage(size, 4);
    if (staging.data == nullptr) return Problem::NoMemory;
    source.read(0, {staging.data, size});
    return problem_of(vk::copy_buffer(host.stream, staging.buffer, staging.offset, resource.buffer, offset, size));
}

Problem read_buffer(HostState& host, Resource& resource, const CheckedTransfer& transfer,
                    std::shared_ptr<virgl::SharedMemory> memory, uint64_t offset) {
    const uint64_t start = transfer.box.x, size = transfer.row_bytes;
    if (is_in_place(resource, memory.get(), offset, start)) return Problem::None;  // the device may still write them
    // The device copies faster than the processor reads memory that is not cached.
    if (resource.buffer->is_cached() && host.stream.done(resource.buffer->uses.last_batch)) {
        host.stream.counters().read_back += size;
        memory->write(offset, {resource.buffer->mapped() + start, size});
        return Problem::None;
    }
    const vk::Staging staging = host.stream.stage_for_reading(size, 4);
    if (staging.data == nullptr) return Problem::NoMemory;
    if (const Problem p =
            problem_of(vk::copy_buffer(host.stream, resource.buffer, start, staging.buffer, staging.offset, size)))
        return p;
    host.stream.when_done([staging, size, to = std::move(memory), offset] { to->write(offset, {staging.data, size}); });
    resource.busy_until = host.stream.current();
    return Problem::None;
}

/// The parts of an image that are copied separately: one for colour, two for packed depth and stencil.
struct Part {
    VkImageAspectFlags aspect;
    uint32_t bytes;  ///< bytes of a texel or block
    vk::Staging staging;
};

bool stage_parts(HostState& host, const Resource& resource, const CheckedTransfer& transfer, Stage stage,
                 std::vector<Part>& parts) {
    const FormatInfo& format = *resource.format;
    const VkImageAspectFlags aspects = resource.image->aspects();
    for (const auto aspect : {VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_ASPECT_STENCIL_BIT})
        if ((aspects & aspect) != 0)
            parts.push_back({static_cast<VkImageAspectFlags>(aspect), vk::texel_bytes(*resource.image, aspect), {}});
    const uint64_t texels = transfer.row_bytes / format.block_bytes * transfer.rows * transfer.box.depth;
    return std::ranges::all_of(parts, [&](Part& part) {
        // Offsets are multiples of 4 and of the texel (Vulkan, vkCmdCopyBufferToImage).
        part.staging = (host.stream.*stage)(texels * part.bytes, part.bytes % 3 == 0 ? part.bytes * 4 : 16);
        return part.staging.data != nullptr;
    });
}

Problem write_image(HostRecorder& host, Resource& resource, const virgl::TransferRequest& request,
                    const CheckedTransfer& transfer, const Source& source) {
    std::vector<Part> parts;
    if (!stage_parts(host, resource, transfer, &vk::Stream::stage, parts)) return Problem::NoMemory;
    const FormatInfo& format = *resource.format;
    const uint64_t texels = transfer.row_bytes / format.block_bytes;
    std::vector<std::byte> packed(format.conversion == Conversion::None ? 0 : transfer.row_bytes);
    for_rows(transfer, [&](uint32_t slice, uint32_t row) {
        const uint64_t from = slice * transfer.layer_stride + row * transfer.row_stride;
        const uint64_t line = uint64_t{slice} * transfer.rows + row;
        if (format.conversion == Conversion::None) {
            source.read(from, {parts[0].staging.data + line * transfer.row_bytes, transfer.row_bytes});
        } else {
            std::byte* const stencil = parts.size() > 1 ? parts[1].staging.data + line * texels : nullptr;
            source.read(from, packed);
            unpack_texels(format.conversion, packed, parts[0].staging.data + line * texels * parts[0].bytes, stencil);
        }
    });
    if (!flush_clears_of(host, resource)) return Problem::NoMemory;
    for (const Part& part : parts)
        if (const Problem p =
                problem_of(vk::copy_to_image(host.stream, part.staging, resource.image, part.aspect, box_of(request))))
            return p;
    return Problem::None;
}

/// Whether the resource is a window's surface or a scan-out: programs show a frame by reading it.
bool is_shown(const virgl::ResourceRequest& info) {
    return (info.bind & (virgl::kBindDisplayTarget | virgl::kBindScanout)) != 0;
}

/// The device writes a picture into the guest's memory. False: it cannot, or not these texels.
bool read_in_place(HostState& host, Resource& resource, const vk::ImageBox& box, const CheckedTransfer& transfer,
                   const std::shared_ptr<virgl::SharedMemory>& memory, uint64_t offset) {
    const uint64_t block = resource.format->block_bytes;
    if (!is_shown(resource.info) || memory != resource.memory || memory->bytes.empty() ||
        resource.format->conversion != Conversion::None || resource.format->has(kDepthStencil) ||
        transfer.row_stride % block != 0 || transfer.layer_stride % transfer.row_stride != 0)
        return false;
    if (!resource.shared)
        resource.shared = vk::Buffer::import(*host.device, host.memory, memory->size(), memory->bytes, memory);
    const auto& shared = *resource.shared;
    const uint64_t slice = transfer.box.depth > 1 ? transfer.layer_stride / transfer.row_stride : 0;
    const vk::Pitch pitch{static_cast<uint32_t>(transfer.row_stride / block), static_cast<uint32_t>(slice)};
    if (shared == nullptr || vk::copy_from_image(host.stream, resource.image, VK_IMAGE_ASPECT_COLOR_BIT, box,
                                                 {shared, offset, shared->mapped()}, pitch) != vk::Status::Done)
        return false;
    host.stream.counters().read_back += transfer.row_bytes * transfer.rows * transfer.box.depth;
    return true;
}

Problem read_image(HostRecorder& host, Resource& resource, const virgl::TransferRequest& request,
                   const CheckedTransfer& transfer, std::shared_ptr<virgl::SharedMemory> memory, uint64_t offset) {
    if (!flush_clears_of(host, resource)) return Problem::NoMemory;
    if (read_in_place(host, resource, box_of(request), transfer, memory, offset)) return Problem::None;
    // The host copies later than the device. A read that the device cannot do in place ends its part, to keep the
    // order.
    if (memory == resource.memory) resource.shared.emplace();
    std::vector<Part> parts;
    if (!stage_parts(host, resource, transfer, &vk::Stream::stage_for_reading, parts)) return Problem::NoMemory;
    for (const Part& part : parts)
        if (const Problem p = problem_of(
                vk::copy_from_image(host.stream, resource.image, part.aspect, box_of(request), part.staging)))
            return p;
    host.stream.when_done([parts, transfer, to = std::move(memory), offset, conversion = resource.format->conversion,
                           block = resource.format->block_bytes] {
        const uint64_t texels = transfer.row_bytes / block;
        std::vector<std::byte> packed(conversion == Conversion::None ? 0 : transfer.row_bytes);
        for_rows(transfer, [&](uint32_t slice, uint32_t row) {
            const uint64_t at = offset + slice * transfer.layer_stride + row * transfer.row_stride;
            const uint64_t line = uint64_t{slice} * transfer.rows + row;
            if (conversion == Conversion::None) {
                to->write(at, {parts[0].staging.data + line * transfer.row_bytes, transfer.row_bytes});
            } else {
                const std::byte* const stencil = parts.size() > 1 ? parts[1].staging.data + line * texels : nullptr;
                pack_texels(conversion, parts[0].staging.data + line * texels * parts[0].bytes, stencil, packed);
                to->write(at, packed);
            }
        });
    });
    return Problem::None;
}

/// Whether a resource has bytes that the guest may transfer, and the box is one of them.
Problem check(const Resource& resource, const virgl::TransferRequest& request, uint64_t offset, uint64_t memory_bytes,
              CheckedTransfer& result) {
    if (resource.image != nullptr && resource.image->info().samples != VK_SAMPLE_COUNT_1_BIT)
        return {Problem::BadSamples, resource.image->info().samples, 1};
    return check_transfer(resource.info, *resource.format, request, offset, memory_bytes, result);
}

Problem write_from(HostRecorder& host, Resource& resource, const virgl::TransferRequest& request, const Source& source,
                   uint64_t bytes) {
    if (resource.buffer == nullptr && resource.image == nullptr) return Problem::None;
    CheckedTransfer t;
    if (const Problem p = check(resource, request, source.offset, bytes, t)) return p;
    return or_reclaim(host, [&] {
        return resource.buffer != nullptr ? write_buffer(host, resource, t, source)
                                          : write_image(host, resource, request, t, source);
    });
}

}  // namespace

Problem write_box(HostRecorder& host, Resource& resource, const virgl::TransferRequest& request,
                  std::span<const std::byte> data) {
    return write_from(host, resource, request, {.data = data}, data.size());
}

Problem write_box(HostRecorder& host, Resource& resource, const virgl::TransferRequest& request,
                  const virgl::SharedMemory& memory, uint64_t offset) {
    return write_from(host, resource, request, {.data = {}, .memory = &memory, .offset = offset}, memory.size());
}

Problem read_box(HostRecorder& host, Resource& resource, const virgl::TransferRequest& request,
                 std::shared_ptr<virgl::SharedMemory> memory, uint64_t offset) {
    if (resource.buffer == nullptr && resource.image == nullptr) return Problem::None;
    CheckedTransfer t;
    if (const Problem p = check(resource, request, offset, memory->size(), t)) return p;
    if (is_shown(resource.info) && request.level == 0) host.stats.counts.frames++;
    const Problem problem = or_reclaim(host, [&] {
        return resource.buffer != nullptr ? read_buffer(host, resource, t, memory, offset)
                                          : read_image(host, resource, request, t, memory, offset);
    });
    if (resource.buffer != nullptr) return problem;
    resource.busy_until = host.stream.current();
    return problem;
}

Problem transfer(HostRecorder& host, const virgl::Transfer& command) {
    const auto resource = host.find_resource(command.request.handle);
    if (resource == nullptr) return {Problem::NoResource, command.request.handle};
    if (resource->memory == nullptr) return {Problem::NoSharedMemory, command.request.handle};
    return command.to_host ? write_box(host, *resource, command.request, *resource->memory, command.offset)
                           : read_box(host, *resource, command.request, resource->memory, command.offset);
}

Problem transfer(HostRecorder& host, const virgl::CopyTransfer& command) {
    const virgl::TransferRequest& request = command.request;
    const auto resource = host.find_resource(request.handle), staging = host.find_resource(command.staging);
    if (resource == nullptr) return {Problem::NoResource, request.handle};
    if (staging == nullptr) return {Problem::NoResource, command.staging};
    if (staging->memory == nullptr) return {Problem::NoSharedMemory, command.staging};
    if (!command.from_host) return write_box(host, *resource, request, *staging->memory, command.staging_offset);
    const Problem problem = read_box(host, *resource, request, staging->memory, command.staging_offset);
    staging->busy_until = std::max(staging->busy_until, resource->busy_until);  // the guest may wait for either
    return problem;
}

Problem transfer(HostRecorder& host, const virgl::InlineWrite& command) {
    const auto resource = host.find_resource(command.request.handle);
    if (resource == nullptr) return {Problem::NoResource, command.request.handle};
    return write_box(host, *resource, command.request, std::as_bytes(command.data));
}

}  // namespace tgsi2spv::host
