// The words and numbers that are values of a property.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tgsi/tables/types.h"

namespace tgsi2spv::tgsi {

/// The number for a word that is a value of the property.
bool value_from_word(Property property, std::string_view word, uint32_t& value);
/// The largest number that the property accepts.
uint32_t largest_value(Property property);
/// Lists the values of the property: `expected A, B or C`.
std::string values_of(Property property);
/// The same, after the value that a wrong word was probably meant to be.
std::string value_hint(Property property, std::string_view word);

}  // namespace tgsi2spv::tgsi
