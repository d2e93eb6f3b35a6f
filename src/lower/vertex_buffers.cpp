// Arrays over vertices with io=buffers: words in storage buffers.
#include <algorithm>
#include <array>
#include <bit>

#include "lower/addressing.h"
#include "lower/guarded.h"
#include "lower/io_buffers.h"
#include "lower/values.h"
#include "lower/vertex_operand.h"
#include "lower/vertices.h"
#include "tgsi/stage.h"

namespace tgsi2spv::lower {

using tgsi::File;

namespace {

bool is_plain_constant_index(Walk& w, ir::Value value, uint32_t& index) {
    if (!w.b.is_plain_constant(value)) return false;
    index = w.b.constant(value).words[0];
    return true;
}

/// The slot of IN or OUT register `reg` (constant or not) of a vertex. Each vertex has one block with all registers;
/// PATCH data and levels are in vertex 0's block.
ir::Value slot_of_vertex(Walk& w, File file, ir::Value vertex, ir::Value reg) {
    ir::Builder& b = w.b;
    const auto block = static_cast<uint32_t>(w.registers.count(file));
    uint32_t v = 0, r = 0;
    if (vertex == ir::kNone || (is_plain_constant_index(w, vertex, v) && v == 0)) return reg;
    if (is_plain_constant_index(w, vertex, v)) {
        if (is_plain_constant_index(w, reg, r)) return b.const_u32(v * block + r);
        return b.iadd(reg, b.const_u32(v * block));
    }
    return b.iadd(b.imul(vertex, b.const_u32(block)), reg);
}

bool has_component(Walk& w, const tgsi::Operand& o, uint32_t reg, uint8_t component) {
    return o.file == File::Input ||
           (output_components(w.program, w.registers, static_cast<int32_t>(reg)) >> component & 1) != 0;
}

/// Of files where not every declared register may be what the operand means.
Index matching_register(Walk& w, const tgsi::Operand& o, ir::Value index, uint8_t component) {
    ir::Builder& b = w.b;
    auto& registers = w.indexed.candidates;
    if (!candidates(w, o, registers)) return {b.const_u32(0), ir::kNone};
    std::erase_if(registers, [&](uint32_t reg) { return !has_component(w, o, reg, component); });
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
    const ir::Value inside = in_runs(w, index, {firsts.data(), runs}, {counts.data(), runs});
    if (policy(w.options, &Bounds::registers) == OutOfRange::Clamp && runs != 0)
        return {b.select(inside, index, b.const_u32(registers.back())), ir::kNone};
    return {b.select(inside, index, b.const_u32(0)), inside};
}

/// Whether the operand's components have to be looked up one by one.
bool is_uneven(const Walk& w, const tgsi::Operand& o) {
    if (o.index_is_relative)
        return tgsi::contains(w.io.uneven, o.file) && policy(w.options, &Bounds::registers) != OutOfRange::Trust;
    return o.file == File::Output && output_components(w.program, w.registers, o.index) != 0xf;
}

/// The register that the second bracket names, and whether it is declared, with this component if the operand is
/// uneven. If it is not, register 0 is used.
Index register_of(Walk& w, const tgsi::Operand& o, uint8_t component) {
    ir::Builder& b = w.b;
    const tgsi::Relative* relative = w.program.index_relative(o);
    if (relative == nullptr) {
        const auto reg = static_cast<uint32_t>(o.index);
        return {b.const_u32(reg), has_component(w, o, reg, component) ? ir::kNone : b.const_bool(false)};
    }
    const ir::Value index = relative_index(w, *relative, o.index);
    if (is_uneven(w, o)) return matching_register(w, o, index, component);
    Index at{index, in_range(w, o.file, 0, o.array_id, index)};
    if (at.inside != ir::kNone) at.value = b.select(at.inside, at.value, b.const_u32(0));
    at.value = selected_element(w, o, at.value, 0, static_cast<uint32_t>(std::max(1, w.registers.count(o.file))));
    return at;
}

void read_words(Walk& w, const tgsi::Operand& o, const Index& vertex, std::span<const uint8_t> comps, Ref* out) {
    const Index reg = register_of(w, o, comps[0]);
    if (!w.ok) return;
    const ir::Value slot = slot_of_vertex(w, o.file, vertex.value, reg.value);
    for (size_t k = 0; k < comps.size(); ++k)
        out[k] = {o.file == File::Input ? load_io_word(w, slot, comps[k]) : load_io_output(w, slot, comps[k]), 0};
    zero_outside(w, both(w.b, vertex.inside, reg.inside), comps.size(), out);
}

void write_words(Walk& w, const tgsi::Operand& o, const Index& vertex, uint8_t mask, const Ref* refs) {
    const Index reg = register_of(w, o, static_cast<uint8_t>(std::countr_zero(mask)));
    if (!w.ok) return;
    where(w.b, both(w.b, vertex.inside, reg.inside), ir::kVoid, [&] {
        const ir::Value slot = slot_of_vertex(w, File::Output, vertex.value, reg.value);
        for (uint8_t c = 0; c < 4; ++c)
            if (mask >> c & 1) store_io_output(w, slot, c, gather(w, std::span(refs++, 1), ir::Scalar::U32));
        return ir::kNone;
    });
}

}  // namespace

bool read_vertex_buffer(Walk& w, const tgsi::Operand& o, std::span<const uint8_t> comps, Ref* out) {
    const Index vertex = o.has_dim ? vertex_of(w, o) : Index{};
    const size_t step = is_uneven(w, o) ? 1 : comps.size();
    for (size_t k = 0; k < comps.size() && w.ok; k += step) read_words(w, o, vertex, comps.subspan(k, step), out + k);
    return w.ok;
}

bool write_vertex_buffer(Walk& w, const tgsi::Operand& o, uint8_t mask, const Ref* refs) {
    const Index vertex = o.has_dim ? vertex_of(w, o) : Index{};
    if (!w.ok) return false;
    if (!is_uneven(w, o)) {
        write_words(w, o, vertex, mask, refs);
        return w.ok;
    }
    for (uint8_t c = 0; c < 4 && w.ok; ++c)
        if (mask >> c & 1) write_words(w, o, vertex, static_cast<uint8_t>(1u << c), refs++);
    return w.ok;
}

}  // namespace tgsi2spv::lower
