// Register-indexed operands. Semantics, Addressing: outside the declared range (or the array's range, if the operand
// names an array) a read gives 0 and a write is dropped.
#include "lower/registers/addressing.h"

#include <algorithm>
#include <string>

#include "lower/context/values.h"
#include "lower/registers/arrays.h"
#include "lower/registers/named.h"
#include "lower/registers/range_tests.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::lower {

using tgsi::File;

namespace {

const Segment* array_of(Context& context, const tgsi::Operand& operand) {
    switch (operand.file) {
        case File::Input:
            return &context.arrays.copies.inputs;
        case File::SystemValue:
            return &context.arrays.copies.systems;
        case File::Immediate:
            return &context.arrays.copies.immediates;
        case File::ImmediateArray:
            return &context.arrays.copies.immediate_rows;
        default:
            break;
    }
    const tgsi::Range* range =
        operand.array_id != 0 ? context.registers.array(operand.file, operand.array_id) : nullptr;
    const uint32_t slot = slot_of(context.plan.slots, operand.file, range != nullptr ? range->first : 0);
    if (slot == kNoIndex || context.arrays.segment_of[slot] == kNoIndex) return nullptr;
    return &context.arrays.segments[context.arrays.segment_of[slot]];
}

/// The register of the file that is element 0 of the segment.
int32_t first_register(Context& context, const tgsi::Operand& operand, const Segment& segment) {
    switch (operand.file) {
        case File::Temp:
            return static_cast<int32_t>(segment.first);
        case File::Address:
            return static_cast<int32_t>(segment.first - context.plan.slots.address);
        case File::Output:
            return static_cast<int32_t>(segment.first - context.plan.slots.output);
        case File::Predicate:
            return static_cast<int32_t>(segment.first - context.plan.slots.predicate);
        default:
            return 0;
    }
}

}  // namespace

ir::Value relative_index(Context& context, const tgsi::Relative& relative, int32_t offset) {
    const uint8_t comps[1] = {relative.component};
    Ref ref;
    if (!read_named(context,
                    {.file = relative.file, .has_dim = relative.has_dim, .index = relative.index, .dim = relative.dim},
                    comps, &ref))
        return context.b.const_u32(0);
    const ir::Value index = gather(context.b, std::span<const Ref>(&ref, 1), ir::Scalar::U32);
    if (offset == 0) return index;
    if (context.b.is_plain_constant(index))
        return context.b.const_u32(context.b.constant(index).words[0] + static_cast<uint32_t>(offset));
    return context.b.iadd(index, context.b.const_u32(static_cast<uint32_t>(offset)));
}

namespace {

ir::Value element_of(Context& context, const tgsi::Operand& operand, ir::Value index, const Segment& segment) {
    return selected_element(context, operand, index, first_register(context, operand, segment), segment.count);
}

Bracket bracket(Context& context, const tgsi::Relative* relative, int32_t offset) {
    return relative != nullptr ? Bracket{relative_index(context, *relative, offset), false}
                               : named_bracket(context, offset);
}

}  // namespace

Bracket array_bracket(Context& context, const tgsi::Operand& operand) {
    return bracket(context, context.program.dim_relative(operand), operand.has_dim ? operand.dim : 0);
}

Bracket index_bracket(Context& context, const tgsi::Operand& operand) {
    return bracket(context, context.program.index_relative(operand), operand.index);
}

bool read_indirect(Context& context, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out) {
    const tgsi::Relative* relative = context.program.index_relative(operand);
    if (relative == nullptr || operand.dim_is_relative || operand.has_dim) return refuse_two_indices(context, operand);
    ir::Builder& b = context.b;
    const ir::Value index = relative_index(context, *relative, operand.index);
    const ir::Value inside = in_range(context, operand.file, 0, operand.array_id, index);
    if (!context.ok) return false;
    if (operand.file == File::Input && context.options.io_buffers) {
        context.interface_operands.read_indexed_input(context, operand, index, inside, comps, out);
        return true;
    }
    const Segment* segment = array_of(context, operand);
    if (segment == nullptr || segment->variable == kNoIndex) {  // nothing is declared, so every index is out of range
        for (size_t k = 0; k < comps.size(); ++k) out[k] = constant_ref(context.b, 0);
        return true;
    }
    ir::Value element = element_of(context, operand, index, *segment);
    if (inside != ir::kNone) element = b.umin(element, b.const_u32(segment->count - 1));
    ir::Value value = b.load(segment->variable, {element}, segment->element());
    if (inside != ir::kNone) value = b.select(inside, value, b.zero(segment->element()));
    for (size_t k = 0; k < comps.size(); ++k) out[k] = {value, comps[k]};
    return true;
}

bool find_target(Context& context, const tgsi::Operand& operand, WriteTarget& target) {
    const tgsi::Relative* relative = context.program.index_relative(operand);
    if (relative == nullptr || operand.dim_is_relative || operand.has_dim) return refuse_two_indices(context, operand);
    if (!has_slots(operand.file)) {
        fail(context, "unsupported-file", operand.position,
             std::string(tgsi::name(operand.file)) + " cannot be written here");
        return false;
    }
    ir::Builder& b = context.b;
    const ir::Value index = relative_index(context, *relative, operand.index);
    const ir::Value inside = in_range(context, operand.file, 0, operand.array_id, index);
    if (!context.ok) return false;
    target.segment = array_of(context, operand);
    if (target.segment == nullptr) return true;
    target.element = element_of(context, operand, index, *target.segment);
    // Out-of-range writes go to the element after the last one, which nothing reads.
    if (inside != ir::kNone) target.element = b.select(inside, target.element, b.const_u32(target.segment->count));
    return true;
}

bool write_indirect(Context& context, const tgsi::Operand& operand, uint8_t mask, const Ref* refs) {
    WriteTarget target;
    if (!find_target(context, operand, target)) return false;
    if (target.segment != nullptr) store_memory(context, *target.segment, target.element, mask, refs);
    return true;
}

}  // namespace tgsi2spv::lower
