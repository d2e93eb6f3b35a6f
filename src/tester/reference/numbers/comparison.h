// Relations of two numbers.
#pragma once

#include <cstdint>

namespace tgsi2spv::reference {

enum class Relation : uint8_t { Less, LessEqual, Equal };
/// A relation that is false for NaN, of a and b or (`swapped`) of b and a; `negated`: true where it is false.
struct Comparison {
    Relation relation{};
    bool swapped = false, negated = false;
};
inline constexpr Comparison kLess{Relation::Less}, kLessEqual{Relation::LessEqual}, kEqual{Relation::Equal},
    kGreater{.relation = Relation::Less, .swapped = true},
    kGreaterEqual{.relation = Relation::LessEqual, .swapped = true},
    kNotEqual{.relation = Relation::Equal, .negated = true};

}  // namespace tgsi2spv::reference
