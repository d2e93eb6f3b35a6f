// Parallel conversions, one context per thread, through the C API.
#pragma once

#include "corpus.h"

namespace tgsi2spv::bench {

void register_threads(const Corpus& corpus);

}  // namespace tgsi2spv::bench
