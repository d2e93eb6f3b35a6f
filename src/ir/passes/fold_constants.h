// Instructions of constants, computed.
#pragma once

#include <optional>
#include <span>

#include "ir/module.h"

namespace tgsi2spv::ir {

/// The result of `op` on constants (none of them a specialization constant), if every Vulkan implementation may give
/// just that: integers unless the result is undefined; float arithmetic where it is exact, so that no rounding mode
/// matters, and touches no denormal, so that flushing does not matter either.
std::optional<Constant> fold_constants(Op op, Type result, std::span<const Constant* const> args);

}  // namespace tgsi2spv::ir
