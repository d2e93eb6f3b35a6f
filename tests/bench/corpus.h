// The shaders that the benchmarks read: those under TGSI2SPV_CORPUS that convert.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/convert.h"

namespace tgsi2spv::bench {

struct Shader {
    std::string path;
    std::string text;
    uint32_t instructions = 0;
};

struct Corpus {
    std::vector<Shader> shaders;  ///< sorted by path
    uint64_t bytes = 0;           ///< of text
    uint64_t instructions = 0;
    size_t refused = 0;  ///< files that do not convert
};

/// Returns the options of the hot path: the passes run, without verification between them.
api::Options options();

/// Reads and tries to convert every `.tgsi` file under TGSI2SPV_CORPUS. Returns an empty corpus if the variable is not
/// set.
Corpus load_corpus();

/// Returns the CPU time of this thread.
double thread_nanoseconds();

}  // namespace tgsi2spv::bench
