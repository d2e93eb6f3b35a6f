// TEMP, ADDR and OUT are in SSA cells or in memory, IN and SV as loaded at the start of the function.
#include "lower/registers/registers.h"

#include <cstring>
#include <string>

#include "lower/registers/addressing.h"
#include "lower/registers/arrays.h"
#include "lower/registers/cells.h"
#include "lower/registers/named.h"
#include "lower/registers/narrow_arrays.h"
#include "lower/registers/predicates.h"
#include "lower/registers/read.h"
#include "lower/registers/stack.h"
#include "lower/registers/temp_arrays.h"
#include "lower/walk/components.h"
#include "lower/walk/values.h"
#include "tgsi/names.h"
#include "tgsi/stage.h"

namespace tgsi2spv::lower {

using tgsi::File;

namespace {

/// Copies all registers of a file at the start of main, for reads through an index.
void fill_array(Walk& walk, Segment& segment, File file, std::string_view name) {
    if (!walk.plan.indirect[static_cast<size_t>(file)].some) return;
    const int32_t count = walk.registers.count(file);
    if (count == 0) return;
    segment.count = static_cast<uint32_t>(count);
    segment.variable = array_variable(walk, segment.count, true, name);
}

void copy_to_array(Walk& walk, const Segment& segment, File file) {
    if (segment.variable == kNoIndex) return;
    walk.registers.for_each_run(file, 0, [&](int32_t first, int32_t last) {
        for (int32_t i = first; i <= last; ++i) {
            Ref refs[4];
            if (!read(walk, {.file = file, .index = i}, all_components(), refs)) return;
            const ir::Value element = walk.b.const_u32(static_cast<uint32_t>(i));
            walk.b.store(segment.variable, {element}, gather(walk.b, std::span<const Ref>(refs, 4), ir::Scalar::F32));
        }
    });
}

void prepare_cells(Walk& walk) {
    const Slots& slots = walk.plan.slots;
    walk.cells.slots.resize(size_t{4} * slots.count);
    auto written = [&](File file, uint32_t first, uint32_t end) {
        walk.files[static_cast<size_t>(file)] = {walk.cells.slots.data() + size_t{4} * first, end - first,
                                                 walk.arrays.segment_of.data() + first};
    };
    written(File::Temp, 0, slots.address);
    written(File::Address, slots.address, slots.output);
    if (!has_vertices(walk.program.stage, File::Output)) written(File::Output, slots.output, slots.predicate);
    written(File::Predicate, slots.predicate, slots.killed);
    auto loaded = [&](File file, std::pmr::vector<Ref>& cells) {
        walk.files[static_cast<size_t>(file)] = {cells.data(), static_cast<uint32_t>(cells.size() / 4), nullptr};
    };
    loaded(File::Input, walk.cells.inputs);
    loaded(File::SystemValue, walk.cells.systems);
}

/// Registers of an ARRAY are in a variable of their own, since drivers turn an index into selections among all
/// elements. If an index may select in the whole file, or if arrays overlap, adjacent registers stay together.
void note_arrays(Walk& walk) {
    auto& arrays = walk.arrays.array_of;
    arrays.clear();
    uint32_t number = 0;
    for (size_t r = 0; r < walk.registers.ranges.size(); ++r) {
        const tgsi::Range& range = walk.registers.ranges[r];
        if (walk.plan.indirect_ranges[r] == 0 || walk.plan.indirect[static_cast<size_t>(range.file)].all) continue;
        const uint32_t first = slot_of(walk.plan.slots, range.file, range.first);
        if (first == kNoIndex) continue;
        if (arrays.empty()) arrays.assign(walk.plan.slots.count, 0);
        const std::span<uint8_t> own(arrays.data() + first, static_cast<size_t>(range.last - range.first + 1));
        if (std::ranges::any_of(own, [](uint8_t array) { return array != 0; })) return arrays.clear();
        std::ranges::fill(own, static_cast<uint8_t>(1 + number++ % 255));
    }
}

}  // namespace

void prepare_registers(Walk& walk) {
    const Plan& p = walk.plan;
    walk.arrays.segment_of.assign(p.slots.count, kNoIndex);
    prepare_cells(walk);
    walk.arrays.segments.clear();
    walk.arrays.cleared_by_loops.clear();
    walk.arrays.copies = {};
    walk.cells.immediates.assign(4 * walk.program.immediates.size(), {ir::kNone, ir::kNone});
    // One variable for each run of adjacent registers in memory; files do not share one.
    const auto& own = walk.arrays.array_of;
    auto runs = [&](uint32_t first, uint32_t end, File file, std::string_view name) {
        const bool by_index = p.indirect[static_cast<size_t>(file)].some;
        const bool padded =
            p.indirect[static_cast<size_t>(file)].write && policy(walk.options, &Bounds::registers) == OutOfRange::Zero;
        for (uint32_t s = first; s < end;) {
            const uint32_t begin = s;
            if (!p.in_memory[s++]) continue;
            while (s < end && p.in_memory[s] && (own.empty() || own[s] == own[begin])) ++s;
            const uint32_t count = s - begin;
            std::fill_n(walk.arrays.segment_of.begin() + begin, count,
                        static_cast<uint32_t>(walk.arrays.segments.size()));
            Segment segment{.first = begin, .count = count, .padded = padded};
            if (file == File::Temp) {
                if (walk.arrays.segments.empty()) note_reads(walk);
                segment.components = needed_components(walk, begin, count);
            }
            segment.variable = array_variable(walk, count + (padded ? 1 : 0), by_index, name, segment.element());
            walk.arrays.segments.push_back(segment);
        }
    };
    note_arrays(walk);
    if (std::memchr(p.in_memory.data(), 1, p.slots.killed) != nullptr) {  // mostly none
        runs(0, p.slots.address, File::Temp, "TEMP");
        runs(p.slots.address, p.slots.output, File::Address, "ADDR");
        runs(p.slots.output, p.slots.predicate, File::Output, "OUT");
        runs(p.slots.predicate, p.slots.killed, File::Predicate, "PRED");
    }
    if (p.kills) runs(p.slots.killed, p.slots.killed + 1, File::Null, "KILLED");
    if (p.counts_vertices) runs(p.slots.emitted, p.slots.emitted + 1, File::Null, "EMITTED");
    if (p.counts_primitives) runs(p.slots.primitives, p.slots.primitives + 1, File::Null, "PRIMITIVES");
    prepare_temp_arrays(walk);
    prepare_stack(walk);
    if (!has_vertices(walk.program.stage, File::Input)) fill_array(walk, walk.arrays.copies.inputs, File::Input, "IN");
    fill_array(walk, walk.arrays.copies.systems, File::SystemValue, "SV");
    fill_array(walk, walk.arrays.copies.immediates, File::Immediate, "IMM");
    fill_array(walk, walk.arrays.copies.immediate_rows, File::ImmediateArray, "IMMX");
}

void clear_registers(Walk& walk) {
    for (const uint32_t variable : walk.arrays.cleared_by_loops)
        clear_in_loop(walk, variable, walk.b.const_u32(0), walk.b.const_u32(1));
    const Ref zero{walk.b.zero(ir::f32()), 0};
    const std::array<Ref, 4> four{zero, zero, zero, zero};
    Ref* const first = walk.cells.slots.data();
    Ref* const end = first + walk.cells.slots.size();
    for (Ref* r = first; r != end; r += 4) std::memcpy(r, four.data(), sizeof four);  // as one
    if (!walk.options.io_buffers) copy_to_array(walk, walk.arrays.copies.inputs, File::Input);
    copy_to_array(walk, walk.arrays.copies.systems, File::SystemValue);
    copy_to_array(walk, walk.arrays.copies.immediates, File::Immediate);
    copy_to_array(walk, walk.arrays.copies.immediate_rows, File::ImmediateArray);
}

bool write(Walk& walk, const tgsi::Operand& operand, uint8_t mask, const Ref* refs) {
    if (Ref* cells = written_cells(walk, operand)) {
        for (int c = 0; c < 4; ++c)
            if (mask >> c & 1) cells[c] = *refs++;
        return true;
    }
    if (operand.file == File::Null) return true;
    Ref changed[4];
    if (operand.file == File::Predicate) {
        truth_values(walk, mask, refs, changed);
        refs = changed;
    }
    if (walk.predicate.instruction != nullptr) {
        if (stands_in_interface(walk, operand)) return write_where_predicated(walk, operand, mask, refs);
        if (!keep_where_predicated(walk, operand, mask, refs, changed)) return false;
        refs = changed;
    }
    if (stands_in_interface(walk, operand)) return walk.interface_operands.write(walk, operand, mask, refs);
    if (operand.file == File::TempArray) {
        const Bracket array = array_bracket(walk, operand);
        return write_temp_array(walk, operand, array, index_bracket(walk, operand), mask, refs);
    }
    if (operand.index_is_relative || operand.dim_is_relative) return write_indirect(walk, operand, mask, refs);
    if (operand.has_dim) return refuse_two_indices(walk, operand);
    const uint32_t slot = slot_of(walk.plan.slots, operand.file, operand.index);
    if (slot == kNoIndex) {
        fail(walk, "unsupported-file", operand.position,
             std::string(tgsi::name(operand.file)) + " cannot be written here");
        return false;
    }
    write_slot(walk, slot, mask, refs);
    return true;
}

namespace {

bool write_both(Walk& walk, const tgsi::Operand& first, uint8_t first_mask, const Ref* first_refs,
                const tgsi::Operand& second, uint8_t second_mask, const Ref* second_refs) {
    const bool indirect = second.index_is_relative || second.dim_is_relative;
    WriteTarget target;
    Ref kept[4];
    if (indirect && second_mask != 0) {
        if (!find_target(walk, second, target)) return false;
        if (walk.predicate.instruction != nullptr) {
            if (!keep_where_predicated(walk, second, second_mask, second_refs, kept)) return false;
            second_refs = kept;
        }
    }
    if (first_mask != 0 && !write(walk, first, first_mask, first_refs)) return false;
    if (second_mask == 0) return true;
    if (!indirect) return write(walk, second, second_mask, second_refs);
    if (target.segment != nullptr) store_memory(walk, *target.segment, target.element, second_mask, second_refs);
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
