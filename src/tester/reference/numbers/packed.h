// Values that are packed from fields (fields.h).
#pragma once

#include "reference/numbers/fields.h"
#include "reference/numbers/value.h"

namespace tgsi2spv::reference {

/// The codes of a list that is not empty. The set has more codes if the list is neither consecutive codes nor
/// consecutive codes and two others.
FieldSet set_around(const WordList& codes, int bits);
/// False if there are more than `limit` (up to 16).
bool enumerate(const FieldSet& set, int bits, WordList& codes, int limit = 16);

/// 2 or 4 fields, the first in the lowest bits: the words that they form, listed if they are few.
Value pack_fields(const FieldSet* sets, int fields, uint32_t value);

}  // namespace tgsi2spv::reference
