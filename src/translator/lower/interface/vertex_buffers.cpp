// Arrays over vertices with io=buffers: words in storage buffers.
#include <algorithm>
#include <array>
#include <bit>

#include "lower/context/guarded.h"
#include "lower/context/values.h"
#include "lower/interface/io_buffers.h"
#include "lower/interface/record_loads.h"
#include "lower/interface/vertex_operand.h"
#include "lower/interface/vertices.h"
#include "lower/registers/addressing.h"
#include "lower/registers/range_tests.h"
#include "lower/variables/inputs.h"
#include "tgsi/program/stage.h"

namespace tgsi2spv::lower {

using tgsi::File;

namespace {

bool is_plain_constant_index(Context& context, ir::Value value, uint32_t& index) {
    if (!context.b.is_plain_constant(value)) return false;
    index = context.b.constant(value).words[0];
    return true;
}

/// The slot of IN or OUT register `reg` (constant or not) of a vertex. Each vertex has one block with all registers;
/// PATCH data and levels are in vertex 0's block.
ir::Value slot_of_vertex(Context& context, File file, ir::Value vertex, ir::Value reg) {
    ir::Builder& b = context.b;
    const auto block = static_cast<uint32_t>(context.registers.count(file));
    uint32_t v = 0, r = 0;
    if (vertex == ir::kNone || (is_plain_constant_index(context, vertex, v) && v == 0)) return reg;
    if (is_plain_constant_index(context, vertex, v)) {
        if (is_plain_constant_index(context, reg, r)) return b.const_u32(v * block + r);
        return b.iadd(reg, b.const_u32(v * block));
    }
    return b.iadd(b.imul(vertex, b.const_u32(block)), reg);
}

bool has_component(Context& context, const tgsi::Operand& operand, uint32_t reg, uint8_t component) {
    return operand.file == File::Input ||
           (output_components(context.program, context.registers, static_cast<int32_t>(reg)) >> component & 1) != 0;
}

/// For register files in which only some registers match the operand.
Index matching_register(Context& context, const tgsi::Operand& operand, ir::Value index, uint8_t component) {
    ir::Builder& b = context.b;
    auto& registers = context.indexed.candidates;
    if (!candidates(context, operand, registers)) return {b.const_u32(0), ir::kNone};
    std::erase_if(registers, [&](uint32_t reg) { return !has_component(context, operand, reg, component); });
    std::array<uint32_t, kMaxIndexedRegisters> firsts, counts;
    size_t runs = 0;
    for (const uint32_t reg : registers) {
        if (runs != 0 && firsts[runs - 1] + counts[runs - 1] == reg) {
            ++counts[runs - 1];
            continue;
        }
        firsts[runs] = reg;
        counts[runs++] = 1;
    }
    const ir::Value inside = in_runs(context, index, {firsts.data(), runs}, {counts.data(), runs});
    if (policy(context.options, &Bounds::registers) == OutOfRange::Clamp && runs != 0)
        return {b.select(inside, index, b.const_u32(registers.back())), ir::kNone};
    return {b.select(inside, index, b.const_u32(0)), inside};
}

/// Whether the operand's components have to be looked up one by one.
bool is_uneven(const Context& context, const tgsi::Operand& operand) {
    if (operand.index_is_relative)
        return tgsi::contains(context.io.uneven, operand.file) &&
               policy(context.options, &Bounds::registers) != OutOfRange::Trust;
    return operand.file == File::Output && output_components(context.program, context.registers, operand.index) != 0xf;
}

/// The register that the second bracket names, and whether it is declared, with this component if the operand is
/// uneven. If it is not, register 0 is used.
Index register_of(Context& context, const tgsi::Operand& operand, uint8_t component) {
    ir::Builder& b = context.b;
    const tgsi::Relative* relative = context.program.index_relative(operand);
    if (relative == nullptr) {
        const auto reg = static_cast<uint32_t>(operand.index);
        return {b.const_u32(reg), has_component(context, operand, reg, component) ? ir::kNone : b.const_bool(false)};
    }
    const ir::Value index = relative_index(context, *relative, operand.index);
    if (is_uneven(context, operand)) return matching_register(context, operand, index, component);
    Index at{index, in_range(context, operand.file, 0, operand.array_id, index)};
    if (at.inside != ir::kNone) at.value = b.select(at.inside, at.value, b.const_u32(0));
    at.value = selected_element(context, operand, at.value, 0,
                                static_cast<uint32_t>(std::max(1, context.registers.count(operand.file))));
    return at;
}

void read_words(Context& context, const tgsi::Operand& operand, const Index& vertex, std::span<const uint8_t> comps,
                Ref* out) {
    const Index reg = register_of(context, operand, comps[0]);
    if (!context.ok) return;
    if (context.options.records && operand.file == File::Input) {
        for (size_t k = 0; k < comps.size(); ++k)
            out[k] = {load_record_word(context, operand, vertex.value, reg.value, comps[k]), 0};
        return zero_outside(context, both(context.b, vertex.inside, reg.inside), comps.size(), out);
    }
    const ir::Value slot = slot_of_vertex(context, operand.file, vertex.value, reg.value);
    for (size_t k = 0; k < comps.size(); ++k)
        out[k] = {operand.file == File::Input ? load_io_word(context, slot, comps[k])
                                              : load_io_output(context, slot, comps[k]),
                  0};
    zero_outside(context, both(context.b, vertex.inside, reg.inside), comps.size(), out);
}

void write_words(Context& context, const tgsi::Operand& operand, const Index& vertex, uint8_t mask, const Ref* refs) {
    const Index reg = register_of(context, operand, static_cast<uint8_t>(std::countr_zero(mask)));
    if (!context.ok) return;
    where(context.b, both(context.b, vertex.inside, reg.inside), ir::kVoid, [&] {
        const ir::Value slot = slot_of_vertex(context, File::Output, vertex.value, reg.value);
        for (uint8_t c = 0; c < 4; ++c)
            if (mask >> c & 1)
                store_io_output(context, slot, c, gather(context.b, std::span(refs++, 1), ir::Scalar::U32));
        return ir::kNone;
    });
}

}  // namespace

bool read_vertex_buffer(Context& context, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out) {
    const Index vertex = operand.has_dim ? vertex_of(context, operand) : Index{};
    const size_t step = is_uneven(context, operand) ? 1 : comps.size();
    for (size_t k = 0; k < comps.size() && context.ok; k += step)
        read_words(context, operand, vertex, comps.subspan(k, step), out + k);
    return context.ok;
}

void clear_vertex_buffer(Context& context, ir::Value vertex, uint32_t reg) {
    const ir::Value slot = slot_of_vertex(context, File::Output, vertex, context.b.const_u32(reg));
    for (int c = 0; c < 4; ++c) store_io_output(context, slot, c, context.b.const_u32(0));
}

bool write_vertex_buffer(Context& context, const tgsi::Operand& operand, uint8_t mask, const Ref* refs) {
    const Index vertex = operand.has_dim ? vertex_of(context, operand) : Index{};
    if (!context.ok) return false;
    if (!is_uneven(context, operand)) {
        write_words(context, operand, vertex, mask, refs);
        return context.ok;
    }
    for (uint8_t c = 0; c < 4 && context.ok; ++c)
        if (mask >> c & 1) write_words(context, operand, vertex, static_cast<uint8_t>(1u << c), refs++);
    return context.ok;
}

}  // namespace tgsi2spv::lower
