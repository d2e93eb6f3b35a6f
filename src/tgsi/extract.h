// Shaders out of a log: driver dumps, with or without a prefix before each line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tgsi/types.h"

namespace tgsi2spv::tgsi {

struct Extracted {
    Stage stage{};
    std::string text;      ///< the shader's lines without the log's prefix
    uint32_t line = 0;     ///< of the log, from 1, where it begins
    bool complete = true;  ///< false: the log breaks off before END
};

/// Takes a log apart. A shader begins in a line whose last word is a stage and which a declaration, property,
/// immediate or instruction follows; what stands before the word is the prefix of its other lines too, give or take
/// digits (time stamps). It ends behind END and the subroutines that follow, or where the log goes on with something
/// else. Time and memory are linear in the log.
std::vector<Extracted> extract(std::string_view log);

}  // namespace tgsi2spv::tgsi
