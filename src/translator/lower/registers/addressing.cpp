// Register-indexed operands. Semantics, Addressing: outside the declared range (or the array's range, if the operand
// names an array) a read gives 0 and a write is dropped.
#include "lower/registers/addressing.h"

#include <algorithm>
#include <string>

#include "lower/registers/predicates.h"
#include "lower/registers/registers.h"
#include "lower/walk/values.h"
#include "tgsi/names.h"

namespace tgsi2spv::lower {

using tgsi::File;

namespace {

constexpr size_t kMaxRuns = 64;

/// index − first < count, unsigned.
ir::Value within(Walk& walk, ir::Value index, int32_t first, int32_t last) {
    ir::Builder& b = walk.b;
    if (first != 0) index = b.iadd(index, b.const_u32(static_cast<uint32_t>(-first)));  // joins one that was added
    return b.ult(index, b.const_u32(static_cast<uint32_t>(last - first + 1)));
}

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
    if (!read(walk, {.file = relative.file, .has_dim = relative.has_dim, .index = relative.index, .dim = relative.dim},
              comps, &ref))
        return walk.b.const_u32(0);
    const ir::Value index = gather(walk.b, std::span<const Ref>(&ref, 1), ir::Scalar::U32);
    if (offset == 0) return index;
    if (walk.b.is_plain_constant(index))
        return walk.b.const_u32(walk.b.constant(index).words[0] + static_cast<uint32_t>(offset));
    return walk.b.iadd(index, walk.b.const_u32(static_cast<uint32_t>(offset)));
}

namespace {

/// Tests up to four runs at once, in vectors.
ir::Value within_any(Walk& walk, ir::Value index, std::span<const uint32_t> firsts, std::span<const uint32_t> counts) {
    ir::Builder& b = walk.b;
    const auto n = static_cast<int>(firsts.size());
    const ir::Value offsets = b.isub(b.splat(index, n), b.const_words(ir::u32(n), firsts));
    return b.any(b.ult(offsets, b.const_words(ir::u32(n), counts)));
}

}  // namespace

ir::Value in_runs(Walk& walk, ir::Value index, std::span<const uint32_t> firsts, std::span<const uint32_t> counts) {
    const size_t runs = firsts.size();
    if (runs == 1)
        return within(walk, index, static_cast<int32_t>(firsts[0]), static_cast<int32_t>(firsts[0] + counts[0] - 1));
    ir::Value all = ir::kNone;
    for (size_t at = 0; at < runs; at += 4) {
        const size_t n = std::min<size_t>(4, runs - at);
        const ir::Value inside = within_any(walk, index, firsts.subspan(at, n), counts.subspan(at, n));
        all = all == ir::kNone ? inside : walk.b.lor(all, inside);
    }
    return all == ir::kNone ? walk.b.const_bool(false) : all;
}

namespace {

ir::Value in_some_run(Walk& walk, File file, int32_t dim, ir::Value index) {
    uint32_t firsts[kMaxRuns], counts[kMaxRuns];
    size_t runs = 0;
    walk.registers.for_each_run(file, dim, [&](int32_t first, int32_t last) {
        if (runs < kMaxRuns) {
            firsts[runs] = static_cast<uint32_t>(first);
            counts[runs] = static_cast<uint32_t>(last - first + 1);
        }
        ++runs;
    });
    if (runs > kMaxRuns) {
        fail(walk, "too-many-ranges", walk.position,
             "the index selects among registers that are declared in more than 64 separate ranges");
        return walk.b.const_bool(false);
    }
    return in_runs(walk, index, {firsts, runs}, {counts, runs});
}

/// The class of indexed accesses to a file.
OutOfRange Bounds::*class_of(File file) {
    switch (file) {
        case File::Const:
            return &Bounds::constants;
        case File::HwAtomic:
            return &Bounds::buffers;
        case File::Buffer:
        case File::Image:
        case File::Resource:
            return &Bounds::descriptors;
        default:
            return &Bounds::registers;
    }
}

ir::Value element_of(Walk& walk, const tgsi::Operand& operand, ir::Value index, const Segment& segment) {
    return selected_element(walk, operand, index, first_register(walk, operand, segment), segment.count);
}

}  // namespace

ir::Value selected_element(Walk& walk, const tgsi::Operand& operand, ir::Value index, int32_t first, uint32_t all) {
    ir::Builder& b = walk.b;
    const bool clamps = policy(walk.options, &Bounds::registers) == OutOfRange::Clamp;
    const tgsi::Range* const array =
        clamps && operand.array_id != 0 ? walk.registers.array(operand.file, operand.array_id) : nullptr;
    const int32_t from = array != nullptr ? array->first : first;
    ir::Value element = from == 0 ? index : b.iadd(index, b.const_u32(static_cast<uint32_t>(-from)));
    if (!clamps) return element;
    const uint32_t count = array != nullptr ? static_cast<uint32_t>(array->last - array->first + 1) : all;
    element = b.umin(element, b.const_u32(count - 1));
    return from == first ? element : b.iadd(element, b.const_u32(static_cast<uint32_t>(from - first)));
}

ir::Value in_range(Walk& walk, File file, int32_t dim, uint16_t array_id, ir::Value index) {
    if (policy(walk.options, class_of(file)) != OutOfRange::Zero) return ir::kNone;
    const tgsi::Range* range = array_id != 0 ? walk.registers.array(file, array_id) : nullptr;
    if (range != nullptr) return within(walk, index, range->first, range->last);
    RangeTest& known = walk.range_tests.last[index % std::size(walk.range_tests.last)];
    if (known.index != index || known.file != file || known.dim != dim || usable(walk, known.inside) == ir::kNone)
        known = {index, file, dim, {in_some_run(walk, file, dim, index), walk.region}};
    return known.inside.value;
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

namespace {

/// The target of an indirect write; no segment: the write is dropped.
struct WriteTarget {
    const Segment* segment = nullptr;
    ir::Value element = ir::kNone;
};

bool find_place(Walk& walk, const tgsi::Operand& operand, WriteTarget& place) {
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
    place.segment = array_of(walk, operand);
    if (place.segment == nullptr) return true;
    place.element = element_of(walk, operand, index, *place.segment);
    // Out-of-range writes go to the element after the last one, which nothing reads.
    if (inside != ir::kNone) place.element = b.select(inside, place.element, b.const_u32(place.segment->count));
    return true;
}

}  // namespace

bool write_indirect(Walk& walk, const tgsi::Operand& operand, uint8_t mask, const Ref* refs) {
    WriteTarget place;
    if (!find_place(walk, operand, place)) return false;
    if (place.segment != nullptr) store_memory(walk, *place.segment, place.element, mask, refs);
    return true;
}

namespace {

bool write_both(Walk& walk, const tgsi::Operand& first, uint8_t first_mask, const Ref* first_refs,
                const tgsi::Operand& second, uint8_t second_mask, const Ref* second_refs) {
    const bool indirect = second.index_is_relative || second.dim_is_relative;
    WriteTarget place;
    Ref kept[4];
    if (indirect && second_mask != 0) {
        if (!find_place(walk, second, place)) return false;
        if (walk.predicate.instruction != nullptr) {
            if (!keep_where_predicated(walk, second, second_mask, second_refs, kept)) return false;
            second_refs = kept;
        }
    }
    if (first_mask != 0 && !write(walk, first, first_mask, first_refs)) return false;
    if (second_mask == 0) return true;
    if (!indirect) return write(walk, second, second_mask, second_refs);
    if (place.segment != nullptr) store_memory(walk, *place.segment, place.element, second_mask, second_refs);
    return true;
}

}  // namespace

bool write_two(Walk& walk, const tgsi::Operand& first, uint8_t first_mask, const Ref* first_refs,
               const tgsi::Operand& second, uint8_t second_mask, const Ref* second_refs) {
    Ref predicate[4];  // its value before either write, since one of the destinations may be PRED
    if (walk.predicate.instruction != nullptr && !read_predicate(walk, *walk.predicate.instruction, predicate))
        return false;
    walk.predicate.words = walk.predicate.instruction != nullptr ? predicate : nullptr;
    const bool ok = write_both(walk, first, first_mask, first_refs, second, second_mask, second_refs);
    walk.predicate.words = nullptr;
    return ok;
}

}  // namespace tgsi2spv::lower
