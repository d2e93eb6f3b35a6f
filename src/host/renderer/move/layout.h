// Where the texels of a resource are in the memory that guest and host share: all levels one after the other, unpadded.
// All sums are of 64 bits and cannot overflow: a device has created the resource, so a texture has at most 2^16 texels
// in each direction. Buffers are bytes, with any format.
#pragma once

#include <cstdint>

#include "renderer/state/formats.h"
#include "renderer/state/problem.h"
#include "virgl/renderer.h"

namespace tgsi2spv::host {

struct LevelLayout {
    uint64_t offset = 0, row_stride = 0, layer_stride = 0;  ///< bytes
    uint32_t width = 1, height = 1, slices = 1;             ///< texels; slices: layers, or depth of 3D
};

LevelLayout level_layout(const virgl::ResourceRequest& resource, const FormatInfo& format, uint32_t level);

/// A transfer whose box is inside its level and whose bytes are inside the memory.
struct CheckedTransfer {
    virgl::Box box{};                           ///< height and depth count rows and slices; 1D arrays: z is the layer
    uint64_t row_stride = 0, layer_stride = 0;  ///< bytes; never 0
    uint64_t row_bytes = 0;                     ///< used bytes of a row
    uint32_t rows = 0;                          ///< rows of blocks in a slice
};

/// Checks a transfer against the resource, and its bytes from `offset` on against `memory_bytes`.
Problem check_transfer(const virgl::ResourceRequest& resource, const FormatInfo& format,
                       const virgl::TransferRequest& request, uint64_t offset, uint64_t memory_bytes,
                       CheckedTransfer& result);

}  // namespace tgsi2spv::host
