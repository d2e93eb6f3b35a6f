#include "host/transfer.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "host/depth_convert.h"
#include "host/framebuffer.h"
#include "host/layout.h"

namespace tgsi2spv::host {
namespace {

/// Copies a box of rows between two layouts. `row` copies one row.
template <class Row>
void for_rows(const CheckedTransfer& t, const Row& row) {
    for (uint32_t slice = 0; slice < t.box.depth; slice++)
        for (uint32_t r = 0; r < t.rows; r++) row(slice, r);
}

/// The region of an image that a box is, with its texels packed tightly from `offset` on.
VkBufferImageCopy region_of(const Resource& resource, const virgl::TransferRequest& t, VkDeviceSize offset,
                            VkImageAspectFlags aspect) {
    const bool volume = resource.image->info().type == VK_IMAGE_TYPE_3D;
    const virgl::Box& b = t.box;
    return {
        .bufferOffset = offset,
        .imageSubresource = {aspect, t.level, volume ? 0 : b.z, volume ? 1 : b.depth},
        .imageOffset = {static_cast<int32_t>(b.x), static_cast<int32_t>(b.y), volume ? static_cast<int32_t>(b.z) : 0},
        .imageExtent = {b.width, b.height, volume ? b.depth : 1}};
}

/// What an aspect's texels take in a buffer (Vulkan, "Copying Data Between Buffers and Images").
uint32_t aspect_bytes(VkFormat format, VkImageAspectFlags aspect) {
    if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT) return 1;
    return format == VK_FORMAT_D16_UNORM ? 2 : 4;
}

Problem write_buffer(Host& host, Resource& resource, const CheckedTransfer& t, std::span<const std::byte> data) {
    gpu::Buffer& buffer = *resource.buffer;
    const uint64_t offset = t.box.x, size = t.row_bytes;
    if (buffer.mapped() != nullptr && host.stream.done(buffer.uses.last_batch)) {
        std::memcpy(buffer.mapped() + offset, data.data(), size);
        return Problem::None;
    }
    const gpu::Staging staging = host.stream.stage(size, 4);
    if (staging.data == nullptr) return Problem::NoMemory;
    std::memcpy(staging.data, data.data(), size);
    flush_clears(host);
    host.stream.write(resource.buffer);
    host.stream.order();
    const VkBufferCopy region{staging.offset, offset, size};
    vkCmdCopyBuffer(host.stream.commands(), staging.buffer->handle(), buffer.handle(), 1, &region);
    return Problem::None;
}

Problem read_buffer(Host& host, Resource& resource, const CheckedTransfer& t, std::span<std::byte> data) {
    gpu::Buffer& buffer = *resource.buffer;
    if (!host.stream.wait(buffer.uses.last_batch)) return Problem::NoMemory;
    if (buffer.mapped() != nullptr) std::memcpy(data.data(), buffer.mapped() + t.box.x, t.row_bytes);
    return Problem::None;
}

/// The parts of an image that are copied apart: one for colour, two for packed depth and stencil.
struct Part {
    VkImageAspectFlags aspect;
    uint32_t bytes;  ///< of a texel or block
    gpu::Staging staging;
};

bool stage_parts(Host& host, const Resource& resource, const CheckedTransfer& t, std::vector<Part>& parts) {
    const FormatInfo& format = *resource.format;
    const VkImageAspectFlags aspects = resource.image->aspects();
    if (aspects == VK_IMAGE_ASPECT_COLOR_BIT) parts.push_back({aspects, format.block_bytes, {}});
    for (const auto aspect : {VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_ASPECT_STENCIL_BIT})
        if ((aspects & aspect) != 0)
            parts.push_back({static_cast<VkImageAspectFlags>(aspect), aspect_bytes(format.vulkan, aspect), {}});
    const uint64_t texels = t.row_bytes / format.block_bytes * t.rows * t.box.depth;
    for (Part& part : parts) {
        // Offsets are multiples of 4 and of the texel (Vulkan, vkCmdCopyBufferToImage).
        part.staging = host.stream.stage(texels * part.bytes, part.bytes % 3 == 0 ? part.bytes * 4 : 16);
        if (part.staging.data == nullptr) return false;
    }
    return true;
}

Problem write_image(Host& host, Resource& resource, const virgl::TransferRequest& request, const CheckedTransfer& t,
                    std::span<const std::byte> data) {
    std::vector<Part> parts;
    if (!stage_parts(host, resource, t, parts)) return Problem::NoMemory;
    const FormatInfo& format = *resource.format;
    const uint64_t texels = t.row_bytes / format.block_bytes;
    for_rows(t, [&](uint32_t slice, uint32_t row) {
        const std::byte* const from = data.data() + slice * t.layer_stride + row * t.row_stride;
        const uint64_t line = uint64_t{slice} * t.rows + row;
        if (format.conversion == Conversion::None) {
            std::memcpy(parts[0].staging.data + line * t.row_bytes, from, t.row_bytes);
        } else {
            std::byte* const stencil = parts.size() > 1 ? parts[1].staging.data + line * texels : nullptr;
            unpack_depth(format.conversion, {from, t.row_bytes}, parts[0].staging.data + line * texels * 4, stencil);
        }
    });
    flush_clears(host);
    host.stream.write(resource.image);
    host.stream.order();
    const VkCommandBuffer commands = host.stream.commands();
    for (const Part& part : parts) {
        const VkBufferImageCopy region = region_of(resource, request, part.staging.offset, part.aspect);
        vkCmdCopyBufferToImage(commands, part.staging.buffer->handle(), resource.image->handle(),
                               VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    }
    return Problem::None;
}

Problem read_image(Host& host, Resource& resource, const virgl::TransferRequest& request, const CheckedTransfer& t,
                   std::span<std::byte> data, std::shared_ptr<const void> owner) {
    flush_clears(host);
    std::vector<Part> parts;
    if (!stage_parts(host, resource, t, parts)) return Problem::NoMemory;
    host.stream.read(resource.image);
    host.stream.order();
    const VkCommandBuffer commands = host.stream.commands();
    for (const Part& part : parts) {
        const VkBufferImageCopy region = region_of(resource, request, part.staging.offset, part.aspect);
        vkCmdCopyImageToBuffer(commands, resource.image->handle(), VK_IMAGE_LAYOUT_GENERAL,
                               part.staging.buffer->handle(), 1, &region);
    }
    host.stream.when_done([parts, t, data, owner = std::move(owner), conversion = resource.format->conversion,
                           block = resource.format->block_bytes] {
        const uint64_t texels = t.row_bytes / block;
        for_rows(t, [&](uint32_t slice, uint32_t row) {
            std::byte* const to = data.data() + slice * t.layer_stride + row * t.row_stride;
            const uint64_t line = uint64_t{slice} * t.rows + row;
            if (conversion == Conversion::None) {
                std::memcpy(to, parts[0].staging.data + line * t.row_bytes, t.row_bytes);
            } else {
                const std::byte* const stencil = parts.size() > 1 ? parts[1].staging.data + line * texels : nullptr;
                pack_depth(conversion, parts[0].staging.data + line * texels * 4, stencil, {to, t.row_bytes});
            }
        });
    });
    return Problem::None;
}

}  // namespace

Problem write_box(Host& host, Resource& resource, const virgl::TransferRequest& request,
                  std::span<const std::byte> data) {
    if (resource.buffer == nullptr && resource.image == nullptr) return Problem::None;
    if (resource.image != nullptr && resource.image->info().samples != VK_SAMPLE_COUNT_1_BIT)
        return Problem::BadSamples;
    CheckedTransfer t;
    if (const Problem p = check_transfer(resource.info, *resource.format, request, 0, data.size(), t);
        p != Problem::None)
        return p;
    return resource.buffer != nullptr ? write_buffer(host, resource, t, data)
                                      : write_image(host, resource, request, t, data);
}

Problem read_box(Host& host, Resource& resource, const virgl::TransferRequest& request, std::span<std::byte> data,
                 std::shared_ptr<const void> owner) {
    if (resource.buffer == nullptr && resource.image == nullptr) return Problem::None;
    if (resource.image != nullptr && resource.image->info().samples != VK_SAMPLE_COUNT_1_BIT)
        return Problem::BadSamples;
    CheckedTransfer t;
    if (const Problem p = check_transfer(resource.info, *resource.format, request, 0, data.size(), t);
        p != Problem::None)
        return p;
    return resource.buffer != nullptr ? read_buffer(host, resource, t, data)
                                      : read_image(host, resource, request, t, data, std::move(owner));
}

Problem transfer(Host& host, const virgl::Transfer& command) {
    const auto resource = host.find_resource(command.resource);
    if (resource == nullptr) return Problem::NoResource;
    if (resource->memory == nullptr) return Problem::NoSharedMemory;
    const std::span<std::byte> bytes = resource->memory->bytes;
    if (command.offset > bytes.size()) return Problem::BadRange;
    const virgl::TransferRequest request{command.resource, command.level, command.stride, command.layer_stride,
                                         command.box};
    const auto data = bytes.subspan(command.offset);
    return command.to_host ? write_box(host, *resource, request, data)
                           : read_box(host, *resource, request, data, resource->memory);
}

Problem transfer(Host& host, const virgl::CopyTransfer& command) {
    const auto resource = host.find_resource(command.resource), staging = host.find_resource(command.staging);
    if (resource == nullptr || staging == nullptr) return Problem::NoResource;
    if (staging->memory == nullptr) return Problem::NoSharedMemory;
    const std::span<std::byte> bytes = staging->memory->bytes;
    if (command.staging_offset > bytes.size()) return Problem::BadRange;
    const virgl::TransferRequest request{command.resource, command.level, command.stride, command.layer_stride,
                                         command.box};
    const auto data = bytes.subspan(command.staging_offset);
    return command.from_host ? read_box(host, *resource, request, data, staging->memory)
                             : write_box(host, *resource, request, data);
}

Problem transfer(Host& host, const virgl::InlineWrite& command) {
    const auto resource = host.find_resource(command.resource);
    if (resource == nullptr) return Problem::NoResource;
    const virgl::TransferRequest request{command.resource, command.level, command.stride, command.layer_stride,
                                         command.box};
    return write_box(host, *resource, request, std::as_bytes(command.data));
}

}  // namespace tgsi2spv::host
