// EMIT and ENDPRIM. A vertex takes the current output registers, and they keep their values (semantics: Flow). SPIR-V's
// outputs do not, so all outputs of the stream are stored before each EMIT.
#include "lower/interface/geometry.h"

#include <algorithm>

#include "lower/context/regions.h"
#include "lower/context/values.h"
#include "lower/interface/io_buffers.h"
#include "lower/interface/io_lane.h"
#include "lower/interface/outputs.h"
#include "lower/operands/operation.h"
#include "lower/registers/cells.h"
#include "lower/variables/outputs.h"
#include "tgsi/program/stage.h"

namespace tgsi2spv::lower {

using ir::Scalar;
using tgsi::Opcode;
using tgsi::Property;

namespace {

ir::Value counter(Context& context, uint32_t slot, uint8_t component) {
    Ref ref;
    read_slot(context, slot, std::span(&component, 1), &ref);
    return gather(context.b, std::span<const Ref>(&ref, 1), Scalar::U32);
}

void set_counter(Context& context, uint32_t slot, uint8_t component, ir::Value value) {
    const Ref ref{value, 0};
    write_slot(context, slot, static_cast<uint8_t>(1u << component), &ref);
}

void append_vertex(Context& context, uint32_t stream, ir::Value number, ir::Value primitive) {
    if (context.options.io_buffers) return store_io_vertex(context, number, stream, primitive);
    store_registers(context, stream);
    context.b.emit(ir::Op::EmitVertex, ir::kVoid, {}, stream);
}

void emit_vertex(Context& context, uint32_t stream) {
    ir::Builder& b = context.b;
    const auto component = static_cast<uint8_t>(stream);
    if (most_emitted_vertices(context.program) == 0) return;
    if (!context.plan.counts_vertices) return append_vertex(context, stream, ir::kNone, ir::kNone);
    // The counters: for the primitives, 2 × the number ended + whether one is open; for the invocation, its vertices.
    const ir::Value number = emitted_vertices(context);
    ir::Value primitive = ir::kNone, state = ir::kNone;
    if (context.plan.counts_primitives) {
        state = counter(context, context.plan.slots.primitives, component);
        primitive = b.lshr(state, b.const_u32(1));
    }
    const ir::Value room = b.ult(number, b.const_u32(most_emitted_vertices(context.program)));
    const ir::BlockId then = b.create_block(), merge = b.create_block();
    b.set_selection_merge(merge);
    b.branch_if(room, then, merge);
    b.start_block(then);
    append_vertex(context, stream, number, primitive);
    b.branch(merge);
    b.start_block(merge);
    const ir::Value next = b.iadd(number, b.const_u32(1));
    set_counter(context, context.plan.slots.emitted, 0, b.select(room, next, number));
    if (state == ir::kNone) return;
    const ir::Value open = b.bit_or(state, b.const_u32(1));
    set_counter(context, context.plan.slots.primitives, component, b.select(room, open, state));
}

void end_primitive(Context& context, uint32_t stream) {
    ir::Builder& b = context.b;
    if (!context.options.io_buffers) {
        b.emit(ir::Op::EndPrimitive, ir::kVoid, {}, stream);
        return;
    }
    // Without an open primitive it does nothing: an even count stays unchanged.
    const auto component = static_cast<uint8_t>(stream);
    const ir::Value state = counter(context, context.plan.slots.primitives, component);
    const ir::Value up = b.iadd(state, b.const_u32(1));
    set_counter(context, context.plan.slots.primitives, component, b.bit_and(up, b.const_u32(~1u)));
}

}  // namespace

void declare_emit_functions(Context& context) {
    context.outputs.emit_functions.fill(kNoIndex);
    for (const tgsi::Instruction& i : context.program.instructions) {
        const auto stream = i.op == Opcode::EMIT ? stream_of(context.program, i) : std::nullopt;
        if (stream && context.outputs.emit_functions[*stream] == kNoIndex)
            context.outputs.emit_functions[*stream] = context.b.declare_function(ir::kVoid, {}, "emit");
    }
}

void fill_emit_functions(Context& context) {
    context.in_main = false;
    for (uint32_t stream = 0; stream < 4; ++stream) {
        if (context.outputs.emit_functions[stream] == kNoIndex) continue;
        context.b.begin_function(context.outputs.emit_functions[stream]);
        context.b.set_precise(context.options.exact);
        enter_region(context);
        if (context.options.io_buffers) enter_io_buffers(context);
        emit_vertex(context, stream);
        context.b.ret();
        context.b.end_function();
        leave_region(context);
    }
}

Outcome lower_geometry(Operation& op) {
    const auto stream = stream_of(op.program, op.instruction);
    if (!stream) return refuse(op, "unsupported-stream", "the stream is not an immediate from 0 to 3");
    if (op.instruction.op == Opcode::EMIT && op.context.plan.emit_functions)
        op.b.call(op.context.outputs.emit_functions[*stream], {});
    else if (op.instruction.op == Opcode::EMIT)
        emit_vertex(op.context, *stream);
    else
        end_primitive(op.context, *stream);
    return {};
}

}  // namespace tgsi2spv::lower
