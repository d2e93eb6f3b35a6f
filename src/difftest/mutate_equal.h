// Mutants that are the module after all, as somebody else's optimiser shows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tgsi2spv::difftest {

/// Where the word 0 stands that immediates pass through (lower: opaque immediates): no input set changes it.
struct ZeroWord {
    uint32_t set = 0, binding = 0;
    static constexpr uint32_t kWord = 4;
};

/// SPIRV-Tools' optimiser (dead code, dead components of vectors, folding, value numbering) makes the same words of
/// both, once immediates are constants: no input can tell them apart. It folds no float arithmetic that NoContraction
/// decorates.
bool same_when_optimised(const std::vector<uint32_t>& module, const std::vector<uint32_t>& mutant,
                         const std::optional<ZeroWord>& zero);

/// Either of two proofs that no input tells them apart: values followed from constants to stores (mutate_values.h), or
/// the optimiser's.
bool is_equivalent(const std::vector<uint32_t>& module, const std::vector<uint32_t>& mutant,
                   const std::optional<ZeroWord>& zero);

}  // namespace tgsi2spv::difftest
