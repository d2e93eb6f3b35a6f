// Operations on doubles that float_math.h does not share with floats; its comments also apply here. Vulkan
// holds doubles to "at least" the precision of floats: correctly rounded stays correctly rounded, and errors in ULPs
// are those of the type or, with `doubles_as_single`, of a float of that magnitude.
#pragma once

#include "reference/numbers/float_math.h"
#include "reference/numbers/wide_value.h"

namespace tgsi2spv::reference {

/// The module's promises for doubles, in the form of a context's promises.
Context wide_context(const Context& context);

namespace wide {

// For contexts that wide_context() made.
Wide mad(const Context& context, const Wide& a, const Wide& b, const Wide& d);
Wide fma(const Context& context, const Wide& a, const Wide& b, const Wide& d);
Wide div(const Context& context, const Wide& a, const Wide& b);
Wide rcp(const Context& context, const Wide& a);
Wide rsq(const Context& context, const Wide& a);
Wide sqrt(const Context& context, const Wide& a);
Wide saturate(const Context& context, const Wide& a, bool to_minus_one = false);
/// x · 2^e. GLSL.std.450 Ldexp: e > 1024 is undefined, e < -1022 may give zero.
Wide ldexp(const Context& context, const Wide& a, const Value& e);
/// Fraction in [0.5, 1) and exponent; zero gives zero and 0. NaN and infinity are undefined.
void frexp(const Context& context, const Wide& a, Wide& fraction, Value& exponent);

}  // namespace wide
}  // namespace tgsi2spv::reference
