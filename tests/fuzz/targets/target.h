// Helpers for all libFuzzer targets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace fuzz {

/// The number of bytes that select options in the inputs of `convert` and `link` (choices.h).
inline constexpr size_t kChoiceBytes = 128;

/// Unless `holds`, aborts the process, which counts as a finding.
inline void require(bool holds, std::string_view otherwise) {
    if (holds) return;
    std::fprintf(stderr, "fuzz: %.*s\n", static_cast<int>(otherwise.size()), otherwise.data());
    std::abort();
}

inline std::string_view text_of(const uint8_t* data, size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

}  // namespace fuzz
