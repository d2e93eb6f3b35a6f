#include "lower/registers/cells.h"

#include "lower/registers/arrays.h"

namespace tgsi2spv::lower {

ir::Value known_immediate(Context& context, size_t index, int component, ir::Scalar scalar) {
    const auto c = static_cast<size_t>(component);
    ir::Value& known = context.cells.immediates[4 * index + c][scalar == ir::Scalar::F32];
    if (known == ir::kNone) known = context.b.const_splat({scalar, 1}, context.program.immediates[index].words[c]);
    return known;
}

void read_slot(Context& context, uint32_t slot, std::span<const uint8_t> comps, Ref* out) {
    const uint32_t s = context.arrays.segment_of[slot];
    if (s == kNoIndex) {
        for (size_t k = 0; k < comps.size(); ++k) out[k] = context.cells.slots[size_t{4} * slot + comps[k]];
        return;
    }
    const Segment& segment = context.arrays.segments[s];
    const ir::Value value =
        context.b.load(segment.variable, {context.b.const_u32(slot - segment.first)}, segment.element());
    for (size_t k = 0; k < comps.size(); ++k) out[k] = {value, comps[k]};
}

void write_slot(Context& context, uint32_t slot, uint8_t mask, const Ref* refs) {
    const uint32_t s = context.arrays.segment_of[slot];
    if (s == kNoIndex) {
        Ref* cells = &context.cells.slots[size_t{4} * slot];
        for (int c = 0; c < 4; ++c)
            if (mask >> c & 1) cells[c] = *refs++;
        return;
    }
    const Segment& segment = context.arrays.segments[s];
    store_memory(context, segment, context.b.const_u32(slot - segment.first), mask, refs);
}

}  // namespace tgsi2spv::lower
