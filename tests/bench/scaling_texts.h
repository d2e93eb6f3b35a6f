// Texts of any length, each long in its own way: for the table of times that tgsi2spv-bench prints, and for the test
// that counts the work they take.
#pragma once

#include <span>
#include <string>

namespace tgsi2spv::bench {

struct ScalingText {
    const char* name;
    /// About `n` instructions.
    std::string (*make)(int n);
    int most = 1'000'000;  ///< the largest `n`
};
std::span<const ScalingText> scaling_texts();

}  // namespace tgsi2spv::bench
