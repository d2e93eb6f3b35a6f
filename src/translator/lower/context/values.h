// Register components combined into the values that instructions take.
#pragma once

#include <cstdint>
#include <span>

#include "lower/context/context.h"

namespace tgsi2spv::lower {

/// Combines the components into one value of `scalar` (Void: the type of the first component that is not constant).
ir::Value gather(ir::Builder& b, std::span<const Ref> refs, ir::Scalar scalar);
ir::Value gather_one(ir::Builder& b, const Ref& component, ir::Scalar scalar);
/// Gathers components of several values, or of constants.
ir::Value gather_mixed(ir::Builder& b, std::span<const Ref> refs, ir::Scalar scalar);

/// The same for the components at(0) to at(n - 1), read in place. Nearly always they all belong to one value, or to
/// registers that are not yet written.
template <class At>
ir::Value gather_at(ir::Builder& b, size_t n, At&& at, ir::Scalar scalar) {
    if (n == 1) return gather_one(b, at(0), scalar);
    const ir::Value first = at(0).value;
    uint32_t differ = 0, selector = 0;
    for (size_t k = 0; k < n; ++k) {
        const Ref& r = at(k);
        differ |= r.value ^ first;
        selector |= uint32_t{r.component} << 2 * k;
    }
    if (differ == 0 && !ir::is_constant(first)) {
        const ir::Value value = b.select_components(first, static_cast<int>(n), selector);
        return scalar == ir::Scalar::Void ? value : b.bitcast(value, scalar);
    }
    if (differ == 0 && first == b.zero(ir::f32()))
        return b.zero({scalar == ir::Scalar::Void ? ir::Scalar::F32 : scalar, static_cast<uint8_t>(n)});
    Ref refs[4];
    for (size_t k = 0; k < n; ++k) refs[k] = at(k);
    return gather_mixed(b, std::span<const Ref>(refs, n), scalar);
}

/// A word that is known now, as a u32.
Ref constant_ref(ir::Builder& b, uint32_t bits);

/// True for constants, loads from variables that nothing writes, and values computed from a few of these.
bool is_same_in_all_lanes(const Context& context, ir::Value value);

}  // namespace tgsi2spv::lower
