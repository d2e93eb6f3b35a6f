#include "lower/interface/io_buffers.h"

#include <algorithm>

#include "lower/interface/record_loads.h"
#include "lower/interface/vertices.h"
#include "lower/options/facts.h"
#include "lower/registers/cells.h"
#include "lower/registers/range_tests.h"
#include "lower/variables/inputs.h"
#include "lower/variables/outputs.h"
#include "lower/walk/values.h"
#include "tgsi/stage.h"

namespace tgsi2spv::lower {

using tgsi::File;
using tgsi::Stage;

void return_unless(Walk& walk, ir::Value stay) {
    ir::Builder& b = walk.b;
    const ir::BlockId out = b.create_block(), body = b.create_block();
    b.set_selection_merge(body);
    b.branch_if(stay, body, out);
    b.start_block(out);
    b.ret();
    b.start_block(body);
}

namespace {

constexpr uint32_t kInputs = 0, kOutputs = 1, kParameters = 2;

/// The files in which an index (one bracket or two) does not mean all components of all registers: some are arrays over
/// vertices and some are not, or TESS_CTRL lacks components.
tgsi::FileSet uneven_files(const Walk& walk) {
    tgsi::FileSet single = 0, arrays = 0, lacking = 0;
    for (const tgsi::Declaration& d : walk.program.declarations) {
        if (!has_vertices(walk.program.stage, d.file)) continue;
        const tgsi::FileSet file = tgsi::file_set({d.file});
        (is_per_vertex(walk.program, walk.registers, d.file, d.first) ? arrays : single) |= file;
        if (d.file == File::Output && output_components(walk.program, walk.registers, d.first) != 0xf) lacking |= file;
    }
    return (single & arrays) | lacking;
}

}  // namespace

uint32_t record_words(const Walk& walk) {
    return 4 * walk.io.output_slots;
}

void prepare_io_buffers(Walk& walk) {
    static constexpr const char* kNames[4] = {"io inputs", "io outputs", "io parameters", "io vertices"};
    const Stage stage = walk.program.stage;
    const uint32_t first = stage == Stage::Compute ? kParameters : kInputs;
    for (uint32_t k = first; k < (walk.options.records ? 4U : 3U); ++k)
        walk.io.variables[k] = walk.b.add_variable({.kind = ir::VariableKind::IoBuffer,
                                                    .element = ir::u32(),
                                                    .index = k,
                                                    .coherent = k == kOutputs && stage == Stage::TessControl,
                                                    .non_writable = k != kOutputs,
                                                    .name = kNames[k]});
    walk.inputs.fog.clear();
    for (uint32_t n = 0; fog_is_scalar(walk) && n < walk.program.declarations.size(); ++n) {
        const tgsi::Declaration& d = walk.program.declarations[n];
        if (d.file == File::Input && d.semantic == tgsi::Semantic::Fog) walk.inputs.fog.push_back(n);
    }
    const IoSlots slots = io_slots(walk.program, walk.registers);
    walk.io.input_slots = slots.input;
    walk.io.output_slots = slots.output;
    walk.io.uneven = uneven_files(walk);
    if (stage == Stage::TessControl && !walk.options.records)
        walk.io.levels = walk.b.add_variable({.kind = ir::VariableKind::Output,
                                              .element = ir::f32(),
                                              .array = {4, 0},
                                              .builtin = ir::BuiltIn::TessLevelOuter});
}

ir::Value load_io_word(Walk& walk, ir::Value slot, int component) {
    ir::Builder& b = walk.b;
    if (walk.options.records) return load_attribute_word(walk, slot, static_cast<uint32_t>(component));
    ir::Value word = b.const_u32(static_cast<uint32_t>(component));
    if (walk.b.is_plain_constant(slot))
        word = b.const_u32(4 * b.constant(slot).words[0] + static_cast<uint32_t>(component));
    else
        word = b.iadd(b.shl(slot, b.const_u32(2)), word);
    return b.load(walk.io.variables[kInputs], {b.iadd(walk.io.input_base, word)}, ir::u32());
}

namespace {

/// `word`, or FRAG's value of that component if `index` selects FOG.
ir::Value as_fog(Walk& walk, ir::Value index, uint8_t component, ir::Value word) {
    if (component == 0) return word;
    for (const uint32_t n : walk.inputs.fog) {
        const tgsi::Declaration& d = walk.program.declarations[n];
        const auto first = static_cast<uint32_t>(d.first), count = static_cast<uint32_t>(d.last - d.first + 1);
        const ir::Value fog = walk.b.const_u32(component == 3 ? 0x3f80'0000 : 0);
        word = walk.b.select(in_runs(walk, index, std::span(&first, 1), std::span(&count, 1)), fog, word);
    }
    return word;
}

}  // namespace

void read_indexed_input(Walk& walk, const tgsi::Operand& operand, ir::Value index, ir::Value inside,
                        std::span<const uint8_t> comps, Ref* out) {
    ir::Builder& b = walk.b;
    const auto count = static_cast<uint32_t>(std::max(1, walk.registers.count(File::Input)));
    const ir::Value safe = inside == ir::kNone ? selected_element(walk, operand, index, 0, count)
                                               : b.select(inside, index, b.const_u32(0));
    for (size_t k = 0; k < comps.size(); ++k) {
        ir::Value word = load_io_word(walk, safe, comps[k]);
        word = as_fog(walk, index, comps[k], word);
        if (inside != ir::kNone) word = b.select(inside, word, b.const_u32(0));
        out[k] = {word, 0};
    }
}

namespace {

/// The components of an OUT register that a vertex of the stream has; those of another stream are left undefined.
/// Components declared without a stream are written in every vertex, so that no reader needs to know which stream they
/// are for.
uint8_t components_of_stream(const Walk& walk, uint32_t reg, uint32_t stream) {
    uint8_t mask = walk.plan.output_masks[reg];
    if (walk.program.stage != Stage::Geometry) return mask;
    const Declared d = declared_as(walk, tgsi::File::Output, static_cast<int32_t>(reg));
    if (d.declaration == nullptr || !d.declaration->has_stream) return mask;
    for (uint8_t c = 0; c < 4; ++c)
        if (stream_of_component(d, c) != stream) mask &= static_cast<uint8_t>(~(1u << c));
    return mask;
}

}  // namespace

void store_io_record(Walk& walk, ir::Value base, uint32_t stream) {
    ir::Builder& b = walk.b;
    for (const uint32_t i : walk.outputs.written) {
        if (!check_operations(walk, walk.position)) return;
        const uint8_t mask = components_of_stream(walk, i, stream);
        uint8_t comps[4];
        size_t n = 0;
        for (uint8_t c = 0; c < 4; ++c)
            if (mask >> c & 1) comps[n++] = c;
        if (n == 0) continue;
        Ref refs[4];
        read_slot(walk, walk.plan.slots.output + i, std::span<const uint8_t>(comps, n), refs);
        for (size_t k = 0; k < n; ++k)
            b.store(walk.io.variables[kOutputs], {b.iadd(base, b.const_u32(4 * i + comps[k]))},
                    gather(walk.b, std::span<const Ref>(&refs[k], 1), ir::Scalar::U32));
    }
}

void store_io_outputs(Walk& walk) {
    ir::Builder& b = walk.b;
    const bool all = walk.io.inside == ir::kNone;
    const ir::BlockId then = all ? b.current_block() : b.create_block();
    const ir::BlockId merge = all ? then : b.create_block();
    if (!all) {
        b.set_selection_merge(merge);
        b.branch_if(walk.io.inside, then, merge);
        b.start_block(then);
    }
    const ir::Value base = b.imul(walk.io.lane, b.const_u32(record_words(walk)));
    store_io_record(walk, base, 0);
    if (walk.program.stage == Stage::Fragment)
        b.store(walk.io.variables[kOutputs], {b.iadd(base, b.const_u32(record_words(walk) - 4))}, b.const_u32(1));
    if (all) return;
    b.branch(merge);
    b.start_block(merge);
}

namespace {

ir::Value output_word(Walk& walk, ir::Value slot, int component) {
    ir::Builder& b = walk.b;
    const auto c = static_cast<uint32_t>(component);
    if (walk.b.is_plain_constant(slot))
        return b.iadd(walk.io.output_base, b.const_u32(4 * b.constant(slot).words[0] + c));
    const ir::Value word = b.iadd(b.shl(slot, b.const_u32(2)), b.const_u32(c));
    return b.iadd(walk.io.output_base, word);
}

}  // namespace

ir::Value load_io_output(Walk& walk, ir::Value slot, int component) {
    return walk.b.load(walk.io.variables[kOutputs], {output_word(walk, slot, component)}, ir::u32());
}

void store_io_output(Walk& walk, ir::Value slot, int component, ir::Value value) {
    walk.b.store(walk.io.variables[kOutputs], {output_word(walk, slot, component)}, value);
}

void store_io_vertex(Walk& walk, ir::Value vertex, uint32_t stream, ir::Value primitive) {
    ir::Builder& b = walk.b;
    const ir::Value before = b.imul(vertex, b.const_u32(record_words(walk)));
    const ir::Value base = b.iadd(walk.io.output_base, before);
    store_io_record(walk, base, stream);
    const uint32_t last = record_words(walk) - 4;
    b.store(walk.io.variables[kOutputs], {b.iadd(base, b.const_u32(last))}, b.const_u32(1 + stream));
    b.store(walk.io.variables[kOutputs], {b.iadd(base, b.const_u32(last + 1))}, primitive);
}

}  // namespace tgsi2spv::lower
