// Types of SSA values: 1 to 4 components of bool, u32, f32, u64, f64. Two bytes; equality is identity.
// Signedness belongs to the instruction.
#pragma once

#include <cstdint>

namespace tgsi2spv::ir {

enum class Scalar : uint8_t { Void, Bool, U32, F32, U64, F64 };

struct Type {
    Scalar scalar = Scalar::Void;
    uint8_t components = 0;  ///< 0 for void, else 1..4
    constexpr bool operator==(const Type&) const = default;
    constexpr bool is_void() const { return scalar == Scalar::Void; }
    constexpr bool is_float() const { return scalar == Scalar::F32 || scalar == Scalar::F64; }
    constexpr bool is_int() const { return scalar == Scalar::U32 || scalar == Scalar::U64; }
    constexpr bool is_wide() const { return scalar == Scalar::U64 || scalar == Scalar::F64; }
    constexpr Type with(int n) const { return {scalar, static_cast<uint8_t>(n)}; }
    constexpr Type of(Scalar s) const { return {s, components}; }
};

inline constexpr Type kVoid{};
constexpr Type boolean(int n = 1) {
    return {Scalar::Bool, static_cast<uint8_t>(n)};
}
constexpr Type u32(int n = 1) {
    return {Scalar::U32, static_cast<uint8_t>(n)};
}
constexpr Type f32(int n = 1) {
    return {Scalar::F32, static_cast<uint8_t>(n)};
}
constexpr Type u64(int n = 1) {
    return {Scalar::U64, static_cast<uint8_t>(n)};
}
constexpr Type f64(int n = 1) {
    return {Scalar::F64, static_cast<uint8_t>(n)};
}

}  // namespace tgsi2spv::ir
