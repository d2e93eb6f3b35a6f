#include "lower/registers/stack.h"

#include "lower/registers/arrays.h"

namespace tgsi2spv::lower {

using ir::Scalar;
using ir::Value;

namespace {

constexpr uint32_t kEntries = 8;  ///< entries of a lane

Value stack_depth(Context& context) {
    if (!context.options.workarounds.scalars_in_arrays) return context.b.load(context.stack.depth, {}, ir::u32());
    const Value zero = context.b.const_u32(0);
    return context.b.bitcast(context.b.load(context.stack.depth, {zero, zero}, ir::f32()), Scalar::U32);
}
void set_stack_depth(Context& context, Value depth) {
    if (!context.options.workarounds.scalars_in_arrays) return context.b.store(context.stack.depth, {}, depth);
    const Value zero = context.b.const_u32(0);
    context.b.store(context.stack.depth, {zero, zero}, context.b.bitcast(depth, Scalar::F32));
}

}  // namespace

void prepare_stack(Context& context) {
    context.stack = {};
    if (!context.plan.stack) return;
    context.stack.entries = array_variable(context, kEntries + 1, true, "STACK");
    context.stack.depth = array_variable(context, 1, true, "STACK_DEPTH");
    if (context.options.workarounds.scalars_in_arrays) return;
    ir::Variable& depth = context.b.module().variables[context.stack.depth];
    depth.element = ir::u32();
    depth.array = {};
}

/// On overflow, the push goes to the element after the last entry.
void push_to_stack(Context& context, Value words) {
    ir::Builder& b = context.b;
    const Value depth = stack_depth(context);
    b.store(context.stack.entries, {depth}, words);
    const Value deeper = b.iadd(depth, b.const_u32(1));
    set_stack_depth(context, b.umin(deeper, b.const_u32(kEntries)));
}

Value pop_from_stack(Context& context) {
    ir::Builder& b = context.b;
    const Value depth = stack_depth(context);
    const Value is_empty = b.ieq(depth, b.const_u32(0));
    const Value higher = b.umax(depth, b.const_u32(1));
    const Value top = b.isub(higher, b.const_u32(1));
    const Value words = b.load(context.stack.entries, {top}, ir::f32(4));
    set_stack_depth(context, top);
    return b.select(is_empty, b.zero(ir::f32(4)), words);
}

}  // namespace tgsi2spv::lower
