// Whether a mutant computes the same as its module: follows both from their constants to what they store. Internal to
// equal.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tgsi2spv::difftest {

struct Surroundings;

namespace mutation {

/// Whether everything outside of functions is the same, except for the words of constants: layouts, bindings, builtins.
bool same_outside(const std::vector<uint32_t>& module, const std::vector<uint32_t>& mutant);

/// True only if every input gives both the same effects in the same order: what they store, emit and kill, and where
/// they branch. Compares their values as nodes (nodes.h). So a detour is no difference; nor is code under a
/// condition that never holds, nor another way to a value that a range decides. Loads and loop-carried values are the
/// same if they are at the same place and all effects before them are the same.
bool same_values(const std::vector<uint32_t>& module, const std::vector<uint32_t>& mutant, const Surroundings& around);

}  // namespace mutation
}  // namespace tgsi2spv::difftest
