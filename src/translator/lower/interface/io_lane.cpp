#include "lower/interface/io_lane.h"

#include "lower/interface/io_buffers.h"
#include "lower/interface/records.h"
#include "lower/interface/system_values.h"
#include "lower/variables/inputs.h"
#include "tgsi/program/stage.h"

namespace tgsi2spv::lower {

using tgsi::Stage;

namespace {

/// FRAG: four lanes per quad, quads row by row.
ir::Value lane_of_pixel(Context& context) {
    ir::Builder& b = context.b;
    const ir::Value position = load_builtin(context, ir::BuiltIn::FragCoord, ir::f32(4));
    const ir::Value x = b.convert(ir::Op::FToU, b.extract(position, 0), ir::u32());
    const ir::Value y = b.convert(ir::Op::FToU, b.extract(position, 1), ir::u32());
    const ir::Value one = b.const_u32(1), two = b.const_u32(2);
    const ir::Value row = b.lshr(y, one);
    const ir::Value quads = b.lshr(load_io_parameter(context, 1), one);
    const ir::Value before = b.imul(row, quads);
    const ir::Value quad = b.iadd(before, b.lshr(x, one));
    const ir::Value lower = b.shl(b.bit_and(y, one), one);
    const ir::Value in_quad = b.bit_or(lower, b.bit_and(x, one));
    return b.iadd(b.shl(quad, two), in_quad);
}

/// TESS_EVAL: whether this vertex of the patch does the work of its lane.
ir::Value is_lane_vertex(Context& context) {
    ir::Builder& b = context.b;
    const ir::Value at = load_builtin(context, ir::BuiltIn::TessCoord, ir::f32(3));
    const bool triangles = b.module().entry.tess_domain == ir::TessDomain::Triangles;
    const ir::Value x = b.extract(at, 0);
    if (triangles) return b.foeq(x, b.const_f32(1.0f));
    const ir::Value left = b.foeq(x, b.const_f32(0.0f));
    return b.land(left, b.foeq(b.extract(at, 1), b.const_f32(0.0f)));
}

void enter_stage(Context& context) {
    ir::Builder& b = context.b;
    const Stage stage = context.program.stage;
    const bool is_entry = b.current_function() == b.module().entry.function;
    if (stage == Stage::TessEval && is_entry) return_unless(context, is_lane_vertex(context));
    context.io.lane = load_builtin(context, ir::BuiltIn::PrimitiveId, ir::u32());
    context.io.inside = ir::kNone;
    if (stage == Stage::TessControl) {
        context.io.output_base =
            b.imul(context.io.lane, b.const_u32(record_words(context) * output_vertices(context.program)));
        if (is_entry)
            for (uint32_t level = 0; level < 4; ++level)
                b.store(context.io.levels, {b.const_u32(level)}, b.const_f32(0.0f));
    } else if (stage == Stage::Geometry) {
        ir::Value invocation = context.io.lane;
        const uint32_t count = invocations(context.program);
        if (count > 1)
            invocation = b.iadd(b.imul(context.io.lane, b.const_u32(count)),
                                load_builtin(context, ir::BuiltIn::InvocationId, ir::u32()));
        const uint32_t vertices = most_emitted_vertices(context.program);
        context.io.output_base = b.imul(invocation, b.const_u32(record_words(context) * vertices));
    }
}

}  // namespace

void enter_io_buffers(Context& context) {
    ir::Builder& b = context.b;
    if (context.options.workarounds.opaque_immediates) context.opaque_zero = load_io_parameter(context, 4);
    if (context.options.records) return enter_records(context);
    const Stage stage = context.program.stage;
    if (stage == Stage::Compute) return;
    if (stage == Stage::Vertex || stage == Stage::Fragment) {
        if (stage == Stage::Fragment) {
            context.io.lane = lane_of_pixel(context);
        } else {
            const ir::Value vertex = load_builtin(context, ir::BuiltIn::VertexIndex, ir::u32());
            context.io.lane = b.isub(vertex, load_io_parameter(context, 0));
        }
        const ir::Value lanes = load_io_parameter(context, 2);
        context.io.inside = b.ult(context.io.lane, lanes);
        const ir::Value lane = b.select(context.io.inside, context.io.lane, b.const_u32(0));
        context.io.input_base = b.imul(lane, b.const_u32(4 * context.io.input_slots));
    } else {
        enter_stage(context);
        context.io.input_base = b.imul(context.io.lane, b.const_u32(4 * context.io.input_slots));
    }
}

}  // namespace tgsi2spv::lower
