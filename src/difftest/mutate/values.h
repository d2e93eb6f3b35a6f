// Whether a mutant computes what the module computes, by following both from their constants to what they store.
// Internal to mutate_equal.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tgsi2spv::difftest {

struct Surroundings;

namespace mutation {

/// All but what functions compute and the words of constants is the same: layouts, bindings, builtins.
bool same_outside(const std::vector<uint32_t>& module, const std::vector<uint32_t>& mutant);

/// True only where every input gives both the same effects in the same order: what they store, emit and kill, and where
/// they branch. Their values are compared as nodes (mutate_nodes.h): so a detour is no difference, nor is what lies
/// behind a condition that never holds, nor another way to a value that a range decides. A load, and what a loop
/// carries, is the same where it stands at the same place and all effects before it are the same.
bool same_values(const std::vector<uint32_t>& module, const std::vector<uint32_t>& mutant, const Surroundings& around);

}  // namespace mutation
}  // namespace tgsi2spv::difftest
