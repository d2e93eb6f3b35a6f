// TEMP, ADDR and OUT are in SSA cells or in memory, IN and SV as loaded at the start of the function.
#include "lower/registers/registers.h"

#include <cstring>
#include <string>

#include "lower/context/components.h"
#include "lower/context/values.h"
#include "lower/registers/addressing.h"
#include "lower/registers/arrays.h"
#include "lower/registers/cells.h"
#include "lower/registers/named.h"
#include "lower/registers/narrow_arrays.h"
#include "lower/registers/predicates.h"
#include "lower/registers/read.h"
#include "lower/registers/stack.h"
#include "lower/registers/temp_arrays.h"
#include "tgsi/program/stage.h"
#include "tgsi/tables/names.h"

namespace tgsi2spv::lower {

using tgsi::File;

namespace {

/// Copies all registers of a file at the start of main, for reads through an index.
void fill_array(Context& context, Segment& segment, File file, std::string_view name) {
    if (!context.plan.indirect[static_cast<size_t>(file)].some) return;
    const int32_t count = context.registers.count(file);
    if (count == 0) return;
    segment.count = static_cast<uint32_t>(count);
    segment.variable = array_variable(context, segment.count, true, name);
}

void copy_to_array(Context& context, const Segment& segment, File file) {
    if (segment.variable == kNoIndex) return;
    context.registers.for_each_run(file, 0, [&](int32_t first, int32_t last) {
        for (int32_t i = first; i <= last; ++i) {
            Ref refs[4];
            if (!read(context, {.file = file, .index = i}, all_components(), refs)) return;
            const ir::Value element = context.b.const_u32(static_cast<uint32_t>(i));
            context.b.store(segment.variable, {element},
                            gather(context.b, std::span<const Ref>(refs, 4), ir::Scalar::F32));
        }
    });
}

void prepare_cells(Context& context) {
    const Slots& slots = context.plan.slots;
    context.cells.slots.resize(size_t{4} * slots.count);
    auto written = [&](File file, uint32_t first, uint32_t end) {
        context.files[static_cast<size_t>(file)] = {context.cells.slots.data() + size_t{4} * first, end - first,
                                                    context.arrays.segment_of.data() + first};
    };
    written(File::Temp, 0, slots.address);
    written(File::Address, slots.address, slots.output);
    if (!has_vertices(context.program.stage, File::Output)) written(File::Output, slots.output, slots.predicate);
    written(File::Predicate, slots.predicate, slots.killed);
    auto loaded = [&](File file, std::pmr::vector<Ref>& cells) {
        context.files[static_cast<size_t>(file)] = {cells.data(), static_cast<uint32_t>(cells.size() / 4), nullptr};
    };
    loaded(File::Input, context.cells.inputs);
    loaded(File::SystemValue, context.cells.systems);
}

/// Registers of an ARRAY are in a variable of their own, since drivers turn an index into selections among all
/// elements. If an index may select in the whole file, or if arrays overlap, adjacent registers stay together.
void note_arrays(Context& context) {
    auto& arrays = context.arrays.array_of;
    arrays.clear();
    uint32_t number = 0;
    for (size_t r = 0; r < context.registers.ranges.size(); ++r) {
        const tgsi::Range& range = context.registers.ranges[r];
        if (context.plan.indirect_ranges[r] == 0 || context.plan.indirect[static_cast<size_t>(range.file)].all)
            continue;
        const uint32_t first = slot_of(context.plan.slots, range.file, range.first);
        if (first == kNoIndex) continue;
        if (arrays.empty()) arrays.assign(context.plan.slots.count, 0);
        const std::span<uint8_t> own(arrays.data() + first, static_cast<size_t>(range.last - range.first + 1));
        if (std::ranges::any_of(own, [](uint8_t array) { return array != 0; })) return arrays.clear();
        std::ranges::fill(own, static_cast<uint8_t>(1 + number++ % 255));
    }
}

}  // namespace

void prepare_registers(Context& context) {
    const Plan& p = context.plan;
    context.arrays.segment_of.assign(p.slots.count, kNoIndex);
    prepare_cells(context);
    context.arrays.segments.clear();
    context.arrays.cleared_by_loops.clear();
    context.arrays.copies = {};
    context.cells.immediates.assign(4 * context.program.immediates.size(), {ir::kNone, ir::kNone});
    // One variable for each run of adjacent registers in memory; files do not share one.
    const auto& own = context.arrays.array_of;
    auto runs = [&](uint32_t first, uint32_t end, File file, std::string_view name) {
        const bool by_index = p.indirect[static_cast<size_t>(file)].some;
        const bool padded = p.indirect[static_cast<size_t>(file)].write &&
                            policy(context.options, &Bounds::registers) == OutOfRange::Zero;
        for (uint32_t s = first; s < end;) {
            const uint32_t begin = s;
            if (!p.in_memory[s++]) continue;
            while (s < end && p.in_memory[s] && (own.empty() || own[s] == own[begin])) ++s;
            const uint32_t count = s - begin;
            std::fill_n(context.arrays.segment_of.begin() + begin, count,
                        static_cast<uint32_t>(context.arrays.segments.size()));
            Segment segment{.first = begin, .count = count, .padded = padded};
            if (file == File::Temp) {
                if (context.arrays.segments.empty()) note_reads(context);
                segment.components = needed_components(context, begin, count);
            }
            segment.variable = array_variable(context, count + (padded ? 1 : 0), by_index, name, segment.element());
            context.arrays.segments.push_back(segment);
        }
    };
    note_arrays(context);
    if (std::memchr(p.in_memory.data(), 1, p.slots.killed) != nullptr) {  // mostly none
        runs(0, p.slots.address, File::Temp, "TEMP");
        runs(p.slots.address, p.slots.output, File::Address, "ADDR");
        runs(p.slots.output, p.slots.predicate, File::Output, "OUT");
        runs(p.slots.predicate, p.slots.killed, File::Predicate, "PRED");
    }
    if (p.kills) runs(p.slots.killed, p.slots.killed + 1, File::Null, "KILLED");
    if (p.counts_vertices) runs(p.slots.emitted, p.slots.emitted + 1, File::Null, "EMITTED");
    if (p.counts_primitives) runs(p.slots.primitives, p.slots.primitives + 1, File::Null, "PRIMITIVES");
    prepare_temp_arrays(context);
    prepare_stack(context);
    if (!has_vertices(context.program.stage, File::Input))
        fill_array(context, context.arrays.copies.inputs, File::Input, "IN");
    fill_array(context, context.arrays.copies.systems, File::SystemValue, "SV");
    fill_array(context, context.arrays.copies.immediates, File::Immediate, "IMM");
    fill_array(context, context.arrays.copies.immediate_rows, File::ImmediateArray, "IMMX");
}

void clear_registers(Context& context) {
    for (const uint32_t variable : context.arrays.cleared_by_loops)
        clear_in_loop(context, variable, context.b.const_u32(0), context.b.const_u32(1));
    const Ref zero{context.b.zero(ir::f32()), 0};
    const std::array<Ref, 4> four{zero, zero, zero, zero};
    Ref* const first = context.cells.slots.data();
    Ref* const end = first + context.cells.slots.size();
    for (Ref* r = first; r != end; r += 4) std::memcpy(r, four.data(), sizeof four);  // as one
    if (!context.options.io_buffers) copy_to_array(context, context.arrays.copies.inputs, File::Input);
    copy_to_array(context, context.arrays.copies.systems, File::SystemValue);
    copy_to_array(context, context.arrays.copies.immediates, File::Immediate);
    copy_to_array(context, context.arrays.copies.immediate_rows, File::ImmediateArray);
}

bool write(Context& context, const tgsi::Operand& operand, uint8_t mask, const Ref* refs) {
    if (Ref* cells = written_cells(context, operand)) {
        for (int c = 0; c < 4; ++c)
            if (mask >> c & 1) cells[c] = *refs++;
        return true;
    }
    if (operand.file == File::Null) return true;
    Ref changed[4];
    if (operand.file == File::Predicate) {
        truth_values(context, mask, refs, changed);
        refs = changed;
    }
    if (context.predicate.instruction != nullptr) {
        if (stands_in_interface(context, operand)) return write_where_predicated(context, operand, mask, refs);
        if (!keep_where_predicated(context, operand, mask, refs, changed)) return false;
        refs = changed;
    }
    if (stands_in_interface(context, operand)) return context.interface_operands.write(context, operand, mask, refs);
    if (operand.file == File::TempArray) {
        const Bracket array = array_bracket(context, operand);
        return write_temp_array(context, operand, array, index_bracket(context, operand), mask, refs);
    }
    if (operand.index_is_relative || operand.dim_is_relative) return write_indirect(context, operand, mask, refs);
    if (operand.has_dim) return refuse_two_indices(context, operand);
    const uint32_t slot = slot_of(context.plan.slots, operand.file, operand.index);
    if (slot == kNoIndex) {
        fail(context, "unsupported-file", operand.position,
             std::string(tgsi::name(operand.file)) + " cannot be written here");
        return false;
    }
    write_slot(context, slot, mask, refs);
    return true;
}

namespace {

bool write_both(Context& context, const tgsi::Operand& first, uint8_t first_mask, const Ref* first_refs,
                const tgsi::Operand& second, uint8_t second_mask, const Ref* second_refs) {
    const bool indirect = second.index_is_relative || second.dim_is_relative;
    WriteTarget target;
    Ref kept[4];
    if (indirect && second_mask != 0) {
        if (!find_target(context, second, target)) return false;
        if (context.predicate.instruction != nullptr) {
            if (!keep_where_predicated(context, second, second_mask, second_refs, kept)) return false;
            second_refs = kept;
        }
    }
    if (first_mask != 0 && !write(context, first, first_mask, first_refs)) return false;
    if (second_mask == 0) return true;
    if (!indirect) return write(context, second, second_mask, second_refs);
    if (target.segment != nullptr) store_memory(context, *target.segment, target.element, second_mask, second_refs);
    return true;
}

}  // namespace

bool write_two(Context& context, const tgsi::Operand& first, uint8_t first_mask, const Ref* first_refs,
               const tgsi::Operand& second, uint8_t second_mask, const Ref* second_refs) {
    Ref predicate[4];  // its value before either write, since one of the destinations may be PRED
    if (context.predicate.instruction != nullptr && !read_predicate(context, *context.predicate.instruction, predicate))
        return false;
    context.predicate.words = context.predicate.instruction != nullptr ? predicate : nullptr;
    const bool ok = write_both(context, first, first_mask, first_refs, second, second_mask, second_refs);
    context.predicate.words = nullptr;
    return ok;
}

}  // namespace tgsi2spv::lower
