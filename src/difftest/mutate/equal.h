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

/// What holds of every run on the device at hand.
struct Surroundings {
    std::optional<ZeroWord> zero{};
    /// Of images of several samples how many there may be, a bit each (VkPhysicalDeviceLimits); 0: any.
    uint32_t sample_counts = 0;
    uint32_t subgroup_size = 0;  ///< at most; 0: any
    bool isotropic = false;      ///< no sampler is anisotropic: levels know the sizes of gradients alone
    /// What Vulkan leaves open is the same, too (Nodes::open_alike).
    bool open_alike = false;
};

enum class Sameness : uint8_t {
    Unproven,
    Permitted,  ///< the same but for what Vulkan leaves open: answers may differ, and no judge may mind
    Proven,     ///< each word, on every device
};

/// SPIRV-Tools' optimiser (dead code, dead components of vectors, folding, value numbering) makes the same words of
/// both, once immediates are constants: no input can tell them apart. It folds no float arithmetic that NoContraction
/// decorates.
bool same_when_optimised(const std::vector<uint32_t>& module, const std::vector<uint32_t>& mutant,
                         const std::optional<ZeroWord>& zero);

/// By either of two proofs that no input tells them apart: values followed from constants to stores (mutate_values.h),
/// or the optimiser's. `around.open_alike` is not looked at: both ways are asked.
Sameness sameness(const std::vector<uint32_t>& module, const std::vector<uint32_t>& mutant, const Surroundings& around);

}  // namespace tgsi2spv::difftest
