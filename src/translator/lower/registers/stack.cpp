#include "lower/registers/stack.h"

#include "lower/registers/registers.h"
#include "lower/walk/family.h"

namespace tgsi2spv::lower {

using ir::Scalar;
using ir::Value;

namespace {

constexpr uint32_t kEntries = 8;  ///< per lane

Value stack_depth(Operation& op) {
    if (!op.options.workarounds.scalars_in_arrays) return op.b.load(op.walk.stack.depth, {}, ir::u32());
    const Value zero = op.b.const_u32(0);
    return op.b.bitcast(op.b.load(op.walk.stack.depth, {zero, zero}, ir::f32()), Scalar::U32);
}
void set_stack_depth(Operation& op, Value depth) {
    if (!op.options.workarounds.scalars_in_arrays) return op.b.store(op.walk.stack.depth, {}, depth);
    const Value zero = op.b.const_u32(0);
    op.b.store(op.walk.stack.depth, {zero, zero}, op.b.bitcast(depth, Scalar::F32));
}

}  // namespace

void prepare_stack(Walk& walk) {
    walk.stack = {};
    if (!walk.plan.stack) return;
    walk.stack.entries = array_variable(walk, kEntries + 1, true, "STACK");
    walk.stack.depth = array_variable(walk, 1, true, "STACK_DEPTH");
    if (walk.options.workarounds.scalars_in_arrays) return;
    ir::Variable& depth = walk.b.module().variables[walk.stack.depth];
    depth.element = ir::u32();
    depth.array = {};
}

/// On overflow, the push goes to the element after the last entry.
void push_to_stack(Operation& op) {
    ir::Builder& b = op.b;
    const Walk& w = op.walk;
    const Value words = source(op, 0, Scalar::F32, all_components());
    const Value depth = stack_depth(op);
    b.store(w.stack.entries, {depth}, words);
    const Value deeper = b.iadd(depth, b.const_u32(1));
    set_stack_depth(op, b.umin(deeper, b.const_u32(kEntries)));
}

Value pop_from_stack(Operation& op) {
    ir::Builder& b = op.b;
    const Walk& w = op.walk;
    const Value depth = stack_depth(op);
    const Value is_empty = b.ieq(depth, b.const_u32(0));
    const Value higher = b.umax(depth, b.const_u32(1));
    const Value top = b.isub(higher, b.const_u32(1));
    const Value words = b.load(w.stack.entries, {top}, ir::f32(4));
    set_stack_depth(op, top);
    const Value safe = b.select(is_empty, b.zero(ir::f32(4)), words);
    return masked(op, safe);
}

}  // namespace tgsi2spv::lower
