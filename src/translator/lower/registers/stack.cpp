#include "lower/registers/stack.h"

#include "lower/registers/arrays.h"

namespace tgsi2spv::lower {

using ir::Scalar;
using ir::Value;

namespace {

constexpr uint32_t kEntries = 8;  ///< entries of a lane

Value stack_depth(Walk& walk) {
    if (!walk.options.workarounds.scalars_in_arrays) return walk.b.load(walk.stack.depth, {}, ir::u32());
    const Value zero = walk.b.const_u32(0);
    return walk.b.bitcast(walk.b.load(walk.stack.depth, {zero, zero}, ir::f32()), Scalar::U32);
}
void set_stack_depth(Walk& walk, Value depth) {
    if (!walk.options.workarounds.scalars_in_arrays) return walk.b.store(walk.stack.depth, {}, depth);
    const Value zero = walk.b.const_u32(0);
    walk.b.store(walk.stack.depth, {zero, zero}, walk.b.bitcast(depth, Scalar::F32));
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
void push_to_stack(Walk& walk, Value words) {
    ir::Builder& b = walk.b;
    const Value depth = stack_depth(walk);
    b.store(walk.stack.entries, {depth}, words);
    const Value deeper = b.iadd(depth, b.const_u32(1));
    set_stack_depth(walk, b.umin(deeper, b.const_u32(kEntries)));
}

Value pop_from_stack(Walk& walk) {
    ir::Builder& b = walk.b;
    const Value depth = stack_depth(walk);
    const Value is_empty = b.ieq(depth, b.const_u32(0));
    const Value higher = b.umax(depth, b.const_u32(1));
    const Value top = b.isub(higher, b.const_u32(1));
    const Value words = b.load(walk.stack.entries, {top}, ir::f32(4));
    set_stack_depth(walk, top);
    return b.select(is_empty, b.zero(ir::f32(4)), words);
}

}  // namespace tgsi2spv::lower
