// Where register components are, file by file: TEMP, ADDR and OUT in SSA cells or in memory, IN and SV as loaded at the
// start of the function, constants by value.
#include "lower/registers.h"

#include <cstring>
#include <string>

#include "lower/addressing.h"
#include "lower/constant_buffers.h"
#include "lower/narrow_arrays.h"
#include "lower/predicates.h"
#include "lower/stack.h"
#include "lower/temp_arrays.h"
#include "lower/values.h"
#include "lower/vertices.h"
#include "tgsi/names.h"
#include "tgsi/stage.h"

namespace tgsi2spv::lower {

using tgsi::File;

/// Drivers make a store of each element that an initialiser sets: RADV ten times the code of a loop, and LLVM takes
/// half a minute for 2,049 of them before nested loops. Where no index selects, they split the array, which the index
/// of a loop would prevent.
constexpr uint32_t kMostInitialised = 64;

uint32_t array_variable(Walk& w, uint32_t elements, bool by_index, std::string_view name, ir::Type element) {
    const bool shared = w.plan.functions.size() > 1 || w.plan.wrap || w.plan.emit_functions;
    const bool in_loop = by_index && elements > kMostInitialised;
    const uint32_t variable = w.b.add_variable({.kind = shared ? ir::VariableKind::Private : ir::VariableKind::Local,
                                                .element = element,
                                                .array = {elements, 0},
                                                .function = w.ir_functions[0],
                                                .zero_initialised = !in_loop,
                                                .name = name});
    if (in_loop) w.arrays.cleared_by_loops.push_back(variable);
    return variable;
}

namespace {

/// Copies all registers of a file at the start of main, for reads through an index.
void fill_array(Walk& w, Segment& segment, File file, std::string_view name) {
    if (!w.plan.indirect[static_cast<size_t>(file)].some) return;
    const int32_t count = w.registers.count(file);
    if (count == 0) return;
    segment.count = static_cast<uint32_t>(count);
    segment.variable = array_variable(w, segment.count, true, name);
}

void copy_to_array(Walk& w, const Segment& segment, File file) {
    if (segment.variable == kNoIndex) return;
    w.registers.for_each_run(file, 0, [&](int32_t first, int32_t last) {
        for (int32_t i = first; i <= last; ++i) {
            Ref refs[4];
            if (!read(w, {.file = file, .index = i}, all_components(), refs)) return;
            const ir::Value element = w.b.const_u32(static_cast<uint32_t>(i));
            w.b.store(segment.variable, {element}, gather(w, std::span<const Ref>(refs, 4), ir::Scalar::F32));
        }
    });
}

Ref immediate(Walk& w, uint32_t bits) {
    if (w.opaque_zero == ir::kNone) return constant_ref(w, bits);
    return {w.b.bit_xor(w.b.const_u32(bits), w.opaque_zero), 0};
}

}  // namespace

ir::Value known_immediate(Walk& w, size_t index, int component, ir::Scalar scalar) {
    const auto c = static_cast<size_t>(component);
    ir::Value& known = w.cells.immediates[4 * index + c][scalar == ir::Scalar::F32];
    if (known == ir::kNone) known = w.b.const_splat({scalar, 1}, w.program.immediates[index].words[c]);
    return known;
}

namespace {

void prepare_cells(Walk& w) {
    const Slots& slots = w.plan.slots;
    w.cells.slots.resize(size_t{4} * slots.count);
    auto written = [&](File file, uint32_t first, uint32_t end) {
        w.files[static_cast<size_t>(file)] = {w.cells.slots.data() + size_t{4} * first, end - first,
                                              w.arrays.segment_of.data() + first};
    };
    written(File::Temp, 0, slots.address);
    written(File::Address, slots.address, slots.output);
    if (!has_vertices(w.program.stage, File::Output)) written(File::Output, slots.output, slots.predicate);
    written(File::Predicate, slots.predicate, slots.killed);
    auto loaded = [&](File file, std::pmr::vector<Ref>& cells) {
        w.files[static_cast<size_t>(file)] = {cells.data(), static_cast<uint32_t>(cells.size() / 4), nullptr};
    };
    loaded(File::Input, w.cells.inputs);
    loaded(File::SystemValue, w.cells.systems);
}

/// Registers of an ARRAY are in a variable of their own, since drivers turn an index into selections among all
/// elements. If an index may select in the whole file, or if arrays overlap, adjacent registers stay together.
void note_arrays(Walk& w) {
    auto& arrays = w.arrays.array_of;
    arrays.clear();
    uint32_t number = 0;
    for (size_t r = 0; r < w.registers.ranges.size(); ++r) {
        const tgsi::Range& range = w.registers.ranges[r];
        if (w.plan.indirect_ranges[r] == 0 || w.plan.indirect[static_cast<size_t>(range.file)].all) continue;
        const uint32_t first = slot_of(w.plan.slots, range.file, range.first);
        if (first == kNoIndex) continue;
        if (arrays.empty()) arrays.assign(w.plan.slots.count, 0);
        const std::span<uint8_t> own(arrays.data() + first, static_cast<size_t>(range.last - range.first + 1));
        if (std::ranges::any_of(own, [](uint8_t array) { return array != 0; })) return arrays.clear();
        std::ranges::fill(own, static_cast<uint8_t>(1 + number++ % 255));
    }
}

}  // namespace

void prepare_registers(Walk& w) {
    const Plan& p = w.plan;
    w.arrays.segment_of.assign(p.slots.count, kNoIndex);
    prepare_cells(w);
    w.arrays.segments.clear();
    w.arrays.cleared_by_loops.clear();
    w.arrays.copies = {};
    w.cells.immediates.assign(4 * w.program.immediates.size(), {ir::kNone, ir::kNone});
    // One variable for each run of adjacent registers in memory; files do not share one.
    const auto& own = w.arrays.array_of;
    auto runs = [&](uint32_t first, uint32_t end, File file, std::string_view name) {
        const bool by_index = p.indirect[static_cast<size_t>(file)].some;
        const bool padded =
            p.indirect[static_cast<size_t>(file)].write && policy(w.options, &Bounds::registers) == OutOfRange::Zero;
        for (uint32_t s = first; s < end;) {
            const uint32_t begin = s;
            if (!p.in_memory[s++]) continue;
            while (s < end && p.in_memory[s] && (own.empty() || own[s] == own[begin])) ++s;
            const uint32_t count = s - begin;
            std::fill_n(w.arrays.segment_of.begin() + begin, count, static_cast<uint32_t>(w.arrays.segments.size()));
            Segment segment{.first = begin, .count = count, .padded = padded};
            if (file == File::Temp) {
                if (w.arrays.segments.empty()) note_reads(w);
                segment.components = needed_components(w, begin, count);
            }
            segment.variable = array_variable(w, count + (padded ? 1 : 0), by_index, name, segment.element());
            w.arrays.segments.push_back(segment);
        }
    };
    note_arrays(w);
    if (std::memchr(p.in_memory.data(), 1, p.slots.killed) != nullptr) {  // mostly none
        runs(0, p.slots.address, File::Temp, "TEMP");
        runs(p.slots.address, p.slots.output, File::Address, "ADDR");
        runs(p.slots.output, p.slots.predicate, File::Output, "OUT");
        runs(p.slots.predicate, p.slots.killed, File::Predicate, "PRED");
    }
    if (p.kills) runs(p.slots.killed, p.slots.killed + 1, File::Null, "KILLED");
    if (p.counts_vertices) runs(p.slots.emitted, p.slots.emitted + 1, File::Null, "EMITTED");
    if (p.counts_primitives) runs(p.slots.primitives, p.slots.primitives + 1, File::Null, "PRIMITIVES");
    prepare_temp_arrays(w);
    prepare_stack(w);
    if (!has_vertices(w.program.stage, File::Input)) fill_array(w, w.arrays.copies.inputs, File::Input, "IN");
    fill_array(w, w.arrays.copies.systems, File::SystemValue, "SV");
    fill_array(w, w.arrays.copies.immediates, File::Immediate, "IMM");
    fill_array(w, w.arrays.copies.immediate_rows, File::ImmediateArray, "IMMX");
}

namespace {

void clear_in_loop(Walk& w, uint32_t variable) {
    ir::Builder& b = w.b;
    const ir::Variable& v = b.module().variables[variable];
    const ir::Type element = v.element;
    const uint32_t elements = v.array[0];
    const ir::Incoming first{b.const_u32(0), b.current_block()};
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
    b.add_incoming(index, {b.iadd(index, b.const_u32(1)), again});
    b.branch(header);
    b.start_block(merge);
}

}  // namespace

void clear_registers(Walk& w) {
    for (const uint32_t variable : w.arrays.cleared_by_loops) clear_in_loop(w, variable);
    const Ref zero{w.b.zero(ir::f32()), 0};
    const std::array<Ref, 4> four{zero, zero, zero, zero};
    Ref* const first = w.cells.slots.data();
    Ref* const end = first + w.cells.slots.size();
    for (Ref* r = first; r != end; r += 4) std::memcpy(r, four.data(), sizeof four);  // as one
    if (!w.options.io_buffers) copy_to_array(w, w.arrays.copies.inputs, File::Input);
    copy_to_array(w, w.arrays.copies.systems, File::SystemValue);
    copy_to_array(w, w.arrays.copies.immediates, File::Immediate);
    copy_to_array(w, w.arrays.copies.immediate_rows, File::ImmediateArray);
}

bool refuse_two_indices(Walk& w, const tgsi::Operand& o) {
    fail(w, "unsupported-operand", o.position, std::string(tgsi::name(o.file)) + " cannot have two indices here");
    return false;
}

bool read(Walk& w, const tgsi::Operand& o, std::span<const uint8_t> comps, Ref* out) {
    if (const Ref* cells = cells_of(w, o)) {
        for (const uint8_t c : comps) *out++ = cells[c];
        return true;
    }
    if (o.file == File::Const) return read_constant(w, o, comps, out);
    if (stands_in_interface(w, o)) return read_interface(w, o, comps, out);
    if (o.file == File::TempArray) return read_temp_array(w, o, comps, out);
    if (o.index_is_relative || o.dim_is_relative) return read_indirect(w, o, comps, out);
    if (o.has_dim) return refuse_two_indices(w, o);
    const size_t n = comps.size();
    const auto index = static_cast<size_t>(o.index);
    switch (o.file) {
        case File::Null:
            for (size_t k = 0; k < n; ++k) out[k] = immediate(w, 0);
            return true;
        case File::Temp:
        case File::Address:
        case File::Output:
        case File::Predicate: {
            const uint32_t slot = slot_of(w.plan.slots, o.file, o.index);
            if (slot == kNoIndex) break;
            read_slot(w, slot, comps, out);
            return true;
        }
        case File::Input:
        case File::SystemValue:
            break;
        case File::Immediate:
            for (size_t k = 0; k < n; ++k)
                out[k] = w.opaque_zero != ir::kNone ? immediate(w, w.program.immediates[index].words[comps[k]])
                                                    : Ref{known_immediate(w, index, comps[k], ir::Scalar::U32), 0};
            return true;
        case File::ImmediateArray: {
            const tgsi::Range* range = w.registers.find(o.file, o.index);
            if (range == nullptr) break;
            const tgsi::Declaration& d = w.program.declarations[range->declaration];
            const auto row = d.immediates + static_cast<uint32_t>(o.index - d.first);
            for (size_t k = 0; k < n; ++k) out[k] = immediate(w, w.program.immediate_rows[row].words[comps[k]]);
            return true;
        }
        default:
            fail(w, "unsupported-file", o.position, std::string(tgsi::name(o.file)) + " cannot be read here");
            return false;
    }
    fail(w, "undeclared-register", o.position, "the register is not declared");
    return false;
}

bool write(Walk& w, const tgsi::Operand& o, uint8_t mask, const Ref* refs) {
    if (Ref* cells = written_cells(w, o)) {
        for (int c = 0; c < 4; ++c)
            if (mask >> c & 1) cells[c] = *refs++;
        return true;
    }
    if (o.file == File::Null) return true;
    Ref changed[4];
    if (o.file == File::Predicate) {
        truth_values(w, mask, refs, changed);
        refs = changed;
    }
    if (w.predicate.instruction != nullptr) {
        if (stands_in_interface(w, o)) return write_where_predicated(w, o, mask, refs);
        if (!keep_where_predicated(w, o, mask, refs, changed)) return false;
        refs = changed;
    }
    if (stands_in_interface(w, o)) return write_interface(w, o, mask, refs);
    if (o.file == File::TempArray) return write_temp_array(w, o, mask, refs);
    if (o.index_is_relative || o.dim_is_relative) return write_indirect(w, o, mask, refs);
    if (o.has_dim) return refuse_two_indices(w, o);
    const uint32_t slot = slot_of(w.plan.slots, o.file, o.index);
    if (slot == kNoIndex) {
        fail(w, "unsupported-file", o.position, std::string(tgsi::name(o.file)) + " cannot be written here");
        return false;
    }
    write_slot(w, slot, mask, refs);
    return true;
}

void read_slot(Walk& w, uint32_t slot, std::span<const uint8_t> comps, Ref* out) {
    const uint32_t s = w.arrays.segment_of[slot];
    if (s == kNoIndex) {
        for (size_t k = 0; k < comps.size(); ++k) out[k] = w.cells.slots[size_t{4} * slot + comps[k]];
        return;
    }
    const Segment& segment = w.arrays.segments[s];
    const ir::Value value = w.b.load(segment.variable, {w.b.const_u32(slot - segment.first)}, segment.element());
    for (size_t k = 0; k < comps.size(); ++k) out[k] = {value, comps[k]};
}

void write_slot(Walk& w, uint32_t slot, uint8_t mask, const Ref* refs) {
    const uint32_t s = w.arrays.segment_of[slot];
    if (s == kNoIndex) {
        Ref* cells = &w.cells.slots[size_t{4} * slot];
        for (int c = 0; c < 4; ++c)
            if (mask >> c & 1) cells[c] = *refs++;
        return;
    }
    const Segment& segment = w.arrays.segments[s];
    store_memory(w, segment, w.b.const_u32(slot - segment.first), mask, refs);
}

void store_memory(Walk& w, const Segment& segment, ir::Value element, uint8_t mask, const Ref* refs) {
    const int n = segment.components;
    const int all = (1 << n) - 1;
    if ((mask & all) == all) {
        w.b.store(segment.variable, {element}, gather(w, std::span(refs, static_cast<size_t>(n)), ir::Scalar::F32));
        return;
    }
    for (int c = 0; c < n; ++c) {
        if ((mask >> c & 1) == 0) continue;
        const ir::Value component = w.b.const_u32(static_cast<uint32_t>(c));
        w.b.store(segment.variable, {element, component}, gather(w, std::span(refs++, 1), ir::Scalar::F32));
    }
}

}  // namespace tgsi2spv::lower
