// Control flow around accesses that must not happen everywhere.
#pragma once

#include "ir/builder.h"

namespace tgsi2spv::lower {

/// Runs `f` where `condition` holds (kNone: always). `f` returns a value of `type`, or kNone for void. Elsewhere the
/// value is zero. `f` must not ask for sources, because what it loads must not be used again after it.
template <class F>
ir::Value where(ir::Builder& b, ir::Value condition, ir::Type type, F&& f) {
    if (condition == ir::kNone) return f();
    if (b.is_plain_constant(condition)) {
        if (b.constant(condition).words[0] != 0) return f();
        return type.is_void() ? ir::kNone : b.zero(type);
    }
    const ir::Value none = type.is_void() ? ir::kNone : b.zero(type);
    const ir::BlockId before = b.current_block(), then = b.create_block(), merge = b.create_block();
    b.set_selection_merge(merge);
    b.branch_if(condition, then, merge);
    b.start_block(then);
    const ir::Value value = f();
    const ir::BlockId last = b.current_block();
    b.branch(merge);
    b.start_block(merge);
    if (type.is_void()) return ir::kNone;
    const ir::Incoming edges[2] = {{none, before}, {value, last}};
    return b.phi(type, edges);
}

/// The conjunction of two conditions; either may be kNone (always).
inline ir::Value both(ir::Builder& b, ir::Value x, ir::Value y) {
    return x == ir::kNone ? y : y == ir::kNone ? x : b.land(x, y);
}

}  // namespace tgsi2spv::lower
