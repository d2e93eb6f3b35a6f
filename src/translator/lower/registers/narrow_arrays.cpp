#include "lower/registers/narrow_arrays.h"

#include <algorithm>
#include <bit>

#include "lower/registers/arrays.h"

namespace tgsi2spv::lower {

using tgsi::Family;
using tgsi::File;

namespace {

/// Which places of a source's swizzle the operation uses. Arithmetic and comparisons, MOV above all, use one for each
/// component that they write; of other operations, every place counts (the oldest edition's shifts use .x as well).
uint8_t used_places(const tgsi::Instruction& instruction, const tgsi::Operand* operands) {
    const tgsi::OpcodeInfo& row = tgsi::info(instruction.op);
    const bool one_each = row.shape == tgsi::Shape::component && instruction.num_dst == 1 &&
                          operands->write_mask != 0 &&
                          (row.family == Family::arithmetic || row.family == Family::compare);
    return one_each ? operands->write_mask : 0xf;
}

/// The components that these places of the swizzle select.
uint8_t selected(uint8_t swizzle, uint8_t places) {
    uint8_t components = 0;
    for (int c = 0; c < 4; ++c)
        if (places >> c & 1) components |= static_cast<uint8_t>(1u << (swizzle >> 2 * c & 3));
    return components;
}

void note(Context& context, const tgsi::Operand& operand, uint8_t components) {
    if (operand.file != File::Temp) return;
    if (!operand.index_is_relative) {
        const uint32_t slot = slot_of(context.plan.slots, operand.file, operand.index);
        if (slot != kNoIndex) context.arrays.reads[slot] |= components;
        return;
    }
    // An ARRAY's registers are in one array, so its first register represents all of them.
    const tgsi::Range* const range =
        operand.array_id != 0 ? context.registers.array(operand.file, operand.array_id) : nullptr;
    const uint32_t slot = range != nullptr ? slot_of(context.plan.slots, operand.file, range->first) : kNoIndex;
    uint8_t& reads = slot != kNoIndex ? context.arrays.reads[slot] : context.arrays.read_by_index;
    reads |= components;
}

}  // namespace

void note_reads(Context& context) {
    const tgsi::Program& program = context.program;
    context.arrays.read_by_index = 0;
    context.arrays.reads.assign(context.plan.slots.address, 0);
    for (const tgsi::Instruction& i : program.instructions) {
        const tgsi::Operand* const operands = program.operands.data() + i.first_operand;
        const uint8_t places = used_places(i, operands);
        const uint32_t count = i.num_dst + i.num_src + i.num_offsets + i.has_predicate;
        for (uint32_t k = 0; k < count; ++k) {
            const tgsi::Operand& o = operands[k];
            if (k >= i.num_dst || is_stored_handle(i, o))
                note(context, o, selected(o.swizzle, k < i.num_dst + i.num_src ? places : 0xf));
            else if (i.has_predicate)
                note(context, o, o.write_mask);  // components that the predicate protects are read and written back
        }
    }
    for (const tgsi::Relative& r : program.relatives)
        note(context, {.file = r.file, .index = r.index}, static_cast<uint8_t>(1u << r.component));
}

uint8_t needed_components(const Context& context, uint32_t first, uint32_t count) {
    uint8_t mask = context.arrays.read_by_index;
    for (uint32_t slot = first; slot < first + count; ++slot) mask |= context.arrays.reads[slot];
    return static_cast<uint8_t>(std::max<int>(1, std::bit_width(mask)));
}

}  // namespace tgsi2spv::lower
