#include "reference/numbers/fields.h"

namespace tgsi2spv::reference {

bool holds(const FieldSet& set, int bits, uint32_t code) {
    const uint32_t mask = largest_code(bits);
    return ((code - set.first) & mask) <= ((set.last - set.first) & mask) || code == set.others[0] ||
           code == set.others[1];
}

FieldSet field_of(const Value& v, int field) {
    const int bits = bits_of_field(v);
    const auto part = [&](size_t k) { return v.words[k] >> (field * bits) & largest_code(bits); };
    return {part(0), part(1), {part(2), part(3)}};
}

bool fields_permit(const Value& v, uint32_t word) {
    const int bits = bits_of_field(v);
    for (int i = 0; i < v.fields; ++i)
        if (!holds(field_of(v, i), bits, word >> (i * bits) & largest_code(bits))) return false;
    return true;
}

}  // namespace tgsi2spv::reference
