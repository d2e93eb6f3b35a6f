// A device as odd as Vulkan permits: it runs a module's IR with freedoms that are drawn by a seed.
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "api/convert.h"
#include "odd/arithmetic.h"
#include "reference/run.h"

namespace tgsi2spv::odd {

/// A way to convert a shader.
struct Modes {
    bool exact = true;           ///< lower::Options::exact: nothing may be contracted
    bool float_controls = true;  ///< their execution modes are in force, even if the module does not ask
    bool doubles_as_single = true;
    tgsi::Dialect dialect = tgsi::Dialect::Auto;
    uint32_t max_iterations = 0;  ///< lower::Options::max_iterations, if not 0
};
Modes modes_of(uint64_t seed);

/// The promises that the reference may expect of it.
reference::Options judging(const Modes& modes);

/// Runs the parsed shader of `context`. Subgroups are single invocations. The error says what the device lacks: it has
/// no images, and runs VERT, FRAG and COMP.
tl::expected<reference::Result, std::string> run(api::Context& context, const reference::Inputs& inputs,
                                                 const Modes& modes, uint64_t seed);

}  // namespace tgsi2spv::odd
