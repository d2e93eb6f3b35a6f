// Texts of any length, each of which is long in its own way: for the table of times that tgsi2spv-bench prints, and for
// the test that counts the work they cause.
#pragma once

#include <span>
#include <string>

namespace tgsi2spv::bench {

struct ScalingText {
    const char* name;
    /// Returns a text of about `n` instructions.
    std::string (*make)(int n);
    int most = 1'000'000;     ///< the largest `n` to use
    bool io_buffers = false;  ///< to be converted with Options::io_buffers
};
std::span<const ScalingText> scaling_texts();

}  // namespace tgsi2spv::bench
