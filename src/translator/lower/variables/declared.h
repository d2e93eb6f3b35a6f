// How a register of the stage interface is declared.
#pragma once

#include <cstdint>
#include <string_view>

#include "lower/context/context.h"

namespace tgsi2spv::lower {

/// The declaration of a register.
struct Declared {
    tgsi::Semantic semantic = tgsi::Semantic::None;
    uint32_t index = 0;
    const tgsi::Declaration* declaration = nullptr;
};

Declared declared_as(const tgsi::Program& program, const tgsi::Registers& registers, tgsi::File file, int32_t index);
Declared declared_as(const Context& context, tgsi::File file, int32_t index);
/// Whether FRAG reads FOG as (F, 0, 0, 1), as in the older dialects; else it is an ordinary vec4 (semantics: System
/// values).
bool fog_is_scalar(const Context& context);
/// `GENERIC[9]`
ir::Name display_name(const Declared& declared);
uint32_t position_of(const Declared& declared);
/// Adds an error that names the semantic, and returns false.
[[gnu::cold]] bool refuse_semantic(Context& context, const Declared& declared, std::string_view use);

}  // namespace tgsi2spv::lower
