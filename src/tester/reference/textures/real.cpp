#include "reference/textures/real.h"

namespace tgsi2spv::reference {

bool real_of(const Value& v, Real& r) {
    FloatRange range;
    if (!float_range(v, range) || range.nan || range.empty || range.contains_infinity()) return false;
    r = {range.lo, range.hi, as_number(v.value)};
    return std::isfinite(r.nominal);
}

}  // namespace tgsi2spv::reference
