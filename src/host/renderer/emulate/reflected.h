// What the library says of a program.
#pragma once

#include <cstdint>
#include <string_view>

#include "renderer/state/state.h"

namespace tgsi2spv::host {

/// The last one of that name counts, as for the library.
uint32_t property_of(const Program& program, std::string_view name, uint32_t unless);
/// Registers up to the last one that is declared.
uint32_t input_slots(const Program& program);
uint32_t output_slots(const Program& program);

}  // namespace tgsi2spv::host
