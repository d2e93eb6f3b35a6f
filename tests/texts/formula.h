// Formulas of four components, in which files of tests say what inputs hold and what pixels must be.
#pragma once

#include <array>
#include <map>
#include <string>

namespace tgsi2spv::test {

using Four = std::array<double, 4>;
using Variables = std::map<std::string, double, std::less<>>;

/// `(a, b, c, d)` is four components, a number or a variable is all four of them. There are c ? a : b, || && == != <=
/// >= < > + - * / %, -a, !a, a.xyzw, and bit(a, n), bit n of an integer, and bits(…), floats' words. Conditions are
/// about x. `_` is NaN: any value.
Four evaluate(const std::string& formula, const Variables& variables);

}  // namespace tgsi2spv::test
