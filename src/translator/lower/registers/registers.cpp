// Where register components are, file by file: TEMP, ADDR and OUT in SSA cells or in memory, IN and SV as loaded at the
// start of the function, constants by value.
#include "lower/registers/registers.h"

#include <cstring>
#include <string>

#include "lower/registers/addressing.h"
#include "lower/registers/constant_buffers.h"
#include "lower/registers/narrow_arrays.h"
#include "lower/registers/predicates.h"
#include "lower/registers/stack.h"
#include "lower/registers/temp_arrays.h"
#include "lower/walk/values.h"
#include "tgsi/names.h"
#include "tgsi/stage.h"

namespace tgsi2spv::lower {

using tgsi::File;

uint32_t array_variable(Walk& walk, uint32_t elements, bool by_index, std::string_view name, ir::Type element) {
    const bool shared = walk.plan.functions.size() > 1 || walk.plan.wrap || walk.plan.emit_functions;
    // Where no index selects, drivers split the array, which the index of a loop would prevent.
    const bool in_loop = by_index && elements > kMostInitialised;
    const uint32_t variable = walk.b.add_variable({.kind = shared ? ir::VariableKind::Private : ir::VariableKind::Local,
                                                   .element = element,
                                                   .array = {elements, 0},
                                                   .function = walk.ir_functions[0],
                                                   .zero_initialised = !in_loop,
                                                   .name = name});
    if (in_loop) walk.arrays.cleared_by_loops.push_back(variable);
    return variable;
}

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

Ref immediate(Walk& walk, uint32_t bits) {
    if (walk.opaque_zero == ir::kNone) return constant_ref(walk.b, bits);
    return {walk.b.bit_xor(walk.b.const_u32(bits), walk.opaque_zero), 0};
}

}  // namespace

ir::Value known_immediate(Walk& walk, size_t index, int component, ir::Scalar scalar) {
    const auto c = static_cast<size_t>(component);
    ir::Value& known = walk.cells.immediates[4 * index + c][scalar == ir::Scalar::F32];
    if (known == ir::kNone) known = walk.b.const_splat({scalar, 1}, walk.program.immediates[index].words[c]);
    return known;
}

namespace {

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

void clear_in_loop(Walk& walk, uint32_t variable, ir::Value start, ir::Value step) {
    ir::Builder& b = walk.b;
    const ir::Variable& v = b.module().variables[variable];
    const ir::Type element = v.element;
    const uint32_t elements = v.array[0];
    const ir::Incoming first{start, b.current_block()};
    const ir::BlockId header = b.create_block(), body = b.create_block(), again = b.create_block(),
                      merge = b.create_block();
    b.branch(header);
    b.start_block(header);
    const ir::Value index = b.phi(ir::u32(), std::span(&first, 1), 2);
    b.set_loop_merge(merge, again);
    b.branch_if(b.ult(index, b.const_u32(elements)), body, merge);
    b.start_block(body);
    b.store(variable, {index}, b.zero(element));
    b.branch(again);
    b.start_block(again);
    b.add_incoming(index, {b.iadd(index, step), again});
    b.branch(header);
    b.start_block(merge);
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

bool refuse_two_indices(Walk& walk, const tgsi::Operand& operand) {
    fail(walk, "unsupported-operand", operand.position,
         std::string(tgsi::name(operand.file)) + " cannot have two indices here");
    return false;
}

bool read(Walk& walk, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out) {
    if (const Ref* cells = cells_of(walk, operand)) {
        for (const uint8_t c : comps) *out++ = cells[c];
        return true;
    }
    if (operand.file == File::Const) return read_constant(walk, operand, comps, out);
    if (stands_in_interface(walk, operand)) return walk.interface_operands.read(walk, operand, comps, out);
    if (operand.file == File::TempArray) return read_temp_array(walk, operand, comps, out);
    if (operand.index_is_relative || operand.dim_is_relative) return read_indirect(walk, operand, comps, out);
    if (operand.has_dim) return refuse_two_indices(walk, operand);
    const size_t n = comps.size();
    const auto index = static_cast<size_t>(operand.index);
    switch (operand.file) {
        case File::Null:
            for (size_t k = 0; k < n; ++k) out[k] = immediate(walk, 0);
            return true;
        case File::Temp:
        case File::Address:
        case File::Output:
        case File::Predicate: {
            const uint32_t slot = slot_of(walk.plan.slots, operand.file, operand.index);
            if (slot == kNoIndex) break;
            read_slot(walk, slot, comps, out);
            return true;
        }
        case File::Input:
        case File::SystemValue:
            break;
        case File::Immediate:
            for (size_t k = 0; k < n; ++k)
                out[k] = walk.opaque_zero != ir::kNone
                             ? immediate(walk, walk.program.immediates[index].words[comps[k]])
                             : Ref{known_immediate(walk, index, comps[k], ir::Scalar::U32), 0};
            return true;
        case File::ImmediateArray: {
            const tgsi::Range* range = walk.registers.find(operand.file, operand.index);
            if (range == nullptr) break;
            const tgsi::Declaration& d = walk.program.declarations[range->declaration];
            const auto row = d.immediates + static_cast<uint32_t>(operand.index - d.first);
            for (size_t k = 0; k < n; ++k) out[k] = immediate(walk, walk.program.immediate_rows[row].words[comps[k]]);
            return true;
        }
        default:
            fail(walk, "unsupported-file", operand.position,
                 std::string(tgsi::name(operand.file)) + " cannot be read here");
            return false;
    }
    fail(walk, "undeclared-register", operand.position, "the register is not declared");
    return false;
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
    if (operand.file == File::TempArray) return write_temp_array(walk, operand, mask, refs);
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

void read_slot(Walk& walk, uint32_t slot, std::span<const uint8_t> comps, Ref* out) {
    const uint32_t s = walk.arrays.segment_of[slot];
    if (s == kNoIndex) {
        for (size_t k = 0; k < comps.size(); ++k) out[k] = walk.cells.slots[size_t{4} * slot + comps[k]];
        return;
    }
    const Segment& segment = walk.arrays.segments[s];
    const ir::Value value = walk.b.load(segment.variable, {walk.b.const_u32(slot - segment.first)}, segment.element());
    for (size_t k = 0; k < comps.size(); ++k) out[k] = {value, comps[k]};
}

void write_slot(Walk& walk, uint32_t slot, uint8_t mask, const Ref* refs) {
    const uint32_t s = walk.arrays.segment_of[slot];
    if (s == kNoIndex) {
        Ref* cells = &walk.cells.slots[size_t{4} * slot];
        for (int c = 0; c < 4; ++c)
            if (mask >> c & 1) cells[c] = *refs++;
        return;
    }
    const Segment& segment = walk.arrays.segments[s];
    store_memory(walk, segment, walk.b.const_u32(slot - segment.first), mask, refs);
}

void store_memory(Walk& walk, const Segment& segment, ir::Value element, uint8_t mask, const Ref* refs) {
    const int n = segment.components;
    const int all = (1 << n) - 1;
    if ((mask & all) == all) {
        walk.b.store(segment.variable, {element},
                     gather(walk.b, std::span(refs, static_cast<size_t>(n)), ir::Scalar::F32));
        return;
    }
    for (int c = 0; c < n; ++c) {
        if ((mask >> c & 1) == 0) continue;
        const ir::Value component = walk.b.const_u32(static_cast<uint32_t>(c));
        walk.b.store(segment.variable, {element, component}, gather(walk.b, std::span(refs++, 1), ir::Scalar::F32));
    }
}

}  // namespace tgsi2spv::lower
