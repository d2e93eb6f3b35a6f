// The results of each executed instruction.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "reference/numbers/value.h"

namespace tgsi2spv::reference {

/// The results of one component of an instruction, in all lanes that execute it.
struct Seen {
    uint32_t instruction = 0;
    uint8_t component = 0;
    std::span<const uint32_t> lanes;  ///< into the column
    const Value* column = nullptr;
};
using Observer = std::function<void(const Seen&)>;

}  // namespace tgsi2spv::reference
