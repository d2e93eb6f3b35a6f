// Changes that must not change the answer, applied to real shaders: what the device makes of the variant is held
// against what the judge says of the original.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tgsi/program.h"
#include "tgsi/registers.h"

namespace tgsi2spv::difftest {

enum class VariantKind : uint8_t {
    DeadBranch,       ///< a branch that no lane takes, with a KILL-free mess in it
    LoopOfOneTurn,    ///< an instruction inside a loop that is left at once
    SplitVector,      ///< one instruction a component
    RenamedRegister,  ///< a TEMP under another number, everywhere
    ExtraMove,        ///< a source that passes through a MOV
};
inline constexpr int kVariantKinds = 5;
std::string_view name(VariantKind kind);

/// The text of the variant; the seed chooses the place. Nothing where the program has none, or where a change could be
/// seen: indirect addresses of TEMP, subroutines that would see other numbers, predicates.
std::optional<std::string> vary(const tgsi::Program& program, const tgsi::Registers& registers, VariantKind kind,
                                uint64_t seed);

}  // namespace tgsi2spv::difftest
