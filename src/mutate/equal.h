// Mutants that are equivalent to their module, as an independent optimiser shows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tgsi2spv::difftest {

/// The word 0 that immediates pass through (lower: opaque immediates), by its place: no input set changes it.
struct ZeroWord {
    uint32_t set = 0, binding = 0;
    static constexpr uint32_t kWord = 4;
};

/// SPIRV-Tools' optimiser (dead code, dead components of vectors, folding, value numbering) turns both into the same
/// words once immediates are constants: no input can distinguish them. It does not fold float arithmetic that is
/// decorated with NoContraction.
bool same_when_optimised(const std::vector<uint32_t>& module, const std::vector<uint32_t>& mutant,
                         const std::optional<ZeroWord>& zero);

}  // namespace tgsi2spv::difftest
