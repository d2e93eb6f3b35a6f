// Draws as text: what is drawn, with which state, and a formula for every pixel. tests/draw/draws/README.md has the
// syntax.
#pragma once

#include <string>
#include <vector>

#include "texts/cases.h"

namespace tgsi2spv::test {

/// A draw with a value for each of its loops.
struct Draw {
    std::vector<std::string> directives;  ///< in the order of the file
    std::vector<std::string> shaders;     ///< in the order of the pipeline
};

Draw draw_of(const Case& of);

}  // namespace tgsi2spv::test
