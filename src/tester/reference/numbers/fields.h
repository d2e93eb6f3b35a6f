// The permitted words of a value that is packed from fields (PK4UB, PK4B, PK2US, PK2H), if they are too many to list.
// Read as floats, packed words lie far apart, so the interval around them would permit nearly any word. So each field
// has its own set of codes.
#pragma once

#include <array>
#include <cstdint>

#include "reference/numbers/permitted.h"

namespace tgsi2spv::reference {

/// The codes from `first` up to `last`, wrapping from the largest code to 0, and `others`, which may repeat these.
struct FieldSet {
    uint32_t first = 0, last = 0;
    std::array<uint32_t, 2> others{};
};
/// The largest code of a field of `bits` bits.
inline uint32_t largest_code(int bits) {
    return (1u << bits) - 1;
}
/// All codes of a field of `bits` bits.
inline FieldSet any_code(int bits) {
    const uint32_t most = largest_code(bits);
    return {0, most, {most, most}};
}
inline FieldSet codes_between(uint32_t first, uint32_t last) {
    return {first, last, {last, last}};
}
bool holds(const FieldSet& set, int bits, uint32_t code);

// For a Value that is_packed().
inline int bits_of_field(const Value& v) {
    return 32 / v.fields;
}
FieldSet field_of(const Value& v, int field);
bool fields_permit(const Value& v, uint32_t word);

}  // namespace tgsi2spv::reference
