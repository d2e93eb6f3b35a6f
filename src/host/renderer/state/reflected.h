// The library's description of a program.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "renderer/state/state.h"

namespace tgsi2spv::host {

/// The declarations of a program: none, if the library has refused its text.
using Registers = std::vector<tgsi2spv_register>;
Registers inputs_of(const Program& program);
Registers outputs_of(const Program& program);
Registers system_values_of(const Program& program);
bool have(const Registers& registers, tgsi2spv_semantic semantic, uint32_t index = 0);
/// Registers up to the last one.
uint32_t slots_of(const Registers& registers);

/// The last one of that name counts, as for the library.
uint32_t property_of(const Program& program, std::string_view name, uint32_t unless);

}  // namespace tgsi2spv::host
