// Coordinates and levels: intervals of real numbers.
#pragma once

#include "reference/numbers/value.h"

namespace tgsi2spv::reference {

/// A real number that is known up to an interval.
struct Real {
    double lo = 0, hi = 0, nominal = 0;
};
/// A denormal that may be flushed counts as zero.
inline void flush(Real& x) {
    if (x.lo > 0 && x.lo < 0x1p-126) x.lo = 0;
    if (x.hi < 0 && x.hi > -0x1p-126) x.hi = 0;
}

/// A coordinate or level as an interval of reals. False: not known, or not finite.
bool real_of(const Value& v, Real& r);

}  // namespace tgsi2spv::reference
