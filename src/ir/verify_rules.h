// Between the verifier's files: what each may assume, and how a broken rule is told.
#pragma once

#include <string>

#include "ir/cfg.h"
#include "ir/verify.h"
#include "ir/verify_memory.h"

namespace tgsi2spv::ir {

/// A rule that is kept, or the error. The caller fills in the place.
using Verdict = std::optional<VerifyError>;

inline Verdict broken(const char* rule, std::string text) {
    return VerifyError{.rule = rule, .text = std::move(text)};
}

/// Operand and result types of instruction `index`. All ids are in range.
Verdict verify_types(const Module& module, const Function& function, uint32_t index);
/// Of an instruction that names a Variable: access indices and what the kind of variable permits. Ids in range.
Verdict verify_access(const Module& module, uint32_t function, uint32_t index);
/// Of an image instruction: its operands. Ids in range.
Verdict verify_image(const Module& module, const Function& function, uint32_t index);
/// Merges, back-edges, order and nesting of constructs. Blocks and their ids are sound, `cfg` is computed.
Verdict verify_structure(const Function& function, VerifyMemory& memory);

inline Type type_of(const Module& m, const Function& f, Value v) {
    return is_constant(v) ? m.constants[v & ~kConstantBit].type : f.instructions[v].type;
}

}  // namespace tgsi2spv::ir
