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

/// What holds of every run on this device.
struct Surroundings {
    std::optional<ZeroWord> zero{};
    /// The sample counts that multisampled images may have, one bit each (VkPhysicalDeviceLimits); 0: any.
    uint32_t sample_counts = 0;
    uint32_t subgroup_size = 0;  ///< at most; 0: any
    bool isotropic = false;      ///< no sampler is anisotropic: levels depend only on the magnitudes of gradients
    /// What Vulkan leaves open counts as the same, too (Nodes::open_alike).
    bool open_alike = false;
};

enum class Sameness : uint8_t {
    Unproven,
    Permitted,  ///< the same except for what Vulkan leaves open: answers may differ, but no judge may object
    Proven,     ///< the same in each word, on every device
};

/// SPIRV-Tools' optimiser (dead code, dead components of vectors, folding, value numbering) turns both into the same
/// words once immediates are constants: no input can tell them apart. It does not fold float arithmetic that is
/// decorated with NoContraction.
bool same_when_optimised(const std::vector<uint32_t>& module, const std::vector<uint32_t>& mutant,
                         const std::optional<ZeroWord>& zero);

/// Tries two proofs that no input tells them apart: one follows values from constants to stores (values.h), the
/// other uses the optimiser. It ignores `around.open_alike` and tries both settings.
Sameness sameness(const std::vector<uint32_t>& module, const std::vector<uint32_t>& mutant, const Surroundings& around);

}  // namespace tgsi2spv::difftest
