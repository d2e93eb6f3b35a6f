#include "lower/io_buffers.h"

#include <algorithm>

#include "lower/interface.h"
#include "lower/outputs.h"
#include "lower/registers.h"
#include "lower/system_values.h"
#include "lower/values.h"
#include "tgsi/stage.h"

namespace tgsi2spv::lower {

using tgsi::File;
using tgsi::Stage;

ir::Value load_io_parameter(Walk& w, uint32_t word) {
    return w.b.load(w.io.variables[2], {w.b.const_u32(word)}, ir::u32());
}

namespace {

constexpr uint32_t kInputs = 0, kOutputs = 1, kParameters = 2;

/// FRAG: four lanes per quad, quads row by row.
ir::Value lane_of_pixel(Walk& w) {
    ir::Builder& b = w.b;
    const ir::Value position = load_builtin(w, ir::BuiltIn::FragCoord, ir::f32(4));
    const ir::Value x = b.convert(ir::Op::FToU, b.extract(position, 0), ir::u32());
    const ir::Value y = b.convert(ir::Op::FToU, b.extract(position, 1), ir::u32());
    const ir::Value one = b.const_u32(1), two = b.const_u32(2);
    const ir::Value row = b.lshr(y, one);
    const ir::Value quads = b.lshr(load_io_parameter(w, 1), one);
    const ir::Value before = b.imul(row, quads);
    const ir::Value quad = b.iadd(before, b.lshr(x, one));
    const ir::Value lower = b.shl(b.bit_and(y, one), one);
    const ir::Value in_quad = b.bit_or(lower, b.bit_and(x, one));
    return b.iadd(b.shl(quad, two), in_quad);
}

/// TESS_EVAL: whether this vertex of the patch does the work of its lane.
ir::Value is_lane_vertex(Walk& w) {
    ir::Builder& b = w.b;
    const ir::Value at = load_builtin(w, ir::BuiltIn::TessCoord, ir::f32(3));
    const bool triangles = b.module().entry.tess_domain == ir::TessDomain::Triangles;
    const ir::Value x = b.extract(at, 0);
    if (triangles) return b.foeq(x, b.const_f32(1.0f));
    const ir::Value left = b.foeq(x, b.const_f32(0.0f));
    return b.land(left, b.foeq(b.extract(at, 1), b.const_f32(0.0f)));
}

/// Returns from the function unless `stay` holds.
void return_unless(Walk& w, ir::Value stay) {
    ir::Builder& b = w.b;
    const ir::BlockId out = b.create_block(), body = b.create_block();
    b.set_selection_merge(body);
    b.branch_if(stay, body, out);
    b.start_block(out);
    b.ret();
    b.start_block(body);
}

/// The number of words in a record.
uint32_t record_words(const Walk& w) {
    return 4 * w.io.output_slots;
}

void enter_stage(Walk& w) {
    ir::Builder& b = w.b;
    const Stage stage = w.program.stage;
    const bool is_entry = b.current_function() == b.module().entry.function;
    if (stage == Stage::TessEval && is_entry) return_unless(w, is_lane_vertex(w));
    w.io.lane = load_builtin(w, ir::BuiltIn::PrimitiveId, ir::u32());
    w.io.inside = ir::kNone;
    if (stage == Stage::TessControl) {
        w.io.output_base = b.imul(w.io.lane, b.const_u32(record_words(w) * output_vertices(w.program)));
        if (is_entry)
            for (uint32_t level = 0; level < 4; ++level) b.store(w.io.levels, {b.const_u32(level)}, b.const_f32(0.0f));
    } else if (stage == Stage::Geometry) {
        ir::Value invocation = w.io.lane;
        const uint32_t count = invocations(w.program);
        if (count > 1)
            invocation =
                b.iadd(b.imul(w.io.lane, b.const_u32(count)), load_builtin(w, ir::BuiltIn::InvocationId, ir::u32()));
        const uint32_t vertices = most_emitted_vertices(w.program);
        w.io.output_base = b.imul(invocation, b.const_u32(record_words(w) * vertices));
    }
}

}  // namespace

IoSlots io_slots(const tgsi::Program& program, const tgsi::Registers& registers) {
    // FRAG and GEOM have a slot more, which says what became of the lane or the vertex.
    const bool marks = program.stage == Stage::Fragment || program.stage == Stage::Geometry;
    return {.input = static_cast<uint32_t>(registers.count(File::Input)) * std::max(1u, input_vertices(program)),
            .output = static_cast<uint32_t>(registers.count(File::Output)) + (marks ? 1 : 0)};
}

namespace {

/// The files in which an index (one bracket or two) does not mean all components of all registers: some are arrays over
/// vertices and some are not, or TESS_CTRL lacks components.
tgsi::FileSet uneven_files(const Walk& w) {
    tgsi::FileSet single = 0, arrays = 0, lacking = 0;
    for (const tgsi::Declaration& d : w.program.declarations) {
        if (!has_vertices(w.program.stage, d.file)) continue;
        const tgsi::FileSet file = tgsi::file_set({d.file});
        (is_per_vertex(w.program, w.registers, d.file, d.first) ? arrays : single) |= file;
        if (d.file == File::Output && output_components(w.program, w.registers, d.first) != 0xf) lacking |= file;
    }
    return (single & arrays) | lacking;
}

}  // namespace

void prepare_io_buffers(Walk& w) {
    static constexpr const char* kNames[3] = {"io inputs", "io outputs", "io parameters"};
    const Stage stage = w.program.stage;
    for (uint32_t k = stage == Stage::Compute ? kParameters : 0; k < 3; ++k)
        w.io.variables[k] = w.b.add_variable({.kind = ir::VariableKind::IoBuffer,
                                              .element = ir::u32(),
                                              .index = k,
                                              .coherent = k == kOutputs && stage == Stage::TessControl,
                                              .non_writable = k != kOutputs,
                                              .name = kNames[k]});
    w.inputs.fog.clear();
    for (uint32_t n = 0; fog_is_scalar(w) && n < w.program.declarations.size(); ++n) {
        const tgsi::Declaration& d = w.program.declarations[n];
        if (d.file == File::Input && d.semantic == tgsi::Semantic::Fog) w.inputs.fog.push_back(n);
    }
    const IoSlots slots = io_slots(w.program, w.registers);
    w.io.input_slots = slots.input;
    w.io.output_slots = slots.output;
    w.io.uneven = uneven_files(w);
    if (stage == Stage::TessControl)
        w.io.levels = w.b.add_variable({.kind = ir::VariableKind::Output,
                                        .element = ir::f32(),
                                        .array = {4, 0},
                                        .builtin = ir::BuiltIn::TessLevelOuter});
}

void enter_io_buffers(Walk& w) {
    ir::Builder& b = w.b;
    if (w.options.workarounds.opaque_immediates) w.opaque_zero = load_io_parameter(w, 4);
    const Stage stage = w.program.stage;
    if (stage == Stage::Compute) return;
    if (stage == Stage::Vertex || stage == Stage::Fragment) {
        if (stage == Stage::Fragment) {
            w.io.lane = lane_of_pixel(w);
        } else {
            const ir::Value vertex = load_builtin(w, ir::BuiltIn::VertexIndex, ir::u32());
            w.io.lane = b.isub(vertex, load_io_parameter(w, 0));
        }
        const ir::Value lanes = load_io_parameter(w, 2);
        w.io.inside = b.ult(w.io.lane, lanes);
        const ir::Value lane = b.select(w.io.inside, w.io.lane, b.const_u32(0));
        w.io.input_base = b.imul(lane, b.const_u32(4 * w.io.input_slots));
    } else {
        enter_stage(w);
        w.io.input_base = b.imul(w.io.lane, b.const_u32(4 * w.io.input_slots));
    }
}

ir::Value load_io_word(Walk& w, ir::Value slot, int component) {
    ir::Builder& b = w.b;
    ir::Value word = b.const_u32(static_cast<uint32_t>(component));
    if (w.b.is_plain_constant(slot))
        word = b.const_u32(4 * b.constant(slot).words[0] + static_cast<uint32_t>(component));
    else
        word = b.iadd(b.shl(slot, b.const_u32(2)), word);
    return b.load(w.io.variables[kInputs], {b.iadd(w.io.input_base, word)}, ir::u32());
}

namespace {

/// The components of an OUT register that a vertex of the stream has; those of another stream are left undefined.
/// Components declared without a stream are written in every vertex, so that no reader needs to know which stream they
/// are for.
uint8_t components_of_stream(const Walk& w, uint32_t reg, uint32_t stream) {
    uint8_t mask = w.plan.output_masks[reg];
    if (w.program.stage != Stage::Geometry) return mask;
    const Declared d = declared_as(w, tgsi::File::Output, static_cast<int32_t>(reg));
    if (d.declaration == nullptr || !d.declaration->has_stream) return mask;
    for (uint8_t c = 0; c < 4; ++c)
        if (stream_of_component(d, c) != stream) mask &= static_cast<uint8_t>(~(1u << c));
    return mask;
}

/// Stores OUT registers to the record at word `base`: the components that some path writes and that the stream has.
void store_record(Walk& w, ir::Value base, uint32_t stream) {
    ir::Builder& b = w.b;
    for (const uint32_t i : w.outputs.written) {
        const uint8_t mask = components_of_stream(w, i, stream);
        uint8_t comps[4];
        size_t n = 0;
        for (uint8_t c = 0; c < 4; ++c)
            if (mask >> c & 1) comps[n++] = c;
        if (n == 0) continue;
        Ref refs[4];
        read_slot(w, w.plan.slots.output + i, std::span<const uint8_t>(comps, n), refs);
        for (size_t k = 0; k < n; ++k)
            b.store(w.io.variables[kOutputs], {b.iadd(base, b.const_u32(4 * i + comps[k]))},
                    gather(w, std::span<const Ref>(&refs[k], 1), ir::Scalar::U32));
    }
}

}  // namespace

void store_io_outputs(Walk& w) {
    ir::Builder& b = w.b;
    const bool all = w.io.inside == ir::kNone;
    const ir::BlockId then = all ? b.current_block() : b.create_block();
    const ir::BlockId merge = all ? then : b.create_block();
    if (!all) {
        b.set_selection_merge(merge);
        b.branch_if(w.io.inside, then, merge);
        b.start_block(then);
    }
    const ir::Value base = b.imul(w.io.lane, b.const_u32(record_words(w)));
    store_record(w, base, 0);
    if (w.program.stage == Stage::Fragment)
        b.store(w.io.variables[kOutputs], {b.iadd(base, b.const_u32(record_words(w) - 4))}, b.const_u32(1));
    if (all) return;
    b.branch(merge);
    b.start_block(merge);
}

namespace {

ir::Value output_word(Walk& w, ir::Value slot, int component) {
    ir::Builder& b = w.b;
    const auto c = static_cast<uint32_t>(component);
    if (w.b.is_plain_constant(slot)) return b.iadd(w.io.output_base, b.const_u32(4 * b.constant(slot).words[0] + c));
    const ir::Value word = b.iadd(b.shl(slot, b.const_u32(2)), b.const_u32(c));
    return b.iadd(w.io.output_base, word);
}

}  // namespace

ir::Value load_io_output(Walk& w, ir::Value slot, int component) {
    return w.b.load(w.io.variables[kOutputs], {output_word(w, slot, component)}, ir::u32());
}

void store_io_output(Walk& w, ir::Value slot, int component, ir::Value value) {
    w.b.store(w.io.variables[kOutputs], {output_word(w, slot, component)}, value);
}

void store_io_vertex(Walk& w, ir::Value vertex, uint32_t stream, ir::Value primitive) {
    ir::Builder& b = w.b;
    const ir::Value before = b.imul(vertex, b.const_u32(record_words(w)));
    const ir::Value base = b.iadd(w.io.output_base, before);
    store_record(w, base, stream);
    const uint32_t last = record_words(w) - 4;
    b.store(w.io.variables[kOutputs], {b.iadd(base, b.const_u32(last))}, b.const_u32(1 + stream));
    b.store(w.io.variables[kOutputs], {b.iadd(base, b.const_u32(last + 1))}, primitive);
}

}  // namespace tgsi2spv::lower
