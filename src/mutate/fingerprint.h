// A device's whole answer as one number.
#pragma once

#include <cstdint>

#include "reference/run.h"

namespace tgsi2spv::difftest {

/// Returns a hash of a result whose words are single ones. Different words give different numbers, except for one case
/// in 2^64.
uint64_t fingerprint(const reference::Result& result);

}  // namespace tgsi2spv::difftest
