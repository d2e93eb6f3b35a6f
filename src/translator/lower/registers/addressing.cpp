// Register-indexed operands. Semantics, Addressing: outside the declared range (or the array's range, if the operand
// names an array) a read gives 0 and a write is dropped.
#include "lower/registers/addressing.h"

#include <algorithm>
#include <string>

#include "lower/registers/arrays.h"
#include "lower/registers/named.h"
#include "lower/registers/range_tests.h"
#include "lower/walk/values.h"
#include "tgsi/names.h"

namespace tgsi2spv::lower {

using tgsi::File;

namespace {

const Segment* array_of(Walk& walk, const tgsi::Operand& operand) {
    switch (operand.file) {
        case File::Input:
            return &walk.arrays.copies.inputs;
        case File::SystemValue:
            return &walk.arrays.copies.systems;
        case File::Immediate:
            return &walk.arrays.copies.immediates;
        case File::ImmediateArray:
            return &walk.arrays.copies.immediate_rows;
        default:
            break;
    }
    const tgsi::Range* range = operand.array_id != 0 ? walk.registers.array(operand.file, operand.array_id) : nullptr;
    const uint32_t slot = slot_of(walk.plan.slots, operand.file, range != nullptr ? range->first : 0);
    if (slot == kNoIndex || walk.arrays.segment_of[slot] == kNoIndex) return nullptr;
    return &walk.arrays.segments[walk.arrays.segment_of[slot]];
}

/// The register of the file that is element 0 of the segment.
int32_t first_register(Walk& walk, const tgsi::Operand& operand, const Segment& segment) {
    switch (operand.file) {
        case File::Temp:
            return static_cast<int32_t>(segment.first);
        case File::Address:
            return static_cast<int32_t>(segment.first - walk.plan.slots.address);
        case File::Output:
            return static_cast<int32_t>(segment.first - walk.plan.slots.output);
        case File::Predicate:
            return static_cast<int32_t>(segment.first - walk.plan.slots.predicate);
        default:
            return 0;
    }
}

}  // namespace

ir::Value relative_index(Walk& walk, const tgsi::Relative& relative, int32_t offset) {
    const uint8_t comps[1] = {relative.component};
    Ref ref;
    if (!read_named(walk,
                    {.file = relative.file, .has_dim = relative.has_dim, .index = relative.index, .dim = relative.dim},
                    comps, &ref))
        return walk.b.const_u32(0);
    const ir::Value index = gather(walk.b, std::span<const Ref>(&ref, 1), ir::Scalar::U32);
    if (offset == 0) return index;
    if (walk.b.is_plain_constant(index))
        return walk.b.const_u32(walk.b.constant(index).words[0] + static_cast<uint32_t>(offset));
    return walk.b.iadd(index, walk.b.const_u32(static_cast<uint32_t>(offset)));
}

namespace {

ir::Value element_of(Walk& walk, const tgsi::Operand& operand, ir::Value index, const Segment& segment) {
    return selected_element(walk, operand, index, first_register(walk, operand, segment), segment.count);
}

Bracket bracket(Walk& walk, const tgsi::Relative* relative, int32_t offset) {
    return relative != nullptr ? Bracket{relative_index(walk, *relative, offset), false} : named_bracket(walk, offset);
}

}  // namespace

Bracket array_bracket(Walk& walk, const tgsi::Operand& operand) {
    return bracket(walk, walk.program.dim_relative(operand), operand.has_dim ? operand.dim : 0);
}

Bracket index_bracket(Walk& walk, const tgsi::Operand& operand) {
    return bracket(walk, walk.program.index_relative(operand), operand.index);
}

bool read_indirect(Walk& walk, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out) {
    const tgsi::Relative* relative = walk.program.index_relative(operand);
    if (relative == nullptr || operand.dim_is_relative || operand.has_dim) return refuse_two_indices(walk, operand);
    ir::Builder& b = walk.b;
    const ir::Value index = relative_index(walk, *relative, operand.index);
    const ir::Value inside = in_range(walk, operand.file, 0, operand.array_id, index);
    if (!walk.ok) return false;
    if (operand.file == File::Input && walk.options.io_buffers) {
        walk.interface_operands.read_indexed_input(walk, operand, index, inside, comps, out);
        return true;
    }
    const Segment* segment = array_of(walk, operand);
    if (segment == nullptr || segment->variable == kNoIndex) {  // nothing is declared, so every index is out of range
        for (size_t k = 0; k < comps.size(); ++k) out[k] = constant_ref(walk.b, 0);
        return true;
    }
    ir::Value element = element_of(walk, operand, index, *segment);
    if (inside != ir::kNone) element = b.umin(element, b.const_u32(segment->count - 1));
    ir::Value value = b.load(segment->variable, {element}, segment->element());
    if (inside != ir::kNone) value = b.select(inside, value, b.zero(segment->element()));
    for (size_t k = 0; k < comps.size(); ++k) out[k] = {value, comps[k]};
    return true;
}

bool find_target(Walk& walk, const tgsi::Operand& operand, WriteTarget& target) {
    const tgsi::Relative* relative = walk.program.index_relative(operand);
    if (relative == nullptr || operand.dim_is_relative || operand.has_dim) return refuse_two_indices(walk, operand);
    if (!has_slots(operand.file)) {
        fail(walk, "unsupported-file", operand.position,
             std::string(tgsi::name(operand.file)) + " cannot be written here");
        return false;
    }
    ir::Builder& b = walk.b;
    const ir::Value index = relative_index(walk, *relative, operand.index);
    const ir::Value inside = in_range(walk, operand.file, 0, operand.array_id, index);
    if (!walk.ok) return false;
    target.segment = array_of(walk, operand);
    if (target.segment == nullptr) return true;
    target.element = element_of(walk, operand, index, *target.segment);
    // Out-of-range writes go to the element after the last one, which nothing reads.
    if (inside != ir::kNone) target.element = b.select(inside, target.element, b.const_u32(target.segment->count));
    return true;
}

bool write_indirect(Walk& walk, const tgsi::Operand& operand, uint8_t mask, const Ref* refs) {
    WriteTarget target;
    if (!find_target(walk, operand, target)) return false;
    if (target.segment != nullptr) store_memory(walk, *target.segment, target.element, mask, refs);
    return true;
}

}  // namespace tgsi2spv::lower
