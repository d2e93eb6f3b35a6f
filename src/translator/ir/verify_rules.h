// Shared by the verifier's files: the assumptions of each, and how it reports a broken rule.
#pragma once

#include <string>

#include "ir/cfg.h"
#include "ir/verify.h"
#include "ir/verify_memory.h"

namespace tgsi2spv::ir {

/// Empty if the rule holds, or the error. The caller fills in the place.
using Verdict = std::optional<VerifyError>;

inline Verdict broken(const char* rule, std::string text) {
    return VerifyError{.rule = rule, .text = std::move(text)};
}

/// Operand and result types of instruction `index`. All ids are in range.
Verdict verify_types(const Module& module, const Function& function, uint32_t index);
/// Checks an instruction that names a Variable: its access indices, and that the kind of variable permits it. Ids are
/// in range.
Verdict verify_access(const Module& module, uint32_t function, uint32_t index);
/// Checks the operands of an image instruction. Ids are in range.
Verdict verify_image(const Module& module, const Function& function, uint32_t index);
/// Checks merges, back-edges, order and nesting of constructs. Blocks and their ids are valid, `cfg` is computed.
Verdict verify_structure(const Function& function, VerifyMemory& memory);

}  // namespace tgsi2spv::ir
