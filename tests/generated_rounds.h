// How much tests do, as the environment asks.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace tgsi2spv {

/// TGSI2SPV_GENERATED: how many times as much as usual, with further seeds; 1 without it.
inline uint32_t generated_rounds() {
    const char* wanted = std::getenv("TGSI2SPV_GENERATED");
    return wanted != nullptr ? static_cast<uint32_t>(std::atoi(wanted)) : 1;
}

/// TGSI2SPV_FULL: everything at full length. An empty one counts as not set.
inline bool is_full() {
    const char* wanted = std::getenv("TGSI2SPV_FULL");
    return wanted != nullptr && *wanted != '\0';
}

}  // namespace tgsi2spv
