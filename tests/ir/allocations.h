// How often this process has allocated.
#pragma once

#include <cstddef>

namespace tgsi2spv::ir {

size_t allocations();

}  // namespace tgsi2spv::ir
