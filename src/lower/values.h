// Register components combined into the values that instructions take.
#pragma once

#include <cstdint>
#include <span>

#include "lower/walk.h"

namespace tgsi2spv::lower {

/// Combines the components into one value of `scalar` (Void: the type of the first component that is not constant).
ir::Value gather(Walk& w, std::span<const Ref> refs, ir::Scalar scalar);
/// A word that is known now, as a u32.
Ref constant_ref(Walk& w, uint32_t bits);

}  // namespace tgsi2spv::lower
