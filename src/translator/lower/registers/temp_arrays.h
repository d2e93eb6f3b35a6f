// TEMPX, the oldest edition's arrays of temporaries.
#pragma once

#include <cstdint>
#include <span>

#include "lower/registers/registers.h"

namespace tgsi2spv::lower {

/// All of them in one variable, one after another, each as long as the longest.
struct TempArrays {
    Segment all;
    uint32_t length = 0;  ///< elements in each
};

void prepare_temp_arrays(Walk& walk);
bool read_temp_array(Walk& walk, const tgsi::Operand& operand, std::span<const uint8_t> comps, Ref* out);
bool write_temp_array(Walk& walk, const tgsi::Operand& operand, uint8_t mask, const Ref* refs);

}  // namespace tgsi2spv::lower
