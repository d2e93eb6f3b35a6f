// The host's context of the library: with limits for guests, and memory that the budget counts.
#pragma once

#include "gpu/budget.h"
#include "tgsi2spv/tgsi2spv.hpp"

namespace tgsi2spv::host {

/// The budget lives longer than the context and its programs.
Context make_translator(gpu::Budget& budget);

}  // namespace tgsi2spv::host
