// Applies changes that must not change the answer to real shaders. The device's answer for the variant is compared with
// the judge's answer for the original.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tgsi/program/program.h"
#include "tgsi/program/registers.h"

namespace tgsi2spv::difftest {

enum class VariantKind : uint8_t {
    DeadBranch,       ///< a branch that no lane takes, with a copy of an instruction
    LoopOfOneTurn,    ///< an instruction inside a loop that is left after one iteration
    SplitVector,      ///< one instruction per component
    RenamedRegister,  ///< a TEMP under another number, everywhere
    ExtraMove,        ///< a source that passes through an extra MOV
};
inline constexpr int kVariantKinds = 5;
std::string_view name(VariantKind kind);

/// Returns the text of the variant; the seed chooses the place. Returns nothing if the program has no suitable place,
/// or if the change could be visible: TEMP with indirect addresses (RenamedRegister), subroutines or branches to
/// instruction numbers, predicates.
std::optional<std::string> vary(const tgsi::Program& program, const tgsi::Registers& registers, VariantKind kind,
                                uint64_t seed);

}  // namespace tgsi2spv::difftest
