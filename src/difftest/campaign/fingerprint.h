// All that a device answered as one number.
#pragma once

#include <cstdint>

#include "reference/run.h"

namespace tgsi2spv::difftest {

/// Of results whose words are single ones: different words, another number (but for one in 2^64).
uint64_t fingerprint(const reference::Result& result);

}  // namespace tgsi2spv::difftest
