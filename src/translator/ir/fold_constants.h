// Computes instructions on constants.
#pragma once

#include <optional>
#include <span>

#include "ir/module.h"

namespace tgsi2spv::ir {

/// The result of `op` on constants (none of them a specialization constant), if every Vulkan implementation may give
/// exactly that result: integers unless the result is undefined; float arithmetic if it is exact, so that the rounding
/// mode does not matter, and involves no denormals, so that flushing does not matter either.
std::optional<Constant> fold_constants(Op op, Type result, std::span<const Constant* const> args);

}  // namespace tgsi2spv::ir
