// Checks a module against the rules that every other part may rely on. verify_rules.cpp lists them.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>

#include "ir/module.h"

namespace tgsi2spv::ir {

struct VerifyMemory;

struct VerifyError {
    const char* rule = "";  ///< kebab-case: VerifyRule::name
    std::string text;       ///< one sentence
    uint32_t function = kNone;
    uint32_t block = kNone;
    uint32_t instruction = kNone;
};

/// The first broken rule; none for a valid module. Accepts any bits as a module. Time is linear (with a logarithm for
/// dominance), without recursion.
std::optional<VerifyError> verify(const Module& module,
                                  std::pmr::memory_resource* memory = std::pmr::get_default_resource());
/// The same; reuses the tables in `memory` (verify_memory.h).
std::optional<VerifyError> verify(const Module& module, VerifyMemory& memory);

/// Every rule that verify() can report.
struct VerifyRule {
    const char* name;
    const char* meaning;
};
std::span<const VerifyRule> verify_rules();

/// `function 0, block 2: %7 = FAdd f32 …: operand-type: …`
std::string describe(const Module& module, const VerifyError& error);

}  // namespace tgsi2spv::ir
