// Draws as text: what is drawn, with which state, and a formula for every pixel. tests/draw/draws/README.md has the
// syntax.
#pragma once

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "texts/lines.h"

namespace tgsi2spv::test {

/// A draw with a value for each of its loops.
struct Variant {
    std::string label;                 ///< the loops' values, for messages
    Variables variables;               ///< the same
    Lines directives;                  ///< in the order of the file
    std::vector<std::string> shaders;  ///< in the order of the pipeline
};

struct NamedDraw {
    std::string name;
    std::vector<Variant> variants;

    friend void PrintTo(const NamedDraw& draw, std::ostream* to) { *to << draw.name; }
};

/// The draws of tests/draw/draws/`file`.
std::vector<NamedDraw> read_draws(const std::string& file);

}  // namespace tgsi2spv::test
