// EMIT and ENDPRIM. A vertex takes the current output registers, and they keep their values (semantics: Flow). SPIR-V's
// outputs do not, so all outputs of the stream are stored before each EMIT.
#include "lower/interface/geometry.h"

#include <algorithm>

#include "lower/interface/io_buffers.h"
#include "lower/interface/io_lane.h"
#include "lower/interface/outputs.h"
#include "lower/operands/operation.h"
#include "lower/registers/cells.h"
#include "lower/variables/outputs.h"
#include "lower/walk/regions.h"
#include "lower/walk/values.h"
#include "tgsi/stage.h"

namespace tgsi2spv::lower {

using ir::Scalar;
using tgsi::Opcode;
using tgsi::Property;

namespace {

ir::Value counter(Walk& walk, uint32_t slot, uint8_t component) {
    Ref ref;
    read_slot(walk, slot, std::span(&component, 1), &ref);
    return gather(walk.b, std::span<const Ref>(&ref, 1), Scalar::U32);
}

void set_counter(Walk& walk, uint32_t slot, uint8_t component, ir::Value value) {
    const Ref ref{value, 0};
    write_slot(walk, slot, static_cast<uint8_t>(1u << component), &ref);
}

void append_vertex(Walk& walk, uint32_t stream, ir::Value number, ir::Value primitive) {
    if (walk.options.io_buffers) return store_io_vertex(walk, number, stream, primitive);
    store_registers(walk, stream);
    walk.b.emit(ir::Op::EmitVertex, ir::kVoid, {}, stream);
}

void emit_vertex(Walk& walk, uint32_t stream) {
    ir::Builder& b = walk.b;
    const auto component = static_cast<uint8_t>(stream);
    if (most_emitted_vertices(walk.program) == 0) return;
    if (!walk.plan.counts_vertices) return append_vertex(walk, stream, ir::kNone, ir::kNone);
    // The counters: for the primitives, 2 × the number ended + whether one is open; for the invocation, its vertices.
    const ir::Value number = emitted_vertices(walk);
    ir::Value primitive = ir::kNone, state = ir::kNone;
    if (walk.plan.counts_primitives) {
        state = counter(walk, walk.plan.slots.primitives, component);
        primitive = b.lshr(state, b.const_u32(1));
    }
    const ir::Value room = b.ult(number, b.const_u32(most_emitted_vertices(walk.program)));
    const ir::BlockId then = b.create_block(), merge = b.create_block();
    b.set_selection_merge(merge);
    b.branch_if(room, then, merge);
    b.start_block(then);
    append_vertex(walk, stream, number, primitive);
    b.branch(merge);
    b.start_block(merge);
    const ir::Value next = b.iadd(number, b.const_u32(1));
    set_counter(walk, walk.plan.slots.emitted, 0, b.select(room, next, number));
    if (state == ir::kNone) return;
    const ir::Value open = b.bit_or(state, b.const_u32(1));
    set_counter(walk, walk.plan.slots.primitives, component, b.select(room, open, state));
}

void end_primitive(Walk& walk, uint32_t stream) {
    ir::Builder& b = walk.b;
    if (!walk.options.io_buffers) {
        b.emit(ir::Op::EndPrimitive, ir::kVoid, {}, stream);
        return;
    }
    // Without an open primitive it does nothing: an even count stays unchanged.
    const auto component = static_cast<uint8_t>(stream);
    const ir::Value state = counter(walk, walk.plan.slots.primitives, component);
    const ir::Value up = b.iadd(state, b.const_u32(1));
    set_counter(walk, walk.plan.slots.primitives, component, b.bit_and(up, b.const_u32(~1u)));
}

}  // namespace

void declare_emit_functions(Walk& walk) {
    walk.outputs.emit_functions.fill(kNoIndex);
    for (const tgsi::Instruction& i : walk.program.instructions) {
        const auto stream = i.op == Opcode::EMIT ? stream_of(walk.program, i) : std::nullopt;
        if (stream && walk.outputs.emit_functions[*stream] == kNoIndex)
            walk.outputs.emit_functions[*stream] = walk.b.declare_function(ir::kVoid, {}, "emit");
    }
}

void fill_emit_functions(Walk& walk) {
    walk.in_main = false;
    for (uint32_t stream = 0; stream < 4; ++stream) {
        if (walk.outputs.emit_functions[stream] == kNoIndex) continue;
        walk.b.begin_function(walk.outputs.emit_functions[stream]);
        walk.b.set_precise(walk.options.exact);
        enter_region(walk);
        if (walk.options.io_buffers) enter_io_buffers(walk);
        emit_vertex(walk, stream);
        walk.b.ret();
        walk.b.end_function();
        leave_region(walk);
    }
}

Outcome lower_geometry(Operation& op) {
    const auto stream = stream_of(op.program, op.instruction);
    if (!stream) return refuse(op, "unsupported-stream", "the stream is not an immediate from 0 to 3");
    if (op.instruction.op == Opcode::EMIT && op.walk.plan.emit_functions)
        op.b.call(op.walk.outputs.emit_functions[*stream], {});
    else if (op.instruction.op == Opcode::EMIT)
        emit_vertex(op.walk, *stream);
    else
        end_primitive(op.walk, *stream);
    return {};
}

}  // namespace tgsi2spv::lower
