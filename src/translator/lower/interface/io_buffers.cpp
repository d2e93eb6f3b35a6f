#include "lower/interface/io_buffers.h"

#include <algorithm>

#include "lower/context/values.h"
#include "lower/interface/record_loads.h"
#include "lower/interface/vertices.h"
#include "lower/options/facts.h"
#include "lower/registers/cells.h"
#include "lower/registers/range_tests.h"
#include "lower/variables/inputs.h"
#include "lower/variables/outputs.h"
#include "tgsi/program/stage.h"

namespace tgsi2spv::lower {

using tgsi::File;
using tgsi::Stage;

void return_unless(Context& context, ir::Value stay) {
    ir::Builder& b = context.b;
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
tgsi::FileSet uneven_files(const Context& context) {
    tgsi::FileSet single = 0, arrays = 0, lacking = 0;
    for (const tgsi::Declaration& d : context.program.declarations) {
        if (!has_vertices(context.program.stage, d.file)) continue;
        const tgsi::FileSet file = tgsi::file_set({d.file});
        (is_per_vertex(context.program, context.registers, d.file, d.first) ? arrays : single) |= file;
        if (d.file == File::Output && output_components(context.program, context.registers, d.first) != 0xf)
            lacking |= file;
    }
    return (single & arrays) | lacking;
}

}  // namespace

uint32_t record_words(const Context& context) {
    return 4 * context.io.output_slots;
}

void prepare_io_buffers(Context& context) {
    static constexpr const char* kNames[4] = {"io inputs", "io outputs", "io parameters", "io vertices"};
    const Stage stage = context.program.stage;
    const uint32_t first = stage == Stage::Compute ? kParameters : kInputs;
    for (uint32_t k = first; k < (context.options.records ? 4U : 3U); ++k)
        context.io.variables[k] = context.b.add_variable({.kind = ir::VariableKind::IoBuffer,
                                                          .element = ir::u32(),
                                                          .index = k,
                                                          .coherent = k == kOutputs && stage == Stage::TessControl,
                                                          .non_writable = k != kOutputs,
                                                          .name = kNames[k]});
    context.inputs.fog.clear();
    for (uint32_t n = 0; fog_is_scalar(context) && n < context.program.declarations.size(); ++n) {
        const tgsi::Declaration& d = context.program.declarations[n];
        if (d.file == File::Input && d.semantic == tgsi::Semantic::Fog) context.inputs.fog.push_back(n);
    }
    const IoSlots slots = io_slots(context.program, context.registers);
    context.io.input_slots = slots.input;
    context.io.output_slots = slots.output;
    context.io.uneven = uneven_files(context);
    if (stage == Stage::TessControl && !context.options.records)
        context.io.levels = context.b.add_variable({.kind = ir::VariableKind::Output,
                                                    .element = ir::f32(),
                                                    .array = {4, 0},
                                                    .builtin = ir::BuiltIn::TessLevelOuter});
}

ir::Value load_io_word(Context& context, ir::Value slot, int component) {
    ir::Builder& b = context.b;
    if (context.options.records) return load_attribute_word(context, slot, static_cast<uint32_t>(component));
    ir::Value word = b.const_u32(static_cast<uint32_t>(component));
    if (context.b.is_plain_constant(slot))
        word = b.const_u32(4 * b.constant(slot).words[0] + static_cast<uint32_t>(component));
    else
        word = b.iadd(b.shl(slot, b.const_u32(2)), word);
    return b.load(context.io.variables[kInputs], {b.iadd(context.io.input_base, word)}, ir::u32());
}

namespace {

/// `word`, or FRAG's value of that component if `index` selects FOG.
ir::Value as_fog(Context& context, ir::Value index, uint8_t component, ir::Value word) {
    if (component == 0) return word;
    for (const uint32_t n : context.inputs.fog) {
        const tgsi::Declaration& d = context.program.declarations[n];
        const auto first = static_cast<uint32_t>(d.first), count = static_cast<uint32_t>(d.last - d.first + 1);
        const ir::Value fog = context.b.const_u32(component == 3 ? 0x3f80'0000 : 0);
        word = context.b.select(in_runs(context, index, std::span(&first, 1), std::span(&count, 1)), fog, word);
    }
    return word;
}

}  // namespace

void read_indexed_input(Context& context, const tgsi::Operand& operand, ir::Value index, ir::Value inside,
                        std::span<const uint8_t> comps, Ref* out) {
    ir::Builder& b = context.b;
    const auto count = static_cast<uint32_t>(std::max(1, context.registers.count(File::Input)));
    const ir::Value safe = inside == ir::kNone ? selected_element(context, operand, index, 0, count)
                                               : b.select(inside, index, b.const_u32(0));
    for (size_t k = 0; k < comps.size(); ++k) {
        ir::Value word = load_io_word(context, safe, comps[k]);
        word = as_fog(context, index, comps[k], word);
        if (inside != ir::kNone) word = b.select(inside, word, b.const_u32(0));
        out[k] = {word, 0};
    }
}

namespace {

/// The components of an OUT register that a vertex of the stream has; those of another stream are left undefined.
/// Components declared without a stream are written in every vertex, so that no reader needs to know which stream they
/// are for.
uint8_t components_of_stream(const Context& context, uint32_t reg, uint32_t stream) {
    uint8_t mask = context.plan.output_masks[reg];
    if (context.program.stage != Stage::Geometry) return mask;
    const Declared d = declared_as(context, tgsi::File::Output, static_cast<int32_t>(reg));
    if (d.declaration == nullptr || !d.declaration->has_stream) return mask;
    for (uint8_t c = 0; c < 4; ++c)
        if (stream_of_component(d, c) != stream) mask &= static_cast<uint8_t>(~(1u << c));
    return mask;
}

}  // namespace

void store_io_record(Context& context, ir::Value base, uint32_t stream) {
    ir::Builder& b = context.b;
    for (const uint32_t i : context.outputs.written) {
        if (!check_operations(context, context.position)) return;
        const uint8_t mask = components_of_stream(context, i, stream);
        uint8_t comps[4];
        size_t n = 0;
        for (uint8_t c = 0; c < 4; ++c)
            if (mask >> c & 1) comps[n++] = c;
        if (n == 0) continue;
        Ref refs[4];
        read_slot(context, context.plan.slots.output + i, std::span<const uint8_t>(comps, n), refs);
        for (size_t k = 0; k < n; ++k)
            b.store(context.io.variables[kOutputs], {b.iadd(base, b.const_u32(4 * i + comps[k]))},
                    gather(context.b, std::span<const Ref>(&refs[k], 1), ir::Scalar::U32));
    }
}

void store_io_outputs(Context& context) {
    ir::Builder& b = context.b;
    const bool all = context.io.inside == ir::kNone;
    const ir::BlockId then = all ? b.current_block() : b.create_block();
    const ir::BlockId merge = all ? then : b.create_block();
    if (!all) {
        b.set_selection_merge(merge);
        b.branch_if(context.io.inside, then, merge);
        b.start_block(then);
    }
    const ir::Value base = b.imul(context.io.lane, b.const_u32(record_words(context)));
    store_io_record(context, base, 0);
    if (context.program.stage == Stage::Fragment)
        b.store(context.io.variables[kOutputs], {b.iadd(base, b.const_u32(record_words(context) - 4))}, b.const_u32(1));
    if (all) return;
    b.branch(merge);
    b.start_block(merge);
}

namespace {

ir::Value output_word(Context& context, ir::Value slot, int component) {
    ir::Builder& b = context.b;
    const auto c = static_cast<uint32_t>(component);
    if (context.b.is_plain_constant(slot))
        return b.iadd(context.io.output_base, b.const_u32(4 * b.constant(slot).words[0] + c));
    const ir::Value word = b.iadd(b.shl(slot, b.const_u32(2)), b.const_u32(c));
    return b.iadd(context.io.output_base, word);
}

}  // namespace

ir::Value load_io_output(Context& context, ir::Value slot, int component) {
    return context.b.load(context.io.variables[kOutputs], {output_word(context, slot, component)}, ir::u32());
}

void store_io_output(Context& context, ir::Value slot, int component, ir::Value value) {
    context.b.store(context.io.variables[kOutputs], {output_word(context, slot, component)}, value);
}

void store_io_vertex(Context& context, ir::Value vertex, uint32_t stream, ir::Value primitive) {
    ir::Builder& b = context.b;
    const ir::Value before = b.imul(vertex, b.const_u32(record_words(context)));
    const ir::Value base = b.iadd(context.io.output_base, before);
    store_io_record(context, base, stream);
    const uint32_t last = record_words(context) - 4;
    b.store(context.io.variables[kOutputs], {b.iadd(base, b.const_u32(last))}, b.const_u32(1 + stream));
    b.store(context.io.variables[kOutputs], {b.iadd(base, b.const_u32(last + 1))}, primitive);
}

}  // namespace tgsi2spv::lower
