// TEMPX, the oldest edition's arrays of temporaries.
#pragma once

#include <cstdint>
#include <span>

#include "lower/registers/arrays.h"

namespace tgsi2spv::lower {

/// All of them in one variable, one after another, each as long as the longest.
struct TempArrays {
    Segment all;
    uint32_t length = 0;  ///< elements in each
};

void prepare_temp_arrays(Context& context);
/// One of an operand's two brackets; `is_known`: the text has the number, no index selects.
struct Bracket {
    ir::Value value = ir::kNone;
    bool is_known = false;
};
inline Bracket named_bracket(Context& context, int32_t number) {
    return {context.b.const_u32(static_cast<uint32_t>(number)), true};
}
bool read_temp_array(Context& context, const tgsi::Operand& operand, Bracket array, Bracket index,
                     std::span<const uint8_t> comps, Ref* out);
bool write_temp_array(Context& context, const tgsi::Operand& operand, Bracket array, Bracket index, uint8_t mask,
                      const Ref* refs);

}  // namespace tgsi2spv::lower
