// The promises of the module under judgement for one instruction.
#pragma once

#include "tgsi/tables/types.h"

namespace tgsi2spv::reference {

struct Context {
    tgsi::Dialect dialect = tgsi::Dialect::Auto;
    bool contract = false;      ///< products may be fused into sums (neither `exact` nor PRECISE)
    bool preserve = true;       ///< SignedZeroInfNanPreserve; if not: zeros of either sign, inf and NaN are undefined
    bool round_to_even = true;  ///< RoundingModeRTE; if not: either neighbour
    bool nominal = false;       ///< only the nominal answer is wanted, without bounds
    bool functions_keep_nan = true;       ///< with `preserve`: see Options
    bool angles_by_device = false;        ///< see Options
    bool tiny_maxima_are_minima = false;  ///< see Options
    bool middles_round_to_zero = false;   ///< see Options
    bool preserve_wide = true;            ///< `preserve` for doubles
    bool round_to_even_wide = true;       ///< `round_to_even` for doubles
    bool doubles_as_single = false;       ///< errors of doubles are in ULPs of a float
    bool legacy_math = false;             ///< LEGACY_MATH_RULES: 0 times anything is 0
    bool old_dialect() const { return tgsi::is_earlier(dialect); }
};

}  // namespace tgsi2spv::reference
