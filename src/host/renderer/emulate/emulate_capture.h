// Stream output of a piece, and what queries count of it (shaders/host/emulate/capture.comp).
#pragma once

#include "renderer/emulate/emulate_piece.h"

namespace tgsi2spv::host {

/// Lists of records that a piece has made.
struct Lists {
    std::shared_ptr<gpu::Buffer> records, list, totals;
    VkDescriptorBufferInfo list_range{}, totals_range{};
    uint64_t most_primitives = 0;
};

/// Captures what `draw.captured` says, and counts for the queries that are active. False: no memory.
bool capture_lists(HostEmulator& host, const EmulatedDraw& draw, const Lists& lists);

}  // namespace tgsi2spv::host
