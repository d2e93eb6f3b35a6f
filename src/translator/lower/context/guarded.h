// Control flow around accesses that must not happen everywhere.
#pragma once

#include "ir/builder.h"

namespace tgsi2spv::lower {

/// Runs `f` where `condition` holds (kNone: always). `f` returns a value of `type`, or kNone for void. Elsewhere the
/// value is zero. `f` must not ask for sources, because its loads must not be used again after it.
template <class F>
ir::Value where(ir::Builder& builder, ir::Value condition, ir::Type type, F&& f) {
    if (condition == ir::kNone) return f();
    if (builder.is_plain_constant(condition)) {
        if (builder.constant(condition).words[0] != 0) return f();
        return type.is_void() ? ir::kNone : builder.zero(type);
    }
    const ir::Value none = type.is_void() ? ir::kNone : builder.zero(type);
    const ir::BlockId before = builder.current_block(), then = builder.create_block(), merge = builder.create_block();
    builder.set_selection_merge(merge);
    builder.branch_if(condition, then, merge);
    builder.start_block(then);
    const ir::Value value = f();
    const ir::BlockId last = builder.current_block();
    builder.branch(merge);
    builder.start_block(merge);
    if (type.is_void()) return ir::kNone;
    const ir::Incoming edges[2] = {{none, before}, {value, last}};
    return builder.phi(type, edges);
}

/// The conjunction of two conditions; either may be kNone (always).
inline ir::Value both(ir::Builder& builder, ir::Value x, ir::Value y) {
    return x == ir::kNone ? y : y == ir::kNone ? x : builder.land(x, y);
}

}  // namespace tgsi2spv::lower
